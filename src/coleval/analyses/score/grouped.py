"""``score --by``: systems ranked by the mean of their scores over groups, and those scores.

Macro is the unweighted mean over groups, pooled the score of all items together. A score that is
undefined is 0 where missing answers count as wrong, else it is left out of the mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.ordering import ranked_by
from coleval.declare.tables import Shaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from coleval.analyses.grouping import Grouping
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report

KEYS = ["metric", "system"]
MACRO, POOLED = "macro", "pooled"
TITLES = {"f1": "F1"}
# So many groups are named in which a system is first.
NAMED = 3


def ranking(
    corpus: Corpus, found: Grouping, tables: Mapping[str, pl.DataFrame]
) -> dict[str, pl.DataFrame]:
    """Return ``ranking``: the systems by their macro mean, for each metric that there is."""
    by = found.table
    name = headline(by)
    # On some nobody has run: they have no row, and everybody lacks them.
    groups = pl.Series("by", [*by["by"], *(group for group, _ in found.missing)], pl.String)
    groups = groups.unique(maintain_order=True)
    cells = _every_cell(corpus, _scores(by, name), groups, found.missing)
    wrong = corpus.scoring.missing == "wrong"
    entering = pl.col("score").fill_null(0.0) if wrong else pl.col("score")
    means = cells.group_by(KEYS, maintain_order=True).agg(
        entering.mean().alias(MACRO),
        entering.count().cast(pl.Int64).alias("groups"),
        (pl.col("score").is_null() | pl.col("absent")).sum().cast(pl.Int64).alias("missing"),
    )
    pooled = _scores(tables["overall"], name).rename({"score": POOLED})
    ranks = means.join(pooled, on=KEYS, how="left", maintain_order="left").join(
        _best_in(cells), on=KEYS, how="left", maintain_order="left"
    )
    return {"ranking": _ranked(ranks, _asked_first(corpus, ranks["metric"]))}


def headline(frame: pl.DataFrame) -> str:
    """Return the column that systems are ranked by."""
    from coleval.analyses.score.spec import TABLES

    if "metric" in frame.columns:
        return "f1"
    return ranked_by(TABLES, "overall", frame)


def _scores(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    metric = pl.col("metric") if "metric" in frame.columns else pl.lit(name).alias("metric")
    by = ["by"] if "by" in frame.columns else []
    return frame.select(*by, metric, "system", pl.col(name).alias("score"))


def _every_cell(
    corpus: Corpus,
    scores: pl.DataFrame,
    groups: pl.Series,
    missing: Iterable[tuple[str | None, str]],
) -> pl.DataFrame:
    """Return a row for every group, metric and system, null where there is no score."""
    metrics = scores["metric"].unique(maintain_order=True)
    systems = pl.Series("system", corpus.systems, dtype=pl.String)
    every = metrics.to_frame().join(systems.to_frame(), how="cross")
    every = every.join(groups.to_frame(), how="cross")
    kinds = {"by": pl.String, "system": pl.String}
    lacking = pl.DataFrame(list(missing), schema=kinds, orient="row")
    lacking = lacking.with_columns(absent=pl.lit(value=True))
    return (
        every.join(scores, on=["by", *KEYS], how="left", nulls_equal=True, maintain_order="left")
        .join(lacking, on=list(kinds), how="left", nulls_equal=True, maintain_order="left")
        .with_columns(pl.col("absent").fill_null(value=False))
    )


def _best_in(cells: pl.DataFrame) -> pl.DataFrame:
    """Return the groups that each system is first in; several may share a place."""
    best = pl.col("score").max().over("by", "metric")
    first = cells.filter(pl.col("score") == best)
    return first.group_by(KEYS, maintain_order=True).agg(
        pl.col("by").fill_null("–").str.join(", ").alias("best_in")
    )


def _asked_first(corpus: Corpus, metrics: pl.Series) -> list[str]:
    """Return the metrics, the one that systems are ranked by before all others."""
    asked = corpus.scoring.metric
    names = metrics.unique(maintain_order=True).to_list()
    order = [name for wanted in (asked, "conll") for name in names if name.lower() == wanted]
    return list(dict.fromkeys([*order, *names]))


def _ranked(found: pl.DataFrame, metrics: list[str]) -> pl.DataFrame:
    place = pl.col("metric").replace_strict({m: k for k, m in enumerate(metrics)})
    # Equal scores of other groups may differ in the last bit of their mean.
    macro = pl.col(MACRO).round(12)
    order = found.sort(place, macro, "system", descending=[False, True, False], nulls_last=True)
    rank = macro.rank("min", descending=True).over("metric").cast(pl.Int64)
    return order.select(
        rank.alias("rank"), "system", "metric", MACRO, POOLED, "groups", "missing", "best_in"
    )


def heat_map(report: Report) -> Shaped:
    """Return the score of every system in every group, behind its mean and its pooled score."""
    ranks = report.table("ranking")
    metric = ranks["metric"][0]
    ranks = ranks.filter(pl.col("metric") == metric)
    by = report.table("by")
    there = by.filter("ran") if "ran" in by.columns else by
    scores = _scores(there, headline(by)).filter(pl.col("metric") == metric)
    means = [
        ranks.select(pl.lit(name).alias("by"), "metric", "system", pl.col(name).alias("score"))
        for name in (MACRO, POOLED)
    ]
    order = {name: k for k, name in enumerate(ranks["system"])}
    groups = by.select("by").unique(maintain_order=True)
    frame = pl.concat([*means, _in_order(scores, groups).with_columns(pl.col("by").fill_null("–"))])
    place = pl.col("system").replace_strict(order, default=None, return_dtype=pl.Int64)
    return Shaped(
        frame.sort(place, maintain_order=True, nulls_last=True),
        title=f"{TITLES.get(metric, metric)} % by group; macro: mean over groups; "
        "pooled: all items together",
        notes=() if len(there) == len(by) else (_absent(by),),
    )


def _in_order(scores: pl.DataFrame, groups: pl.DataFrame) -> pl.DataFrame:
    """Return scores in the order of their groups: the first system may lack some."""
    order = groups.with_row_index("at")
    joined = scores.join(order, on="by", nulls_equal=True, maintain_order="left")
    return joined.sort("at", maintain_order=True).drop("at")


def _absent(by: pl.DataFrame) -> str:
    zero = by.filter(~pl.col("ran"))
    return f"– has not run: {len(zero.select('by', 'system').unique()):,}; counted as 0 in macro"


def _unequal(ranking: pl.DataFrame) -> tuple[str, ...]:
    """Return the note that means are over other groups where systems have not run on the same."""
    if ranking["groups"].n_unique() < 2:
        return ()
    return ("systems have scores for different numbers of groups: their means are over other data",)


def ranks(report: Report) -> Shaped:
    """Return the ranking by the metric that was asked for."""
    found = report.table("ranking")
    first = found.filter(pl.col("metric") == found["metric"][0])
    others = found["metric"].unique(maintain_order=True).to_list()[1:]
    more = (f"also ranked by {', '.join(others)}: --table ranking --as csv",) if others else ()
    metric = TITLES.get(first["metric"][0], first["metric"][0]) if len(first) else ""
    names = pl.col("best_in").str.split(", ")
    few = names.list.head(NAMED).list.join(", ")
    more_of_them = pl.format("{} and {} more", few, names.list.len().cast(pl.Int64) - NAMED)
    return Shaped(
        first.with_columns(
            pl.when(names.list.len() > NAMED).then(more_of_them).otherwise(few).alias("best_in")
        ),
        title=f"systems by the mean of their {metric} over groups (macro)",
        notes=(*_unequal(first), *more),
    )
