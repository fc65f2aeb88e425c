"""From which label to which: the changes between two systems, counted cell by cell.

Only items on which the two differ are counted, and only active ones are looked at. A cell is one
number made of kind, gold, before and after; small label sets are counted in a dense table, large
ones by sorting.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.engines.active import Active, Counts, Rows, active, gathered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from coleval.coding import Codes
    from coleval.items import Items

CORRECTION, NEW_ERROR, CHANGED_ERROR = 0, 1, 2
_DENSE = 1 << 20

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Cells:
    """How often items of one kind and transition occur between two systems, never 0 times.

    ``gold`` is 0 unless both are wrong: else it is what one of the two says.
    """

    kind: Counts
    gold: Counts
    before: Counts
    after: Counts
    n: Counts


@dataclass(frozen=True, slots=True)
class _Table:
    """What cells are made of: ``gold`` is shifted to its place; ``kinds`` if labels do not tell."""

    news: Active
    gold: Codes
    answers: Codes
    size: int
    kinds: bool


def transitions(
    items: Items, shown: Items, pairs: Iterable[Pair], found: Active | None = None
) -> Iterator[Cells]:
    """Yield the cells of each pair of systems; ``items`` say what differs, ``shown`` the labels."""
    table = _table(items, shown, active(items) if found is None else found)
    shifted: dict[int, Codes] = {}
    for before, after in pairs:
        if before not in shifted:
            answers = table.answers[before].astype(table.gold.dtype)
            shifted = {before: table.gold + answers * table.gold.dtype.type(table.size)}
        at = np.flatnonzero(table.news.answers[before] != table.news.answers[after])
        key = (shifted[before] + table.answers[after]).take(at)
        yield _cells(table, _with_kind(table, key, at, (before, after)))


def _table(items: Items, shown: Items, news: Active) -> _Table:
    codes = (news.gold, news.answers)
    if shown is not items:
        codes = (shown.gold[news.rows], gathered(shown, news.rows))
    size = len(shown.labels) + 1
    kind = np.min_scalar_type(3 * size**3)
    gold = codes[0].astype(kind) * kind.type(size * size)
    return _Table(news, gold, codes[1], size, kinds=shown is not items)


def _with_kind(table: _Table, key: Codes, at: Rows, pair: Pair) -> Codes:
    if not table.kinds:
        return key
    before, after = (table.news.right[system][at] for system in pair)
    kind = np.where(after, CORRECTION, np.where(before, NEW_ERROR, CHANGED_ERROR))
    bare = np.where(kind == CHANGED_ERROR, key, key % key.dtype.type(table.size**2))
    return bare + kind.astype(key.dtype) * key.dtype.type(table.size**3)


def _cells(table: _Table, key: Codes) -> Cells:
    cell, n = _counted(key, dense=table.size**3 <= _DENSE)
    rest, after = np.divmod(cell, table.size)
    rest, before = np.divmod(rest, table.size)
    kind, gold = np.divmod(rest, table.size)
    if not table.kinds:
        error = np.where(before == gold, NEW_ERROR, CHANGED_ERROR)
        kind = np.where(after == gold, CORRECTION, error)
    return Cells(kind, np.where(kind == CHANGED_ERROR, gold, 0), before, after, n)


def _counted(key: Codes, *, dense: bool) -> tuple[Counts, Counts]:
    """Return the distinct keys in order and how often each occurs."""
    if not dense:
        found, n = np.unique(key, return_counts=True)
        return found.astype(np.int64), n
    counts = np.bincount(key)
    cell = np.flatnonzero(counts)
    return cell, counts[cell]
