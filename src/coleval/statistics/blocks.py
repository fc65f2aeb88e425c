"""Tests over few blocks, exact where that can be counted: Friedman's and Wilcoxon's.

The fewest blocks that a test needs are known beforehand: with fewer, no outcome is unlikely enough
to be significant.
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from math import erfc, exp, lgamma, sqrt
from typing import TYPE_CHECKING, NamedTuple

from coleval.statistics.breakdown import midranks

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    ranks = [midranks(row) for row in blocks]
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
        from coleval.statistics.special import chdtrc

        return Outcome(statistic, float(chdtrc(k - 1, statistic)), exact=False)
    return Outcome(statistic, exact, exact=True)


def _friedman_exact(ranks: list[list[float]], spread: float) -> float | None:
    """Return in what share of all orders within blocks sums spread as much, None if too many."""
    k = len(ranks[0])
    if k > 5:
        return None
    states: dict[tuple[float, ...], int] = {(0.0,) * k: 1}
    for row in ranks:
        orders = Counter(permutations(row))
        added = _added(states, orders)
        if added is None:
            return None
        states = added
    middle = len(ranks) * (k + 1) / 2
    far = sum(
        n for sums, n in states.items()
        if sum((s - middle) ** 2 for s in sums) >= spread - 1e-9
    )  # fmt: skip
    return far / sum(states.values())


def _added(
    states: dict[tuple[float, ...], int], orders: Counter[tuple[float, ...]]
) -> dict[tuple[float, ...], int] | None:
    """Return the sums after one more block, None for too many of them.

    Columns are exchangeable, so they are kept sorted.
    """
    out: Counter[tuple[float, ...]] = Counter()
    for sums, n in states.items():
        for order, m in orders.items():
            key = tuple(sorted(a + b for a, b in zip(sums, order, strict=True)))
            out[key] += n * m
        if len(out) > _STATES:
            return None
    return out


def wilcoxon(differences: Sequence[float]) -> Outcome:
    """Return the signed-rank test of pairs; equal pairs are left out, ties share their rank.

    p counts all signs while there are 200 pairs or fewer, else it comes from the normal curve.
    """
    there = [round(d, 12) for d in differences if round(d, 12)]
    if not there:
        return Outcome(0.0, 1.0, exact=True)
    ranks = midranks([abs(d) for d in there])
    up = sum(r for r, d in zip(ranks, there, strict=True) if d > 0)
    low = min(up, sum(ranks) - up)
    if len(there) > _EXACT_PAIRS:
        return Outcome(low, _normal(ranks, low), exact=False)
    below = _signs(ranks, low)
    return Outcome(low, min(1.0, 2 * below), exact=True)


def _signs(ranks: list[float], low: float) -> float:
    """Return the share of all signs whose positive ranks sum up to ``low`` or less."""
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
