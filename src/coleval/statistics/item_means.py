"""Means of item scores, and whether two systems' means differ: exchanges of the two on each item.

Item scores are real numbers that other programs gave (BLEU of a sentence, a rating), so that there
are no counts to add up. Unknown is NaN here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.statistics.draws import BLOCK, coins, streams

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.statistics.draws import Words
    from coleval.statistics.measure import Floats

REPLICATES = 9_984
# Up to so many items that differ all exchanges are gone through.
ENUMERABLE = 12
# Items at a time: their signs in 64 replicates are floats.
_ITEMS = 1 << 16


@dataclass(frozen=True, slots=True)
class ItemMean:
    """How many items have a number; their mean, deviation, and interval by Student's t."""

    items: int
    mean: float | None = None
    sd: float | None = None
    low: float | None = None
    high: float | None = None


def item_mean(values: Floats) -> ItemMean:
    """Return the mean of what is known, with an interval of 95 % from two values on."""
    known = values[~np.isnan(values)]
    n = len(known)
    if n < 2:
        return ItemMean(n, float(known[0]) if n else None)
    from scipy.special import stdtrit

    mean, sd = float(known.mean()), float(known.std(ddof=1))
    half = float(stdtrit(n - 1, 0.975)) * sd / n**0.5
    return ItemMean(n, mean, sd, mean - half, mean + half)


def exchanged_p(differences: Floats, key: Words, seed: int) -> tuple[float, bool]:
    """Return the two-sided p of a mean difference of 0, and whether it is exact.

    If the two were alike, each item's difference would have either sign. p is the share of all
    assignments of signs whose sum is as far from 0, or, where more than twelve items differ,
    (c + 1) / (R + 1) among drawn ones (Noreen 1989). NaN without any item.
    """
    there = ~np.isnan(differences)
    if not there.any():
        return float("nan"), False
    moved = there & (differences != 0)
    some = differences[moved]
    if len(some) <= ENUMERABLE:
        return _all_signs(some), True
    return _drawn_signs(some, streams(key[moved], seed, purpose=3)), False


def _all_signs(some: Floats) -> float:
    """Return p over all signs; the first is left as it is, as mirror images are as far from 0."""
    if not len(some):
        return 1.0
    cases = np.arange(1 << (len(some) - 1)) << 1
    signs = 1.0 - 2.0 * (cases[:, None] >> np.arange(len(some)) & 1)
    return float(_as_far(signs @ some, some).mean())


def _drawn_signs(some: Floats, start: Words) -> float:
    blocks = range(REPLICATES // BLOCK)
    found = sum(int(_as_far(_sums(some, start, block), some).sum()) for block in blocks)
    return (found + 1) / (REPLICATES + 1)


def _sums(some: Floats, start: Words, block: int) -> Floats:
    """Return the sums of 64 replicates, in which some items have the other sign."""
    total = np.full(BLOCK, some.sum())
    for low in range(0, len(some), _ITEMS):
        part = slice(low, low + _ITEMS)
        total -= 2.0 * (some[part] @ coins(start[part], block).astype(np.float64))
    return total


def _as_far(sums: Floats, some: Floats) -> NDArray[np.bool_]:
    """Return which sums are as far from 0 as the one seen, but for the last digits."""
    return np.abs(sums) >= abs(float(some.sum())) - 1e-12 * float(np.abs(some).sum())
