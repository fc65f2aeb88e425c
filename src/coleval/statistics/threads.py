"""Matrix products that wake no threads of BLAS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.statistics.measure import Floats

# OpenBLAS computes products of up to so many multiplications in the thread that asks.
_ALONE, _SIDE = 1 << 18, 64


def product(rows: NDArray[Any], columns: NDArray[Any]) -> Floats:
    """Return the matrix product of few rows or columns, in pieces that no threads share.

    Threads of BLAS turn while they wait for each other: 24 rows by 8192 by 64 columns take .4 ms of
    one processor and up to 90 of two that others use as well, while the pieces take .3. To cap the
    threads instead would be for the whole process, which is not ours in a library.
    """
    done = np.empty((len(rows), columns.shape[1]), np.result_type(rows, columns))
    for top in range(0, len(rows), _SIDE):
        for left in range(0, columns.shape[1], _SIDE):
            some, others = rows[top : top + _SIDE], columns[:, left : left + _SIDE]
            done[top : top + _SIDE, left : left + _SIDE] = _pieces(some, others)
    return done


def _pieces(rows: NDArray[Any], columns: NDArray[Any]) -> Floats:
    step = _ALONE // (len(rows) * columns.shape[1])
    whole = len(columns) // step * step
    rest: Floats = rows[:, whole:] @ columns[whole:]
    if not whole:
        return rest
    left = rows[:, :whole].reshape(len(rows), -1, step).transpose(1, 0, 2)
    right = columns[:whole].reshape(-1, step, columns.shape[1])
    total: Floats = np.matmul(left, right).sum(axis=0) + rest
    return total
