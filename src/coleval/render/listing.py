"""A frame as it is, row for row: the columns that are declared, formatted and marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from coleval.render.columns import column_for, written
from coleval.render.fitting import taken
from coleval.render.marks import marks
from coleval.render.sheet import PAGE, Cell, Head, Sheet, filled

if TYPE_CHECKING:
    import polars as pl

    from coleval.declare.tables import Column

Row = Mapping[str, object]
# Cells of the longest bar, how few are too few for bars, and cells of the words that a screen
# shows on either side of an item.
BAR, SHORTEST, NEAR = 30, 4, 22
# The column of places among all rows, where only some are shown.
PLACE = "#"


def listing(
    frame: pl.DataFrame,
    *,
    name: str,
    title: str,
    columns: Sequence[Column] = (),
    ranked_by: str = "",
    limit: int | None = None,
    width: int = 0,
) -> Sheet:
    """Return one line a row, cut after ``limit``; all columns that hold anything by default."""
    chosen = _holding(
        frame, columns or [column_for(key, frame.schema[key]) for key in frame.columns]
    )
    rows = frame.head(limit).to_dicts() if limit else frame.to_dicts()
    plain = [column for column in chosen if column.kind != "bar"]
    cells = [_cells(column, rows, width, compare=bool(columns)) for column in plain]
    heads = [_head(column, below) for column, below in zip(plain, cells, strict=True)]
    if ranked_by in frame.columns and len(rows) > 1:
        heads.insert(0, Head("#"))
        known = PLACE in frame.columns
        places = [row[PLACE] for row in rows] if known else places_of(frame[ranked_by].to_list())
        cells.insert(0, [Cell(str(place), dim=True) for place in places[: len(rows)]])
    sheet = Sheet(
        name, title, tuple(heads), tuple(zip(*cells, strict=True)),
        _more(len(rows), frame.height, name), among="of its column",
    )  # fmt: skip
    for column in (column for column in chosen if column.kind == "bar"):
        sheet = _barred(sheet, frame[column.name].to_list(), width)
    return sheet


def _barred(sheet: Sheet, values: Sequence[object], width: int) -> Sheet:
    """Return a sheet with bars in the room that its columns leave, without any if it is little."""
    room = min(BAR, width - taken(sheet)) if sheet.heads else 0
    if room < SHORTEST:
        return sheet
    sizes = [value if isinstance(value, int | float) else 0 for value in values]
    most = max(sizes, default=0)
    bars = [Cell(bar(size, most, room), bar=filled(size, most)) for size in sizes]
    rows = tuple((*row, own) for row, own in zip(sheet.rows, bars, strict=False))
    return replace(sheet, heads=(*sheet.heads, Head("", right=False)), rows=rows)


def _holding(frame: pl.DataFrame, columns: Sequence[Column]) -> list[Column]:
    """Return the columns there are, without those that hold nothing but nulls."""
    there = [column for column in columns if column.name in frame.columns]
    return [c for c in there if frame.is_empty() or frame[c.name].null_count() < frame.height]


def _cells(column: Column, rows: Sequence[Row], width: int, *, compare: bool) -> list[Cell]:
    values = [_comparable(column, row) for row in rows]
    signs = marks(values, column.better if compare else "")
    texts = [written(column, row) for row in rows]
    if column.kind in ("before", "after") and width < PAGE:
        texts = [near(text, column.kind) for text in texts]
    return [Cell(text, sign) for text, sign in zip(texts, signs, strict=True)]


def bar(size: float, longest: float, room: int = BAR) -> str:
    """Return a bar as long as ``size`` is of ``longest``; a sliver for what would be invisible."""
    if not size or not longest:
        return ""
    eighths = max(1, round(8 * room * size / longest))
    return "█" * (eighths // 8) + ("", *"▏▎▍▌▋▊▉")[eighths % 8]


def near(text: str, side: str) -> str:
    """Return the words that stand next to an item: far words go before near ones."""
    if len(text) <= NEAR + 1:
        return text
    return f"…{text[-NEAR:]}" if side == "before" else f"{text[:NEAR]}…"


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
        elastic=column.kind in ("text", "prose", "before", "after"),
        marked=any(cell.mark for cell in cells),
        prose=column.kind == "prose",
        column=column.name,
    )


def places_of(values: Sequence[object]) -> list[int]:
    """Return places from 1; neighbours with equal values share one."""
    places: list[int] = []
    for at, value in enumerate(values):
        tied = at > 0 and value is not None and value == values[at - 1]
        places.append(places[-1] if tied else at + 1)
    return places


def _more(shown: int, there: int, name: str) -> tuple[str, ...]:
    if shown == there:
        return ()
    return (f"… and {there - shown:,} more rows: --as csv --table {name}",)
