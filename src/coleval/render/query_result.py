"""The result of a query as it is: all columns under their own names, NULL, numbers in full."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coleval.render.sheet import Cell, Head, Sheet
from coleval.render.visible import visible

if TYPE_CHECKING:
    import polars as pl

NULL = "NULL"


def sheet(frame: pl.DataFrame, *, name: str, limit: int | None) -> Sheet:
    """Return one line a row, cut after ``limit``, as DuckDB would write it."""
    part = frame.head(limit) if limit else frame
    heads = tuple(_head(key, kind) for key, kind in frame.schema.items())
    rows = tuple(tuple(_cell(value) for value in row) for row in _exact(part).iter_rows())
    more = frame.height - part.height
    notes = (f"… and {more:,} more rows: --as csv --table {name}",) if more else ()
    return Sheet(name, "", heads, rows, notes)


def _head(name: str, kind: pl.DataType) -> Head:
    number = kind.is_numeric()
    return Head(visible(name), right=number, elastic=not number and str(kind) != "Boolean")


def _exact(frame: pl.DataFrame) -> pl.DataFrame:
    """Return single precision as texts: as doubles they would have digits that nobody wrote."""
    import polars as pl

    return frame.with_columns(pl.col(pl.Float32).cast(pl.String))


def _cell(value: Any) -> Cell:
    return Cell(NULL, dim=True) if value is None else Cell(visible(_written(value)))


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(NULL if part is None else _written(part) for part in value)
    if isinstance(value, dict):
        parts = (f"{k}: {NULL if v is None else _written(v)}" for k, v in value.items())
        return f"{{{', '.join(parts)}}}"
    return str(value)
