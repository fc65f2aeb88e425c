"""Kendall's tau, and p values of correlations: what chance alone would bring about.

All are two-sided, and not adjusted for how many there are.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations
from math import erfc, factorial, sqrt
from typing import TYPE_CHECKING

import numpy as np

from coleval.late_classes import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.statistics.classic import Correlated

    Floats = NDArray[np.float64]
    Ranks = NDArray[np.int64]

# Up to so many rows all orders are tried; without ties Kendall's are counted up to so many.
ORDERS, COUNTED = 7, 33
# A table of all pairs of values is small enough with so many cells.
_CELLS = 1 << 16
_ROUNDED = 1e-9


@dataclass(frozen=True, slots=True)
class CorrelationTests:
    """Kendall's tau-b beside Pearson's r and Spearman's rho, and the p value of each."""

    kendall: float | None = None
    pearson_p: float | None = None
    spearman_p: float | None = None
    kendall_p: float | None = None


def correlation_tests(x: Floats, y: Floats, found: Correlated) -> CorrelationTests:
    """Return tau and the p values of two columns whose other correlations are known.

    Nothing is defined where these are not, and no p over two rows.
    """
    if found.pearson is None or found.spearman is None:
        return CorrelationTests()
    both = ~(np.isnan(x) | np.isnan(y))
    a, b = _dense(x[both]), _dense(y[both])
    pairs = pair_counts(a, b)
    tau = max(-1.0, min(1.0, pairs.more / sqrt(pairs.x_apart * pairs.y_apart)))
    if found.n <= 2:
        return CorrelationTests(tau)
    return CorrelationTests(
        tau,
        _student(found.pearson, found.n),
        _spearman_p(a, b, found.spearman),
        _kendall_p(a, b, pairs),
    )


def _dense(x: Floats) -> Ranks:
    """Return the number of each value among the different ones, from 0."""
    return np.unique(x, return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True, slots=True)
class OrderCounts:
    """Pairs of rows: in the other order, more in the same order than not, apart in x, and in y."""

    crossed: int
    more: int
    x_apart: int
    y_apart: int


def pair_counts(a: Ranks, b: Ranks) -> OrderCounts:
    """Return what tau counts of two columns of ranks from 0."""
    every = len(a) * (len(a) - 1) // 2
    x_tied, y_tied = _tied(a), _tied(b)
    both = _tied(np.unique(a * (b.max() + 1) + b, return_inverse=True)[1])
    crossed = _crossed(a, b)
    more = every - x_tied - y_tied + both - 2 * crossed
    return OrderCounts(crossed, more, every - x_tied, every - y_tied)


def _tied(ranks: Ranks) -> int:
    n = np.bincount(ranks)
    return int((n * (n - 1) // 2).sum())


def _crossed(a: Ranks, b: Ranks) -> int:
    """Return how many pairs of rows are in one order in ``a`` and in the other in ``b``."""
    wide, high = int(b.max()) + 1, int(a.max()) + 1
    if wide * high <= max(_CELLS, len(a)):
        cells = np.bincount(a * wide + b, minlength=wide * high).reshape(high, wide)
        # Above a cell, and on its right.
        above = np.cumsum(np.cumsum(cells[:, ::-1], axis=1)[:, ::-1], axis=0)
        return int((cells[1:, :-1] * above[:-1, 1:]).sum())
    return inversions(b[np.lexsort((b, a))])


def inversions(ranks: Ranks) -> int:
    """Return how many pairs stand in falling order; a radix sort from the highest bit counts them.

    Rows that share all higher bits are neighbours. Of two that differ in the next, those in
    falling order are ones before zeros.
    """
    start = np.concatenate([[0], np.cumsum(np.bincount(ranks))])
    at = np.arange(len(ranks))
    total = 0
    for bit in range(int(ranks.max()).bit_length() - 1, -1, -1):
        one = (ranks >> bit) & 1
        group = start[(ranks >> (bit + 1)) << (bit + 1)]
        before = np.cumsum(one) - one
        before -= before[group]
        total += int(before[one == 0].sum())
        place = start[(ranks >> bit) << bit] + np.where(one == 1, before, at - group - before)
        moved = np.empty_like(ranks)
        moved[place] = ranks
        ranks = moved
    return total


def _student(r: float, n: int) -> float:
    """Return p of r if both columns are normal: Student's t with n - 2 degrees of freedom."""
    from coleval.statistics.special import stdtr

    if abs(r) >= 1:
        return 0.0
    return float(2 * stdtr(n - 2, -abs(r) * sqrt((n - 2) / (1 - r * r))))


def _spearman_p(a: Ranks, b: Ranks, rho: float) -> float:
    """Return the share of all orders with so large a rho; of many rows Student's t."""
    if len(a) > ORDERS:
        return max(_student(rho, len(a)), _least(len(a)))
    from coleval.statistics.classic import average_ranks

    x, y = average_ranks(a.astype(np.float64)), average_ranks(b.astype(np.float64))
    products = (y - y.mean())[_orders(len(a))] @ (x - x.mean())
    return _as_far(products)


def _kendall_p(a: Ranks, b: Ranks, pairs: OrderCounts) -> float:
    """Return the share of all orders with so large a tau; with many rows or ties it is normal."""
    n = len(a)
    if n <= COUNTED and pairs.x_apart == pairs.y_apart == n * (n - 1) // 2:
        share = _inversion_shares(n)
        fewer = min(pairs.crossed, pairs.x_apart - pairs.crossed)
        return min(1.0, float(2 * share[: fewer + 1].sum()))
    if n <= ORDERS:
        i, j = np.triu_indices(n, 1)
        order = _orders(n)
        signs = np.sign(b[order[:, i]] - b[order[:, j]]) @ np.sign(a[i] - a[j])
        return _as_far(signs.astype(np.float64))
    return max(erfc(abs(pairs.more) / sqrt(2 * _tau_variance(a, b))), _least(n))


def _as_far(values: Floats) -> float:
    """Return the share of values as far from 0 as the first, which is the one seen."""
    return float((np.abs(values) >= abs(values[0]) - _ROUNDED).mean())


@cache
def _orders(n: int) -> NDArray[np.intp]:
    """Return all orders of n rows, the one they are in first."""
    return np.array(list(permutations(range(n))), np.intp)


@cache
def _inversion_shares(n: int) -> Floats:
    """Return the share of all orders of n values that have 0, 1, 2 … inversions."""
    share = np.ones(1)
    for k in range(2, n + 1):
        share = np.convolve(share, np.full(k, 1 / k))
    return share


def _least(n: int) -> float:
    """Return the smallest p that orders of n rows can have: two of all are as far out."""
    return 2 / factorial(n) if n < COUNTED else 0.0


def _tau_variance(a: Ranks, b: Ranks) -> float:
    """Return the variance of the pairs in order less those that are not (Kendall 1970, ch. 4)."""
    n = float(len(a))
    x, y = (np.bincount(ranks).astype(np.float64) for ranks in (a, b))
    spread = n * (n - 1) * (2 * n + 5) - sum(
        float((t * (t - 1) * (2 * t + 5)).sum()) for t in (x, y)
    )
    twos = float((x * (x - 1)).sum()) * float((y * (y - 1)).sum())
    threes = float((x * (x - 1) * (x - 2)).sum()) * float((y * (y - 1) * (y - 2)).sum())
    return spread / 18 + twos / (2 * n * (n - 1)) + threes / (9 * n * (n - 1) * (n - 2))
