"""The rows that figures of ``items`` draw where these are not those of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from coleval.corpus.report import Report


def expected_and_observed(report: Report) -> pl.DataFrame:
    """Return two rows for each system and bin that has items: what it solves, what is expected."""
    frame = report.table("fit").filter((pl.col("items") > 0) & pl.col("expected").is_not_null())
    sides = {"share": "solved", "expected_share": "expected"}
    parts = [
        frame.with_columns(pl.lit(name).alias("series"), pl.col(column).alias("solved"))
        for column, name in sides.items()
    ]
    return pl.concat(parts)
