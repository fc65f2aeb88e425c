"""How likely a slice as bad as this one is, were its items drawn at random from all items.

Drawn without replacement: of one system the number of right items is hypergeometric; of two, the
items that either alone has right are two colours among three, and their difference is what counts.
Both are exact for items that are exchangeable; ``difference_at_most`` says where it is not counted
out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coleval.statistics.ratio import ratio_array

if TYPE_CHECKING:
    from coleval.statistics.measure import Floats


Whole = NDArray[np.int64]
# Differing answers in a slice up to which the difference is counted out.
LARGEST = 1000
# How many standard deviations hold all that matters.
_SPREAD = 10


def at_most(k: Whole, n: Whole, good: int, whole: int) -> Floats:
    """Return the probability of at most ``k`` good ones among ``n`` of ``whole`` items."""
    out = np.zeros(len(k))
    for at, (most, size) in enumerate(zip(k.tolist(), n.tolist(), strict=True)):
        low, chances = _probabilities(size, good, whole)
        out[at] = chances[: max(0, most - low + 1)].sum()
    return np.minimum(out, 1.0)


def difference_at_most(s: Whole, n: Whole, better: int, worse: int, whole: int) -> Floats:
    """Return the probability that better less worse ones among ``n`` items are at most ``s``.

    Exact while a slice can be expected to hold ``LARGEST`` differing items at most; beyond that it
    is the larger of a normal tail and one corrected for skewness, both for whole numbers.
    """
    differ = better + worse
    high = _highest(n, differ, whole)
    exact = high <= LARGEST
    out = np.ones(len(s))
    if exact.any():
        most = int(high[exact].max())
        table = _shares(most, better, worse)
        for at in np.flatnonzero(exact):
            out[at] = _counted_out(int(s[at]), int(n[at]), differ, whole, table)
    many = ~exact & (n < whole)
    if many.any():
        out[many] = _approximate(s[many], n[many], better, worse, whole)
    return out


def _highest(n: Whole, differ: int, whole: int) -> Whole:
    """Return more differing items than slices of these sizes can hold by any chance that counts."""
    mean = n * (differ / max(whole, 1))
    limit = mean + _SPREAD * np.sqrt(mean) + _SPREAD**2 / 2
    return np.minimum(np.minimum(n, differ), np.ceil(limit)).astype(np.int64)


def _shares(most: int, better: int, worse: int) -> Floats:
    """Return, for d differing items and a of them, the probability of at most a better ones."""
    table = np.zeros((most + 1, min(most, better) + 1))
    for d, row in enumerate(table):
        low, chances = _probabilities(d, better, better + worse)
        behind = low + len(chances)
        row[low:behind] = np.minimum(np.cumsum(chances), 1.0)
        row[behind:] = 1.0
    return table


def _counted_out(s: int, n: int, differ: int, whole: int, table: Floats) -> float:
    """Return the sum over the number d of differing items; a better ones make 2 a - d."""
    low, chances = _probabilities(n, differ, whole)
    d = np.arange(low, min(low + len(chances), len(table)))
    most = np.minimum((s + d) // 2, table.shape[1] - 1)
    below = np.where(most >= 0, table[d, np.maximum(most, 0)], 0.0)
    return min(1.0, float(chances[: len(d)] @ below))


def _probabilities(n: int, good: int, whole: int) -> tuple[int, Floats]:
    """Return the least good ones to reckon with among ``n`` of ``whole``, and how likely they are.

    Behind it are the probabilities of one more, two more …, each from its neighbour and all of them
    1 together. The library's (``hypergeom``) takes .3 ms for one of them.
    """
    top = min((n + 1) * (good + 1) // (whole + 2), n, good)
    # Whatever is farther from the mean is less likely than the smallest number (Hoeffding 1963).
    far = int(20 * n**0.5) + 1
    low, high = max(0, n - (whole - good), top - far), min(n, good, top + far)
    up, down = np.arange(top, high, dtype=np.float64), np.arange(top, low, -1, dtype=np.float64)
    bad = whole - good - n
    rising = np.cumprod((good - up) * (n - up) / ((up + 1) * (bad + up + 1)))
    falling = np.cumprod(down * (bad + down) / ((good - down + 1) * (n - down + 1)))
    shares: Floats = np.concatenate([falling[::-1], [1.0], rising])
    return low, shares / shares.sum()


def _approximate(s: Whole, n: Whole, better: int, worse: int, whole: int) -> Floats:
    from scipy.special import ndtr

    mean = (better - worse) / whole
    second = (better + worse) / whole - mean**2
    up, down = better * (1 - mean) ** 3, worse * (1 + mean) ** 3
    third = (up - down - (whole - better - worse) * mean**3) / whole
    share = n / whole
    spread = np.sqrt(n * second * (1 - share) * whole / max(whole - 1, 1))
    skew = third / second**1.5 * (1 - 2 * share) / np.sqrt(n * (1 - share))
    # Where all items differ, sums are two apart.
    z = (s + (1.0 if better + worse == whole else 0.5) - n * mean) / np.maximum(spread, 1e-12)
    normal = ndtr(z)
    return np.clip(np.maximum(normal, normal - _density(z) * skew * (z**2 - 1) / 6), 0, 1)


def _density(z: Floats) -> Floats:
    density: Floats = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    return density


# What is left of a spread of 0 by rounding.
_ROUNDED = 1e-12


def expected(row: Floats, column: Floats, whole: Floats) -> Floats:
    """Return what is expected in cells of these totals if rows and columns do not depend."""
    return ratio_array(row * column, whole)


def residual(n: Floats, row: Floats, column: Floats, whole: Floats) -> Floats:
    """Return adjusted standardised residuals (Haberman 1973), NaN where nothing can vary."""
    awaited = expected(row, column, whole)
    spread = awaited * (1 - ratio_array(row, whole)) * (1 - ratio_array(column, whole))
    return ratio_array(n - awaited, np.sqrt(np.maximum(spread, 0)), least=_ROUNDED)


def slice_z(total: Floats, n: Floats, mean: float, variance: float, whole: int) -> Floats:
    """Return how far the mean of a slice is from that of all, in standard errors of such a slice.

    A slice is drawn without return from all items, hence the factor 1 - n / whole.
    """
    spread = np.sqrt(np.maximum(variance / np.maximum(n, 1) * (1 - n / max(whole, 1)), 0))
    return ratio_array(ratio_array(total, n) - mean, spread, least=_ROUNDED)
