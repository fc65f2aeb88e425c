"""What a row of scores over buckets says: whether it rises, how it spreads, where its ends are.

A score that is None is undefined and enters nothing.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from coleval.statistics.classic import average_ranks, correlated
from coleval.statistics.ratio import ratio_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from coleval.statistics.measure import Floats


class Ends(NamedTuple):
    """The places of the best and the worst of some values, and these; the first of equals."""

    best: int
    high: float
    worst: int
    low: float


def spearman(values: Sequence[float | None]) -> float | None:
    """Return the rank correlation of values with their order, None if they are constant or one."""
    known = np.array([value for value in values if value is not None], np.float64)
    return correlated(np.arange(float(len(known))), average_ranks(known)).pearson


def deviation(values: Sequence[float | None]) -> float | None:
    """Return the standard deviation (of a population), None of nothing."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    mean = sum(known) / len(known)
    return sqrt(sum((value - mean) ** 2 for value in known) / len(known))


def average(values: Sequence[float | None]) -> float | None:
    """Return the mean of what is known, None of nothing."""
    known = [value for value in values if value is not None]
    return ratio_of(sum(known), len(known))


def ends(values: Sequence[float | None]) -> Ends | None:
    """Return where the best and the worst stand, None if nothing is known."""
    known = {k: value for k, value in enumerate(values) if value is not None}
    if not known:
        return None
    best = max(known, key=lambda k: (known[k], -k))
    worst = min(known, key=lambda k: (known[k], k))
    return Ends(best, known[best], worst, known[worst])


def spread(values: Sequence[float | None], sizes: Sequence[int]) -> float | None:
    """Return the standard deviation of values that weigh as their sizes, None of nothing."""
    known = [(value, n) for value, n in zip(values, sizes, strict=True) if value is not None]
    total = sum(n for _, n in known)
    if not total:
        return None
    mean = sum(value * n for value, n in known) / total
    return sqrt(sum(n * (value - mean) ** 2 for value, n in known) / total)


def steepest(values: Sequence[float | None], sizes: Sequence[int]) -> tuple[int, int] | None:
    """Return the two places that make most of the spread, the higher value first.

    The weighted variance is the sum over pairs of n_a n_b (a - b)² / N²; theirs is the most of it.
    """
    there = np.array([k for k, value in enumerate(values) if value is not None], np.intp)
    value = np.array([values[k] for k in there], np.float64)
    n = np.array([sizes[k] for k in there], np.int64)
    best = 0.0
    pair: tuple[int, int] | None = None
    most = _most(value, n)
    for at in np.argsort(-most, kind="stable").tolist():
        # Of thousands of buckets nearly all are too small to be looked at, or too ordinary.
        if most[at] < best:
            break
        share = n[at] * n * (value[at] - value) ** 2
        other = int(np.argmax(share))
        found = min(at, other), max(at, other)
        if share[other] > best or (share[other] == best and pair and found < pair):
            best, pair = float(share[other]), found
    if pair is None:
        return None
    low, high = sorted(pair, key=lambda k: value[k])
    return int(there[high]), int(there[low])


def _most(value: Floats, n: NDArray[np.int64]) -> Floats:
    """Return what no pair of each bucket exceeds, rounding included."""
    far = np.maximum(value - value.min(initial=np.inf), value.max(initial=-np.inf) - value)
    return n * n.max(initial=0) * far**2 * (1 + 1e-9)
