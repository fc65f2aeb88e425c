"""Tests over few blocks, exact where that can be counted: Friedman's and Wilcoxon's.

The fewest blocks that a test needs are known beforehand: with fewer, no outcome is unlikely enough
to be significant.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import permutations
from math import erfc, exp, factorial, lgamma, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from coleval.statistics.classic import average_ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from coleval.statistics.measure import Floats

    Counts = NDArray[np.int64]

LEVEL = 0.05
_STATES = 300
_EXACT_PAIRS = 200


class Outcome(NamedTuple):
    """A test's statistic, its two-sided p, and whether p was counted or comes from a curve."""

    statistic: float
    p: float
    exact: bool


def friedman_least(treatments: int, blocks: int) -> float:
    """Return the smallest p that so many blocks can give."""
    return exp(-(blocks - 1) * lgamma(treatments + 1)) if blocks else 1.0


def wilcoxon_least(pairs: int) -> float:
    """Return the smallest p that so many unequal pairs can give."""
    return 2.0 ** (1 - pairs) if pairs else 1.0


def friedman(blocks: Sequence[Sequence[float]]) -> Outcome:
    """Return Friedman's test of equal treatments: a row a block, a column a treatment.

    Ranks are taken within blocks, ties share theirs; p is exact while the sums of ranks can be
    enumerated, else from chi square.
    """
    ranks = [average_ranks(np.array(row)).tolist() for row in blocks]
    n, k = len(ranks), len(ranks[0])
    sums = [sum(column) for column in zip(*ranks, strict=True)]
    spread = sum((s - n * (k + 1) / 2) ** 2 for s in sums)
    ties = sum(t**3 - t for row in ranks for t in Counter(row).values())
    scale = n * k * (k + 1) - ties / (k - 1)
    if scale <= 0:
        return Outcome(0.0, 1.0, exact=True)
    statistic = 12 * spread / scale
    exact = _friedman_exact(ranks, spread)
    if exact is None:
        from scipy.special import chdtrc

        return Outcome(statistic, float(chdtrc(k - 1, statistic)), exact=False)
    return Outcome(statistic, exact, exact=True)


def _friedman_exact(ranks: list[list[float]], spread: float) -> float | None:
    """Return in what share of all orders within blocks sums spread as much, None if too many."""
    k, n = len(ranks[0]), len(ranks)
    if k > 5:
        return None
    # Ranks are halves, their doubles are whole; beyond 64 bits Python counts.
    base = 2 * k * n + 1
    kind = np.int64 if max(base**k, factorial(k) ** n) < 1 << 62 else np.object_
    powers = np.array([base**at for at in range(k)], kind)
    places = np.array(list(permutations(range(k))))
    sums, ways = np.zeros((1, k), np.int64), np.ones(1, kind)
    for row in np.rint(2 * np.array(ranks)).astype(np.int64):
        sums, ways = _added(sums, ways, row[places], powers)
        if len(sums) > _STATES:
            return None
    middle = n * (k + 1) / 2
    far = ((sums / 2 - middle) ** 2).sum(axis=1) >= spread - 1e-9
    return int(ways[far].sum()) / int(ways.sum())


def _added(
    sums: NDArray[np.int64], ways: NDArray[Any], orders: NDArray[np.int64], powers: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the sums after one more block; columns are exchangeable, so they are kept sorted."""
    _, some, times = np.unique(orders @ powers, return_index=True, return_counts=True)
    every = np.sort(sums[:, None, :] + orders[some], axis=2).reshape(-1, len(powers))
    _, first, place = np.unique(every @ powers, return_index=True, return_inverse=True)
    total = np.zeros(len(first), ways.dtype)
    np.add.at(total, place, (ways[:, None] * times.astype(ways.dtype)).ravel())
    return every[first], total


def wilcoxon(differences: Sequence[float]) -> Outcome:
    """Return the signed-rank test of pairs; equal pairs are left out, ties share their rank.

    p counts all signs while there are 200 pairs or fewer, else it comes from the normal curve.
    """
    there = [round(d, 12) for d in differences if round(d, 12)]
    if not there:
        return Outcome(0.0, 1.0, exact=True)
    ranks = average_ranks(np.abs(there)).tolist()
    up = sum(r for r, d in zip(ranks, there, strict=True) if d > 0)
    low = min(up, sum(ranks) - up)
    if len(there) > _EXACT_PAIRS:
        return Outcome(low, _normal(ranks, low), exact=False)
    below = _signs(ranks, low)
    return Outcome(low, min(1.0, 2 * below), exact=True)


def _signs(ranks: list[float], low: float) -> float:
    """Return the share of all signs whose positive ranks sum up to ``low`` or less.

    scipy counts signs only where no two ranks are tied.
    """
    ways = [1]
    for rank in (round(2 * r) for r in ranks):
        longer = ways + [0] * rank
        for at, n in enumerate(ways):
            longer[at + rank] += n
        ways = longer
    return sum(ways[: round(2 * low) + 1]) / 2 ** len(ranks)


def _normal(ranks: list[float], low: float) -> float:
    mean = sum(ranks) / 2
    sd = sqrt(sum(r * r for r in ranks)) / 2
    return min(1.0, erfc((mean - low - 0.5) / sd / sqrt(2)))


# A spread below this is one of rounding.
_NONE = 1e-12


@dataclass(frozen=True, slots=True)
class FoldTest:
    """The mean difference over ``n`` folds, its deviation, interval, t and two-sided p."""

    n: int
    delta: float = float("nan")
    sd: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")
    t: float = float("nan")
    p: float = float("nan")


def ratio_to_training(folds: int, share: float | None) -> float:
    """Return how many items are tested for each that is trained on.

    ``share`` is that of the test items of a split; without it every item is tested once, so that
    a fold is tested and the others are trained on.
    """
    return 1 / (folds - 1) if share is None else share / (1 - share)


def corrected_t(differences: Floats, ratio: float, alpha: float = 0.05) -> FoldTest:
    """Return the corrected test of a mean difference of 0 over the folds that have one.

    Equal in every fold is p = 1; without a spread, or with one fold, there is no other p.
    """
    known = differences[~np.isnan(differences)]
    n = len(known)
    if not n:
        return FoldTest(0)
    delta = float(known.mean())
    if n < 2:
        return FoldTest(n, delta)
    sd = float(known.std(ddof=1))
    if sd < _NONE:
        equal = abs(delta) < _NONE
        return FoldTest(n, delta, 0.0, p=1.0 if equal else float("nan"))
    return _tested(n, delta, sd, sd * (1 / n + ratio) ** 0.5, alpha)


def _tested(n: int, delta: float, sd: float, error: float, alpha: float) -> FoldTest:
    from scipy.special import stdtr, stdtrit

    t, half = delta / error, float(stdtrit(n - 1, 1 - alpha / 2)) * error
    return FoldTest(n, delta, sd, delta - half, delta + half, t, float(2 * stdtr(n - 1, -abs(t))))


_TIE = 1e-12


@dataclass(frozen=True, slots=True)
class DealtUnits:
    """The bucket of each unit, its items, and how many of them each system has right (rows)."""

    bucket: NDArray[np.intp]
    items: Counts
    right: Counts

    def shares(self) -> Floats:
        """Return the share right of each system (rows) in each bucket that is not empty."""
        return _shares(self, np.argsort(self.bucket, kind="stable"))

    def gaps(self) -> Floats:
        """Return each system's share in its best bucket less that in its worst."""
        return _gaps(self.shares())


def gap_p(units: DealtUnits, replicates: int, seed: int) -> Floats:
    """Return p of each system's gap: (c + 1) / (R + 1), c being deals with as large a gap."""
    rng = np.random.default_rng(seed)
    seen, found = units.gaps(), np.zeros(len(units.right), np.int64)
    for _ in range(replicates):
        dealt = _gaps(_shares(units, rng.permutation(len(units.bucket))))
        found += dealt >= seen - _TIE
    return (found + 1) / (replicates + 1)


def _shares(units: DealtUnits, order: NDArray[np.intp]) -> Floats:
    """Return shares where the first units of an order are in the first bucket, and so on."""
    size = np.bincount(units.bucket)
    size = size[size > 0]
    start = np.cumsum(size) - size
    right = np.add.reduceat(units.right[:, order], start, axis=1)
    items = np.add.reduceat(units.items[order], start)
    found: Floats = right / items
    return found


def _gaps(shares: Floats) -> Floats:
    found: Floats = shares.max(axis=1) - shares.min(axis=1)
    return found
