"""F1 by label: one system is a list, several are a matrix that reads like a heat map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from coleval.render.columns import VOCABULARY, Column, ratio
from coleval.render.heads import shortened_heads, systems_of
from coleval.render.listing import listing
from coleval.render.marks import marks
from coleval.render.sheet import DASH, PAPER, Cell, Head, Sheet, View, rows_for
from coleval.render.visible import distinct, visible

if TYPE_CHECKING:
    import polars as pl

    from coleval.corpus.report import Report

NAME = "labels"
LIST_ROWS = 60
SUPPORT = Column("support", "support")
_LIST = ("precision", "recall", "f1", "tp", "fp", "fn")

Scores = Mapping[tuple[str, str], float | None]


def views(report: Report, width: int) -> tuple[View, ...]:
    """Return the picture that suits the number of systems and labels."""
    frame = report.table(NAME)
    systems = systems_of(report, frame)
    support = _supports(frame)
    if len(systems) <= 1:
        return (_list(frame, systems, rows_for(width, LIST_ROWS)),)
    score, called = _score(frame)
    rows = frame.select("system", "label", score).iter_rows()
    scores = {(system, label): value for system, label, value in rows}
    if _tall(len(systems), len(support), width):
        sheet = _labels_down(scores, systems, support, rows_for(width, LIST_ROWS))
    else:
        sheet = _systems_down(scores, systems, support)
    return (replace(sheet, title=sheet.title.replace("F1", called, 1)),)


def _tall(systems: int, labels: int, width: int) -> bool:
    """Return whether labels are rows: a screen scrolls, paper has more room down than across."""
    if width >= PAPER and labels > 8:
        return labels > systems
    return systems <= 6 and labels > 8


def _list(frame: pl.DataFrame, systems: Sequence[str], limit: int | None) -> Sheet:
    label = Column("label", "label", "text")
    columns = (label, SUPPORT, *(replace(VOCABULARY[name], better="") for name in _LIST))
    whose = f" · {visible(systems[0])}" if systems else ""
    ordered = frame.sort("support", descending=True, nulls_last=True, maintain_order=True)
    title = f"by label, most support first{whose}"
    return listing(ordered, name=NAME, title=title, columns=columns, limit=limit)


def _score(frame: pl.DataFrame) -> tuple[str, str]:
    """Return the score that is shown, and its name: F1 unless nothing has one."""
    return ("f1", "F1") if frame["f1"].null_count() < frame.height else ("recall", "right")


def _supports(frame: pl.DataFrame) -> dict[str, int]:
    """Return the labels with their support, the most frequent first."""
    support: dict[str, int] = {}
    for label, n in frame.select("label", "support").iter_rows():
        support[label] = max(support.get(label, 0), n or 0)
    return dict(sorted(support.items(), key=lambda pair: -pair[1]))


def _systems_down(scores: Scores, systems: Sequence[str], support: Mapping[str, int]) -> Sheet:
    """Return a row a system, a column a label."""
    shades = _shades(scores)
    columns = [_cells([(system, label) for system in systems], scores, shades) for label in support]
    short = distinct(map(visible, support), 24 if len(support) <= 6 else 12)
    heads = [
        Head(
            f"{short[visible(label)]}\n{n:,}",
            marked=_marked(column),
            full=f"{visible(label)}\n{n:,}",
        )
        for (label, n), column in zip(support.items(), columns, strict=True)
    ]
    names = [Cell(visible(system)) for system in systems]
    return Sheet(
        NAME,
        "F1 % by label (support below)",
        (Head("system", right=False, elastic=True), *heads),
        tuple(zip(names, *columns, strict=True)),
        among="of its label",
        crowd="labels with less support",
    )


def _labels_down(
    scores: Scores, systems: Sequence[str], support: Mapping[str, int], limit: int | None
) -> Sheet:
    """Return a row a label, a column a system: easier to read where labels are many."""
    shades = _shades(scores)
    shown = list(support)[:limit]
    rows = [_cells([(system, label) for system in systems], scores, shades) for label in shown]
    starts = [(Cell(visible(label)), Cell(f"{support[label]:,}")) for label in shown]
    heads = shortened_heads(systems, 16, marked=True)
    rest = len(support) - len(shown)
    more = (f"… and {rest:,} more labels: --as csv --table {NAME}",) if rest else ()
    return Sheet(
        NAME,
        "F1 % by label, most support first",
        (Head("label", right=False, elastic=True), Head("support"), *heads),
        tuple((*start, *row) for start, row in zip(starts, rows, strict=True)),
        more,
        among="of its label",
        crowd="systems",
    )


def _cells(
    keys: Sequence[tuple[str, str]], scores: Scores, shades: Mapping[float, float]
) -> list[Cell]:
    """Return the cells of one label over all systems."""
    values = [scores.get(key) for key in keys]
    return [
        Cell(DASH, dim=True) if value is None else Cell(ratio(value), sign, shades[value])
        for value, sign in zip(values, marks(values, "high"), strict=True)
    ]


def _marked(cells: Sequence[Cell]) -> bool:
    return any(cell.mark for cell in cells)


def _shades(scores: Scores) -> dict[float, float]:
    """Return how strongly to tint a value; a twentieth at either end does not stretch the scale."""
    values = sorted(value for value in scores.values() if value is not None)
    if not values:
        return {}
    low, high = values[len(values) // 20], values[-1 - len(values) // 20]
    span = (high - low) or 1.0
    return {value: min(1.0, max(0.0, (value - low) / span)) for value in values}
