"""p of the bootstrap as infinitely many replicates would have it, for differences of two ratios.

Units weigh as Poisson(1) says. Of a difference of ratios of weighted sums, A/B - C/D, what matters
is when it is as far from the difference seen as that is from 0. To first order at the likeliest
point where that is so, it is a sum over units, all pairs of which have their cumulants from a few
matrix products; its tail is that of Lugannani & Rice (1980). What the four cumulants leave out can
make p too small by a factor that has a bound, with which it is multiplied.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.statistics.ratio import ratio_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.statistics.measure import Floats, Measure, Ratio

    Pairs = NDArray[np.intp]

# Numbers of a part of the units, and pairs, in memory at a time.
_CELLS, _PAIRS = 1 << 21, 1 << 16
_STEPS = 25
_NONE = np.zeros(0)
# The tail begins so many standard deviations from the mean.
_NEAR = 1.5
# The logarithms of the most that what is left out may multiply a p with, and of a p near nothing.
_MOST, _TINY = 0.7, -30.0


@dataclass(slots=True)
class _Sums:
    """Sums over units of products of what units add to the scores, e, and to what divides them, y.

    ``e21[a, b]`` is the sum of the squares of a's times b's, with an ``h`` also times the mean
    share h of what divides; ``one[k]`` sums e times a power of h, ``alone[k]`` h alone. ``most``
    holds the largest e of each system and the largest -e. Where one total divides all, ``step`` is
    one of it.
    """

    e11: Floats
    e21: Floats
    e31: Floats
    e22: Floats
    e11h: Floats
    e21h: Floats
    e11hh: Floats
    ey: Floats
    yy: Floats
    one: Floats
    alone: Floats
    most: Floats
    step: Floats

    @property
    def shared(self) -> bool:
        """Tell whether all scores are divided by the same."""
        return len(self.step) > 0


def p_by_saddlepoint(measure: Measure, pairs: Pairs, delta: Floats) -> Floats:
    """Return p of each pair, NaN where four cumulants are not enough to say."""
    out = np.full(len(pairs), np.nan)
    if not len(pairs):
        return out
    sums = _sums(measure.classes[0]())
    for low in range(0, len(pairs), _PAIRS):
        rows = slice(low, low + _PAIRS)
        turned = np.where(delta[rows, None] < 0, pairs[rows, ::-1], pairs[rows])
        with np.errstate(all="ignore"):
            out[rows] = _both_tails(sums, turned[:, 0], turned[:, 1], np.abs(delta[rows]))
    return out


def _sums(ratio: Ratio) -> _Sums:
    systems, units = ratio.above.shape
    above, whole = (rows.sum(axis=1, dtype=np.int64) for rows in (ratio.above, ratio.below))
    score, shared = ratio_array(above, whole, 0.0), len(ratio.below) == 1
    total: dict[str, Floats] = {}
    step = max(1, _CELLS // systems)
    most = np.zeros((2, systems))
    for low in range(0, units, step):
        there = slice(low, low + step)
        y = ratio.below[:, there] / np.maximum(whole, 1)[:, None]
        e = ratio.above[:, there] / np.maximum(whole, 1)[:, None] - score[:, None] * y
        parts = _products(e, y, shared=shared)
        total = {name: total[name] + part for name, part in parts.items()} if total else parts
        most = np.maximum(most, [e.max(axis=1), -e.min(axis=1)])
    one = [1 / max(1, int(whole[0]))] if shared else []
    return _Sums(**total, most=most, step=np.array(one))


def _products(e: Floats, y: Floats, *, shared: bool) -> dict[str, Floats]:
    h, square = y.mean(axis=0), e * e
    powers = np.stack([h, h**2, h**3, h**4])
    found = {
        "e11": e @ e.T,
        "e21": square @ e.T,
        "e31": (square * e) @ e.T,
        "e22": square @ square.T,
        "ey": _NONE if shared else e @ y.T,
        "yy": _NONE if shared else y @ y.T,
        "one": powers @ e.T,
        "alone": powers.sum(axis=1),
    }
    return found | _with_h(found, e, square, h)


def _with_h(found: dict[str, Floats], e: Floats, square: Floats, h: Floats) -> dict[str, Floats]:
    """Return the sums with h, which single items all have the same of."""
    if (h == h[0]).all():
        return {
            "e11h": found["e11"] * h[0],
            "e21h": found["e21"] * h[0],
            "e11hh": found["e11"] * h[0] ** 2,
        }
    root, scaled = e * np.sqrt(h), e * h
    return {"e11h": root @ root.T, "e21h": (square * h) @ e.T, "e11hh": scaled @ scaled.T}


def _both_tails(sums: _Sums, a: Pairs, b: Pairs, delta: Floats) -> Floats:
    """Return the probability of 0 or beyond, and that of twice the difference or beyond."""
    up, down = sums.most
    # Of whole numbers over one total 0 is a sum that there is, twice the difference is none.
    step = float(sums.step[0]) if sums.shared else 0.0
    below = _tail(delta, *_cumulants(sums, a, b, delta, -1.0), down[a] + up[b], step)
    above = _tail(delta, *_cumulants(sums, a, b, delta, 1.0), up[a] + down[b], 0.0)
    return np.minimum(below + above, 1.0)


def _cumulants(
    sums: _Sums, a: Pairs, b: Pairs, delta: Floats, side: float
) -> tuple[Floats, Floats, Floats]:
    """Return the second to fourth cumulants of the sum whose mean is ``-delta``, of one tail."""
    second, of_h, hh = _second(sums, a, b)
    third, fourth = _cubes(sums.e21, a, b), _fourth(sums, a, b)
    with_h, with_hh, cubes_h = (
        _squares(sums.e11h, a, b), _squares(sums.e11hh, a, b), _cubes(sums.e21h, a, b)
    )  # fmt: skip
    one = sums.one[:, a] - sums.one[:, b]
    return (
        second - 2 * side * delta * of_h + delta**2 * hh,
        side * third - 3 * delta * with_h + 3 * side * delta**2 * one[1]
        - delta**3 * sums.alone[2],
        fourth - 4 * side * delta * cubes_h + 6 * delta**2 * with_hh
        - 4 * side * delta**3 * one[2] + delta**4 * sums.alone[3],
    )  # fmt: skip


def _second(sums: _Sums, a: Pairs, b: Pairs) -> tuple[Floats, Floats, Floats]:
    """Return the sums of squares of the differences, of them times h, and of squares of h.

    h is what divides the two scores, each with its part in the difference.
    """
    e, second = sums.e11, _squares(sums.e11, a, b)
    if sums.shared:
        return second, sums.one[0, a] - sums.one[0, b], np.full(len(a), sums.alone[1])
    mine = (e[a, a] - e[a, b]) / second
    theirs = 1 - mine
    of_h = mine * (sums.ey[a, a] - sums.ey[b, a]) + theirs * (sums.ey[a, b] - sums.ey[b, b])
    yy = sums.yy
    hh = mine**2 * yy[a, a] + 2 * mine * theirs * yy[a, b] + theirs**2 * yy[b, b]
    return second, of_h, hh


def _squares(sums: Floats, a: Pairs, b: Pairs) -> Floats:
    return sums[a, a] - 2 * sums[a, b] + sums[b, b]


def _cubes(sums: Floats, a: Pairs, b: Pairs) -> Floats:
    return sums[a, a] - 3 * sums[a, b] + 3 * sums[b, a] - sums[b, b]


def _fourth(sums: _Sums, a: Pairs, b: Pairs) -> Floats:
    e = sums.e31
    return e[a, a] - 4 * e[a, b] + 6 * sums.e22[a, b] - 4 * e[b, a] + e[b, b]


def _tail(
    delta: Floats, second: Floats, third: Floats, fourth: Floats, size: Floats, step: float
) -> Floats:
    """Return the probability that a sum with these cumulants and mean ``-delta`` is 0 or more."""
    from scipy.special import erfcx

    tilt = delta / second
    for _ in range(_STEPS):
        slope = second + third * tilt + fourth * tilt**2 / 2
        value = -delta + second * tilt + third * tilt**2 / 2 + fourth * tilt**3 / 6
        tilt = np.maximum(tilt - value / slope, 0.0)
    slope = second + third * tilt + fourth * tilt**2 / 2
    log = tilt * (-delta + tilt * (second / 2 + tilt * (third / 6 + tilt * fourth / 24)))
    way = np.sqrt(np.maximum(-2 * log, 0.0))
    width = np.sqrt(slope) * ((1 - np.exp(-tilt * step)) / step if step else tilt)
    density = np.exp(-(way**2) / 2) / np.sqrt(2 * np.pi)
    # How much of the normal curve lies beyond, over its height there.
    beyond = np.sqrt(np.pi / 2) * erfcx(way / np.sqrt(2))
    rest = fourth * tilt**4 * _left_out(tilt * size)
    found = density * (beyond + 1 / width - 1 / way) * np.exp(rest)
    usable = (rest < _MOST) & (second > 0) & (way > _NEAR) & (found > 0)
    # Chernoff's bound is enough where p is smaller than anybody asks for.
    return np.where(log + rest < _TINY, np.exp(log + rest), np.where(usable, found, np.nan))


def _left_out(x: Floats) -> Floats:
    """Return what e to the x has beyond its fourth power, over x to the fourth."""
    terms, total, term = range(5, 30), np.zeros_like(x), np.full_like(x, 1 / 24)
    for k in terms:
        term = term * x / k
        total = total + term
    return total
