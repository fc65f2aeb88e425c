"""p values smaller than replicates can count, and which differences more replicates could decide.

Where fewer than ten replicates lie as far out as the difference seen, p is bounded from above: the
distance by which replicates pass a threshold is taken as exponential. A sum over units has a tail
that thins out faster the farther out, so the bound errs on the safe side, other than a fitted
Pareto tail (Knijnenburg et al. 2009), whose end may lie before the difference seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.statistics.measure import total
from coleval.statistics.paired import adjusted, p_value
from coleval.statistics.ratio import ratio_array
from coleval.statistics.resampling import TIE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from coleval.statistics.measure import Floats, Measure, Ratio, Sizes

    Tail = tuple[NDArray[np.integer], NDArray[np.integer]]
    Curve = Callable[[Floats], Floats]
    Pairs = NDArray[np.intp]

# So many replicates set the threshold; this share of them lies below it, at most.
FIRST, BELOW = 1024, 0.99
# Fewer replicates than this are too few to count; a tail is made of at least so many.
COUNTABLE, TAIL = 10, 50
# No tail is known farther out than this.
LEAST = 1e-12
# One-sided 95 %: how much slower the tail may thin out, how much larger it may be than it looks.
_SURE = 1.645
_PAIRS = 1024
# The tail of an interval on either side.
_EDGE = 0.025


@dataclass(frozen=True, slots=True)
class Far:
    """For each pair: the replicates as far out as the difference, and those beyond a threshold.

    ``excess`` is by how much they pass it, all in all; ``drawn`` are the replicates defined.
    """

    size: Floats
    threshold: Floats
    found: NDArray[np.intp]
    drawn: NDArray[np.intp]
    beyond: NDArray[np.intp]
    excess: Floats


def share_below(replicates: int) -> float:
    """Return where a tail begins of which so many replicates hold enough to bound a p."""
    return max(0.0, min(BELOW, 1 - 1.2 * TAIL / replicates))


def far(blocks: Iterable[Floats], size: Floats, below: float = BELOW) -> Far:
    """Return what blocks of distances (a row a pair) hold of a tail; ``size`` is the one seen.

    The tail begins where this share of the first replicates lies ``below``.
    """
    first: list[Floats] = []
    threshold: Floats | None = None
    sums = np.zeros((4, len(size)))
    for block in blocks:
        if threshold is not None:
            sums += _summed(block, size, threshold)
            continue
        first.append(block)
        if sum(part.shape[1] for part in first) >= FIRST:
            threshold = _threshold(first, below)
            sums += sum(_summed(part, size, threshold) for part in first)
    if threshold is None:
        threshold = _threshold(first, below)
        sums += sum(_summed(part, size, threshold) for part in first)
    found, drawn, beyond = sums[:3].astype(np.intp)
    return Far(size, threshold, found, drawn, beyond, sums[3])


def _threshold(first: list[Floats], below: float) -> Floats:
    """Return the distance below which that share of the first replicates lies."""
    if not first:
        raise ValueError("no replicates")
    pairs = len(first[0])
    every = (slice(at, at + _PAIRS) for at in range(0, pairs, _PAIRS))
    parts = [np.concatenate([block[rows] for block in first], axis=1) for rows in every]
    known = [np.nan_to_num(part[:, :FIRST], nan=0.0) for part in parts]
    return np.concatenate([np.zeros(0), *(np.quantile(part, below, axis=1) for part in known)])


def _summed(block: Floats, size: Floats, threshold: Floats) -> Floats:
    over = block - threshold[:, None]
    there = over > TIE
    with np.errstate(invalid="ignore"):
        found = (block >= size[:, None] - TIE).sum(axis=1)
    excess = np.where(there, over, 0.0).sum(axis=1)
    return np.stack([found, (~np.isnan(block)).sum(axis=1), there.sum(axis=1), excess])


def bounded(tail: Far, units: NDArray[np.integer]) -> tuple[Floats, NDArray[np.bool_]]:
    """Return p of each pair and whether it is a bound; ``units`` are those that differ.

    A test over k units knows 2 to the k exchanges: no p is below 2 in so many.
    """
    counted = np.where(np.isnan(tail.size), np.nan, p_value(tail.found, tail.drawn))
    usable = (tail.found < COUNTABLE) & (tail.beyond >= TAIL) & (tail.excess > 0)
    beyond = np.maximum(tail.beyond, TAIL)
    slack = _SURE / np.sqrt(beyond)
    rate = beyond / np.where(usable, tail.excess, 1.0) * (1 - slack)
    share = beyond * (1 + slack) / np.maximum(tail.drawn, 1)
    out = share * np.exp(-rate * np.maximum(tail.size - tail.threshold, 0.0))
    bound = np.maximum(out, least(units))
    usable &= bound < counted
    return np.where(usable, bound, counted), usable


def least(units: NDArray[np.integer]) -> Floats:
    """Return the smallest p that a test over so many differing units may have."""
    return np.maximum(np.exp2(1.0 - np.minimum(units, 1000)), LEAST)


def undecided(
    p: Floats, tail: Tail, lowest: Floats, *, how: str, alpha: float, curve: Curve = np.asarray
) -> NDArray[np.bool_]:
    """Return which pairs are not significant, but might be with more replicates.

    Too few replicates to count lie as far out (``tail``: these, and all), and the lower end of the
    95 % interval of their share, or ``lowest``, would be significant after ``how`` corrects it.
    ``curve`` is what p goes through before.
    """
    found, drawn = tail
    few = (found < COUNTABLE) & (drawn > 0) & ~np.isnan(p)
    end = np.where(few, lower_end(np.where(few, found, 0), drawn), 0.0)
    hoped = np.where(few, np.minimum(np.maximum(end, lowest), p), p)
    with np.errstate(invalid="ignore"):
        open_ = adjusted(curve(p), how) >= alpha
        return few & open_ & (adjusted(curve(hoped), how) < alpha)


def lower_end(found: NDArray[np.integer], drawn: NDArray[np.integer]) -> Floats:
    """Return the lower end of the 95 % interval of shares (Clopper-Pearson)."""
    from scipy.special import betaincinv

    low = betaincinv(np.maximum(found, 1), drawn - found + 1, _EDGE)
    return np.where(found > 0, low, 0.0)


# Numbers of a part of the units, and pairs, in memory at a time.
_CELLS, _PAIRS_AT_ONCE = 1 << 21, 1 << 16
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
    sums = _sums(measure.classes[0](), measure.n)
    for low in range(0, len(pairs), _PAIRS_AT_ONCE):
        rows = slice(low, low + _PAIRS_AT_ONCE)
        turned = np.where(delta[rows, None] < 0, pairs[rows, ::-1], pairs[rows])
        with np.errstate(all="ignore"):
            out[rows] = _both_tails(sums, turned[:, 0], turned[:, 1], np.abs(delta[rows]))
    return out


def _sums(ratio: Ratio, n: Sizes | None) -> _Sums:
    systems, units = ratio.above.shape
    above, whole = (total(rows, n) for rows in (ratio.above, ratio.below))
    score, shared = ratio_array(above, whole, 0.0), len(ratio.below) == 1
    sums: dict[str, Floats] = {}
    step = max(1, _CELLS // systems)
    most = np.zeros((2, systems))
    for low in range(0, units, step):
        there = slice(low, low + step)
        y = ratio.below[:, there] / np.maximum(whole, 1)[:, None]
        e = ratio.above[:, there] / np.maximum(whole, 1)[:, None] - score[:, None] * y
        sizes = np.ones(e.shape[1]) if n is None else n[there].astype(np.float64)
        parts = _products(e, y, sizes, shared=shared)
        sums = {name: sums[name] + part for name, part in parts.items()} if sums else parts
        most = np.maximum(most, [e.max(axis=1), -e.min(axis=1)])
    one = [1 / max(1, int(whole[0]))] if shared else []
    return _Sums(**sums, most=most, step=np.array(one))


def _products(e: Floats, y: Floats, n: Floats, *, shared: bool) -> dict[str, Floats]:
    """Return the sums over columns, each of them ``n`` units."""
    h, square, own = y.mean(axis=0), e * e, e * n
    powers, squares = np.stack([h, h**2, h**3, h**4]), square * n
    sums = {
        "e11": own @ e.T,
        "e21": squares @ e.T,
        "e31": (squares * e) @ e.T,
        "e22": squares @ square.T,
        "ey": _NONE if shared else own @ y.T,
        "yy": _NONE if shared else (y * n) @ y.T,
        "one": powers @ own.T,
        "alone": powers @ n,
    }
    # Single items all have the same h.
    if (h == h[0]).all():
        with_h = (sums["e11"] * h[0], sums["e21"] * h[0], sums["e11"] * h[0] ** 2)
    else:
        with_h = ((own * h) @ e.T, (squares * h) @ e.T, (own * h**2) @ e.T)
    return sums | dict(zip(("e11h", "e21h", "e11hh"), with_h, strict=True))


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
