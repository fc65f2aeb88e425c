"""Span errors as columns of the item table: four for each system, made when they are asked for.

``error_gold_NAME`` is what became of gold's span at an item, ``error_system_NAME`` of the system's
span; ``partner_gold_NAME`` and ``partner_system_NAME`` are the items of their partners.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.annotate.extents import extents
from coleval.annotate.pool import Kind
from coleval.annotate.span_errors import Matcher, columns

if TYPE_CHECKING:
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


def counted_errors(items: Items, system: str) -> pl.DataFrame:
    """Return the errors of one system that count, each once: the labels of both sides, the kind.

    The item is that of gold's span, of the system's where gold has none.
    """
    found = Matcher(extents(items)).found(items.gold, items.answers[system])
    item, side, partner = (part[found.counts] for part in (found.item, found.gold, found.partner))
    label = pl.Series([None, *items.labels], dtype=pl.String)
    places = (np.where(side, item, partner), np.where(side, partner, item))
    sides = [
        np.append(codes, codes.dtype.type(0))[place]
        for codes, place in zip((items.gold, items.answers[system]), places, strict=True)
    ]
    kinds = pl.Series([None, *(kind.name.lower() for kind in Kind)], dtype=pl.String)
    return pl.DataFrame(
        {
            "system": pl.repeat(system, len(item), eager=True, dtype=pl.String),
            "item": items.numbers[item].astype(np.uint32),
            "gold": label.gather(pl.Series(sides[0])),
            "answer": label.gather(pl.Series(sides[1])),
            "kind": kinds.gather(pl.Series(found.kind[found.counts])),
        }
    )
