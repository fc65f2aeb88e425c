"""p by replicates, as far as they go: a bound where they are too few, more for the undecided.

With m tests the smallest corrected p of R replicates is m / (R + 1). So from a few dozen systems on
no affordable R can show any difference. Then p is bounded by the tail (``scores.tails``), and the
pairs that this leaves undecided alone get more replicates, which begin with those they had.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from coleval.draws import BLOCK
from coleval.scores.measure import of_systems
from coleval.scores.paired import differences, p_value, widened_p
from coleval.scores.resampling import LARGEST, bootstrap_blocks, exchanged_blocks
from coleval.scores.tails import COUNTABLE, LEAST, Far, bounded, far, least, undecided

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.analyses.plan import Plan, Setting
    from coleval.scores.measure import Floats, Measure
    from coleval.scores.resampling import Resampling

    Pairs = NDArray[np.intp]

UNDECIDED = "undecided"
MOST = 200_000
# More replicates may cost twice what the first ones did, or this many products and differences.
_DEARER, _CHEAP_PRODUCTS, _CHEAP_DIFFERENCES = 2, 1 << 35, 1 << 30
# To draw the weights of a unit takes as long as about so many products with them.
_DRAWING = 64


@dataclass(frozen=True, slots=True)
class Counted:
    """For each pair: p, of how many replicates, whether p is a bound, and whether it is open."""

    p: Floats
    replicates: NDArray[np.intp]
    bound: NDArray[np.bool_]
    undecided: NDArray[np.bool_]


def known(plan: Plan, p: Floats) -> Counted:
    """Return p values that no replicates were counted for."""
    nothing = np.zeros(len(p), np.bool_)
    return Counted(p, np.full(len(p), plan.replicates), nothing, nothing)


def counted(plan: Plan, p: Floats, differing: Pairs) -> Counted:
    """Return p values counted among as many replicates as the plan has, and what is open."""
    drawn = np.full(len(p), plan.replicates)
    found = np.rint(np.nan_to_num(p, nan=1.0) * (drawn + 1)).astype(np.intp) - 1
    return replace(known(plan, p), undecided=_open(plan, p, found, drawn, differing))


def extended(how: Setting, drawn: Floats, pairs: Pairs, delta: Floats, differing: Pairs) -> Counted:
    """Return p values that are bounded where replicates are too few, with more for the open."""
    if how.plan.test == "randomisation":
        tail = far(_exchanged(how.measure, how.resampling, pairs), np.abs(delta))
    else:
        tail = far(_from_scores(drawn, pairs, delta), np.abs(delta))
    replicates = np.full(len(pairs), how.plan.replicates)
    result = bounded_p(how.plan, tail, replicates, differing)
    some = np.flatnonzero(result.undecided)
    more = affordable(how, pairs, some)
    if more <= how.plan.replicates:
        return result
    replicates[some] = more
    tail = _merged(tail, some, _redrawn(how, pairs[some], delta[some], more))
    return bounded_p(how.plan, tail, replicates, differing)


def of_groups(how: Setting, drawn: Floats, pairs: Pairs, delta: Floats) -> Counted:
    """Return p of means of groups: the bootstrap's, bounded if need be, by Student's t if few."""
    tail = far(_from_scores(drawn, pairs, delta), np.abs(delta))
    p = np.where(np.isnan(delta), np.nan, p_value(tail.found, tail.drawn))
    bound = np.zeros(len(p), np.bool_)
    if how.plan.extended:
        p, bound = bounded(tail, np.full(len(pairs), how.informed))
    curve = partial(widened_p, units=how.informed)
    still = undecided(
        p, (tail.found, tail.drawn), np.full(len(p), LEAST),
        how=how.plan.correct, alpha=how.plan.alpha, curve=curve,
    )  # fmt: skip
    return Counted(curve(p), np.full(len(p), how.plan.replicates), bound, still)


def bounded_p(plan: Plan, tail: Far, replicates: Pairs, differing: Pairs) -> Counted:
    """Return p values, bounded where too few replicates lie as far out as the difference."""
    p, bound = bounded(tail, differing)
    return Counted(p, replicates, bound, _open(plan, p, tail.found, tail.drawn, differing))


def _open(plan: Plan, p: Floats, found: Pairs, drawn: Pairs, differing: Pairs) -> NDArray[np.bool_]:
    return undecided(p, (found, drawn), least(differing), how=plan.correct, alpha=plan.alpha)


def affordable(how: Setting, pairs: Pairs, some: Pairs) -> int:
    """Return how many replicates the open pairs may have: by their number, not by the machine."""
    if not len(some):
        return how.plan.replicates
    base, rows = _DEARER * how.plan.replicates, 2 * len(how.measure.classes)
    every = rows * len(how.systems) + _DRAWING
    own = rows * len(np.unique(pairs[some])) + _DRAWING
    by_product = max(base * every, _CHEAP_PRODUCTS // how.units) // own
    by_pair = max(base * len(pairs), _CHEAP_DIFFERENCES) // len(some)
    return min(MOST, needed(len(pairs), how.plan.alpha), by_product, by_pair) // 1000 * 1000


def needed(tests: int, alpha: float) -> int:
    """Return how many replicates it takes to count enough of them at the smallest level."""
    return ceil(COUNTABLE * tests / alpha)


def _redrawn(how: Setting, pairs: Pairs, delta: Floats, replicates: int) -> Far:
    """Return the tails of some pairs over more replicates of their systems alone."""
    systems, place = np.unique(pairs, return_inverse=True)
    measure, own = of_systems(how.measure, systems), place.reshape(pairs.shape)
    draws = replace(how.resampling, replicates=replicates)
    if how.plan.test == "randomisation":
        return far(_exchanged(measure, draws, own), np.abs(delta))
    scores = bootstrap_blocks(measure, draws, len(own))
    return far((np.abs(differences(s, own) - delta[:, None]) for s in scores), np.abs(delta))


def _exchanged(measure: Measure, draws: Resampling, pairs: Pairs) -> Iterator[Floats]:
    return (np.abs(block) for block in exchanged_blocks(measure, draws, pairs))


def _from_scores(drawn: Floats, pairs: Pairs, delta: Floats) -> Iterator[Floats]:
    step = max(BLOCK, LARGEST // max(len(pairs), 1))
    for low in range(0, drawn.shape[1], step):
        yield np.abs(differences(drawn[:, low : low + step], pairs) - delta[:, None])


def _merged(tail: Far, some: Pairs, more: Far) -> Far:
    """Return tails with those of some pairs in their places."""
    columns = {}
    for field in fields(Far):
        columns[field.name] = getattr(tail, field.name).copy()
        columns[field.name][some] = getattr(more, field.name)
    return Far(**columns)
