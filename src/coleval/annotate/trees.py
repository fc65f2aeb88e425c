"""Arithmetic of trees: how deep a word is, how many depend on it, whether its arc is projective.

All sentences stand in one array: the place of each word's head, ``ROOT`` for none, ``NOWHERE``
for one that cannot be told. Systems draw cycles and several roots; a word from which no way leads
to a root has no depth.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Rows = NDArray[np.intp]
    Whole = NDArray[np.int32]
    Depths = NDArray[np.signedinteger]
    Told = NDArray[np.int8]

ROOT, NOWHERE = -1, -2
PROJECTIVE, NON_PROJECTIVE, UNKNOWN = 0, 1, -1


def depths(head: Whole) -> Whole:
    """Return how many arcs lead from the root to each word, 0 where none do.

    Each round doubles the way that is known, so there are as many as the longest has binary digits.
    """
    n = len(head)
    up = np.where(head < 0, head, np.arange(n)).astype(np.int32)
    way = (head != NOWHERE).astype(np.int32)
    going = np.flatnonzero(head >= 0)
    up[going] = head[going]
    for _ in range(n.bit_length()):
        via = up[going]
        further, more = up[via], way[via]
        way[going] += more
        up[going] = further
        going = going[further >= 0]
        if not len(going):
            break
    return np.where(up == ROOT, way, 0).astype(np.int32)


def arities(head: Whole) -> NDArray[np.int64]:
    """Return how many words have each word as their head."""
    return np.bincount(head[head >= 0], minlength=len(head))


def projectivity(head: Whole, depth: Depths, sentence: NDArray[np.integer]) -> Told:
    """Return whether each arc spans a word that does not descend from its head (Nivre 2006).

    All descends from the root, so its arcs are projective; unknown is what has no depth. An arc
    over words whose heads stand under it too needs no walk through the tree: nine in ten and more.
    """
    told = np.where(depth == 0, UNKNOWN, PROJECTIVE).astype(np.int8)
    rooted = np.where(depth == 0, NOWHERE, head)
    arcs = np.flatnonzero(rooted >= 0)
    low, high = _ends(arcs, head)
    arcs = arcs[strays(rooted, low + 1, high, low, high)]
    if not len(arcs):
        return told
    met = np.zeros(int(sentence.max()) + 1, np.bool_)
    met[sentence[arcs]] = True
    kept = np.flatnonzero(met[sentence])
    place = np.full(len(head), -1, np.int32)
    place[kept] = np.arange(len(kept))
    part = np.where(head[kept] < 0, head[kept], place[head[kept]])
    over = _over_strangers(part, depth[kept], place[arcs].astype(np.intp))
    told[arcs[over]] = NON_PROJECTIVE
    return told


def _over_strangers(head: Whole, depth: Depths, arcs: Rows) -> NDArray[np.bool_]:
    """Return which arcs span a word that their heads do not dominate, by a walk of the trees."""
    place, size = walk(head, depth)
    low, high = _ends(arcs, head)
    first = place[head[arcs]]
    return strays(place, low + 1, high, first, first + size[head[arcs]] - 1)


def _ends(arcs: Rows, head: Whole) -> tuple[Rows, Rows]:
    return np.minimum(arcs, head[arcs]), np.maximum(arcs, head[arcs])


def walk(head: Whole, depth: Depths) -> tuple[Whole, Whole]:
    """Return each word's place in a walk from heads to dependents, and how many it dominates.

    Itself is among these, so that they are the places from its own on; -1 where it has no depth.
    """
    size = np.where(depth > 0, 1, 0).astype(np.int32)
    levels = list(_levels(depth))
    for rows in reversed(levels[1:]):
        np.add.at(size, head[rows], size[rows])
    place = _before(head, np.flatnonzero(depth > 0), size)
    for rows in levels[1:]:
        place[rows] += place[head[rows]] + 1
    return place, size


def _levels(depth: Depths) -> Iterator[Rows]:
    """Yield the words of each depth, those that hang on the root first."""
    order = np.argsort(depth, kind="stable")
    cut = np.cumsum(np.bincount(depth, minlength=1))
    for low, high in pairwise(cut):
        yield order[low:high]


def _before(head: Whole, rooted: Rows, size: Whole) -> Whole:
    """Return how many words the siblings before each word dominate, -1 for those not rooted."""
    out = np.full(len(head), -1, np.int32)
    order = rooted[np.argsort(head[rooted], kind="stable")]
    sums = np.cumsum(size[order], dtype=np.int64) - size[order]
    first = np.flatnonzero(np.diff(head[order], prepend=np.int32(NOWHERE)))
    family = np.diff(np.append(first, len(order)))
    out[order] = sums - np.repeat(sums[first], family)
    return out


def strays(
    values: NDArray[np.integer],
    low: Rows,
    high: Rows,
    floor: NDArray[np.integer],
    ceiling: NDArray[np.integer],
) -> NDArray[np.bool_]:
    """Return which stretches, from ``low`` to before ``high``, have a value out of their bounds.

    A stretch is covered by two of the largest power of two that fits; those grow by doubling.
    """
    found = np.zeros(len(low), np.bool_)
    power = np.frexp((high - low).astype(np.float64))[1] - 1
    least = most = values
    for k in range(int(power.max(initial=-1)) + 1):
        if k:
            half = 1 << (k - 1)
            least = np.minimum(least[:-half], least[half:])
            most = np.maximum(most[:-half], most[half:])
        rows = np.flatnonzero(power == k)
        one, two = low[rows], high[rows] - (1 << k)
        under = np.minimum(least[one], least[two]) < floor[rows]
        found[rows] = under | (np.maximum(most[one], most[two]) > ceiling[rows])
    return found
