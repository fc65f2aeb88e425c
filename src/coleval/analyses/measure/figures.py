"""The trade-off of ``measure --scores`` as a figure draws it: every threshold of every column."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from coleval.corpus.report import Report


def curve(report: Report) -> pl.DataFrame:
    """Return the points of the curve, the strictest threshold of each column first."""
    return report.table("pr_curve")
