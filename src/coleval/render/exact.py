"""What the exact forms share: which tables to write, and that their numbers are sound."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import polars as pl

    from coleval.corpus.report import Report


def chosen(report: Report, table: str | None) -> list[str]:
    """Return the named table alone, or all of them; raise if there is none of that name."""
    if table is None:
        return list(report.tables)
    report.table(table)
    return [table]


def exact_frames(report: Report, table: str | None) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the tables, those that a report keeps as excerpts as such unless one is named."""
    for name in chosen(report, table):
        excerpt = report.excerpts.get(name) if table is None else None
        yield name, report.table(name) if excerpt is None else excerpt.frame


def checked(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return ``frame``; raise if it holds NaN or infinity, for undefined is null."""
    if lost := finite(frame)[1]:
        raise ValueError(f"table {name}, column {lost[0]}: NaN or infinity; null is meant")
    return frame


def finite(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Return ``frame`` with null for NaN and infinity, in lists too, and which columns had any."""
    import polars as pl

    changed = {}
    for column in frame:
        fixed = _finite(column)
        if fixed.null_count() != column.null_count() or (
            column.dtype.is_nested() and not fixed.equals(column, null_equal=True)
        ):
            changed[column.name] = fixed
    if not changed:
        return frame, []
    return frame.with_columns(pl.Series(k, v) for k, v in changed.items()), list(changed)


def finite_pieces(
    pieces: Iterable[pl.DataFrame], columns: dict[str, None]
) -> Iterator[pl.DataFrame]:
    """Yield pieces with null for NaN and infinity; the columns that had any are noted."""
    for piece in pieces:
        frame, found = finite(piece)
        columns |= dict.fromkeys(found)
        yield frame


def _finite(column: pl.Series) -> pl.Series:
    import polars as pl

    if column.dtype.is_float():
        return pl.select(pl.when(column.is_finite()).then(column)).to_series()
    if not column.dtype.is_nested() or not _has_floats(column.dtype):
        return column
    values = [_without_infinite(value) for value in column.to_list()]
    return pl.Series(column.name, values, column.dtype)


def _has_floats(kind: Any) -> bool:
    parts = [field.dtype for field in getattr(kind, "fields", ())] or [getattr(kind, "inner", None)]
    return kind.is_float() or any(part is not None and _has_floats(part) for part in parts)


def _without_infinite(value: Any) -> Any:
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_infinite(part) for key, part in value.items()}
    return [_without_infinite(part) for part in value] if isinstance(value, list) else value
