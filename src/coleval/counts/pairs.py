"""Any two systems: which answers differ, from which label to which, who breaks what others had."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.counts.systems import Counts, cells_of
from coleval.statistics.pairwise import compared, together

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from coleval.corpus.items import Items
    from coleval.counts.patterns import Patterns

CORRECTION, NEW_ERROR, CHANGED_ERROR = 0, 1, 2

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
    counted = counted.grouped
    seen, base = counted.as_shown, size + 1
    # Signed, where that many cells need it: signed and unsigned numbers of 64 bits meet as floats.
    narrow = np.dtype(np.uint32 if 3 * base**3 < 2**32 else np.int64)
    # The key of a cell is kind, gold, before, after.
    gold = seen.gold.astype(narrow) * narrow.type(base**2)
    earlier, later = seen.answers.astype(narrow) * narrow.type(base), seen.answers.astype(narrow)
    for before, after in pairs:
        rows = np.flatnonzero(counted.answers[before] != counted.answers[after])
        key = gold[rows] + earlier[before, rows] + later[after, rows]
        if counted.shown:
            # Labels that are shown do not tell what is right.
            right = counted.right[after, rows], counted.right[before, rows]
            kind = np.select(right, (CORRECTION, NEW_ERROR), CHANGED_ERROR)
            key = np.where(kind == CHANGED_ERROR, key, key % base**2) + kind * base**3
        cell, n = cells_of(counted, key, 3 * base**3, rows)
        kind, label, old, new = np.unravel_index(cell, (3, base, base, base))
        if not counted.shown:
            kind = np.select((new == label, old == label), (CORRECTION, NEW_ERROR), CHANGED_ERROR)
            label = np.where(kind == CHANGED_ERROR, label, 0)
        yield TransitionCounts(kind, label, old, new, n)


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
    counted = counted.grouped
    size = len(counted.systems)
    absent = np.zeros((size, size), np.int64)
    if not counted.empty_is_answer:
        absent = together((counted.answers == 0) & (counted.gold == 0), counted.n)
    return PairCounts(
        int(counted.n.sum()),
        counted.totals(counted.right),
        together(counted.right, counted.n),
        compared(counted.answers, np.not_equal, counted.n),
        absent,
    )


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
