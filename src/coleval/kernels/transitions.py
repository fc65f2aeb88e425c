"""From which label to which: the changes between two systems, counted cell by cell.

Only items on which the two differ are counted, and only active ones are looked at. A cell is one
number made of kind, gold, before and after; small label sets are counted in a dense table, large
ones by sorting.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.kernels.active_rows import ActiveBlocks, ActiveRows, Counts, Rows, active_rows
from coleval.kernels.blocks import merged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items

CORRECTION, NEW_ERROR, CHANGED_ERROR = 0, 1, 2
_DENSE = 1 << 20

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TransitionCounts:
    """How often items of one kind and transition occur between two systems, never 0 times.

    ``gold`` is 0 unless both are wrong: else it is what one of the two says.
    """

    kind: Counts
    gold: Counts
    before: Counts
    after: Counts
    n: Counts


@dataclass(frozen=True, slots=True)
class _LabelTable:
    """What cells are made of: ``gold`` is shifted to its place; ``kinds`` if labels do not tell."""

    active: ActiveRows
    gold: Codes
    answers: Codes
    size: int
    kinds: bool


def transitions(
    items: Items, shown: Items, pairs: Iterable[Pair], found: ActiveBlocks | None = None
) -> Iterator[TransitionCounts]:
    """Yield the cells of each pair of systems; ``items`` say what differs, ``shown`` the labels."""
    every = list(pairs)
    counted: list[list[tuple[Counts, Counts]]] = [[] for _ in every]
    size, kinds = len(shown.labels) + 1, shown is not items
    for active in active_rows(items) if found is None else found:
        table = _table(active, shown, kinds=kinds)
        for cells, keys in zip(counted, _keys(table, every), strict=True):
            cells.append(_counted(keys, dense=size**3 <= _DENSE))
    for parts in counted:
        yield _cells(size, *merged(parts), kinds=kinds)


def change_kinds(items: Items, pair: tuple[str, str]) -> NDArray[np.uint8]:
    """Return for each item 0 where two systems agree, else 1 more than the kind of the change."""
    before, after = (items.answers[name] for name in pair)
    wrong = np.where(before == items.gold, NEW_ERROR, CHANGED_ERROR)
    kind = np.where(after == items.gold, CORRECTION, wrong)
    return np.where(before == after, 0, 1 + kind).astype(np.uint8)


def _keys(table: _LabelTable, pairs: Iterable[Pair]) -> Iterator[Codes]:
    """Yield for each pair the cells of the items on which the two differ."""
    shifted: dict[int, Codes] = {}
    for before, after in pairs:
        if before not in shifted:
            answers = table.answers[before].astype(table.gold.dtype)
            shifted = {before: table.gold + answers * table.gold.dtype.type(table.size)}
        at = np.flatnonzero(table.active.answers[before] != table.active.answers[after])
        key = (shifted[before] + table.answers[after]).take(at)
        yield _with_kind(table, key, at, (before, after))


def _table(active: ActiveRows, shown: Items, *, kinds: bool) -> _LabelTable:
    codes = (active.gold, active.answers)
    if kinds:
        codes = active.as_shown(shown)
    size = len(shown.labels) + 1
    kind = np.min_scalar_type(3 * size**3)
    gold = codes[0].astype(kind) * kind.type(size * size)
    return _LabelTable(active, gold, codes[1], size, kinds=kinds)


def _with_kind(table: _LabelTable, key: Codes, at: Rows, pair: Pair) -> Codes:
    if not table.kinds:
        return key
    before, after = (table.active.right[system][at] for system in pair)
    kind = np.where(after, CORRECTION, np.where(before, NEW_ERROR, CHANGED_ERROR))
    bare = np.where(kind == CHANGED_ERROR, key, key % key.dtype.type(table.size**2))
    return bare + kind.astype(key.dtype) * key.dtype.type(table.size**3)


def _cells(size: int, cell: Counts, n: Counts, *, kinds: bool) -> TransitionCounts:
    rest, after = np.divmod(cell, size)
    rest, before = np.divmod(rest, size)
    kind, gold = np.divmod(rest, size)
    if not kinds:
        error = np.where(before == gold, NEW_ERROR, CHANGED_ERROR)
        kind = np.where(after == gold, CORRECTION, error)
    return TransitionCounts(kind, np.where(kind == CHANGED_ERROR, gold, 0), before, after, n)


def _counted(key: Codes, *, dense: bool) -> tuple[Counts, Counts]:
    """Return the distinct keys in order and how often each occurs."""
    if not dense:
        found, n = np.unique(key, return_counts=True)
        return found.astype(np.int64), n
    counts = np.bincount(key)
    cell = np.flatnonzero(counts)
    return cell, counts[cell]
