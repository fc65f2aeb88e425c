"""A frame as it is, row for row: the columns a layout chooses, formatted and marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from coleval.render.columns import Column, column_for, written
from coleval.render.marks import marks
from coleval.render.sheet import Cell, Head, Sheet

if TYPE_CHECKING:
    import polars as pl

Row = Mapping[str, object]


def listing(
    frame: pl.DataFrame,
    *,
    name: str,
    title: str,
    columns: Sequence[Column] = (),
    ranked_by: str = "",
    limit: int | None = None,
) -> Sheet:
    """Return one line a row, cut after ``limit``; all columns that hold anything by default."""
    chosen = _shown(frame, columns or [column_for(key, frame.schema[key]) for key in frame.columns])
    rows = frame.head(limit).to_dicts() if limit else frame.to_dicts()
    cells = [_cells(column, rows, compare=bool(columns)) for column in chosen]
    heads = [_head(column, below) for column, below in zip(chosen, cells, strict=True)]
    if ranked_by in frame.columns and len(rows) > 1:
        heads.insert(0, Head("#"))
        cells.insert(0, _ranks([row[ranked_by] for row in rows]))
    notes = _more(len(rows), frame.height, name)
    return Sheet(
        name, title, tuple(heads), tuple(zip(*cells, strict=True)), notes, among="of its column"
    )


def _shown(frame: pl.DataFrame, columns: Sequence[Column]) -> list[Column]:
    """Return the columns there are, without those that hold nothing but nulls."""
    there = [column for column in columns if column.name in frame.columns]
    return [c for c in there if frame.is_empty() or frame[c.name].null_count() < frame.height]


def _cells(column: Column, rows: Sequence[Row], *, compare: bool) -> list[Cell]:
    values = [_comparable(column, row) for row in rows]
    signs = marks(values, column.better if compare else "")
    texts = [written(column, row) for row in rows]
    return [Cell(text, sign) for text, sign in zip(texts, signs, strict=True)]


def _comparable(column: Column, row: Row) -> float | None:
    value = row[column.name]
    if not isinstance(value, int | float):
        return None
    if column.kind != "share":
        return value
    whole = row.get(column.whole)
    return value / whole if isinstance(whole, int) and whole else None


def _head(column: Column, cells: Sequence[Cell]) -> Head:
    return Head(
        column.title,
        right=not column.textual,
        elastic=column.kind in ("text", "prose"),
        marked=any(cell.mark for cell in cells),
        prose=column.kind == "prose",
    )


def _ranks(values: Sequence[object]) -> list[Cell]:
    """Return places from 1; neighbours with equal values share one."""
    places: list[int] = []
    for at, value in enumerate(values):
        tied = at > 0 and value is not None and value == values[at - 1]
        places.append(places[-1] if tied else at + 1)
    return [Cell(str(place), dim=True) for place in places]


def _more(shown: int, there: int, name: str) -> tuple[str, ...]:
    if shown == there:
        return ()
    return (f"… and {there - shown:,} more rows: --as csv --table {name}",)
