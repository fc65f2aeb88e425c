"""Kendall's tau, and p values of correlations: what chance alone would bring about.

All are two-sided, and not adjusted for how many there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import factorial, sqrt
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.statistics.classic import Correlated

    Floats = NDArray[np.float64]
    Ranks = NDArray[np.int64]

# Up to so many rows all orders are tried; without ties Kendall's are counted up to so many.
ORDERS, COUNTED = 7, 33
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
    tau, p = _kendall(a, b)
    if found.n <= 2:
        return CorrelationTests(tau)
    return CorrelationTests(
        tau, _student(found.pearson, found.n), _spearman_p(a, b, found.spearman), p
    )


def _dense(x: Floats) -> Ranks:
    """Return the number of each value among the different ones, from 0."""
    return np.unique(x, return_inverse=True)[1].astype(np.int64)


def _student(r: float, n: int) -> float:
    """Return p of r if both columns are normal: Student's t with n - 2 degrees of freedom."""
    from scipy.special import stdtr

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


def _kendall(a: Ranks, b: Ranks) -> tuple[float, float]:
    """Return tau-b and the share of all orders with so large a one; of many rows it is normal."""
    from scipy.stats import kendalltau

    n = len(a)
    counted = n <= COUNTED and int(a.max()) + 1 == n == int(b.max()) + 1
    tau, p = kendalltau(a, b, method="exact" if counted else "asymptotic")
    if counted:
        return float(tau), float(p)
    if n > ORDERS:
        return float(tau), max(float(p), _least(n))
    # With ties scipy has the normal curve alone.
    i, j = np.triu_indices(n, 1)
    order = _orders(n)
    signs = np.sign(b[order[:, i]] - b[order[:, j]]) @ np.sign(a[i] - a[j])
    return float(tau), _as_far(signs.astype(np.float64))


def _as_far(values: Floats) -> float:
    """Return the share of values as far from 0 as the first, which is the one seen."""
    return float((np.abs(values) >= abs(values[0]) - _ROUNDED).mean())


@cache
def _orders(n: int) -> NDArray[np.intp]:
    """Return all orders of n rows, the one they are in first."""
    return np.array(list(permutations(range(n))), np.intp)


def _least(n: int) -> float:
    """Return the smallest p that orders of n rows can have: two of all are as far out."""
    return 2 / factorial(n) if n < COUNTED else 0.0
