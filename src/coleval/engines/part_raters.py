"""What gold and systems answer as raters, counted in parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from coleval.corpus.far import in_parts
from coleval.kernels.agreement import GOLD, RaterCounts, RaterPairs, ratings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.corpus.items import Items


@dataclass(frozen=True)
class PartRaters:
    """Raters of items in parts; ``chosen`` are the names of some of them."""

    items_: Items
    missing: bool
    chosen: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the raters."""
        return self.chosen or (GOLD, *self.items_.systems)

    @property
    def items(self) -> int:
        """Return the number of items."""
        return int(self.counts().items.sum())

    def only(self, names: list[str]) -> PartRaters:
        """Return some of the raters; a slot that none of them fills is none for them."""
        return replace(self, chosen=tuple(names))

    def used(self) -> NDArray[np.bool_]:
        """Return which codes some rater gives."""
        return self.counts().answers.sum(axis=0) > 0

    def pairs(self) -> Iterator[RaterPairs]:
        """Yield every rater with all behind it, in the order of their names."""
        yield from self._counted[1]

    def apart(self, a: str, b: str, distances: NDArray[np.float64]) -> float:
        """Return how far the answers of two raters are apart, all items together."""
        n = in_parts(_tables, _met_answers, self.items_, self.missing, a, b)
        return float((distances * n).sum())

    def counts(self) -> RaterCounts:
        """Return the counts of all raters."""
        return self._counted[0]

    @cached_property
    def _counted(self) -> tuple[RaterCounts, list[RaterPairs]]:
        return in_parts(_added, _counted, self.items_, self.missing, self.names)


def _counted(
    items: Items,
    missing: bool,
    names: tuple[str, ...],
) -> tuple[RaterCounts, list[RaterPairs]]:
    found = ratings(items, missing=missing).only(list(names))
    return found.counts(), list(found.pairs())


def _added(parts: list[Any]) -> Any:
    wholes = [whole for whole, _ in parts]
    first = wholes[0]
    counts = RaterCounts(
        first.raters,
        *(sum(getattr(w, name) for w in wholes) for name in ("items", "agreed", "answers")),
    )
    pairs = [_pair(list(same)) for same in zip(*(each for _, each in parts), strict=True)]
    return counts, pairs


def _pair(same: list[RaterPairs]) -> RaterPairs:
    sums = (sum(getattr(p, name) for p in same) for name in ("items", "agreed", "first", "second"))
    return RaterPairs(same[0].a, same[0].others, *sums)


def _met_answers(items: Items, missing: bool, a: str, b: str) -> NDArray[np.int64]:
    """Return how often two raters give which two answers, alike or not."""
    found = ratings(items, missing=missing)
    one, other = (found.codes[found.names.index(name)].astype(np.intp) for name in (a, b))
    if found.missing:
        there = (one != 0) & (other != 0)
        one, other = one[there], other[there]
    size = found.size
    return np.bincount(one * size + other, minlength=size * size).reshape(size, size)


def _tables(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.sum(parts, axis=0, dtype=np.int64)
