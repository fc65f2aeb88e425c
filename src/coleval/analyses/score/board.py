"""The leaderboard to publish: scores with intervals, groups, a column for each dataset."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses.compare.ranks import (
    bar,
    interval_stripes,
    scale,
    scale_head,
    span_text,
    whole,
)
from coleval.analyses.grouping import BY, grouped
from coleval.analyses.score.grouped import headline, ranking, shown_scores
from coleval.corpus.coverage import LEAVE_OUT, shared
from coleval.corpus.grid import DATASET
from coleval.declare.counting import Resampled
from coleval.declare.options import values
from coleval.declare.tables import BETTER, end_of
from coleval.errors import ColevalError
from coleval.metrics.registry import titled_in
from coleval.render.listing import marks, scores_of
from coleval.render.sheet import BEST, Cell, Head, Sheet, View
from coleval.render.visible import distinct, visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.analyses.score.spec import Options
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report
    from coleval.declare.analysis import Result

NAME = "leaderboard"
# Beside the score: what it is made of, as far as there is a single one of each system.
_BESIDE = ("precision", "recall", "macro_f1", "coverage")
_PARTS = ("precision", "recall")
_TITLES = {"precision": "P", "recall": "R", "macro_f1": "macro\nF1", "coverage": "answered"}
_NOTE = "a group is significantly better than every lower group"
# Cells of a name at the head of a column, and of a bar.
_LONGEST, _BAR = 18, 16


def with_board(corpus: Corpus, result: Result, options: Options) -> Result:
    """Return a leaderboard with intervals and groups before all other tables."""
    by = tuple(options.by) or _datasets(corpus)
    tables = dict(result.tables)
    if by:
        tables = {**_by_dataset(corpus, options, by, tables), **tables}
    board, signed, warnings = _compared(corpus, options, by, tables["overall"])
    return replace(
        result,
        tables={NAME: board, **tables},
        signed={**(result.signed or {}), **signed},
        warnings=(*result.warnings, *warnings),
    )


def _datasets(corpus: Corpus) -> tuple[str, ...]:
    grid = corpus.grid
    return (DATASET,) if grid is not None and len(grid.datasets) > 1 else ()


def _by_dataset(
    corpus: Corpus, options: Options, by: Sequence[str], tables: Mapping[str, pl.DataFrame]
) -> dict[str, pl.DataFrame]:
    from coleval.analyses.registry import ANALYSES

    # Scores of groups are counted alone, without what intervals are drawn by.
    drawn: dict[str, Any] = dict.fromkeys(values(options, Resampled))
    alone = replace(options, by=by, leaderboard=False, intervals=False, **drawn)
    found = grouped(ANALYSES["score"], corpus, alone)
    return ranking(corpus, found, tables)


def _compared(
    corpus: Corpus, options: Options, by: Sequence[str], overall: pl.DataFrame
) -> tuple[pl.DataFrame, Mapping[str, str], tuple[str, ...]]:
    """Return the ranks of a comparison beside the scores; the scores alone where there is none."""
    from coleval.analyses.compare.plan import settled
    from coleval.analyses.compare.tables import compared
    from coleval.analyses.report.tables import cautions

    said: tuple[str, ...] = ()
    try:
        if corpus.scoring.missing == LEAVE_OUT:
            # Systems are scored each on its own files, and compared on those that all have.
            corpus, said = shared(corpus)
        chosen, plan = settled(corpus, **values(options, Resampled), by=tuple(by))
        tables = compared(chosen, plan)
    except ColevalError as error:
        return _alone(corpus, overall), {}, (f"no intervals and groups: {error.problem}",)
    return _beside(tables["ranks"], overall), plan.parts(), (*said, *cautions(tables, plan))


def _alone(corpus: Corpus, overall: pl.DataFrame) -> pl.DataFrame:
    """Return the leaderboard of scores without intervals."""
    name, first = headline(overall), overall
    metric = name
    if "metric" in overall.columns:
        metric = corpus.task_kind.headline(corpus, corpus.at(corpus.scoring.unit))
        first = overall.filter(pl.col("metric").str.to_lowercase() == metric.lower())
    value = pl.col(name)
    nothing = [pl.lit(None, pl.Float64).alias(end) for end in ("low", "high")]
    counts = ("rank_low", "rank_high", "group", "better_than", "worse_than")
    return _beside(
        first.select(
            "system",
            pl.lit(metric).alias("metric"),
            value.alias("value"),
            *nothing,
            value.rank("min", descending=True).cast(pl.Int64).alias("rank"),
            *(pl.lit(None, pl.Int64).alias(count) for count in counts),
        ),
        overall,
    )


def _beside(ranks: pl.DataFrame, overall: pl.DataFrame) -> pl.DataFrame:
    """Return the ranks with what their scores are made of, the best system first."""
    if "metric" in overall.columns:
        return ranks
    # Where every item has an answer, precision and recall are the accuracy again.
    same = "accuracy" in overall.columns and overall["accuracy"].null_count() < overall.height
    there = [n for n in _BESIDE if n in overall.columns and not (same and n in _PARTS)]
    known = [name for name in there if overall[name].null_count() < overall.height]
    return ranks.join(
        overall.select("system", *known), on="system", how="left", maintain_order="left"
    )


def views(report: Report, width: int) -> tuple[View, ...]:  # noqa: ARG001
    """Return one table: rank, system, score with its interval, group, and each dataset's score."""
    frame = report.table(NAME)
    if frame.is_empty():
        return ()
    rows = frame.to_dicts()
    heads, cells = _scores(frame, rows)
    for more_heads, more_cells in (_made_of(frame), _of_groups(report, frame["system"].to_list())):
        heads, cells = [*heads, *more_heads], [*cells, *more_cells]
    lines = tuple(zip(*cells, strict=True))
    notes = (_NOTE,) if frame["group"].null_count() < frame.height else ()
    unit = "" if end_of(frame) else " %"
    title = f"{visible(titled_in(frame))}{unit}, 95 % intervals, significance groups"
    return (Sheet(NAME, title, tuple(heads), lines, notes, among="of its column"),)


def _scores(
    frame: pl.DataFrame, rows: Sequence[Mapping[str, object]]
) -> tuple[list[Head], list[list[Cell]]]:
    ends, written = scale(rows), scores_of(frame)
    score = titled_in(frame).partition(" (")[0] + ("" if end_of(frame) else " %")
    heads = [Head("#"), Head("system", right=False, elastic=True), Head(score, marked=True)]
    cells = [
        [Cell(whole(row["rank"])) for row in rows],
        [Cell(visible(str(row["system"]))) for row in rows],
        _best(frame["value"].to_list(), frame),
    ]
    if frame["low"].null_count() == frame.height:
        return heads, cells
    heads += [Head("95 %\ninterval"), scale_head(frame), Head("rank\ninterval"), Head("group")]
    cells += [
        [Cell(span_text(row["low"], row["high"], written)) for row in rows],
        [Cell(bar(row, ends, _BAR), bar=interval_stripes(row, ends)) for row in rows],
        [Cell(span_text(row["rank_low"], row["rank_high"], whole)) for row in rows],
        [Cell(whole(row["group"])) for row in rows],
    ]
    return heads, cells


def _made_of(frame: pl.DataFrame) -> tuple[list[Head], list[list[Cell]]]:
    names = [name for name in _BESIDE if name in frame.columns]
    return (
        [Head(f"{_TITLES[name]} %", marked=True) for name in names],
        [_best(frame[name].to_list(), frame.drop(BETTER, strict=False)) for name in names],
    )


def _best(values: Sequence[float | None], frame: pl.DataFrame) -> list[Cell]:
    """Return scores of a frame, the best of them marked."""
    written = scores_of(frame)
    signs = [sign if sign == BEST else "" for sign in marks(values, end_of(frame) or "high")]
    return [Cell(written(value), sign) for value, sign in zip(values, signs, strict=True)]


def _of_groups(report: Report, systems: Sequence[str]) -> tuple[list[Head], list[list[Cell]]]:
    """Return a column for each dataset, or group, with the best of each marked."""
    if BY not in report.tables:
        return [], []
    by = report.table(BY)
    scores = shown_scores(by)
    first = scores.filter(pl.col("metric") == report.table("ranking")["metric"][0])
    values_ = {(str(group), system): value for group, system, value in
               first.select("by", "system", "score").iter_rows()}  # fmt: skip
    groups = list(dict.fromkeys(group for group, _ in values_))
    short = distinct(map(visible, groups), _LONGEST)
    heads, cells = [], []
    for group in groups:
        heads.append(Head(short[visible(group)], marked=True, full=visible(group)))
        cells.append(_best([values_.get((group, system)) for system in systems], by))
    return heads, cells
