"""``score --by``: systems ranked by the mean of their scores over groups, and those scores.

Macro is the unweighted mean over groups, pooled the score of all items together. A cell, a system
in a group, is scored, or not run (0 where missing answers count as wrong, else left out), or not
applicable: gold has nothing there that the score needs, and nobody's mean has the group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.ordering import ranked_by
from coleval.declare.tables import BETTER, Shaped, end_of
from coleval.metrics.numbers import METRICS as NUMBERS
from coleval.metrics.registry import titled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from coleval.analyses.grouping import Grouping
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report

KEYS = ["metric", "system"]
MACRO, POOLED = "macro", "pooled"
TITLES = {"f1": "F1", **{metric.name: metric.title for metric in NUMBERS}}
# So many groups are named in which a system is first.
NAMED = 3


def ranking(
    corpus: Corpus, found: Grouping, tables: Mapping[str, pl.DataFrame]
) -> dict[str, pl.DataFrame]:
    """Return ``ranking``: the systems by their macro mean, for each metric; and ``by``."""
    by, scoring = found.table, corpus.scoring
    name = headline(by)
    gold = _of_gold(pl.concat([by, found.of_gold], how="diagonal_relaxed"), name,
                    scoring.zero_division)  # fmt: skip
    cells = _every_cell(corpus, _scores(by, name), gold, found.missing)
    wrong = scoring.missing == "wrong"
    value = pl.when(pl.col("absent") & (not wrong)).then(None).otherwise("score")
    value = value.fill_null(0.0) if wrong else value
    cells = cells.with_columns(score=pl.when("applicable").then(value))
    means = cells.group_by(KEYS, maintain_order=True).agg(
        pl.col("score").mean().alias(MACRO),
        pl.col("score").count().cast(pl.Int64).alias("groups"),
        (pl.col("applicable") & pl.col("absent")).sum().cast(pl.Int64).alias("missing"),
        (~pl.col("applicable")).sum().cast(pl.Int64).alias("not_applicable"),
    )
    pooled = _scores(tables["overall"], name).rename({"score": POOLED})
    low = _better_low(by)
    ranks = means.join(pooled, on=KEYS, how="left", maintain_order="left").join(
        _best_in(cells, low), on=KEYS, how="left", maintain_order="left"
    )
    if not gold["applicable"].all():
        on = ["by", "metric"] if "metric" in by.columns else ["by"]
        by = by.join(gold.select(*on, "applicable"), on, "left", nulls_equal=True,
                     maintain_order="left")  # fmt: skip
    end = end_of(tables["overall"])
    ranked = _ranked(ranks, _asked_first(corpus, ranks["metric"]), low)
    return {"ranking": ranked.with_columns(pl.lit(end).alias(BETTER)) if end else ranked, "by": by}


def _better_low(by: pl.DataFrame) -> list[str]:
    """Return the metrics of which less is better."""
    if end_of(by) == "low":
        return by["metric"].unique().to_list()
    return by.filter("lower")["metric"].unique().to_list() if "lower" in by.columns else []


def _upwards(column: str, low: Sequence[str]) -> pl.Expr:
    """Return scores such that more is better, of metrics of which some are better low."""
    return pl.when(pl.col("metric").is_in(low)).then(-pl.col(column)).otherwise(column)


def headline(frame: pl.DataFrame) -> str:
    """Return the column that systems are ranked by."""
    from coleval.analyses.score.spec import TABLES

    if "metric" in frame.columns:
        return "f1" if "f1" in frame.columns else "value"
    return ranked_by(TABLES, "overall", frame)


def _scores(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    metric = pl.col("metric") if "metric" in frame.columns else pl.lit(name).alias("metric")
    by = ["by"] if "by" in frame.columns else []
    return frame.select(*by, metric, "system", pl.col(name).alias("score"))


def _of_gold(by: pl.DataFrame, name: str, zero_division: float | None) -> pl.DataFrame:
    """Return whether gold has what a score needs (``applicable``), by group and metric.

    Where it has not, whatever systems say there is no score.
    """
    if "recall_den" in by.columns:
        # BLANC has no single fraction: it needs two mentions of a document; CoNLL is a mean.
        conll, parts = pl.col("metric") == "conll", pl.col("metric").is_in(["muc", "b3", "ceafe"])
        needed = pl.col("recall_den").fill_null(pl.col("recall").is_not_null().cast(pl.Float64))
        averaged = needed.filter(parts)
        every = averaged.min() if zero_division is None else averaged.max()
        needed = pl.when(conll).then(every.over("by", "system")).otherwise(needed)
    elif "segments" in by.columns:
        needed = pl.col("segments")
    elif "gold" in by.columns:
        needed = pl.col("gold")
    else:
        single = name in ("accuracy", "value")
        needed = pl.col("items") if single else pl.col("tp") + pl.col("fn")
    metric = pl.col("metric") if "metric" in by.columns else pl.lit(name).alias("metric")
    return (
        by.select("by", metric, needed.alias("needed"))
        .group_by("by", "metric", maintain_order=True)
        .agg((pl.col("needed").max() > 0).fill_null(value=False).alias("applicable"))
    )


def _every_cell(
    corpus: Corpus,
    scores: pl.DataFrame,
    gold: pl.DataFrame,
    missing: Iterable[tuple[str | None, str]],
) -> pl.DataFrame:
    """Return a row for every group, metric and system, null where there is no score."""
    groups, metrics = (gold.select(pl.col(n).unique(maintain_order=True)) for n in ("by", "metric"))
    systems = pl.DataFrame({"system": corpus.systems}, schema={"system": pl.String})
    every = metrics.join(systems, how="cross").join(groups, how="cross")
    kinds = {"by": pl.String, "system": pl.String}
    absent = pl.DataFrame(list(missing), schema=kinds, orient="row")
    absent = absent.with_columns(absent=pl.lit(value=True))
    for table, on in ((scores, ["by", *KEYS]), (gold, ["by", "metric"]), (absent, list(kinds))):
        every = every.join(table, on=on, how="left", nulls_equal=True, maintain_order="left")
    return every.with_columns(pl.col("absent", "applicable").fill_null(value=False))


def _best_in(cells: pl.DataFrame, low: Sequence[str]) -> pl.DataFrame:
    """Return the groups that each system is first in; several may share a place."""
    score = _upwards("score", low)
    first = cells.filter(score == score.max().over("by", "metric"))
    return first.group_by(KEYS, maintain_order=True).agg(
        pl.col("by").fill_null("–").str.join(", ").alias("best_in")
    )


def _asked_first(corpus: Corpus, metrics: pl.Series) -> list[str]:
    """Return the metrics, the one that systems are ranked by before all others."""
    asked = corpus.scoring.metric.lower()
    names = metrics.unique(maintain_order=True).to_list()
    order = [
        name for wanted in (asked, "conll") for name in names if name.lower() == wanted.lower()
    ]
    return list(dict.fromkeys([*order, *names]))


def _ranked(found: pl.DataFrame, metrics: list[str], low: Sequence[str]) -> pl.DataFrame:
    place = pl.col("metric").replace_strict({m: k for k, m in enumerate(metrics)})
    # Equal scores of other groups may differ in the last bit of their mean.
    macro = _upwards(MACRO, low).round(12)
    order = found.sort(place, macro, "system", descending=[False, True, False], nulls_last=True)
    rank = macro.rank("min", descending=True).over("metric").cast(pl.Int64)
    return order.select(
        rank.alias("rank"), "system", "metric", MACRO, POOLED, "groups", "missing",
        "not_applicable", "best_in",
    )  # fmt: skip


def heat_map(report: Report) -> Shaped:
    """Return the score of every system in every group, behind its mean and its pooled score."""
    ranks = report.table("ranking")
    metric = ranks["metric"][0]
    ranks = ranks.filter(pl.col("metric") == metric)
    by = report.table("by")
    scores = shown_scores(by).filter(pl.col("metric") == metric)
    means = [
        ranks.select(pl.lit(name).alias("by"), "metric", "system", pl.col(name).alias("score"))
        for name in (MACRO, POOLED)
    ]
    order = {name: k for k, name in enumerate(ranks["system"])}
    groups = by.select("by").unique(maintain_order=True)
    frame = pl.concat([*means, _in_order(scores, groups).with_columns(pl.col("by").fill_null("–"))])
    place = pl.col("system").replace_strict(order, default=None, return_dtype=pl.Int64)
    unit = "" if (end := end_of(by)) else " %"
    frame = frame.sort(place, maintain_order=True, nulls_last=True)
    return Shaped(
        frame.with_columns(pl.lit(end).alias(BETTER)) if end else frame,
        title=f"{_titled(metric)}{unit} by group; macro: mean over groups; "
        "pooled: all items together",
        notes=_blanks(by, metric),
    )


def _titled(metric: str) -> str:
    """Return a metric as the head of a table names it."""
    return TITLES.get(metric) or (titled(metric) if ":" in metric or "_" in metric else metric)


def shown_scores(by: pl.DataFrame) -> pl.DataFrame:
    """Return the scores of ``by`` of those who have run, null where gold has nothing to score."""
    name = headline(by)
    if "ran" in by.columns:
        by = by.filter("ran")
    if "applicable" in by.columns:
        by = by.with_columns(pl.when("applicable").then(name))
    return _scores(by, name)


def _in_order(scores: pl.DataFrame, groups: pl.DataFrame) -> pl.DataFrame:
    """Return scores in the order of their groups: the first system may lack some."""
    order = groups.with_row_index("at")
    joined = scores.join(order, on="by", nulls_equal=True, maintain_order="left")
    return joined.sort("at", maintain_order=True).drop("at")


def _blanks(by: pl.DataFrame, metric: str) -> tuple[str, ...]:
    """Return why cells of the heat map are empty."""
    own = by.filter(pl.col("metric") == metric) if "metric" in by.columns else by
    notes = []
    if "applicable" in by.columns and not own["applicable"].all():
        groups = own.filter(~pl.col("applicable"))["by"].n_unique()
        notes.append(f"– for all: gold has nothing to score ({groups:,}); in no mean")
        own = own.filter("applicable")
    if "ran" in by.columns and not own["ran"].all():
        notes.append(f"– has not run: {(~own['ran']).sum():,}; counted as 0 in macro")
    return tuple(notes)


def _unequal(ranking: pl.DataFrame) -> tuple[str, ...]:
    """Return the note that means are over other groups where systems have not run on the same."""
    if ranking["groups"].n_unique() < 2:
        return ()
    return ("systems have scores for different numbers of groups: their means are over other data",)


def ranks(report: Report) -> Shaped:
    """Return the ranking by the metric that was asked for."""
    found = report.table("ranking")
    first = found.filter(pl.col("metric") == found["metric"][0])
    if not first["not_applicable"].sum():
        first = first.drop("not_applicable")
    others = found["metric"].unique(maintain_order=True).to_list()[1:]
    more = (f"also ranked by {', '.join(others)}: --table ranking --as csv",) if others else ()
    metric = _titled(first["metric"][0]) if len(first) else ""
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
