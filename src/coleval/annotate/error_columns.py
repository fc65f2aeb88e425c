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

    from coleval.corpus.items import Items

COLUMNS = ("error_gold", "error_system", "partner_gold", "partner_system")


def error_column(items: Items, name: str) -> pl.Series:
    """Return the column ``KIND_SYSTEM``, its kind among ``COLUMNS``; partners are items."""
    column, system = next(
        (column, name.removeprefix(f"{column}_"))
        for column in COLUMNS
        if name.startswith(f"{column}_")
    )
    found = Matcher(extents(items)).found(items.gold, items.answers[system])
    return columns(items, system, found)[column].rename(name)
