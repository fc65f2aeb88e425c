"""What an attribute is: a name, a sentence, where it applies, what it needs, how it is bucketed.

Its values are a small table and, for each item, the row it looks up: a sentence's length is
stored once a sentence, a string's frequency once a string. Where the value depends on the label
(label consistency), the table has a column for each label, so that gold's label and a system's
own look up in the same row.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from coleval.statistics.ratio import null_for_nan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from coleval.annotate.attributes.facts import Facts
    from coleval.corpus.coding import Codes

Rows = NDArray[np.integer]
GOLD = ""


@dataclass(frozen=True, slots=True)
class Values:
    """A table of values and the row of each item, None if items are the rows.

    ``table`` holds numbers (NaN is null), or places among ``names`` (-1 is null); its second
    dimension, if it has one, is the label's code. ``whole`` numbers are shown as such. ``rows``
    has the rows of a layer that looks up elsewhere.
    """

    table: NDArray[np.float64] | NDArray[np.int64]
    row: Rows | None = None
    names: tuple[str, ...] | None = None
    whole: bool = False
    rows: Mapping[str, Rows] = field(default_factory=dict)

    @property
    def by_label(self) -> bool:
        """Tell whether the value depends on the label."""
        return self.table.ndim == 2

    def row_of(self, layer: str) -> Rows | None:
        """Return the rows a layer looks up in: gold's is the empty name."""
        return self.rows.get(layer, self.row)

    def looked_up(
        self, table: NDArray[np.generic], codes: Codes, layer: str = GOLD
    ) -> NDArray[np.generic]:
        """Return what a table of this shape holds for every item, under a layer's labels."""
        row = self.row_of(layer)
        at = np.arange(len(codes)) if row is None else row
        return table[at, codes] if self.by_label else (table if row is None else table[at])

    def column(self, codes: Codes, layer: str = GOLD) -> pl.Series:
        """Return the value of every item as a column, null where a layer has no label."""
        found = self.looked_up(self.table, codes, layer)
        there = codes != 0 if self.by_label else np.ones(len(codes), np.bool_)
        if self.names is not None:
            known = pl.Series([*self.names, None], dtype=pl.String)
            place = np.where(there, found, -1).astype(np.int64)
            return known.gather(pl.Series(np.where(place < 0, len(self.names), place)))
        numbers = null_for_nan(np.where(there, found, np.nan))
        return numbers.cast(pl.Int64) if self.whole else numbers


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute; ``needs`` is what must be there: ``text``, ``training`` (and text), nothing.

    ``levels`` are the units it applies to. One of tokens alone applies to the tokens inside spans
    where items are spans. ``buckets`` is how it is cut when nobody says it.
    """

    name: str
    about: str
    levels: tuple[str, ...]
    needs: str
    buckets: str
    values: Callable[[Facts], Values]


def numbers(values: pl.Series | NDArray[np.generic], row: Rows | None = None) -> Values:
    """Return numeric values, infinite ones as null; whole if they come as integers."""
    column = values if isinstance(values, pl.Series) else pl.Series(values)
    whole = column.dtype.is_integer()
    table = column.cast(pl.Float64).fill_null(np.nan).to_numpy().astype(np.float64)
    return Values(np.where(np.isfinite(table), table, np.nan), row, whole=whole)


def names(values: pl.Series, row: Rows | None = None) -> Values:
    """Return values that are names; empty strings are names, nulls are null."""
    text = values.cast(pl.String)
    known = text.drop_nulls().unique().sort()
    place = text.cast(pl.Enum(known)).to_physical().cast(pl.Int64).fill_null(-1)
    return Values(place.to_numpy(), row, tuple(known))


def anything(values: pl.Series, row: Rows | None = None) -> Values:
    """Return numbers as numbers, yes and no, and everything else as names."""
    if values.dtype == pl.Boolean:
        return names(values.replace_strict({True: "yes", False: "no"}, return_dtype=pl.String), row)
    return numbers(values, row) if values.dtype.is_numeric() else names(values, row)
