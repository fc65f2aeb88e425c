"""The errors of each system in two ways of counting, for a figure: traditional and fair."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from coleval.corpus.report import Report

KINDS = ("le", "bes", "bel", "beo", "lbe", "fn", "fp")
_METHODS = ("traditional", "fair")


def mix(report: Report) -> pl.DataFrame:
    """Return errors by kind, of each system once as counted traditionally and once fairly."""
    frame = report.table("overall")
    if not {"method", *KINDS} <= set(frame.columns):
        return pl.DataFrame()
    both = frame.filter(pl.col("method").is_in(_METHODS)).with_columns(
        name=pl.format("{}: {}", "system", "method")
    )
    order = {name: k for k, name in enumerate(both["name"])}
    long = both.unpivot(list(KINDS), index="name", variable_name="error", value_name="n")
    place = pl.col("name").replace_strict(order, return_dtype=pl.Int64)
    return long.sort(place, maintain_order=True)
