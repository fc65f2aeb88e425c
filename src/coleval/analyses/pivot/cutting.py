"""Attributes cut into few values: their own, the most frequent ones, or quarters of numbers.

Cutting looks at distinct values and how often each occurs, so that nothing but the place of the
value, one byte, is made of every item.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.annotate.attributes.model import looked_up_by
from coleval.annotate.buckets import named
from coleval.kernels.blocks import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.annotate.attributes.model import Values
    from coleval.corpus.coding import Codes
    from coleval.statistics.measure import Floats

    Places = NDArray[np.uint8]
    Counts = NDArray[np.int64]

FEW, MOST = 10, 60
_QUARTERS = np.array([0, 0.25, 0.5, 0.75, 1])


@dataclass(frozen=True, slots=True)
class SlicedAttribute:
    """An attribute in a few values: their names, and the place of each item's, from 1; 0: none."""

    name: str
    values: tuple[str, ...]
    place: Places


def cut_values(name: str, found: Values, gold: Codes) -> SlicedAttribute | None:
    """Return an attribute by the table in which items look it up, None if it is a large one."""
    if not found.by_label:
        return _cut(name, found.series(), found.row)
    if len(found.table) > 1:
        return None
    # By the label alone: the first is that of nothing.
    return _cut(name, found.series().scatter(0, None), gold)


def cut_column(name: str, column: pl.Series) -> SlicedAttribute:
    """Return a column in few values."""
    found = looked_up_by(column)
    return _cut(name, column, None) if found is None else _cut(name, *found)


def _cut(name: str, table: pl.Series, row: NDArray[np.integer] | None) -> SlicedAttribute:
    """Return a table of values, which may repeat, cut; NaN and infinity are null, as everywhere."""
    n = np.ones(len(table), np.int64) if row is None else counted(row, len(table))
    if table.dtype.is_float():
        table = pl.select(pl.when(table.is_finite()).then(table)).to_series()
    frame = pl.DataFrame({"value": table, "n": n})
    known = frame.filter(pl.col("n") > 0).group_by("value").agg(pl.col("n").sum())
    few = not table.dtype.is_numeric() or len(known) <= FEW
    values, place = _frequent(frame) if few else _quartered(table, known)
    return SlicedAttribute(name, values, place if row is None else place[row])


def _frequent(frame: pl.DataFrame) -> tuple[tuple[str, ...], Places]:
    text = frame.select(pl.col("value").cast(pl.String), "n")
    counts = text.drop_nulls().filter(pl.col("n") > 0).group_by("value").agg(pl.col("n").sum())
    values = counts.sort("n", "value", descending=[True, False])["value"].head(MOST).sort()
    place = text["value"].cast(pl.Enum(values), strict=False).to_physical().cast(pl.UInt8) + 1
    return tuple(values), place.fill_null(0).to_numpy()


def _quartered(table: pl.Series, known: pl.DataFrame) -> tuple[tuple[str, ...], Places]:
    whole = table.dtype.is_integer()
    held = known.drop_nulls().sort("value")
    edges = np.unique(quantiles(held["value"].cast(pl.Float64).to_numpy(), held["n"].to_numpy()))
    inner = edges[1:-1]
    numbers = table.cast(pl.Float64).fill_null(np.nan).to_numpy()
    at = np.searchsorted(inner, numbers, side="left").astype(np.uint8) + np.uint8(1)
    bounds = list(zip([float(edges[0]), *inner], [*inner, float(edges[-1])], strict=True))
    ranges = [(float(low), float(high), k == 0) for k, (low, high) in enumerate(bounds)]
    place = np.where(np.isnan(numbers), np.uint8(0), at)
    return tuple(named(ranges, whole=whole)), place


def quantiles(value: Floats, n: Counts, shares: Floats = _QUARTERS) -> Floats:
    """Return what ``np.quantile`` returns of rising values that occur ``n`` times each."""
    upto = np.cumsum(n)
    at = (upto[-1] - 1) * shares
    below = np.floor(at)
    low, high = (
        value[np.searchsorted(upto, np.minimum(side, upto[-1] - 1), side="right")]
        for side in (below, below + 1)
    )
    part, far = at - below, high - low
    return np.where(part >= 0.5, high - far * (1 - part), low + far * part)
