"""How often any two raters give which two answers, and how many agree on an item.

Only items on which somebody differs from gold are looked at; all others add to the diagonal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from coleval.kernels.active_rows import Rows, active_rows
from coleval.statistics.pairwise import compared, together

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.corpus.items import Items

    Counts = NDArray[np.int64]
    Floats = NDArray[np.float64]

GOLD = "gold"
# Counts of answers by item and code in memory at a time.
_CELLS = 1 << 20


class Raters(Protocol):
    """Raters of the same items, whoever counted what they answer."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the raters, gold's first if it is one."""
        ...

    @property
    def items(self) -> int:
        """Return the number of items."""
        ...

    @property
    def missing(self) -> bool:
        """Tell whether who gives no answer does not rate."""
        ...

    def only(self, names: list[str]) -> Raters:
        """Return some of the raters; a slot that none of them fills is none for them."""
        ...

    def used(self) -> NDArray[np.bool_]:
        """Return which codes some rater gives."""
        ...

    def pairs(self) -> Iterator[RaterPairs]:
        """Yield every rater with all behind it, in the order of their names."""
        ...

    def apart(self, a: str, b: str, distances: Floats) -> float:
        """Return how far the answers of two raters are apart, all items together."""
        ...

    def counts(self) -> RaterCounts:
        """Return the counts of all raters."""
        ...


@dataclass(frozen=True, slots=True)
class Ratings:
    """Answers of raters to the items that are not all alike; ``alike`` counts the others by code.

    ``missing`` says that 0 is no answer; else it is one like any other, but where two raters both
    give it and ``slots`` is set, there is no item for the two.
    """

    names: tuple[str, ...]
    codes: NDArray[np.unsignedinteger]
    alike: Counts
    missing: bool
    slots: bool

    @property
    def size(self) -> int:
        """Return the number of codes."""
        return len(self.alike)

    @property
    def items(self) -> int:
        """Return the number of items."""
        return self.codes.shape[1] + int(self.alike.sum())

    def only(self, names: list[str]) -> Ratings:
        """Return the answers of some raters; a slot that none of them fills is none for them."""
        codes = self.codes[[self.names.index(name) for name in names]]
        if self.slots:
            codes = codes[:, (codes != 0).any(axis=0)]
        return replace(self, names=tuple(names), codes=codes)

    def used(self) -> NDArray[np.bool_]:
        """Return which codes some rater gives."""
        return (self.alike + np.bincount(self.codes.ravel(), minlength=self.size)) > 0

    def pairs(self) -> Iterator[RaterPairs]:
        """Yield every rater with all behind it, in the order of their names."""
        return pairs(self)

    def apart(self, a: str, b: str, distances: Floats) -> float:
        """Return how far the answers of two raters are apart, all items together."""
        return total_apart(self, a, b, distances)

    def counts(self) -> RaterCounts:
        """Return the counts of all raters."""
        return rater_counts(self)


def ratings(items: Items, *, missing: bool) -> Ratings:
    """Return the answers of gold and of all systems; ``missing``: who gives none does not rate.

    Else nothing is an answer: to tokens of tagged text it is one like any other, and where things
    need not be there at all, as spans, what two raters both leave out is no item for them.
    """
    parts = [
        np.concatenate([active.gold[None, :], active.answers]) for active in active_rows(items)
    ]
    codes = np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0]
    size = len(items.labels) + 1
    alike = np.bincount(items.gold, minlength=size) - np.bincount(codes[0], minlength=size)
    slots = not missing and not (items.empty_is_answer and items.unit in ("token", "row"))
    if not items.empty_is_answer:
        # What nobody answers is an item of nobody.
        alike[0] = 0
    return Ratings((GOLD, *items.systems), codes, alike, missing, slots)


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


def pairs(found: Ratings) -> Iterator[RaterPairs]:
    """Yield every rater with all behind it, in the order of their names."""
    same, given = compared(found.codes, np.equal), _given(found)
    empty = found.codes == 0
    who, where = np.nonzero(empty)
    absent = together(empty) if (found.missing or found.slots) and empty.any() else 0 * same
    for a in range(len(found.names) - 1):
        rest = slice(a + 1, None)
        first, second = np.broadcast_to(given[a], given[rest].shape).copy(), given[rest].copy()
        if found.missing:
            first -= _answered(found, a, who, where)[rest]
            second -= _unmet(found, a)
            first[:, 0] = second[:, 0] = 0
        agreed = same[a, rest] - absent[a, rest]
        if found.slots:
            first[:, 0] -= absent[a, rest]
            second[:, 0] -= absent[a, rest]
        whole = found.alike.copy()
        whole[0] *= not found.slots
        first, second, agreed = first + whole, second + whole, agreed + whole.sum()
        yield RaterPairs(
            found.names[a], found.names[rest], first.sum(axis=1), agreed, first, second
        )


def _given(found: Ratings) -> Counts:
    """Return how often each rater gives each answer to the items that are not all alike."""
    return np.array([np.bincount(own, minlength=found.size) for own in found.codes])


def _answered(found: Ratings, a: int, who: Rows, where: Rows) -> Counts:
    """Return what one rater answers where another gives no answer, a row for each other."""
    key = who * found.size + found.codes[a, where]
    return np.bincount(key, minlength=len(found.names) * found.size).reshape(-1, found.size)


def _unmet(found: Ratings, a: int) -> Counts:
    """Return what those behind a rater answer where it gives no answer, a row for each."""
    there = found.codes[a + 1 :, found.codes[a] == 0].astype(np.intp)
    key = there + found.size * np.arange(len(there))[:, None]
    return np.bincount(key.ravel(), minlength=len(there) * found.size).reshape(-1, found.size)


def apart_on_scale(places: Floats, power: int) -> Floats:
    """Return how far any two answers are apart whose places on a scale are given by code."""
    return np.abs(np.subtract.outer(places, places)) ** power


def total_apart(found: Ratings, a: str, b: str, apart: Floats) -> float:
    """Return how far the answers of two raters are apart, all items together."""
    one, other = (found.codes[found.names.index(name)] for name in (a, b))
    if found.missing:
        there = (one != 0) & (other != 0)
        one, other = one[there], other[there]
    return float(apart[one, other].sum())


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


def rater_counts(found: Ratings) -> RaterCounts:
    """Return the counts of all raters."""
    raters = len(found.names)
    codes = found.codes
    said = codes != 0 if found.missing else np.ones(codes.shape, np.bool_)
    m = said.sum(axis=0)
    agreed = _agreeing(found)
    items = np.bincount(m, minlength=raters + 1)
    pairs_ = np.bincount(m, weights=agreed, minlength=raters + 1).astype(np.int64)
    answers = np.zeros((raters + 1, found.size), np.int64)
    for row, there in zip(codes, said, strict=True):
        key = m[there] * found.size + row[there]
        answers += np.bincount(key, minlength=answers.size).reshape(answers.shape)
    alike = found.alike
    items[raters] += alike.sum()
    pairs_[raters] += alike.sum() * (raters * (raters - 1) // 2)
    answers[raters] += alike * raters
    return RaterCounts(raters, items, pairs_, answers)


def _agreeing(found: Ratings) -> Counts:
    """Return how many pairs of raters agree on each item."""
    step, parts = max(1, _CELLS // found.size), [np.zeros(0, np.int64)]
    for low in range(0, found.codes.shape[1], step):
        block = found.codes[:, low : low + step].astype(np.intp)
        size = block.shape[1]
        key = block + found.size * np.arange(size)
        n = np.bincount(key.ravel(), minlength=size * found.size).reshape(size, found.size)
        parts.append((n * (n - 1) // 2)[:, int(found.missing) :].sum(axis=1))
    return np.concatenate(parts)
