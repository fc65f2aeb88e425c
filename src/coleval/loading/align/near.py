"""Two texts that are not the same: the characters that both have, in one order.

Words are compared first, and the characters of those that differ after, by Python's own
``difflib``: the longest stretch in common, then what is before and behind it.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from coleval.loading.align.solid import is_solid

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Points = NDArray[np.uint32]
    Numbers = NDArray[np.int64]

# Stretches of words that differ are compared by characters up to so many of them.
_MANY = 5_000


def common(ours: Points, theirs: Points) -> tuple[Numbers, Numbers]:
    """Return the places of the characters that both texts have, white space left out."""
    pairs = list(_in_common(ours, theirs))
    one = np.concatenate([np.empty(0, np.int64), *(np.arange(a, a + n) for a, _, n in pairs)])
    other = np.concatenate([np.empty(0, np.int64), *(np.arange(b, b + n) for _, b, n in pairs)])
    keep = is_solid(ours[one])
    return one[keep], other[keep]


def _in_common(ours: Points, theirs: Points) -> Iterator[tuple[int, int, int]]:
    """Yield stretches that are the same: places in both, and how long they are."""
    (a, first), (b, second) = _words(ours), _words(theirs)
    for tag, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        low, high = first[i], first[j]
        start, end = second[k], second[m]
        if tag == "equal":
            yield low, start, high - low
        elif tag == "replace" and max(high - low, end - start) <= _MANY:
            inner = SequenceMatcher(
                None, ours[low:high].tolist(), theirs[start:end].tolist(), autojunk=False
            )
            for block in inner.get_matching_blocks():
                yield low + block.a, start + block.b, block.size


def _words(points: Points) -> tuple[Sequence[bytes], Sequence[int]]:
    """Return runs of characters that are no white space, or are, and where each begins."""
    kind = is_solid(points)
    edges = np.flatnonzero(kind[1:] != kind[:-1]) + 1
    first = [0, *edges.tolist(), len(points)]
    return [points[a:b].tobytes() for a, b in pairwise(first)], first
