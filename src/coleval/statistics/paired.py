"""Tests of a difference between two systems on the same units: p values, two-sided.

Undefined is NaN here: where a score is, or where nothing can be drawn.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from coleval.statistics.measure import total
from coleval.statistics.ratio import ratio_array
from coleval.statistics.resampling import TIE, Replicates, bootstrap

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from coleval.statistics.measure import Floats, Measure, Ratio


TESTS = ("bootstrap", "randomisation", "mcnemar", "mcnemar-midp", "wilcoxon", "sign", "t")
# Tests of the scores that units have by themselves, whatever their sizes.
OF_UNITS = ("wilcoxon", "sign", "t")
# With fewer units percentiles are too near and the bootstrap rejects too often (docs/compare.md).
MANY_UNITS = 100
# Differences looked at together: less than the cache of a processor; pairs that a thread takes.
_CELLS, _PAIRS = 1 << 16, 64
# Below so many differences a second thread costs more than it saves; from so many on they are put
# in order in single precision, in less than half of the time: ends of intervals to seven digits.
_MANY, _COARSE = 1 << 20, 1 << 27


def differences(values: Floats, pairs: NDArray[np.intp]) -> Floats:
    """Return the first score less the second for every pair and replicate."""
    return values[pairs[:, 0]] - values[pairs[:, 1]]


def spread(values: Floats, pairs: NDArray[np.intp], delta: Floats, alpha: float) -> Floats:
    """Return low, high, standard error and bootstrap p of each pair, a row each.

    The signed difference is centred at the one observed: p is the share of replicates that lie
    as far from it as it lies from 0, with one added above and below (Davison & Hinkley 1997).
    """
    size = len(pairs) * values.shape[1]
    kind = np.float32 if size > _COARSE else np.float64
    summary = _of_known if np.isnan(values).any() else partial(_of_whole, kind=kind)

    def part(at: int) -> Floats:
        some = slice(at, at + _PAIRS)
        return _spread(values, pairs[some], delta[some], alpha, summary)

    every = range(0, len(pairs), _PAIRS)
    if size <= _MANY:
        parts = [part(at) for at in every]
    else:
        with ThreadPoolExecutor(2) as pool:
            parts = list(pool.map(part, every))
    return np.concatenate([np.empty((4, 0)), *parts], axis=1)


def folded_p(values: Floats, pairs: NDArray[np.intp], delta: Floats) -> Floats:
    """Return the bootstrap p of sacreBLEU and Moses: of differences without their signs.

    Their mean is taken off, so that a difference is set against the part of others that is larger
    than usual; where two systems are nearly equal p is less than that of signed differences.
    """
    found = np.empty(len(pairs), np.int64)
    for at, pair in enumerate(pairs):
        size = np.abs(differences(values, pair[None, :])[0])
        found[at] = (size - size.mean() > abs(delta[at])).sum()
    return p_value(found, np.full(len(pairs), values.shape[1]))


def _spread(
    values: Floats, pairs: NDArray[np.intp], delta: Floats, alpha: float,
    summary: Callable[[Floats, Floats, Floats, float], Floats],
) -> Floats:  # fmt: skip
    """Return the same of some pairs, as ``summary`` says of their differences."""
    step = max(1, _CELLS // max(1, values.shape[1]))
    # New memory for each few pairs would take half of the time.
    drawn, spare = np.empty((2, min(step, len(pairs)), values.shape[1]))
    found = np.empty((4, len(pairs)))
    for at in range(0, len(pairs), step):
        (a, b), some = pairs[at : at + step].T, slice(at, at + step)
        one, other = drawn[: len(a)], spare[: len(a)]
        np.take(values, a, axis=0, out=one, mode="clip")
        one -= np.take(values, b, axis=0, out=other, mode="clip")
        found[:, some] = summary(one, other, delta[some, None], alpha)
    return found


def _of_whole(
    drawn: Floats, spare: Floats, delta: Floats, alpha: float, kind: type[np.floating] = np.float64
) -> Floats:
    """Return what replicates say that are all there; ``spare`` is room for as many."""
    far = np.count_nonzero(_beyond(drawn, spare, delta), axis=1)
    mean = np.add.reduce(drawn, axis=1, keepdims=True) / drawn.shape[1]
    np.square(np.subtract(drawn, mean, out=spare), out=spare)
    error = np.sqrt(np.add.reduce(spare, axis=1) / drawn.shape[1])
    ordered = drawn.astype(kind, copy=False)
    ordered.sort(axis=1)
    p = p_value(far, np.full(len(far), drawn.shape[1]))
    return np.stack([*_ends(ordered, alpha), error, p])


def _of_known(drawn: Floats, spare: Floats, delta: Floats, alpha: float) -> Floats:
    known = ~np.isnan(drawn)
    far = _beyond(drawn, spare, delta) & known
    error = _each(np.nanstd, drawn, known)
    p = p_value(far.sum(axis=1), known.sum(axis=1))
    return np.stack([*interval(drawn, alpha), error, p])


def _beyond(drawn: Floats, spare: Floats, delta: Floats) -> NDArray[np.bool_]:
    """Return which replicates lie as far from the difference observed as that lies from 0."""
    np.abs(np.subtract(drawn, delta, out=spare), out=spare)
    return spare >= np.abs(delta) - TIE


def interval(drawn: Floats, alpha: float) -> Floats:
    """Return the percentile interval of each row: low and high."""
    known = ~np.isnan(drawn)
    if known.all():
        # To sort everything takes a quarter of the time that numpy takes to look for four values.
        return np.stack(_ends(np.sort(drawn, axis=1), alpha))
    ends = (alpha / 2, 1 - alpha / 2)
    return np.stack([_each(lambda row, q=q: np.quantile(row, q), drawn, known) for q in ends])


def _ends(ordered: Floats, alpha: float) -> list[Floats]:
    """Return the percentile interval of rows in order."""
    return [_at(ordered, alpha / 2), _at(ordered, 1 - alpha / 2)]


def _at(ordered: Floats, share: float) -> Floats:
    """Return the quantile of rows in order, as numpy has it to the last digit."""
    place = share * (ordered.shape[1] - 1)
    first = min(int(place), ordered.shape[1] - 1)
    low, high = ordered[:, first], ordered[:, min(first + 1, ordered.shape[1] - 1)]
    rest = place - first
    gap = high - low
    return low + gap * rest if rest < 0.5 else high - gap * (1 - rest)


def proportion(measure: Measure) -> Ratio | None:
    """Return the counts of a score if it is the share of single items that are right."""
    if measure.strata is not None or measure.average or len(measure.classes) != 1:
        return None
    ratio = measure.classes[0]()
    if measure.plain and ((ratio.above > ratio.below) | (ratio.above < 0)).any():
        return None
    return None if ratio.below.max(initial=0) > 1 else ratio


def score_interval(
    measure: Measure, drawn: Floats | Replicates, alpha: float, units: int
) -> Floats:
    """Return low and high of every system's score: percentiles of its replicates.

    A proportion (units of one item each) has Wilson's interval (1927), which no replicates are
    needed for: percentiles of 30 right answers of 30 have no width, and on average over all
    proportions they cover 92.5 % at 30 units, Wilson's 95.3 % (docs/compare.md).
    """
    ratio = proportion(measure)
    if ratio is None:
        values = bootstrap(measure, drawn) if isinstance(drawn, Replicates) else drawn
        return interval(values, widened(alpha, units))
    right, n = (total(rows, measure.n) for rows in (ratio.above, ratio.below))
    undefined = np.nan if measure.zero_division is None else measure.zero_division
    return np.where(n > 0, wilson(right, np.where(n > 0, n, np.nan), alpha), undefined)


def wilson(right: NDArray[np.int64], n: Floats, alpha: float) -> Floats:
    """Return both ends of the interval of each proportion (Wilson 1927), nan where n is."""
    from scipy.special import ndtri

    share, z2 = right / n, ndtri(alpha / 2) ** 2
    half = np.sqrt(z2 * share * (1 - share) / n + z2**2 / (4 * n**2))
    middle = share + z2 / (2 * n)
    ends: Floats = np.stack([middle - half, middle + half]) / (1 + z2 / n)
    return ends


def widened(alpha: float, units: int) -> float:
    """Return the level at which a percentile interval over few units covers 1 - ``alpha``.

    Percentiles of few units are too near: their spread is taken over n, not n - 1, and is itself
    uncertain. The level is that of Student's t (Hesterberg 2015, expanded percentile interval).
    """
    if units >= MANY_UNITS or units < 2:
        return alpha
    from scipy.special import ndtr, stdtrit

    return float(2 * ndtr(np.sqrt(units / (units - 1)) * stdtrit(units - 1, alpha / 2)))


def widened_p(p: Floats, units: int) -> Floats:
    """Return bootstrap p values over few units as Student's t has them, to go with ``widened``."""
    if units >= MANY_UNITS or units < 2:
        return p
    from scipy.special import ndtri, stdtr

    return np.where(p < 1, 2 * stdtr(units - 1, np.sqrt((units - 1) / units) * ndtri(p / 2)), p)


def _each(function: object, drawn: Floats, known: NDArray[np.bool_]) -> Floats:
    """Return what a function says of the known values of each row, NaN where there is none."""
    assert callable(function)  # noqa: S101  - for the type checker
    return np.array(
        [function(row[there]) if there.any() else np.nan
         for row, there in zip(drawn, known, strict=True)]
    )  # fmt: skip


def p_value(found: NDArray[np.integer], drawn: NDArray[np.integer]) -> Floats:
    """Return (c + 1) / (R + 1), NaN where nothing was drawn."""
    return np.where(drawn > 0, (found + 1) / (drawn + 1), np.nan)


def mcnemar(wins: NDArray[np.integer], losses: NDArray[np.integer], *, mid: bool) -> Floats:
    """Return the exact or mid-p value of McNemar's test; 1 where the two never differ.

    ``wins`` are items that only the first has right. Mid-p as in Fagerland et al. (2013).
    """
    from scipy.special import betainc, gammaln

    few, n = np.minimum(wins, losses).astype(float), (wins + losses).astype(float)
    # The binomial distribution function, as an incomplete beta function.
    below = np.where(n > 0, betainc(np.maximum(n - few, 1), few + 1, 0.5), 1.0)
    p = 2 * below
    if mid:
        choose = gammaln(n + 1) - gammaln(few + 1) - gammaln(n - few + 1)
        p = p - np.where(n > 0, np.exp(choose - n * np.log(2)), 0.0)
    return np.minimum(p, 1.0)


def wilcoxon(units: Floats, pairs: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return p of the signed-rank test over units and the matched rank-biserial correlation.

    ``units`` holds the score of every system in each unit; a unit in which one of the two is
    undefined does not count, nor one in which they are equal.
    """
    p, effect = np.full((2, len(pairs)), np.nan)
    for at, (a, b) in enumerate(pairs):
        difference = units[a] - units[b]
        there = difference[np.abs(difference) > TIE]
        if not np.isnan(difference).all():
            p[at], effect[at] = _signed_rank(np.round(there, 12)) if len(there) else (1.0, 0.0)
    return p, effect


def _signed_rank(difference: Floats) -> tuple[float, float]:
    from scipy.stats import rankdata
    from scipy.stats import wilcoxon as test

    ranks = rankdata(np.abs(difference))
    up = float(ranks[difference > 0].sum())
    return float(test(difference).pvalue), 2 * up / float(ranks.sum()) - 1


def student(units: Floats, pairs: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return p of the paired t test over units and the mean difference in standard deviations.

    A unit in which one of the two is undefined does not count. Undefined where fewer than two are
    left, or differences do not vary; p is 1 where there is none.
    """
    from scipy.special import stdtr

    p, effect = np.full((2, len(pairs)), np.nan)
    for at, (a, b) in enumerate(pairs):
        difference = units[a] - units[b]
        known = difference[~np.isnan(difference)]
        if len(known) < 2:
            continue
        mean, deviation = known.mean(), known.std(ddof=1)
        if deviation > TIE:
            effect[at] = mean / deviation
            p[at] = 2 * stdtr(len(known) - 1, -abs(effect[at]) * sqrt(len(known)))
        elif abs(mean) < TIE:
            p[at], effect[at] = 1.0, 0.0
    return p, effect


def paired_t(items: int, gains: int, losses: int) -> tuple[float | None, float | None]:
    """Return t and the two-sided p of the mean difference, null where it has no variance.

    On each item the difference is 1 (only the second is right: gains), -1 (losses) or 0, so that
    t = d √((n - 1) / (n (gains + losses) - d²)), where d = gains - losses, of n - 1 degrees of
    freedom.
    """
    from scipy.special import stdtr

    total = gains - losses
    spread = items * (gains + losses) - total * total
    if items < 2 or spread == 0:
        return None, None
    t = total * sqrt((items - 1) / spread)
    return t, float(2 * stdtr(items - 1, -abs(t)))


CORRECTIONS = ("holm", "bh", "none")


def adjusted(p: Floats, how: str) -> Floats:
    """Return p values by Holm (1979), Benjamini & Hochberg (1995), or as they are."""
    out = p.copy()
    known = np.flatnonzero(~np.isnan(p))
    if how == "none" or not len(known):
        return out
    order = known[np.argsort(p[known], kind="stable")]
    out[order] = (_holm if how == "holm" else _benjamini_hochberg)(p[order])
    return out


def _holm(p: Floats) -> Floats:
    scaled = p * np.arange(len(p), 0, -1)
    return np.minimum(np.maximum.accumulate(scaled), 1.0)


def _benjamini_hochberg(p: Floats) -> Floats:
    # The factor first: it is 1 or more, so that no p becomes smaller by a rounding.
    scaled = p * (len(p) / np.arange(1, len(p) + 1))
    return np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)


POWER = 0.8


def detectable(error: Floats, alpha: float) -> Floats:
    """Return the difference that is found four times out of five, given its standard error."""
    return (_z(1 - alpha / 2) + _z(POWER)) * error


def detectable_by_mcnemar(discordant: NDArray[np.integer], items: int, alpha: float) -> Floats:
    """Return the same for McNemar's test, which takes items as independent (Connor 1987)."""
    share = ratio_array(discordant, np.array(items))
    a, b, n = _z(1 - alpha / 2), _z(POWER), items or 1
    # (a √ψ + b √(ψ - δ²))² = n δ², solved for δ.
    root = np.sqrt(share)
    top = a * root * np.sqrt(n) + b * np.sqrt(np.maximum(share * (n + b * b - a * a), 0.0))
    return np.minimum(top / (n + b * b), share)


def units_needed(units: int, delta: Floats, found: Floats) -> Floats:
    """Return how many units like these the difference seen would need, NaN where there is none."""
    # What is equal but for the last digits would need more units than there are numbers for.
    size = np.abs(delta)
    ratio = ratio_array(found, size, least=TIE)
    return np.ceil(units * ratio**2)


def _z(share: float) -> float:
    return NormalDist().inv_cdf(share)
