"""Counts of a corpus from those of its blocks or parts, added up.

Whole numbers sum over disjoint sentences; what is named by keys is joined by them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


Table = TypeVar("Table")
Counts = NDArray[np.int64]
# Rows at a time: ``np.bincount`` takes eight bytes of each for a while.
_ROWS = 1 << 18


def added(tables: Iterable[Table]) -> Table:
    """Return the sum of tables of counts, field by field; a single one as it is."""
    return reduce(_sum, tables)


def _sum(one: Any, other: Any) -> Any:
    sums = {f.name: getattr(one, f.name) + getattr(other, f.name) for f in fields(one)}
    return replace(one, **sums)


def counted(
    codes: NDArray[np.integer], size: int, rows: NDArray[np.bool_ | np.integer] | None = None
) -> Counts:
    """Return how many codes are 0, 1 … of all, or of some ``rows`` by mask or number."""
    total = np.zeros(size, np.int64)
    whole = codes if rows is None else rows
    for low in range(0, len(whole), max(_ROWS, size)):
        part = whole[low : low + max(_ROWS, size)]
        if rows is not None:
            part = (codes[low : low + len(part)] if part.dtype == np.bool_ else codes)[part]
        total += np.bincount(part, minlength=size)
    return total


def named(parts: list[dict[str, int]]) -> dict[str, int]:
    """Return the sums of numbers by name."""
    total: Counter[str] = Counter(dict.fromkeys(parts[0], 0))
    for part in parts:
        total.update(part)
    return dict(total)


def frames(parts: list[pl.DataFrame], sums: Sequence[str] = ("n",)) -> pl.DataFrame:
    """Return the rows of all parts, those of equal keys as one; the first part's come first."""
    if len(parts) == 1:
        return parts[0]
    whole = pl.concat(parts)
    keys = [name for name in whole.columns if name not in sums]
    return whole.group_by(keys, maintain_order=True).agg(pl.col(sums).sum()).select(whole.columns)
