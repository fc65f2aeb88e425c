"""What the exact forms share: which tables to write, and that their numbers are sound."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from coleval.report import Report


def chosen(report: Report, table: str | None) -> Mapping[str, pl.DataFrame]:
    """Return the named table alone, or all of them."""
    return report.tables if table is None else {table: report.table(table)}


def checked(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return ``frame``; raise if it holds NaN or infinity, for undefined is null."""
    import polars.selectors as cs

    for column in frame.select(cs.float()):
        if not column.is_finite().all():
            raise ValueError(f"table {name}, column {column.name}: NaN or infinity; null is meant")
    return frame
