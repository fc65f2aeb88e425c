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

from coleval.corpus.coding import width
from coleval.statistics.ratio import null_for_nan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from coleval.annotate.attributes.facts import Facts
    from coleval.corpus.coding import Codes

Rows = NDArray[np.integer]
GOLD = ""
# Whole numbers that lie no farther apart are looked up in a table.
_FEW = 1 << 16


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
        if not self.by_label:
            return table if row is None else table[row]
        return table[np.arange(len(codes)) if row is None else row, codes]

    def found(self, items: Rows, gold: Codes) -> NDArray[np.generic]:
        """Return the values of some items, under gold's labels."""
        row = self.row_of(GOLD)
        at = items if row is None else row[items]
        return self.table[at, gold[items]] if self.by_label else self.table[at]

    def series(self) -> pl.Series:
        """Return the table as a column, row after row if it has two dimensions."""
        table = self.table.reshape(-1)
        if self.names is None:
            numbers = null_for_nan(table.astype(np.float64, copy=False))
            return numbers.cast(pl.Int64) if self.whole else numbers
        known = pl.Series([*self.names, None], dtype=pl.String)
        return known.gather(pl.Series(np.where(table < 0, len(self.names), table)))

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
    if whole and row is None and (near := _near(column)) is not None:
        return near
    table = column.cast(pl.Float64).fill_null(np.nan).to_numpy().astype(np.float64)
    return Values(np.where(np.isfinite(table), table, np.nan), row, whole=whole)


def names(values: pl.Series, row: Rows | None = None) -> Values:
    """Return values that are names; empty strings are names, nulls are null."""
    if values.dtype == pl.Enum and row is None:
        return _named(values)
    text = values.cast(pl.String)
    known = text.drop_nulls().unique().sort()
    place = text.cast(pl.Enum(known)).to_physical().cast(pl.Int64).fill_null(-1)
    return Values(place.to_numpy(), row, tuple(known))


def anything(values: pl.Series, row: Rows | None = None) -> Values:
    """Return numbers as numbers, yes and no, and everything else as names."""
    if values.dtype == pl.Boolean:
        return names(values.cast(pl.UInt8).cat.to(pl.Enum(["no", "yes"])), row)
    return numbers(values, row) if values.dtype.is_numeric() else names(values, row)


def looked_up_by(column: pl.Series) -> tuple[pl.Series, Rows] | None:
    """Return distinct values with the place of each item's, None if these may be as many."""
    if column.dtype.is_integer():
        near = _near(column)
        return None if near is None or near.row is None else (near.series(), near.row)
    if column.dtype == pl.Boolean:
        known = pl.Series(["false", "true", None], dtype=pl.String)
        return known, column.cast(pl.UInt8).fill_null(2).to_numpy()
    if column.dtype.is_float():
        return None
    if column.dtype != pl.Enum:
        text = column.cast(pl.String)
        column = text.cast(pl.Enum(text.drop_nulls().unique()))
    names: pl.Series = column.dtype.categories  # type: ignore[attr-defined]
    known = names.cast(pl.String).extend(pl.Series([None], dtype=pl.String))
    return known, _places(column, len(names))


def _places(column: pl.Series, nothing: int) -> Rows:
    """Return the places among names in a type as wide as they need."""
    kind = pl.Series(np.zeros(0, width(nothing))).dtype
    return column.to_physical().cast(kind).fill_null(nothing).to_numpy()


def _near(column: pl.Series) -> Values | None:
    """Return whole numbers as places in a table, which take an eighth; None if it would be long."""
    least, most = (int(end or 0) for end in (column.min(), column.max()))  # type: ignore[arg-type]
    if not column.len() or most - least >= min(_FEW, column.len()):
        return None
    table = np.append(np.arange(least, most + 1, dtype=np.float64), np.nan)
    kind = width(len(table))
    place = (column - least).cast(pl.Series(np.zeros(0, kind)).dtype)
    row = place.fill_null(len(table) - 1).to_numpy()
    return Values(table, row, whole=True)


def _named(values: pl.Series) -> Values:
    """Return names that are numbers already, those alone that something has, in rising order."""
    known = values.drop_nulls().unique().cast(pl.String).sort()
    every: pl.Series = values.dtype.categories  # type: ignore[attr-defined]
    place = every.cast(pl.Enum(known), strict=False).to_physical().cast(pl.Int64).fill_null(-1)
    return Values(np.append(place.to_numpy(), -1), _places(values, len(every)), tuple(known))
