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
    from collections.abc import Iterable, Mapping, Sequence


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


__all__ = ["added", "arrays", "frames", "merged", "named", "numbers", "rows"]


def numbers(parts: list[int]) -> int:
    """Return the sum of whole numbers."""
    return sum(parts)


def arrays(parts: list[Any]) -> Any:
    """Return the sum of tables of numbers, or of several that stand together."""
    if isinstance(parts[0], tuple):
        return tuple(arrays(list(same)) for same in zip(*parts, strict=True))
    return sum(parts[1:], parts[0])


def named(parts: list[dict[str, int]]) -> dict[str, int]:
    """Return the sums of numbers by name."""
    total: Counter[str] = Counter(dict.fromkeys(parts[0], 0))
    for part in parts:
        total.update(part)
    return dict(total)


def rows(parts: list[list[dict[str, Any]]], keys: Sequence[str]) -> list[dict[str, Any]]:
    """Return rows that all parts have, the numbers in them summed but for those of ``keys``."""
    return [
        {name: value if name in keys else sum(row[name] for row in same)
         for name, value in same[0].items()}
        for same in zip(*parts, strict=True)
    ]  # fmt: skip


def frames(parts: list[pl.DataFrame], sums: Sequence[str] = ("n",)) -> pl.DataFrame:
    """Return the rows of all parts, those of equal keys as one; the first part's come first."""
    if len(parts) == 1:
        return parts[0]
    whole = pl.concat(parts)
    keys = [name for name in whole.columns if name not in sums]
    return whole.group_by(keys, maintain_order=True).agg(pl.col(sums).sum()).select(whole.columns)


def cells(
    parts: list[pl.DataFrame], systems: Sequence[str], labels: Sequence[str], column: str = "n"
) -> pl.DataFrame:
    """Return system, gold, answer and their sums in the order in which they are counted here."""
    found = frames(parts, (column,))
    place: Mapping[str, int] = {label: code for code, label in enumerate(labels, 1)}
    order = {name: k for k, name in enumerate(systems)}
    by = [
        pl.col("system").replace_strict(order, return_dtype=pl.Int64),
        *(pl.col(side).replace_strict(place, default=0, return_dtype=pl.Int64)
          for side in ("gold", "answer")),
    ]  # fmt: skip
    return found.sort(by)
