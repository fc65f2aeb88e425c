"""All exchanges of two systems, where few units differ: randomisation without random numbers.

A unit in which the two have the same counts is the same after an exchange. So k units that differ
give 2 to the k exchanges, each as likely as any other, and p is the share that is as far from 0 as
what was seen: never below 2 in 2 to the k, what was seen and its mirror image.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from coleval.statistics.draws import keys_of_numbers
from coleval.statistics.measure import Average, mean, part, total
from coleval.statistics.pairwise import unequal
from coleval.statistics.ratio import ratio_array
from coleval.statistics.resampling import LARGEST, TIE
from coleval.statistics.threads import product

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.statistics.measure import Counts, Floats, Measure, Sizes

    Pairs = NDArray[np.intp]

# Up to so many units that differ all exchanges are gone through: 4,096 of them.
ENUMERABLE = 12
# Units at a time, and scores of systems in units: a fingerprint of each is eight bytes.
_UNITS, _SCORES = 1 << 17, 1 << 23


@dataclass(frozen=True, slots=True)
class Differing:
    """For each pair, in how many units the two differ, and in which: the first ``ENUMERABLE``."""

    n: Pairs
    places: Pairs

    @property
    def few(self) -> NDArray[np.bool_]:
        """Return which pairs differ in so few units that all exchanges can be gone through."""
        return self.n <= ENUMERABLE

    def of(self, some: NDArray[np.bool_]) -> Differing:
        """Return the same of some pairs."""
        return Differing(self.n[some], self.places[some])


def differing_units(measure: Measure, pairs: Pairs) -> Differing:
    """Return the units in which the counts of two systems are not the same; places if few are."""
    n = np.zeros(len(pairs), np.intp)
    places = np.zeros((len(pairs), ENUMERABLE), np.intp)
    for low, high in unit_ranges(measure):
        some = part(measure, low, high)
        prints = _fingerprints(some)
        here = unequal(prints, pairs, some.n)
        for at in np.flatnonzero((here > 0) & (n + here <= ENUMERABLE)):
            a, b = pairs[at]
            # Large rows hold more units than this: so few are single ones.
            places[at, n[at] : n[at] + here[at]] = low + np.flatnonzero(prints[a] != prints[b])
        n += here
    return Differing(n, places)


def unit_ranges(measure: Measure) -> Iterator[tuple[int, int]]:
    """Yield the first unit of each part, and the one behind it; fewer units for many systems."""
    systems, units = measure.classes[0]().above.shape
    step = max(1, min(_UNITS, _SCORES // max(1, systems)))
    for low in range(0, units, step):
        yield low, min(low + step, units)


def _fingerprints(measure: Measure) -> NDArray[np.uint64]:
    """Return one number for all counts of a system in a unit: equal counts, equal numbers."""
    prints: NDArray[np.uint64] | None = None
    for at, counts in enumerate(_own(measure)):
        factor = keys_of_numbers(np.array([at])) | np.uint64(1)
        product = counts.astype(np.uint64) * factor
        prints = product if prints is None else prints + product
    if prints is None:
        raise ValueError("a measure without classes")
    return prints


def _own(measure: Measure) -> Iterator[Counts]:
    """Yield the counts of each class that a system has of its own; gold's are never exchanged."""
    for make in measure.classes:
        above, *rest = make().rows
        yield above
        yield from (rows for rows in rest if len(rows) == len(above))


def all_exchanges(measure: Measure, pairs: Pairs, delta: Floats, differing: Differing) -> Floats:
    """Return p over all exchanges of each pair, whose units that differ are ``few``."""
    p = np.full(len(pairs), np.nan)
    for n in np.unique(differing.n):
        alike = np.flatnonzero(differing.n == n)
        step = max(1, LARGEST >> max(0, int(n) - 1))
        for low in range(0, len(alike), step):
            some = alike[low : low + step]
            after = _all_exchanged(measure, pairs[some], differing.places[some, :n])
            p[some] = _share(after, delta[some])
    return np.where(np.isnan(delta), np.nan, p)


def _share(after: Floats, delta: Floats) -> Floats:
    found = (np.abs(after) >= np.abs(delta)[:, None] - TIE).sum(axis=1)
    known = (~np.isnan(after)).sum(axis=1)
    return ratio_array(found, known)


def _all_exchanged(measure: Measure, pairs: Pairs, places: Pairs) -> Floats:
    """Return the differences after half of all exchanges: the other half are their mirror images.

    A row a pair, of which ``places`` are the units that differ.
    """
    moves, strata = _moves(places.shape[1]), measure.strata
    if strata is None:
        one, other = _both_exchanged(measure, pairs, places, moves)
        return one - other
    group = np.full(measure.classes[0]().above.shape[1], -1)
    for at, units in enumerate(strata.units):
        group[units] = at
    whole = replace(measure, strata=None)
    scores = (
        np.stack(_both_exchanged(whole, pairs, places, moves, units, group[places] == at))
        for at, units in enumerate(strata.units)
    )
    one, other = mean(scores)
    return one - other


def _both_exchanged(
    measure: Measure, pairs: Pairs, places: Pairs, moves: Floats,
    units: NDArray[np.intp] | None = None, among: NDArray[np.bool_] | None = None,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return the scores after exchanges, over some ``units``, ``among`` which some places are."""
    one, other = Average(measure), Average(measure)
    for make in measure.classes:
        rows = make().rows
        both = [
            _exchanged(counts, pairs, places, moves, units, among, measure.n) for counts in rows
        ]
        one.add(*_three([mine for mine, _ in both]))
        other.add(*_three([theirs for _, theirs in both]))
    return one.value(), other.value()


def _three(parts: list[Floats]) -> tuple[Floats, Floats, Floats | None]:
    return parts[0], parts[1], parts[2] if len(parts) > 2 else None


def _moves(units: int) -> Floats:
    """Return who is exchanged in each case, a row a unit, with the first unit left as it is."""
    cases = np.arange(1 << max(0, units - 1))
    return ((cases[None, :] << 1) >> np.arange(units)[:, None] & 1).astype(np.float64)


def _exchanged(
    counts: Counts, pairs: Pairs, places: Pairs, moves: Floats,
    units: NDArray[np.intp] | None, among: NDArray[np.bool_] | None, n: Sizes | None,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return the sums of both systems after each exchange; gold's, one row for all, as they are."""
    some = slice(None) if units is None else units
    whole = total(counts[:, some], None if n is None else n[some]).astype(np.float64)
    a, b = pairs[:, :1], pairs[:, 1:]
    if len(counts) == 1:
        same = np.broadcast_to(whole[:, None], (len(pairs), moves.shape[1]))
        return same, same
    gap = counts[b, places].astype(np.float64) - counts[a, places]
    more = product(gap if among is None else gap * among, moves)
    return whole[a] + more, whole[b] - more
