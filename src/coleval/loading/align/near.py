"""Two texts that are not the same: the characters that both have, in one order.

From where the texts part, the nearest places are looked for from which on they are the same for a
while; what lies between is compared by Python's ``difflib``, the longest stretch in common first.
A few characters that others stand for, one for one, are shared too. White space is left out.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import numpy as np

from coleval.loading.readers.code_points import is_solid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Points = NDArray[np.uint32]
    Numbers = NDArray[np.int64]

# Texts are the same again if so many characters are.
_SAME = 16
# How far such a place may be, at first and at most; what is further apart is not compared.
_NEAR, _FAR = 256, 1 << 14
# So many characters may be others, one for one.
_FEW = 4
# The share of characters that texts must have in common to be of one source.
_ALIKE = 0.8


def common(ours: Points, theirs: Points) -> tuple[Numbers, Numbers] | None:
    """Return the places of the characters that texts share, None if too few are the same."""
    a, b = (np.flatnonzero(is_solid(side)) for side in (ours, theirs))
    runs = list(_runs(ours[a].astype("<u4"), theirs[b].astype("<u4")))
    one, other = (np.concatenate([np.empty(0, np.int64), *(np.arange(r[k], r[k] + r[2])
                                  for r in runs)]) for k in (0, 1))  # fmt: skip
    same = np.count_nonzero(ours[a[one]] == theirs[b[other]])
    if 2 * same < _ALIKE * (len(a) + len(b)):
        return None
    return a[one], b[other]


def _runs(a: Points, b: Points) -> Iterator[tuple[int, int, int]]:
    """Yield stretches that are shared: places in both, and how long they are."""
    i = j = 0
    first, second = a.tobytes(), b.tobytes()
    while i < len(a) and j < len(b):
        same = _same_from(a, b, i, j)
        if same:
            yield i, j, same
            i, j = i + same, j + same
            continue
        di, dj = _meeting(first, second, i, j)
        inner = SequenceMatcher(
            None, a[i : i + di].tolist(), b[j : j + dj].tolist(), autojunk=False
        )
        for tag, low, high, start, end in inner.get_opcodes():
            if tag == "equal" or (tag == "replace" and high - low == end - start <= _FEW):
                yield i + low, j + start, high - low
        i, j = i + di, j + dj


def _same_from(a: Points, b: Points, i: int, j: int) -> int:
    """Return for how many characters two texts are the same from some places on."""
    found, step = 0, _NEAR
    while True:
        n = min(step, len(a) - i - found, len(b) - j - found)
        low, high = i + found, j + found
        unlike = np.flatnonzero(a[low : low + n] != b[high : high + n])
        if len(unlike):
            return found + int(unlike[0])
        found += n
        if not n:
            return found
        step *= 2


def _meeting(a: bytes, b: bytes, i: int, j: int) -> tuple[int, int]:
    """Return how far it is on either side to where the texts are the same again."""
    size, reach = 4, _NEAR
    width = _SAME * size
    end, stop = len(a) // size - i, len(b) // size - j
    while True:
        known: dict[bytes, int] = {}
        for dj in range(min(reach, stop - _SAME + 1)):
            known.setdefault(b[(j + dj) * size : (j + dj) * size + width], dj)
        best: tuple[int, int] | None = None
        for di in range(min(reach, end - _SAME + 1)):
            if best is not None and di >= sum(best):
                break
            there = known.get(a[(i + di) * size : (i + di) * size + width])
            if there is not None and (best is None or di + there < sum(best)):
                best = di, there
        if best is not None:
            return best
        if reach >= max(end, stop) or reach >= _FAR:
            return min(end, _FAR), min(stop, _FAR)
        reach *= 4
