"""``buckets`` of numbers: the score of each system by attributes of the items."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.asking import wide_table
from coleval.analyses.buckets.cuts import AttributeCut, Breakdown
from coleval.analyses.buckets.tables import DEFAULT, plan
from coleval.analyses.pivot.slices import described_by
from coleval.analyses.score.intervals import FEWEST
from coleval.analyses.score.numbers import headline
from coleval.analyses.trained import signed, trained
from coleval.corpus.numbers import values
from coleval.declare.analysis import Result
from coleval.declare.tables import BETTER, end_of
from coleval.metrics.counting import counting_of
from coleval.metrics.registry import measure
from coleval.render.listing import plain
from coleval.statistics.breakdown import average, ends, spearman
from coleval.statistics.measure import informed, observed, of_rows
from coleval.statistics.paired import score_interval
from coleval.statistics.ratio import null_for_nan
from coleval.statistics.resampling import Replicates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.analyses.buckets.spec import Options
    from coleval.analyses.buckets.tables import BucketPlan
    from coleval.analyses.report.tables import Topic
    from coleval.annotate.attributes.facts import Facts
    from coleval.annotate.attributes.model import Attribute
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.corpus.report import Report
    from coleval.statistics.measure import Floats, Measure


@dataclass(frozen=True)
class NumberBreakdown(Breakdown):
    """A corpus of numbers, all of whose items count, whether or not gold has a number."""

    @cached_property
    def facts(self) -> Facts:
        """Return the facts about the items, as if gold had an answer to each."""
        own = super().facts
        return replace(own, items=replace(own.items, gold=np.ones(len(own.items), np.uint8)))

    def cut_of(self, attribute: Attribute) -> AttributeCut:
        """Return a given attribute cut into buckets."""
        return self._cut(attribute, self.facts)

    @property
    def names(self) -> list[str]:
        """Return the attributes asked for; by default the columns that describe items."""
        described = described_by(wide_table(self.corpus))
        parts = (described if name == DEFAULT[0] else (name,) for name in self.plan.attributes)
        return list(dict.fromkeys(name for part in parts for name in part))


def buckets(corpus: Corpus, options: Options) -> Result:
    """Return ``buckets``, and ``attributes`` with the best and the worst bucket of each."""
    corpus, chosen = trained(corpus, options), plan(options)
    broken = NumberBreakdown(corpus, chosen, {})
    cuts = broken.cuts()
    parts = [bucket_table(corpus, cut, chosen) for cut in cuts]
    rows = [_ends(cut, part) for cut, part in zip(cuts, parts, strict=True)]
    attributes = pl.DataFrame(rows, schema=_ATTRIBUTES)
    end = pl.lit(headline(corpus).better).alias(BETTER)
    tables = {"buckets": pl.concat(parts), "attributes": attributes.with_columns(end)}
    return Result(tables, corpus, chosen.parts() | signed(corpus), tuple(broken.notes))


_ATTRIBUTES: dict[str, Any] = {
    "attribute": pl.String, "best_bucket": pl.String, "best_value": pl.Float64,
    "best_n": pl.Int64, "worst_bucket": pl.String, "worst_value": pl.Float64,
    "worst_n": pl.Int64, "gap": pl.Float64, "rho": pl.Float64,
}  # fmt: skip


def bucket_table(corpus: Corpus, cut: AttributeCut, chosen: BucketPlan) -> pl.DataFrame:
    """Return every bucket of an attribute for every system, those outside if they hold any."""
    items, place = cut.facts.items, np.asarray(cut.placed.gold)
    limits = [(b.name, b.low, b.high) for b in cut.buckets.each]
    limits += [(name, None, None) for name in cut.buckets.outside]
    held = [(named, np.flatnonzero(place == k)) for k, named in enumerate(limits)]
    there = [one for k, one in enumerate(held) if k < len(cut.buckets) or len(one[1])]
    parts = [
        _of_bucket(corpus, items.where(rows), chosen).select(
            pl.lit(cut.attribute.name).alias("attribute"), pl.lit(name).alias("bucket"),
            pl.lit(_plain(low), pl.Float64).alias("low"),
            pl.lit(_plain(high), pl.Float64).alias("high"), pl.all(),
        )
        for (name, low, high), rows in there or held[-1:]
    ]  # fmt: skip
    whole = pl.concat(parts)
    return whole if there else whole.clear()


def _plain(end: float | None) -> float | None:
    return None if end is None or not np.isfinite(end) else float(end)


def _of_bucket(corpus: Corpus, items: Items, chosen: BucketPlan) -> pl.DataFrame:
    """Return the score of each system on some items, with its interval if there is to be one."""
    name = corpus.task_kind.headline(corpus, corpus.at(corpus.scoring.unit))
    # Gold is what it was: here it says which items count.
    own = replace(items, gold=corpus.at(items.unit).gold[items.numbers])
    counting = counting_of(corpus, own, chosen.unit_of_resampling)
    score = measure(name, counting)
    columns: dict[str, Any] = {
        "items": pl.Series([len(items)] * len(items.systems), dtype=pl.Int64),
        "system": pl.Series(items.systems, dtype=pl.String),
        "metric": pl.Series([name] * len(items.systems), dtype=pl.String),
        "answered": pl.Series((~np.isnan(values(own))).sum(axis=1), dtype=pl.Int64),
        "value": null_for_nan(observed(score)),
    }
    if chosen.intervals:
        low, high = _interval(score, counting.units.key, chosen)
        columns |= {"value_low": null_for_nan(low), "value_high": null_for_nan(high)}
    return pl.DataFrame(columns).with_columns(pl.lit(score.better).alias(BETTER))


def _interval(score: Measure, keys: Any, chosen: BucketPlan) -> Floats:
    if informed(score) < FEWEST:
        return np.full((2, len(observed(score))), np.nan)
    (merged,), key = of_rows([score], keys)
    how = Replicates(key, chosen.seed, chosen.replicates)
    return score_interval(merged, how, chosen.alpha, informed(merged))


def _ends(cut: AttributeCut, table: pl.DataFrame) -> dict[str, Any]:
    """Return the best and the worst bucket of an attribute by the mean over systems."""
    inside = table.head(len(cut.buckets) * len(cut.facts.items.systems))
    sign = -1 if end_of(table) == "low" else 1
    grouped = inside.group_by("bucket", maintain_order=True).agg(
        pl.col("value").mean(), pl.col("items").first()
    )
    means = grouped["value"].to_list()
    found = ends([None if mean is None else sign * mean for mean in means])
    row: dict[str, Any] = dict.fromkeys(_ATTRIBUTES)
    row["attribute"], row["rho"] = cut.attribute.name, _rho(inside, cut)
    if found is None:
        return row
    # ``high`` is the score of the best, or the first of equals, of signed scores.
    for end, at in (("best", found.best), ("worst", found.worst)):
        bucket, value, n = grouped.row(at)
        row |= {f"{end}_bucket": bucket, f"{end}_value": value, f"{end}_n": n}
    return row | {"gap": row["worst_value"] - row["best_value"]}


def _rho(inside: pl.DataFrame, cut: AttributeCut) -> float | None:
    """Return how scores follow the order of buckets, the mean over systems."""
    if not cut.buckets.ordered:
        return None
    each: Sequence[Sequence[float | None]] = [
        part["value"].to_list() for part in inside.partition_by("system", maintain_order=True)
    ]
    return average([rho for rho in map(spearman, each) if rho is not None])


def finding(report: Report, topic: Topic) -> str:
    """Return between which buckets of which attribute the mean over systems differs most."""
    frame = report.table("attributes").drop_nulls("gap")
    if frame.is_empty():
        return "No attribute is available."
    row = max(frame.to_dicts(), key=lambda one: abs(one["gap"]))
    return (
        f"{topic.title[0].upper()}{topic.title[1:]} is {plain(row['best_value'])} where "
        f"{row['attribute']} is {row['best_bucket']} (n = {row['best_n']:,}) and "
        f"{plain(row['worst_value'])} where it is {row['worst_bucket']} (n = {row['worst_n']:,}), "
        "on the average of systems."
    )
