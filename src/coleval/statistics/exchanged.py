"""How many replicates differ as much after exchanges: by a loop in C, where there is one."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from coleval.native.library import library

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from coleval.statistics.measure import Floats


def far_counts(
    left: Sequence[Floats], part: Sequence[Floats], pairs: NDArray[np.intp], least: Floats
) -> NDArray[np.int64] | None:
    """Return for each pair in how many replicates it differs by ``least``; None if not known here.

    ``left`` are the sums of the units that stay, above and below, a row a system, and ``part`` of
    those that are exchanged; one row below is gold's, which all systems share.
    """
    loops = library()
    if loops is None or not (left[1] > 0).all() or len(part[0]) != len(left[0]):
        return None
    shared = len(part[1]) == 1
    below = [left[1] + part[1]] if shared else [left[1], part[1]]
    sums = [np.ascontiguousarray(rows, np.float64) for rows in (left[0], part[0], *below)]
    wanted = np.ascontiguousarray(pairs, np.int64), np.ascontiguousarray(least, np.float64)
    far = np.zeros(len(pairs), np.int64)
    loops.coleval_exchanges(
        *map(_pointer, sums), *([None] if shared else []), ctypes.c_int64(sums[0].shape[1]),
        *map(_pointer, wanted), ctypes.c_int64(len(pairs)), _pointer(far),
    )  # fmt: skip
    return far


def _pointer(array: NDArray[Any]) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)
