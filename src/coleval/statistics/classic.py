"""The classic measures: correlation, purity, perplexity, precision and recall at k, F-beta.

Undefined is None, never NaN, and comes with its reason where there may be several.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import factorial, sqrt
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.statistics.ratio import ratio_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ranks = NDArray[np.int64]

# A constant that sums of floats blur by less than this is still one.
_FLAT = 1e-12


@dataclass(frozen=True, slots=True)
class Correlated:
    """How two columns go together: Pearson's r, Spearman's rho over ``n`` places both have."""

    n: int
    pearson: float | None
    spearman: float | None
    note: str | None = None


def correlated(x: Floats, y: Floats) -> Correlated:
    """Return the correlations of two columns, places where one is undefined (NaN) left out."""
    both = ~(np.isnan(x) | np.isnan(y))
    a, b = x[both], y[both]
    n = len(a)
    if n < 2:
        return Correlated(n, None, None, "fewer than two rows have both values")
    if _constant(a) or _constant(b):
        return Correlated(n, None, None, "one of the two is constant")
    return Correlated(n, _pearson(a, b), _pearson(average_ranks(a), average_ranks(b)))


def _constant(x: Floats) -> bool:
    return float(np.ptp(x)) <= _FLAT * max(1.0, float(np.abs(x).max()))


def _pearson(x: Floats, y: Floats) -> float:
    a, b = x - x.mean(), y - y.mean()
    r = float(a @ b) / float(np.sqrt((a @ a) * (b @ b)))
    return max(-1.0, min(1.0, r))


def average_ranks(x: Floats) -> Floats:
    """Return ranks from 1; equal values share the mean of theirs."""
    return pl.Series(x).rank("average").to_numpy()


def purity(cells: NDArray[np.int64]) -> tuple[float | None, float | None]:
    """Return purity and inverse purity of clusters (rows) against classes (columns).

    Purity alone is 1 if every item is its own cluster; so both are reported.
    """
    items = int(cells.sum())
    if not items:
        return None, None
    return int(cells.max(axis=1).sum()) / items, int(cells.max(axis=0).sum()) / items


def f_beta(
    tp: int, fp: int, fn: int, beta: float, zero_division: float | None = None
) -> float | None:
    """Return (1 + β²) tp / ((1 + β²) tp + β² fn + fp): recall counts β times as much."""
    # Divided by the larger of 1 and β², so that no β is too large for its square.
    recall, precision = (beta * beta, 1.0) if beta <= 1 else (1.0, 1 / beta / beta)
    above = (recall + precision) * tp
    below = above + recall * fn + precision * fp
    return ratio_of(above, below, zero_division)


def cross_entropy(logs: Floats) -> float | None:
    """Return the mean of -log2 p, None for no tokens or one that has no probability at all."""
    if not len(logs) or not np.isfinite(logs).all():
        return None
    return float(-logs.mean())


def hits_at(score: Floats, relevant: NDArray[np.bool_], k: int) -> float:
    """Return how many of the k highest are relevant; equal scores share the places they take.

    That is the mean over all orders of the equal ones (McSherry & Najork 2008), so that the order
    of the input decides nothing.
    """
    if k >= len(score):
        return float(relevant.sum())
    edge = np.partition(score, len(score) - k)[len(score) - k]
    above, tied = score > edge, score == edge
    left = k - int(above.sum())
    return float(relevant[above].sum()) + left * float(relevant[tied].mean())


# What is left of no information by rounding.
_NO_INFORMATION = 1e-12


@dataclass(frozen=True, slots=True)
class Clustered:
    """Homogeneity, completeness, their harmonic mean, and normalised mutual information."""

    homogeneity: float | None = None
    completeness: float | None = None
    v_measure: float | None = None
    nmi: float | None = None


def clustered(cells: NDArray[np.int64]) -> Clustered:
    """Return how clusters (rows) and classes (columns) go together, nothing for no items.

    A single class is homogeneous and a single cluster complete (Rosenberg & Hirschberg 2007). NMI
    is divided by the mean of the two entropies (Manning et al. 2008, ch. 16), undefined if both
    are 0; else it is the V-measure.
    """
    n = int(cells.sum())
    if not n:
        return Clustered()
    clusters, classes = cells.sum(axis=1) / n, cells.sum(axis=0) / n
    own, gold = _entropy(clusters), _entropy(classes)
    shared = own + gold - _entropy(cells.ravel() / n)
    shared = shared if shared > _NO_INFORMATION else 0.0
    homogeneity = min(1.0, ratio_of(shared, gold, 1.0))
    completeness = min(1.0, ratio_of(shared, own, 1.0))
    v = ratio_of(2 * homogeneity * completeness, homogeneity + completeness, 0.0)
    nmi = ratio_of(2 * shared, own + gold)
    return Clustered(homogeneity, completeness, v, None if nmi is None else min(1.0, nmi))


def _entropy(shares: NDArray[np.float64]) -> float:
    """Return the entropy of shares that add up to 1, 0 of one share alone."""
    some = shares[shares > 0]
    return float(-(some * np.log2(some)).sum()) if len(some) > 1 else 0.0


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
