"""``bins`` of numbers: items of equal groups by their mean score, and each system's score there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.buckets.numbers import NumberBreakdown, bucket_table
from coleval.analyses.buckets.spec import Options as BucketOptions
from coleval.analyses.buckets.tables import plan
from coleval.analyses.outcomes import outcomes_of
from coleval.analyses.wording import number_of
from coleval.annotate import MEAN_SCORE
from coleval.annotate.attributes.model import Attribute, anything
from coleval.declare.tables import BETTER, end_of
from coleval.render.listing import plain
from coleval.statistics.item_scores import means_of
from coleval.statistics.ratio import null_for_nan, ratio_expr

if TYPE_CHECKING:
    from coleval.analyses.bins.spec import Options
    from coleval.analyses.report.tables import Topic
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report


def bins(corpus: Corpus, options: Options) -> dict[str, pl.DataFrame]:
    """Return ``bins`` by quantiles of the mean score, lowest first, and ``means`` of systems."""
    outcomes = outcomes_of(corpus)
    cutting = {MEAN_SCORE: f"quantile {options.quantiles}"}
    chosen = plan(BucketOptions(attributes=(MEAN_SCORE,), buckets=cutting))
    items, metric = outcomes.items, outcomes.metric
    assert metric.outcomes is not None  # noqa: S101  - there are outcomes
    mean = null_for_nan(means_of(metric.outcomes(replace(items, answers=items.judging)).T))
    attribute = Attribute(MEAN_SCORE, "", (items.unit,), "", "", lambda _: anything(mean))
    cut = NumberBreakdown(corpus, chosen, {}).cut_of(attribute)
    table = bucket_table(corpus, cut, chosen)
    order = table.select(pl.col("bucket").unique(maintain_order=True)).with_row_index("bin", 1)
    whole = (pl.col("value") * pl.col("answered")).sum() / pl.col("answered").sum()
    best = table.group_by("system").agg(whole.alias("mean"))
    best = best.sort("mean", "system", descending=[end_of(table) != "low", False], nulls_last=True)
    table = best.select("system").join(table, on="system", maintain_order="left")
    means = table.join(order, on="bucket", maintain_order="left").select(
        pl.col("bin").cast(pl.Int64), "items", "system", "metric", "answered", "value", BETTER
    )
    sizes = table.group_by("bucket", maintain_order=True).agg(
        pl.col("low", "high", "items").first()
    )
    sizes = sizes.join(order, on="bucket", maintain_order="left").select(
        pl.col("bin").cast(pl.Int64),
        "bucket",
        "low",
        "high",
        "items",
        ratio_expr(pl.col("items"), pl.col("items").sum()).alias("share"),
        pl.lit(end_of(table)).alias(BETTER),
    )
    return {"bins": sizes, "means": means}


def finding(report: Report, topic: Topic) -> str:
    """Return what systems reach on the items with the lowest means, and on those with the best."""
    sizes, means = report.table("bins"), report.table("means")
    if sizes.is_empty():
        return "There are no items."
    first, last = sizes.row(0, named=True), sizes.row(-1, named=True)
    ends = [means.filter(pl.col("bin") == row["bin"])["value"].mean() for row in (first, last)]
    low, high = map(plain, ends)
    return (
        f"In the {number_of(first['items'], 'item')} with the lowest mean scores "
        f"({first['bucket']}), {topic.title} is {low} on the average of systems; in the "
        f"{number_of(last['items'], 'item')} with the highest, {high}."
    )
