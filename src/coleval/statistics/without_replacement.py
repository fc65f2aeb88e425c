"""How likely a slice as bad as this one is, were its items drawn at random from all items.

Drawn without replacement: of one system the number of right items is hypergeometric; of two, the
items that either alone has right are two colours among three, and their difference is what counts.
Both are exact for items that are exchangeable; ``difference_at_most`` says where it is not counted
out.
"""

from __future__ import annotations

from math import lgamma
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coleval.statistics.association import below

if TYPE_CHECKING:
    from coleval.statistics.measure import Floats

Whole = NDArray[np.int64]
# Differing answers in a slice up to which the difference is counted out.
LARGEST = 1000
# How many standard deviations hold all that matters; terms below this share of a sum do not.
_SPREAD, _TINY = 10, 1e-17


def at_most(k: Whole, n: Whole, good: int, whole: int) -> Floats:
    """Return the probability of at most ``k`` good ones among ``n`` of ``whole`` items."""
    least = np.maximum(0, n - (whole - good))
    inside = np.flatnonzero((k >= least) & (n <= whole))
    out = np.zeros(len(k))
    x, size = k[inside], n[inside]
    x = np.minimum(x, np.minimum(size, good))
    out[inside] = np.minimum(_summed_down(x, size, good, whole), 1.0)
    return out


def _summed_down(x: Whole, n: Whole, good: int, whole: int) -> Floats:
    """Return the sums of the probabilities of x, x - 1 …, each from the one before it."""
    term = np.exp(_log_probability(x, n, good, whole))
    total, here = term.copy(), np.arange(len(x))
    x = x.astype(np.float64)
    while len(here):
        bad = whole - good - n[here] + x
        term = term * (x * bad) / ((good - x + 1) * (n[here] - x + 1))
        x = x - 1
        total[here] += term
        more = np.flatnonzero(term > _TINY * total[here])
        here, term, x = here[more], term[more], x[more]
    return total


def _log_probability(x: Whole, n: Whole, good: int, whole: int) -> Floats:
    pairs = zip(x.tolist(), n.tolist(), strict=True)
    logs = [
        _log_choose(good, a) + _log_choose(whole - good, b - a) - _log_choose(whole, b)
        for a, b in pairs
    ]
    return np.array(logs, np.float64)


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


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
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, better + worse + 1)))])
    d, a = np.arange(most + 1)[:, None], np.arange(min(most, better) + 1)[None, :]
    b = d - a
    there = (b >= 0) & (b <= worse)
    safe = np.where(there, b, 0)
    log = (
        logs[better] - logs[a] - logs[better - a] + logs[worse] - logs[safe] - logs[worse - safe]
        - (logs[better + worse] - logs[d] - logs[better + worse - d])
    )  # fmt: skip
    return np.minimum(np.cumsum(np.exp(np.where(there, log, -np.inf)), axis=1), 1.0)


def _counted_out(s: int, n: int, differ: int, whole: int, table: Floats) -> float:
    """Return the sum over the number d of differing items; a better ones make 2 a - d."""
    low, high = max(0, n - (whole - differ)), min(n, differ, len(table) - 1)
    d = np.arange(low, high + 1)
    most = np.minimum((s + d) // 2, table.shape[1] - 1)
    chance = np.where(most >= 0, table[d, np.maximum(most, 0)], 0.0)
    return min(1.0, float(_probabilities(low, high, n, differ, whole) @ chance))


def _probabilities(low: int, high: int, n: int, good: int, whole: int) -> Floats:
    """Return the probabilities of low … high good ones, from that of the likeliest."""
    top = min(max(low, (n + 1) * (good + 1) // (whole + 2)), high)
    up, down = np.arange(top, high, dtype=np.float64), np.arange(top, low, -1, dtype=np.float64)
    bad = whole - good - n
    rising = np.cumprod((good - up) * (n - up) / ((up + 1) * (bad + up + 1)))
    falling = np.cumprod(down * (bad + down) / ((good - down + 1) * (n - down + 1)))
    first = np.exp(_log_probability(np.array([top]), np.array([n]), good, whole))
    return first * np.concatenate([falling[::-1], [1.0], rising])


def _approximate(s: Whole, n: Whole, better: int, worse: int, whole: int) -> Floats:
    mean = (better - worse) / whole
    second = (better + worse) / whole - mean**2
    up, down = better * (1 - mean) ** 3, worse * (1 + mean) ** 3
    third = (up - down - (whole - better - worse) * mean**3) / whole
    share = n / whole
    spread = np.sqrt(n * second * (1 - share) * whole / max(whole - 1, 1))
    skew = third / second**1.5 * (1 - 2 * share) / np.sqrt(n * (1 - share))
    # Where all items differ, sums are two apart.
    z = (s + (1.0 if better + worse == whole else 0.5) - n * mean) / np.maximum(spread, 1e-12)
    normal = below(z)
    return np.clip(np.maximum(normal, normal - _density(z) * skew * (z**2 - 1) / 6), 0, 1)


def _density(z: Floats) -> Floats:
    density: Floats = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    return density
