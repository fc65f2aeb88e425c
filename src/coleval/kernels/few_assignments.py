"""The best assignment of a few rows and columns, without scipy, which takes 0.2 s to import.

Shortest augmenting paths (Crouse 2016), step by step as scipy walks them: of equally good
assignments it is the same one.
"""

from __future__ import annotations

import sys
from math import inf
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Cells = list[list[float]]

# So many steps take less time than the import.
_STEPS = 200_000


def few(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> bool:
    """Tell whether assignments of these sizes are made sooner than scipy is imported."""
    if "scipy.optimize" in sys.modules:
        return False
    low, high = np.minimum(rows, columns), np.maximum(rows, columns)
    return int((low.astype(np.float64) ** 2 * high).sum()) <= _STEPS


def assigned_columns(weight: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the column of each row in the best assignment, -1 for none."""
    turned = weight.shape[0] > weight.shape[1]
    cost = (-(weight.T if turned else weight)).tolist()
    of_row = _Paths(cost).assigned()
    found = np.full(weight.shape[0], -1)
    if turned:
        found[of_row] = np.arange(len(of_row))
    else:
        found[:] = of_row
    return found


class _Paths:
    """Rows that are assigned one after the other, each by the path that costs least."""

    def __init__(self, cost: Cells) -> None:
        self.cost = cost
        self.wide = len(cost[0])
        self.row_worth, self.column_worth = [0.0] * len(cost), [0.0] * self.wide
        self.column_of, self.row_of = [-1] * len(cost), [-1] * self.wide

    def assigned(self) -> list[int]:
        """Return the column of each row."""
        for row in range(len(self.cost)):
            self._assign(row)
        return self.column_of

    def _assign(self, row: int) -> None:
        path, shortest = [-1] * self.wide, [inf] * self.wide
        rows, columns, length = self._walk(row, path, shortest)
        self.row_worth[row] += length
        for other in rows[1:]:
            self.row_worth[other] += length - shortest[self.column_of[other]]
        for column in columns:
            self.column_worth[column] -= length - shortest[column]
        column = columns[-1]
        while True:
            above = path[column]
            self.row_of[column] = above
            self.column_of[above], column = column, self.column_of[above]
            if above == row:
                break

    def _walk(
        self, row: int, path: list[int], shortest: list[float]
    ) -> tuple[list[int], list[int], float]:
        """Return the rows and columns on the way to a column that is free, and its length."""
        left = list(range(self.wide - 1, -1, -1))
        rows, columns, length = [row], list[int](), 0.0
        while True:
            at = self._nearest(rows[-1], length, left, path, shortest)
            column = left[at]
            length = shortest[column]
            columns.append(column)
            left[at] = left[-1]
            left.pop()
            if self.row_of[column] < 0:
                return rows, columns, length
            rows.append(self.row_of[column])

    def _nearest(
        self, row: int, length: float, left: list[int], path: list[int], shortest: list[float]
    ) -> int:
        """Return the place in ``left`` of the nearest column, a free one if there are several."""
        cost, worth = self.cost[row], self.row_worth[row]
        found, lowest = -1, inf
        for at, column in enumerate(left):
            there = length + cost[column] - worth - self.column_worth[column]
            if there < shortest[column]:
                path[column], shortest[column] = row, there
            own = shortest[column]
            if own < lowest or (own == lowest and self.row_of[column] < 0):
                found, lowest = at, own
        return found
