"""Two texts that are not the same: the characters that both have, in one order.

What the shortest edit leaves alone is in common (Myers 1986, An O(ND) difference algorithm). Texts
that differ a lot are aligned stretch by stretch: from where they part, up to the nearest places
from which on they are the same for a while. A few characters that others stand for, one for one,
are shared too. White space is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coleval.loading.readers.code_points import is_solid

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Points = NDArray[np.uint32]
    Numbers = NDArray[np.int64]
    # Places in both texts, and how many characters.
    Run = tuple[int, int, int]

# Texts are the same again if so many characters are.
_SAME = 16
# The longest edits that are looked for at once.
_EDITS = 1_000
# How far such a place may be, at first and at most; what is further apart is not compared.
_NEAR, _FAR = 256, 1 << 14
# So many characters may be others, one for one.
_FEW = 4
# The share of characters that texts must have in common to be of one source.
_ALIKE = 0.8


def common(ours: Points, theirs: Points) -> tuple[Numbers, Numbers] | None:
    """Return the places of the characters that texts share, None if too few are the same."""
    a, b = (np.flatnonzero(is_solid(side)) for side in (ours, theirs))
    found = _runs(ours[a].astype("<u4"), theirs[b].astype("<u4"))
    runs = _substituted([*found, (len(a), len(b), 0)])
    one, other = (np.concatenate([np.empty(0, np.int64), *(np.arange(r[k], r[k] + r[2])
                                  for r in runs)]) for k in (0, 1))  # fmt: skip
    same = np.count_nonzero(ours[a[one]] == theirs[b[other]])
    if 2 * same < _ALIKE * (len(a) + len(b)):
        return None
    return a[one], b[other]


def _substituted(runs: Sequence[Run]) -> list[Run]:
    """Return the runs and, between them, a few characters one for one."""
    found: list[Run] = [(0, 0, 0)]
    for i, j, size in runs:
        a, b, before = found[-1]
        di, dj = i - a - before, j - b - before
        if 0 < di == dj <= _FEW:
            found.append((a + before, b + before, di))
        found.append((i, j, size))
    return found


def _runs(a: Points, b: Points) -> Iterator[Run]:
    """Yield stretches that are the same: places in both, and how long they are."""
    whole = _edited(a, b, min(_EDITS, (len(a) + len(b)) // 4 + 1))
    if whole is not None:
        yield from whole
        return
    i = j = 0
    first, second = a.tobytes(), b.tobytes()
    while i < len(a) and j < len(b):
        if same := _same_from(a, b, i, j):
            yield i, j, same
            i, j = i + same, j + same
            continue
        di, dj = _meeting(first, second, i, j)
        for x, y, size in _edited(a[i : i + di], b[j : j + dj], _EDITS) or ():
            yield i + x, j + y, size
        i, j = i + di, j + dj


def _edited(a: Points, b: Points, most: int) -> list[Run] | None:
    """Return what the shortest edit leaves alone, None if it takes more than ``most`` steps."""
    one, other = a.tolist(), b.tolist()
    n, m = len(one), len(other)
    # The furthest place on each diagonal, and what it was before each step.
    far = [0] * (2 * most + 3)
    steps: list[list[int]] = []
    for d in range(most + 1):
        steps.append(far[most - d : most + d + 3])
        for k in range(-d, d + 1, 2):
            at = most + 1 + k
            down = k == -d or (k != d and far[at - 1] < far[at + 1])
            x = far[at + 1] if down else far[at - 1] + 1
            y = x - k
            while x < n and y < m and one[x] == other[y]:
                x, y = x + 1, y + 1
            far[at] = x
            if x >= n and y >= m:
                return _path(steps, n, m)
    return None


def _path(steps: list[list[int]], n: int, m: int) -> list[Run]:
    """Return the stretches that an edit leaves alone, from its last step back to the first."""
    runs: list[Run] = []
    x, y = n, m
    for d in range(len(steps) - 1, -1, -1):
        far, k = steps[d], x - y
        at = k + d + 1
        down = k == -d or (k != d and far[at - 1] < far[at + 1])
        before = k + 1 if down else k - 1
        i = far[before + d + 1] if d else 0
        j = i - before if d else 0
        low = (i, j + 1) if down and d else (i + 1, j) if d else (0, 0)
        if x > low[0]:
            runs.append((low[0], low[1], x - low[0]))
        x, y = i, j
    return runs[::-1]


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
