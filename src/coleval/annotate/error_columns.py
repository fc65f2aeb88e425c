"""Span errors as columns of the item table: four for each system, made when they are asked for.

``error_gold_NAME`` is what became of gold's span at an item, ``error_system_NAME`` of the system's
span; ``partner_gold_NAME`` and ``partner_system_NAME`` are the items of their partners.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.annotate.extents import extents
from coleval.annotate.span_errors import Matcher, columns

if TYPE_CHECKING:
    import polars as pl

    from coleval.items import Items

COLUMNS = ("error_gold", "error_system", "partner_gold", "partner_system")


def error_names(items: Items) -> list[str]:
    """Return the names of all error columns that items can have; only spans have any."""
    systems = items.answers if items.unit == "span" else ()
    return [f"{column}_{system}" for system in systems for column in COLUMNS]


def error_column(items: Items, name: str) -> pl.Series:
    """Return the column of a name that ``error_names`` has; partners are items of the table."""
    column, system = next(
        (column, name.removeprefix(f"{column}_"))
        for column in COLUMNS
        if name.startswith(f"{column}_")
    )
    found = Matcher(extents(items)).found(items.gold, items.answers[system])
    return columns(items, system, found)[column].rename(name)
