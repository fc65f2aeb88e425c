"""Any two systems: which answers differ, from which label to which, who breaks what others had."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.counts.systems import Counts, cells_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from coleval.corpus.items import Items
    from coleval.counts.patterns import Patterns

CORRECTION, NEW_ERROR, CHANGED_ERROR = 0, 1, 2
# From so many rows on, a matrix product counts faster than comparisons of any two.
_MANY = 128
# Cells of a product, of some megabytes.
_CELLS = 1 << 22

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


def transitions(counted: Patterns, size: int, pairs: Iterable[Pair]) -> Iterator[TransitionCounts]:
    """Yield the cells of each pair of systems, by the labels shown, of which there are ``size``."""
    seen, base = counted.as_shown, size + 1
    gold = seen.gold.astype(np.int64)
    for before, after in pairs:
        rows = np.flatnonzero(counted.answers[before] != counted.answers[after])
        right = counted.right[after, rows], counted.right[before, rows]
        kind = np.select(right, (CORRECTION, NEW_ERROR), CHANGED_ERROR)
        labels = np.where(kind == CHANGED_ERROR, gold[rows], 0)
        for codes in (seen.answers[before], seen.answers[after]):
            labels = labels * base + codes[rows]
        cell, n = cells_of(kind * base**3 + labels, counted.n[rows], 3 * base**3)
        kinds, gold_, before_, after_ = np.unravel_index(cell, (3, base, base, base))
        yield TransitionCounts(kinds, gold_, before_, after_, n)


def change_kinds(items: Items, pair: tuple[str, str]) -> NDArray[np.uint8]:
    """Return for each item 0 where two systems agree, else 1 more than the kind of the change."""
    before, after = (items.answers[name] for name in pair)
    wrong = np.where(before == items.gold, NEW_ERROR, CHANGED_ERROR)
    kind = np.where(after == items.gold, CORRECTION, wrong)
    return np.where(before == after, 0, 1 + kind).astype(np.uint8)


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Counts of items for systems (``right``) and pairs of them; they add up over documents.

    ``absent`` are those that neither gold nor either of the two answers: they are no items for
    the pair, though each of the three agrees with the others.
    """

    total: int
    right: Counts
    both: Counts
    different: Counts
    absent: Counts


def pair_counts(counted: Patterns) -> PairCounts:
    """Return the counts of all pairs of systems."""
    size = len(counted.systems)
    absent = np.zeros((size, size), np.int64)
    if not counted.empty_is_answer:
        absent = both_true(counted, (counted.answers == 0) & (counted.gold == 0))
    return PairCounts(
        int(counted.n.sum()),
        counted.totals(counted.right),
        both_true(counted, counted.right),
        compared(counted, counted.answers, np.not_equal),
        absent,
    )


def both_true(counted: Patterns, masks: NDArray[np.bool_]) -> Counts:
    """Return for any two masks of patterns how many items both hold of, a matrix."""
    if len(masks) < _MANY:
        return compared(counted, masks, np.logical_and)
    total = np.zeros((len(masks), len(masks)))
    step = max(1, _CELLS // len(masks))
    for low in range(0, len(counted.n), step):
        part = masks[:, low : low + step].astype(np.float64)
        total += (part * counted.n[low : low + step]) @ part.T
    return total.astype(np.int64)


def compared(counted: Patterns, rows: NDArray[np.generic], compare: np.ufunc) -> Counts:
    """Return for any two rows how many items a symmetric comparison holds of, a matrix."""
    total = np.zeros((len(rows), len(rows)), np.int64)
    holds = np.empty(len(counted.n), np.bool_)
    for a in range(len(rows)):
        for b in range(a, len(rows)):
            compare(rows[a], rows[b], out=holds)
            total[a, b] = total[b, a] = counted.total(holds)
    return total


def flips(counted: Patterns) -> list[dict[str, int | str]]:
    """Return a row for each system but the first, in the order they are given.

    ``held`` is how many items all earlier ones have right, ``flips`` how many of these it breaks;
    ``firsts`` are those that none of the earlier has right and it has. Among spans and the like
    the items are gold's.
    """
    there = counted.countable
    every, some = counted.right[0] & there, counted.right[0].copy()
    rows: list[dict[str, int | str]] = []
    for at, (system, own) in enumerate(zip(counted.systems[1:], counted.right[1:], strict=True), 1):
        rows.append({
            "system": system, "earlier": at, "held": counted.total(every),
            "flips": counted.total(every & ~own), "firsts": counted.total(own & ~some & there),
        })  # fmt: skip
        every &= own
        some |= own
    return rows
