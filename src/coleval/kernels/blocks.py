"""Counts of a corpus from those of its blocks: whole numbers add up over disjoint sentences."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable

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


def merged(parts: Iterable[tuple[Counts, Counts]]) -> tuple[Counts, Counts]:
    """Return the keys of all parts, sorted, and how often each occurs in all of them."""
    found = list(parts)
    if len(found) == 1:
        return found[0]
    key, place = np.unique(np.concatenate([key for key, _ in found]), return_inverse=True)
    n = np.zeros(len(key), np.int64)
    np.add.at(n, place, np.concatenate([n for _, n in found]))
    return key, n
