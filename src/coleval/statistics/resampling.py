"""Scores over resampled units: one matrix product for all systems, all pairs, all replicates.

Units with the same counts are one row (``measure.of_rows``), whose weight is drawn at once. Weights
are drawn for a block of units and replicates at a time, so that memory is bounded whatever their
number. Every product is a sum of whole numbers that a float holds exactly, so that neither blocks
nor threads change a digit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from coleval.statistics.draws import BLOCK, HEAVIEST, coins, poisson, streams
from coleval.statistics.measure import (
    Average,
    Measure,
    Ratio,
    by_unit,
    each_stratum,
    mean,
    of_rows,
    total,
)
from coleval.statistics.ratio import ratio_array
from coleval.statistics.threads import product

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from coleval.statistics.measure import Counts, Floats, Sizes

    Draw = Callable[..., NDArray[np.uint8] | Floats]
    Pairs = NDArray[np.intp]
    Sums = tuple[Floats, Floats, Floats | None]

UNITS = 8192
REPLICATES = 1024
# Of few units more replicates are drawn at a time: so many at most, of so many units together.
_LONGEST = 4096
COLUMNS = 512
_EXACT = 2**24
# Differences (pairs × replicates) in memory at a time.
LARGEST = 1 << 21
# As many are looked at together: less than the cache of a processor.
CELLS = 1 << 14
# What is equal but for the last digits is equal: differences of ratios come from many sums.
TIE = 1e-12


@dataclass(frozen=True, slots=True)
class Replicates:
    """The units by key, the seed, and how often they are drawn."""

    key: NDArray[np.uint64]
    seed: int
    replicates: int

    def ranges(self, rows: int = 1) -> Iterator[tuple[int, int]]:
        """Yield the first replicate of each block, and the one behind it; fewer for many rows."""
        most = min(_LONGEST, UNITS // max(len(self.key), 1) * REPLICATES)
        step = min(max(REPLICATES, most), max(BLOCK, LARGEST // max(rows, 1) // BLOCK * BLOCK))
        for low in range(0, self.replicates, step):
            yield low, min(low + step, self.replicates)


def bootstrap(measure: Measure, how: Replicates) -> Floats:
    """Return the score in every replicate, a row a system: units weigh as Poisson(1) says."""
    return np.concatenate(list(bootstrap_blocks(measure, how)), axis=1)


def bootstrap_sums(rows: Counts, how: Replicates) -> Floats:
    """Return the sums of whole numbers by unit in every replicate of the same draws."""
    (whole,), key = of_rows([Measure("", [lambda: Ratio(rows, rows[:0])])], how.key)
    start, rows = streams(key, how.seed, purpose=0), whole.classes[0]().above
    each = (drawn([rows], start, *ends, poisson, whole.n) for ends in how.ranges(len(rows)))
    return np.concatenate(list(each), axis=1)


def bootstraps(measures: Sequence[Measure], how: Replicates) -> Iterator[tuple[int, Floats]]:
    """Yield the scores of several measures of the same units, each with its place among them.

    The units are drawn once for all, and a class that several measures have is added up once.
    """
    takers: dict[Callable[[], Ratio], list[int]] = {}
    for at, measure in enumerate(measures):
        for make in measure.classes:
            takers.setdefault(make, []).append(at)
    if not takers:
        return
    averages = [Average(measure) for measure in measures]
    start = streams(how.key, how.seed, purpose=0)
    whole = replace(measures[0], classes=list(takers))
    sums = _weighted(whole, start, (0, how.replicates))
    for parts, own in zip(sums, takers.values(), strict=True):
        for at in own:
            averages[at].add(*parts)
            if averages[at].added == len(measures[at].classes):
                yield at, averages[at].value()


def bootstrap_blocks(measure: Measure, how: Replicates, rows: int = 1) -> Iterator[Floats]:
    """Yield the same, some replicates at a time, so that ``rows`` of them take little memory."""
    start = streams(how.key, how.seed, purpose=0)
    for low, high in how.ranges(rows):
        yield _scores(measure, start, (low, high))


def _scores(measure: Measure, start: NDArray[np.uint64], rows: tuple[int, int]) -> Floats:
    strata = measure.strata
    if strata is not None and strata.drawn:
        return _of_drawn_groups(measure, start, rows)
    if strata is not None:
        each = zip(each_stratum(measure), strata.units, strict=True)
        return mean(_scores(one, start[units], rows) for one, units in each)
    average = Average(measure)
    for parts in _weighted(measure, start, rows):
        average.add(*parts)
    return average.value()


def _weighted(measure: Measure, start: NDArray[np.uint64], rows: tuple[int, int]) -> Iterator[Sums]:
    """Yield the sums of each class in some replicates."""
    low, high = rows
    return summed(
        measure, partial(drawn, start=start, low=low, high=high, draw=poisson, n=measure.n)
    )


def _of_drawn_groups(measure: Measure, start: NDArray[np.uint64], rows: tuple[int, int]) -> Floats:
    """Return the mean over groups that are drawn, each as it is: they are the units."""
    score = by_unit(measure)
    known = ~np.isnan(score)
    value = np.where(known, score, 0.0)
    blocks = range(rows[0] // BLOCK, -(-rows[1] // BLOCK))
    weights = poisson(start, blocks.start, len(blocks))
    weights = weights[:, : rows[1] - rows[0]].astype(np.float64)
    return ratio_array(value @ weights, known.astype(np.float64) @ weights)


def randomised(measure: Measure, how: Replicates, pairs: Pairs, delta: Floats) -> Pairs:
    """Return for each pair how many replicates differ as much as ``delta``, and how many there are.

    In each, the answers of the two are exchanged in about half of the units (Noreen 1989).
    """
    counts = np.zeros((2, len(pairs)), np.intp)
    least = (np.abs(delta) - TIE)[:, None]
    for shuffled in exchanged_blocks(measure, how, pairs):
        counts[1] += shuffled.shape[1] - np.count_nonzero(np.isnan(shuffled), axis=1)
        counts[0] += np.count_nonzero(np.abs(shuffled, out=shuffled) >= least, axis=1)
    return counts


def exchanged_blocks(measure: Measure, how: Replicates, pairs: Pairs) -> Iterator[Floats]:
    """Yield the difference of each pair after exchanges, some replicates at a time."""
    start = streams(how.key, how.seed, purpose=1)
    for rows in how.ranges(len(pairs)):
        sums = _one_ratio(measure, start, rows)
        if sums is None:
            yield _exchanged(measure, start, rows, pairs)
            continue
        difference = _exchanging(*sums, measure.zero_division)
        step = max(1, CELLS // (rows[1] - rows[0]))
        parts = [difference(pairs[at : at + step]) for at in range(0, len(pairs), step)]
        yield np.concatenate(parts) if parts else np.empty((0, rows[1] - rows[0]))


def _one_ratio(
    measure: Measure, start: NDArray[np.uint64], rows: tuple[int, int]
) -> tuple[Sequence[Floats], Sequence[Floats]] | None:
    """Return the sums, above and below, of units that stay and of those that are exchanged.

    None of what is no ratio: sums of many classes or groups are too much to be kept for one pair
    after the other.
    """
    if measure.strata is not None or measure.average or measure.combined is not None:
        return None
    (whole,), (part,) = _sums(measure, start, rows)
    return _stayed(whole, part)[:2], part[:2]


def _exchanging(
    left: Sequence[Floats], part: Sequence[Floats], zero_division: float | None
) -> Callable[[Pairs], Floats]:
    """Return what gives the difference of pairs of a score that is one ratio of sums.

    All sums are whole numbers: in which order they are added changes nothing.
    """
    always = bool((left[1] > 0).all())

    def score(mine: NDArray[np.intp], theirs: NDArray[np.intp]) -> Floats:
        above, below = (_moved(*sums, mine, theirs) for sums in zip(left, part, strict=True))
        if not always:
            return ratio_array(above, below, zero_division)
        above /= below
        return above

    def difference(pairs: Pairs) -> Floats:
        a, b = pairs[:, 0], pairs[:, 1]
        found = score(a, b)
        found -= score(b, a)
        return found

    return difference


def _moved(left: Floats, part: Floats, mine: NDArray[np.intp], theirs: NDArray[np.intp]) -> Floats:
    """Return sums after an exchange; one row for all is gold's, which has nothing to exchange."""
    if len(part) == 1:
        return left + part
    found = left[mine]
    found += part[theirs]
    return found


def _exchanged(
    measure: Measure, start: NDArray[np.uint64], rows: tuple[int, int], pairs: Pairs
) -> Floats:
    """Return the difference of each pair in each replicate, of any score."""
    strata = measure.strata
    if strata is None:
        one, other = _both_exchanged(measure, start, rows, pairs)
        return one - other
    each = zip(each_stratum(measure), strata.units, strict=True)
    scores = (np.stack(_both_exchanged(m, start[u], rows, pairs)) for m, u in each)
    one, other = mean(scores)
    return one - other


def _both_exchanged(
    measure: Measure, start: NDArray[np.uint64], rows: tuple[int, int], pairs: Pairs
) -> tuple[Floats, Floats]:
    """Return the score of each of two in each replicate."""
    one, other = Average(measure), Average(measure)
    a, b = pairs[:, 0], pairs[:, 1]
    for whole, part in zip(*_sums(measure, start, rows), strict=True):
        left = _stayed(whole, part)
        one.add(*_after(left, part, a, b))
        other.add(*_after(left, part, b, a))
    return one.value(), other.value()


def _after(left: Sums, part: Sums, mine: Pairs, theirs: Pairs) -> Sums:
    above, below = (_moved(*sums, mine, theirs) for sums in zip(left[:2], part[:2], strict=True))
    if left[2] is None or part[2] is None:
        return above, below, None
    return above, below, _moved(left[2], part[2], mine, theirs)


def _sums(
    measure: Measure, start: NDArray[np.uint64], rows: tuple[int, int]
) -> tuple[Iterator[Sums], Iterator[Sums]]:
    """Return the sums of each class, and those of the units that are exchanged."""
    n = measure.n
    totals = summed(measure, lambda parts: _total(parts, n)[:, None])
    return totals, summed(measure, lambda parts: drawn(parts, start, *rows, coins, n))


def _stayed(whole: Sums, part: Sums) -> Sums:
    """Return the sums of the units that are not exchanged."""
    support = None if whole[2] is None or part[2] is None else whole[2] - part[2]
    return whole[0] - part[0], whole[1] - part[1], support


def summed(measure: Measure, sums: Callable[[list[Counts]], Floats]) -> Iterator[Sums]:
    """Yield the sums of each class; several classes share a product while they are few columns."""
    waiting: list[Ratio] = []
    for make in measure.classes:
        waiting.append(make())
        if sum(len(rows) for ratio in waiting for rows in ratio.rows) >= COLUMNS:
            yield from _apart(waiting, sums)
            waiting = []
    yield from _apart(waiting, sums)


def _apart(ratios: Sequence[Ratio], sums: Callable[[list[Counts]], Floats]) -> Iterator[Sums]:
    if not ratios:
        return
    done = sums([rows for ratio in ratios for rows in ratio.rows])
    at = 0
    for ratio in ratios:
        sizes = [len(rows) for rows in ratio.rows]
        parts = np.split(done[at : at + sum(sizes)], np.cumsum(sizes)[:-1])
        at += sum(sizes)
        yield parts[0], parts[1], parts[2] if len(parts) > 2 else None


def _total(parts: list[Counts], n: Sizes | None) -> Floats:
    return np.concatenate([total(rows, n) for rows in parts]).astype(np.float64)


def drawn(
    parts: list[Counts], start: NDArray[np.uint64], low: int, high: int, draw: Draw,
    n: Sizes | None = None,
) -> Floats:  # fmt: skip
    """Return the sums over weighted units, a row a row of ``parts``, a column a replicate.

    ``low`` is a multiple of 64, as all blocks begin at one. Rows of one unit come first.
    """
    blocks = range(low // BLOCK, -(-high // BLOCK))
    done = np.zeros((len(blocks), sum(map(len, parts)), BLOCK))
    units = len(start) if n is None else int(np.count_nonzero(n == 1))
    # One block after the other, each in the same memory: weights of all of them are no longer near.
    room: Floats = np.empty(min(UNITS, len(start)) * BLOCK)
    for first in (*range(0, units, UNITS), *range(units, len(start), UNITS)):
        size = UNITS if first >= units else min(UNITS, units - first)
        there = slice(first, first + size)
        sizes = None if n is None or first < units else n[there]
        counts = np.concatenate([rows[:, there] for rows in parts]).astype(np.float64)
        exact = _exact(counts) if sizes is None else np.float64
        counts = counts.astype(exact, copy=False)
        size = counts.shape[1]
        weights = room.view(exact)[: size * BLOCK].reshape(size, BLOCK)
        for at, block in enumerate(blocks):
            weights[:] = draw(start[there], block, 1, sizes)
            done[at] += product(counts, weights)
    return np.concatenate(list(done), axis=1)[:, : high - low]


def _exact(counts: Floats) -> type[np.floating]:
    """Return the smallest floats that hold all weighted sums of some counts exactly."""
    heaviest = counts.sum(axis=1).max(initial=0) * HEAVIEST
    return np.float32 if heaviest < _EXACT else np.float64
