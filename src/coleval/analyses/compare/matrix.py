"""Which differences are real: a triangle, a row a system, a mark under each better one.

A few systems get the differences themselves, many get one mark a pair; marks differ in shape, so
that nothing is said by colour alone.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from coleval.analyses.compare.spec import PAIRS
from coleval.declare.tables import end_of
from coleval.render.halves import Pair, Signs, Triangle
from coleval.render.listing import listing, scores_of
from coleval.render.sheet import DASH, PAPER, Cell, Sheet, View, rows_for
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from coleval.corpus.report import Report

NAME = "pairs"
LEVELS = ((0.001, "●"), (0.01, "◐"), (0.05, "○"))
# What papers write for the same levels, nothing where a difference is not significant.
STARS = {"●": "***", "◐": "**", "○": "*", "·": "", "–": ""}
NOTHING = "·"
OPEN = "?"
ROWS = 60
_LEGEND = "adjusted p: ● < .001  ◐ < .01  ○ < .05  · not significant"
_STARRED = "adjusted p: *** < .001, ** < .01, * < .05"
_UNDECIDED = "undecided"


def views(report: Report, width: int) -> tuple[View, ...]:
    """Return the triangle of all pairs, or a list where one system is compared with the others."""
    frame = report.table(NAME)
    names = _ranked(report, frame)
    if frame.height != len(names) * (len(names) - 1) // 2 or len(names) < 3:
        return (_list(frame, width),)
    pairs = {frozenset((row["a"], row["b"])): row for row in frame.iter_rows(named=True)}
    stars = width >= PAPER
    notes = (_STARRED if stars else _LEGEND, *_reasons(report.all_rows(NAME)))
    triangle = Triangle(NAME, "system", names, pairs, notes, first=1)
    significant = f"significant {_metric(frame)} differences"
    marks = f"{significant} from better systems (by number)"
    short = [Signs(marks, _sign, 1, gap) for gap in (" ", "")]
    points = "how far" if end_of(frame) else "points"
    title = f"{significant}: {points} below the better system (by number)"
    if end_of(frame) == "low":
        title = title.replace("below", "above")
    write = partial(_difference, stars=stars, written=scores_of(frame))
    return (triangle.fitted(title, write, short, width),)


def _ranked(report: Report, frame: pl.DataFrame) -> list[str]:
    ranked = report.tables.get("ranks")
    if ranked is not None and "system" in ranked.columns:
        return ranked["system"].to_list()
    return list(dict.fromkeys([*frame["a"], *frame["b"]]))


def mark(p: object) -> str:
    """Return the mark of an adjusted p value."""
    if not isinstance(p, float):
        return DASH
    return next((sign for level, sign in LEVELS if p < level), NOTHING)


def _sign(pair: Pair) -> str:
    """Return the mark of a pair: that of its p, or that it is undecided."""
    still = str(pair.get("note") or "").startswith(_UNDECIDED)
    return OPEN if still else mark(pair["p_adjusted"])


def _difference(pair: Pair, *, stars: bool, written: Callable[[object], str]) -> Cell:
    """Return a difference, pale where it is not significant; papers print it with stars."""
    delta, sign = pair["delta"], _sign(pair)
    if not isinstance(delta, float):
        return Cell(DASH, dim=True)
    shown = STARS.get(sign, sign) if stars else f" {sign}"
    return Cell(f"{written(abs(delta))}{shown}", dim=sign == NOTHING)


def _list(frame: pl.DataFrame, width: int) -> Sheet:
    limit = rows_for(width, ROWS)
    table = PAIRS.in_unit(frame)
    sheet = listing(frame, name=NAME, title=table.title, columns=table.columns, limit=limit)
    return _with_stars(sheet, frame) if width >= PAPER and frame.height else sheet


def _with_stars(sheet: Sheet, frame: pl.DataFrame) -> Sheet:
    """Return the list with the stars of the adjusted p behind the difference."""
    at = next((k for k, head in enumerate(sheet.heads) if head.column == "delta"), None)
    if at is None:
        return sheet
    signs = [_sign(row) for row in frame.iter_rows(named=True)]
    rows = tuple(
        (*row[:at], replace(row[at], text=row[at].text + STARS.get(sign, sign)), *row[at + 1 :])
        for row, sign in zip(sheet.rows, signs, strict=True)
    )
    return replace(sheet, rows=rows, notes=(_STARRED, *sheet.notes))


def _metric(frame: pl.DataFrame) -> str:
    from coleval.metrics.registry import titled_in

    return visible(titled_in(frame))


def _reasons(frame: pl.DataFrame) -> tuple[str, ...]:
    """Return the reasons why something is undefined, each with how many pairs it holds for."""
    told = frame.filter(frame["note"].is_not_null())["note"].value_counts(sort=True)
    lines = [f"{_mark_of(note)} {visible(note)} ({n:,})" for note, n in told.iter_rows()]
    return (*lines[:5], *_bounds(frame))


def _mark_of(note: str) -> str:
    marks = {"equal": NOTHING, _UNDECIDED: OPEN}
    return next((sign for start, sign in marks.items() if note.startswith(start)), DASH)


def _bounds(frame: pl.DataFrame) -> tuple[str, ...]:
    """Return how many p values are upper bounds."""
    n = int((frame["p_from"] == "bound").sum()) if "p_from" in frame.columns else 0
    text = f"p of {n:,} pairs is an upper bound: fewer than 10 replicates are as extreme"
    return (text,) if n else ()
