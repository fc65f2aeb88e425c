"""p by replicates, as far as they go: a bound where they are too few, more for the undecided.

Where two systems differ in a few units, all exchanges are gone through, and nothing is drawn.

With m tests the smallest corrected p of R replicates is m / (R + 1). So from a few dozen systems on
no affordable R can show any difference. Then p is what infinitely many replicates would give
by saddlepoint, or where that is not known bounded by the tail (both ``statistics.tails``);
pairs that are undecided still alone get more replicates, which begin with those they had.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from coleval.statistics.draws import BLOCK
from coleval.statistics.exchanges import ENUMERABLE, all_exchanges
from coleval.statistics.measure import of_systems
from coleval.statistics.paired import adjusted, differences, p_value, widened_p
from coleval.statistics.resampling import LARGEST, bootstrap_blocks, exchanged_blocks, randomised
from coleval.statistics.tails import (
    COUNTABLE,
    LEAST,
    Far,
    bounded,
    far,
    least,
    p_by_saddlepoint,
    share_below,
    undecided,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from coleval.analyses.compare.plan import Plan, Setting
    from coleval.statistics.exchanges import Differing
    from coleval.statistics.measure import Floats, Measure
    from coleval.statistics.resampling import Replicates

    Pairs = NDArray[np.intp]

UNDECIDED = "undecided"
# What few units do, whatever is found in them.
CANNOT = "cannot decide"
MOST = 200_000
# More replicates may cost twice what the first ones did, or this many products and differences:
# half a second of one core, which a report of millions of tokens does not notice.
_DEARER, _CHEAP_PRODUCTS, _CHEAP_DIFFERENCES = 2, 1 << 33, 1 << 27
# To draw the weights of a unit takes as long as about so many products with them.
_DRAWING = 64


@dataclass(frozen=True, slots=True)
class Counted:
    """For each pair: p, of how many replicates, whether bounded, exact, by formula, undecided."""

    p: Floats
    replicates: NDArray[np.intp]
    bound: NDArray[np.bool_]
    undecided: NDArray[np.bool_]
    exact: NDArray[np.bool_]
    formula: NDArray[np.bool_]


def known(plan: Plan, p: Floats) -> Counted:
    """Return p values that no replicates were counted for."""
    nothing = np.zeros(len(p), np.bool_)
    return Counted(p, np.full(len(p), plan.replicates), nothing, nothing, nothing, nothing)


def counted(how: Setting, drawn: Floats, pairs: Pairs, delta: Floats, p: Floats,
            differing: Differing) -> Counted:  # fmt: skip
    """Return p values and what is open: bounds and more replicates only where a plan has them.

    ``p`` are those of the bootstrap, counted among the first replicates; ``drawn`` are the scores
    in them.
    """
    plan = how.plan
    first, exact = _first(how, drawn, pairs, delta, p, differing)
    p, bound, found, known_ = first.p, first.bound, first.found, first.drawn
    replicates = np.where(exact, 1 << np.minimum(differing.n, ENUMERABLE), plan.replicates)
    still = _open(plan, p, (found, known_), differing.n)
    some = np.flatnonzero(still)
    more = affordable(how, pairs, some) if plan.extended else 0
    if more > plan.replicates:
        tail = _redrawn(how, pairs[some], delta[some], more)
        p[some], bound[some] = _bounded(plan, tail, differing.n[some])
        found[some], known_[some], replicates[some] = tail.found, tail.drawn, more
        still = _open(plan, p, (found, known_), differing.n)
    return Counted(p, replicates, bound, still, exact, first.formula)


@dataclass(frozen=True, slots=True)
class _First:
    """p of each pair, whether it is a bound, the replicates as far out, and all of them.

    Where p is by ``formula`` no replicates were drawn for it.
    """

    p: Floats
    bound: NDArray[np.bool_]
    found: Pairs
    drawn: Pairs
    formula: NDArray[np.bool_]


def _first(how: Setting, drawn: Floats, pairs: Pairs, delta: Floats, p: Floats,
           differing: Differing) -> tuple[_First, NDArray[np.bool_]]:  # fmt: skip
    """Return what the first replicates say of each pair, and of which all exchanges say more."""
    of_exchanges = how.plan.test == "randomisation"
    exact = differing.few if of_exchanges else np.zeros(len(pairs), np.bool_)
    p = np.where(np.isnan(delta), np.nan, p)
    out = _First(p, *(np.zeros(len(pairs), kind) for kind in (bool, int, int, bool)))
    out.p[exact] = all_exchanges(how.measure, pairs[exact], delta[exact], differing.of(exact))
    rest = np.flatnonzero(~exact)
    if len(rest):
        part = _sampled(how, drawn, pairs[rest], delta[rest], p[rest], differing.n[rest])
        for name in ("p", "bound", "found", "drawn", "formula"):
            getattr(out, name)[rest] = getattr(part, name)
    return out, exact


def _sampled(how: Setting, drawn: Floats, pairs: Pairs, delta: Floats, p: Floats,
             differing: Pairs) -> _First:  # fmt: skip
    """Return what the first replicates say of pairs; ``p`` is the bootstrap's."""
    plan, nothing = how.plan, np.zeros(len(p), np.bool_)
    if plan.formula:
        return _by_formula(how, drawn, pairs, delta, p, differing)
    if plan.bounded:
        tail = _first_tail(how, drawn, pairs, delta)
        return _First(*_bounded(plan, tail, differing), tail.found, tail.drawn, nothing)
    if plan.test != "randomisation":
        return _First(p, nothing, *_counts(p, plan.replicates), nothing)
    found, known_ = randomised(how.measure, how.resampling, pairs, delta)
    p = np.where(np.isnan(delta), np.nan, p_value(found, known_))
    return _First(_not_below(p, plan, differing), nothing, found, known_, nothing)


def _first_tail(how: Setting, drawn: Floats, pairs: Pairs, delta: Floats) -> Far:
    below = share_below(how.plan.replicates)
    return far(_distances(how, drawn, pairs, delta), np.abs(delta), below)


def _by_formula(how: Setting, scores: Floats, pairs: Pairs, delta: Floats, p: Floats,
                differing: Pairs) -> _First:  # fmt: skip
    """Return p as counted, but of pairs with too few replicates to count what a formula says.

    Where there is no formula, their tail bounds it.
    """
    found, drawn = _counts(p, how.plan.replicates)
    few = np.flatnonzero(found < COUNTABLE)
    own = p_by_saddlepoint(how.measure, pairs[few], delta[few])
    some, rest = few[~np.isnan(own)], few[np.isnan(own)]
    p, drawn = p.copy(), drawn.copy()
    bound, formula = np.zeros((2, len(p)), np.bool_)
    p[some] = np.maximum(own[~np.isnan(own)], least(differing[some]))
    drawn[some], formula[some] = 0, True
    if len(rest):
        tail = _first_tail(how, scores, pairs[rest], delta[rest])
        p[rest], bound[rest] = _bounded(how.plan, tail, differing[rest])
    return _First(p, bound, found, drawn, formula)


def _counts(p: Floats, replicates: int) -> tuple[Pairs, Pairs]:
    """Return how many replicates lie as far out, and how many there are, from p."""
    found = np.rint(np.nan_to_num(p, nan=1.0) * (replicates + 1)).astype(np.intp) - 1
    return found, np.full(len(p), replicates)


def _bounded(plan: Plan, tail: Far, differing: Pairs) -> tuple[Floats, NDArray[np.bool_]]:
    p, bound = _of_tail(plan, tail, differing)
    return _not_below(p, plan, differing), bound


def _not_below(p: Floats, plan: Plan, differing: Pairs) -> Floats:
    """Return p of exchanges no smaller than 2 in all exchanges that there are of some units."""
    return np.maximum(p, least(differing)) if plan.test == "randomisation" else p


def _of_tail(plan: Plan, tail: Far, differing: Pairs) -> tuple[Floats, NDArray[np.bool_]]:
    if plan.bounded:
        return bounded(tail, differing)
    p = np.where(np.isnan(tail.size), np.nan, p_value(tail.found, tail.drawn))
    return p, np.zeros(len(p), np.bool_)


def of_groups(
    how: Setting, averaged: Callable[[Floats], Floats], drawn: Floats, pairs: Pairs, delta: Floats
) -> Counted:
    """Return p of means of groups: the bootstrap's, by Student's t where units are few."""
    plan = how.plan
    size, below = np.abs(delta), share_below(plan.replicates)
    tail = far(_from_scores(averaged(drawn), pairs, delta), size, below)
    units, curve = np.full(len(pairs), how.informed), partial(widened_p, units=how.informed)
    p, bound = _of_tail(plan, tail, units)
    open_ = partial(
        undecided, lowest=np.full(len(p), LEAST), how=plan.correct, alpha=plan.alpha, curve=curve
    )
    still = open_(p, (tail.found, tail.drawn))
    some = np.flatnonzero(still)
    every = len(how.systems)
    more = affordable(how, pairs, some, systems=every) if plan.extended else 0
    if more > plan.replicates:
        scores = bootstrap_blocks(how.measure, replace(how.resampling, replicates=more))
        far_out = (np.abs(differences(averaged(s), pairs) - delta[:, None]) for s in scores)
        tail = far(far_out, size, share_below(more))
        again, rebound = _of_tail(plan, tail, units)
        p, bound = np.where(still, again, p), np.where(still, rebound, bound)
        still &= open_(p, (tail.found, tail.drawn))
    nothing = np.zeros(len(p), np.bool_)
    return Counted(curve(p), np.full(len(p), plan.replicates), bound, still, nothing, nothing)


def undecidable(units: Pairs, p: Floats, plan: Plan) -> NDArray[np.bool_]:
    """Return which tests no result could make significant: all of them by exchanges of ``units``.

    Each might at best have the smallest p that so many units allow, and so might all the others.
    """
    if plan.test not in ("randomisation", "wilcoxon", "mcnemar", "sign"):
        return np.zeros(len(p), np.bool_)
    best = adjusted(np.where(np.isnan(p), np.nan, least(units)), plan.correct)
    with np.errstate(invalid="ignore"):
        return best >= plan.alpha


def _open(plan: Plan, p: Floats, tail: tuple[Pairs, Pairs], differing: Pairs) -> NDArray[np.bool_]:
    return undecided(p, tail, least(differing), how=plan.correct, alpha=plan.alpha)


def affordable(how: Setting, pairs: Pairs, some: Pairs, systems: int = 0) -> int:
    """Return how many replicates the open pairs may have: by their number, not by the machine.

    ``systems`` are drawn again for them, those of the pairs if it is 0.
    """
    if not len(some):
        return how.plan.replicates
    base, rows = _DEARER * how.plan.replicates, 2 * len(how.measure.classes)
    every = rows * len(how.systems) + _DRAWING
    own = rows * (systems or len(np.unique(pairs[some]))) + _DRAWING
    by_product = max(base * every, _CHEAP_PRODUCTS // len(how.resampling.key)) // own
    by_pair = max(base * len(pairs), _CHEAP_DIFFERENCES) // len(some)
    return min(MOST, needed(len(pairs), how.plan.alpha), by_product, by_pair) // 1000 * 1000


def needed(tests: int, alpha: float) -> int:
    """Return how many replicates it takes to count enough of them at the smallest level."""
    return ceil(COUNTABLE * tests / alpha)


def _redrawn(how: Setting, pairs: Pairs, delta: Floats, replicates: int) -> Far:
    """Return the tails of some pairs over more replicates of their systems alone."""
    systems, place = np.unique(pairs, return_inverse=True)
    measure, own = of_systems(how.measure, systems), place.reshape(pairs.shape)
    draws, below = replace(how.resampling, replicates=replicates), share_below(replicates)
    if how.plan.test == "randomisation":
        return far(_exchanged(measure, draws, own), np.abs(delta), below)
    scores = bootstrap_blocks(measure, draws, len(own))
    return far((np.abs(differences(s, own) - delta[:, None]) for s in scores), np.abs(delta), below)


def _distances(how: Setting, drawn: Floats, pairs: Pairs, delta: Floats) -> Iterator[Floats]:
    """Return how far out the first replicates lie, a row a pair, some of them at a time."""
    if how.plan.test == "randomisation":
        return _exchanged(how.measure, how.resampling, pairs)
    return _from_scores(drawn, pairs, delta)


def _exchanged(measure: Measure, draws: Replicates, pairs: Pairs) -> Iterator[Floats]:
    return (np.abs(block) for block in exchanged_blocks(measure, draws, pairs))


def _from_scores(drawn: Floats, pairs: Pairs, delta: Floats) -> Iterator[Floats]:
    step = max(BLOCK, LARGEST // max(len(pairs), 1))
    for low in range(0, drawn.shape[1], step):
        yield np.abs(differences(drawn[:, low : low + step], pairs) - delta[:, None])
