"""The classic measures: correlation, purity, perplexity, precision and recall at k, F-beta.

Undefined is None, never NaN, and comes with its reason where there may be several.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.statistics.ratio import ratio_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

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
