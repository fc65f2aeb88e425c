"""How often any two raters give which two answers, and how many agree on an item."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from coleval.statistics.pairwise import compared, together

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.counts.patterns import Patterns

    Counts = NDArray[np.int64]
    Floats = NDArray[np.float64]

GOLD = "gold"
# Counts of answers by item and code in memory at a time.
_CELLS = 1 << 20


@dataclass(frozen=True, slots=True)
class RaterPairs:
    """A rater and others: how many items both answer, on how many they agree, what each answers.

    ``first`` and ``second`` count the answers of ``a`` and of each other by code, a row a pair.
    """

    a: str
    others: tuple[str, ...]
    items: Counts
    agreed: Counts
    first: Counts
    second: Counts


@dataclass(frozen=True, slots=True)
class RaterCounts:
    """All raters at once: items by how many answer them, agreeing pairs, answers by code.

    ``agreed[m]`` sums the pairs of raters that agree over the items that m raters answer;
    ``answers[m]`` counts these items' answers by code.
    """

    raters: int
    items: Counts
    agreed: Counts
    answers: Counts


@dataclass(frozen=True, slots=True)
class Raters:
    """Gold and systems as raters: patterns with a row of codes for each of them.

    ``missing`` says that 0 is no answer; else it is one like any other, but where two raters both
    give it and ``slots`` is set, there is no item for the two. There are ``size`` codes.
    """

    names: tuple[str, ...]
    counted: Patterns
    codes: NDArray[np.unsignedinteger]
    size: int
    missing: bool
    slots: bool

    @property
    def items(self) -> int:
        """Return the number of items."""
        return int(self.counted.n.sum())

    def only(self, names: list[str]) -> Raters:
        """Return some of the raters; a slot that none of them fills is none for them."""
        codes = self.codes[[self.names.index(name) for name in names]]
        some = replace(self, names=tuple(names), codes=codes)
        return some.filled() if self.slots else some

    def filled(self) -> Raters:
        """Return the raters without the items that none of them answers."""
        there = (self.codes != 0).any(axis=0)
        own = self.counted
        single = int(np.count_nonzero(there[: own.single]))
        kept = replace(own, codes=own.codes[:, there], n=own.n[there], single=single)
        return replace(self, counted=kept, codes=self.codes[:, there])

    def used(self) -> NDArray[np.bool_]:
        """Return which codes some rater gives."""
        return np.bincount(self.codes.ravel(), minlength=self.size) > 0

    def pairs(self) -> Iterator[RaterPairs]:
        """Yield every rater with all behind it, in the order of their names."""
        counted, size = self.counted, self.size
        same = compared(self.codes, np.equal, counted.n)
        given = np.array([counted.tally(own, size) for own in self.codes])
        empty = self.codes == 0
        no_item = self.missing or self.slots
        absent = together(empty, counted.n) if no_item else np.zeros_like(same)
        for a, own in enumerate(self.codes[:-1]):
            rest = slice(a + 1, None)
            second = given[rest].copy()
            first = np.broadcast_to(given[a], second.shape).copy()
            if self.missing:
                first -= [counted.tally(own, size, there) for there in empty[rest]]
                second -= [counted.tally(codes, size, empty[a]) for codes in self.codes[rest]]
                first[:, 0] = second[:, 0] = 0
            elif self.slots:
                first[:, 0] -= absent[a, rest]
                second[:, 0] -= absent[a, rest]
            agreed = same[a, rest] - absent[a, rest]
            yield RaterPairs(
                self.names[a], self.names[rest], first.sum(axis=1), agreed, first, second
            )

    def apart(self, a: str, b: str, distances: Floats) -> float:
        """Return how far the answers of two raters are apart, all items together."""
        one, other = (self.codes[self.names.index(name)] for name in (a, b))
        n = self.counted.n
        if self.missing:
            n = np.where((one != 0) & (other != 0), n, 0)
        return float(distances[one, other] @ n)

    def counts(self) -> RaterCounts:
        """Return the counts of all raters."""
        counted, raters = self.counted, len(self.names)
        said = self.codes != 0 if self.missing else np.ones(self.codes.shape, np.bool_)
        m = said.sum(axis=0)
        answers = np.zeros((raters + 1) * self.size, np.int64)
        for row, there in zip(self.codes, said, strict=True):
            answers += counted.tally(m * self.size + row, answers.size, there)
        agreed = np.bincount(m, self._agreeing() * counted.n, minlength=raters + 1)
        return RaterCounts(
            raters,
            counted.tally(m, raters + 1),
            agreed.astype(np.int64),
            answers.reshape(raters + 1, self.size),
        )

    def _agreeing(self) -> Counts:
        """Return how many pairs of raters agree on the items of each pattern."""
        step, parts = max(1, _CELLS // self.size), [np.zeros(0, np.int64)]
        for low in range(0, self.codes.shape[1], step):
            block = self.codes[:, low : low + step].astype(np.intp)
            key = block + self.size * np.arange(block.shape[1])
            n = np.bincount(key.ravel(), minlength=block.shape[1] * self.size)
            n = n.reshape(-1, self.size)
            parts.append((n * (n - 1) // 2)[:, int(self.missing) :].sum(axis=1))
        return np.concatenate(parts)


def raters_of(counted: Patterns, labels: int, *, missing: bool, covered: bool) -> Raters:
    """Return gold and systems as raters of items with so many labels.

    ``missing``: who gives no answer does not rate. Otherwise nothing is an answer: to tokens of
    text that is ``covered`` it is one like any other, and where things need not be there at all,
    as spans, what two raters both leave out is no item for them.
    """
    counted = counted.grouped
    codes = counted.codes[: 1 + len(counted.systems)]
    names = (GOLD, *counted.systems)
    found = Raters(names, counted, codes, labels + 1, missing, not (missing or covered))
    # What nobody answers is an item of nobody.
    return found if counted.empty_is_answer else found.filled()


def apart_on_scale(places: Floats, power: int) -> Floats:
    """Return how far any two answers are apart whose places on a scale are given by code."""
    return np.abs(np.subtract.outer(places, places)) ** power
