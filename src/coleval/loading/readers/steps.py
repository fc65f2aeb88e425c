"""Numbers that never fall: where they change, and without gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def steps(rising: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Tell where a number is not the one before it; the first one never is."""
    step = np.ones(len(rising), np.bool_)
    np.not_equal(rising[1:], rising[:-1], out=step[1:])
    return step


def dense(rising: NDArray[np.integer]) -> NDArray[np.int32]:
    """Return never-falling numbers as 0, 1, 2 … without gaps."""
    step = np.zeros(len(rising), np.bool_)
    np.not_equal(rising[1:], rising[:-1], out=step[1:])
    return np.cumsum(step, dtype=np.int32)


def flat(first: NDArray[np.integer], last: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the numbers from each first to before its last, one stretch after the other."""
    size = last.astype(np.int64) - first
    begin = np.repeat(first - np.cumsum(size) + size, size)
    return begin + np.arange(len(begin))
