"""Rows in the order of whole numbers, equal ones as they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BITS = 63


def stable_order(key: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the places of numbers from -1 on, sorted by them, equal ones in their order.

    Numbers are sorted many times as fast as places by them: where both have room in one, they are
    sorted as one.
    """
    bits = max(len(key) - 1, 0).bit_length()
    most = int(key.max(initial=0)) + 1
    if most.bit_length() + bits > _BITS - 1:
        return np.argsort(key, kind="stable")
    both = key.astype(np.int64) + 1
    both <<= bits
    both |= np.arange(len(key))
    both.sort()
    both &= (1 << bits) - 1
    return both
