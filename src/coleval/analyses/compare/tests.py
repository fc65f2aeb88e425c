"""What the tests say of each pair of systems: p values, effects, and what it takes to see more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.compare.plan import RESAMPLING
from coleval.analyses.compare.undecided import (
    CANNOT,
    UNDECIDED,
    Counted,
    counted,
    known,
    undecidable,
)
from coleval.analyses.counted import counted_patterns
from coleval.analyses.wording import number_of
from coleval.corpus.profiles import habits_of
from coleval.counts.units import ITEM
from coleval.metrics.counting import counting_of
from coleval.metrics.registry import measure
from coleval.statistics.exchanges import Differing, differing_units, unit_ranges
from coleval.statistics.measure import by_unit, part
from coleval.statistics.paired import (
    OF_UNITS,
    adjusted,
    detectable,
    detectable_by_mcnemar,
    folded_p,
    mcnemar,
    spread,
    student,
    units_needed,
    widened,
    wilcoxon,
)
from coleval.statistics.pairwise import larger, together
from coleval.statistics.ratio import ratio_array
from coleval.statistics.resampling import TIE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.analyses.compare.plan import Setting
    from coleval.statistics.measure import Floats

    Pairs = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Tested:
    """One number a pair; NaN is undefined, and then ``notes`` says why."""

    delta: Floats
    low: Floats
    high: Floats
    p: Floats
    adjusted: Floats
    wins: pl.Series
    losses: pl.Series
    effect: Floats
    detectable: Floats
    needed: Floats
    counted: Counted
    notes: list[str | None]


def tested(how: Setting, value: Floats, drawn: Floats, pairs: Pairs, reason: str) -> Tested:
    """Return what the plan's test says of pairs; intervals are the bootstrap's always."""
    plan = how.plan
    delta = value[pairs[:, 0]] - value[pairs[:, 1]]
    level = widened(plan.alpha, how.informed)
    low, high, error, p = (
        np.full((4, len(pairs)), np.nan) if reason else spread(drawn, pairs, delta, level)
    )
    items = plan.test.startswith("mcnemar")
    wins, losses = _won_items(how, pairs) if items else _won(how, pairs)
    effect, found = _dz(delta, error, how.units), detectable(error, plan.alpha)
    if items:
        p, effect, found = _mcnemar(how, wins, losses)
    elif plan.test in OF_UNITS:
        p, effect = _of_units(how, pairs, wins, losses)
        found = np.full(len(pairs), np.nan)
    differing = differing_units(how.measure, pairs)
    result = _resampled(how, drawn, pairs, delta, p, differing, reason)
    p = np.where(np.isnan(delta), np.nan, result.p)
    return Tested(
        delta, low, high, p, adjusted(p, plan.correct),
        pl.Series(wins, dtype=pl.Int64), pl.Series(losses, dtype=pl.Int64),
        effect, found, units_needed(how.units, delta, found), result,
        _notes(how, value, pairs, wins + losses, differing.n, result, reason),
    )  # fmt: skip


def _resampled(
    how: Setting, drawn: Floats, pairs: Pairs, delta: Floats, p: Floats, differing: Differing,
    reason: str,
) -> Counted:  # fmt: skip
    """Return p values with their replicates; those of tests that draw nothing as they are."""
    if reason or how.plan.test not in RESAMPLING or not len(pairs):
        return known(how.plan, p)
    habits = habits_of(how.counting.corpus.profile, "compare")
    if how.plan.test == "bootstrap" and habits.get("differences") == "unsigned":
        return known(how.plan, folded_p(drawn, pairs, delta))
    return counted(how, drawn, pairs, delta, p, differing)


def _dz(delta: Floats, error: Floats, units: int) -> Floats:
    """Return the difference in standard deviations of what one unit contributes to it."""
    size = error * np.sqrt(units)
    return ratio_array(delta, size, least=TIE)


def _won(how: Setting, pairs: Pairs) -> tuple[Pairs, Pairs]:
    """Return in how many units each of two is better."""
    counts = np.zeros((2, len(pairs)), np.intp)
    for low, high in unit_ranges(how.measure):
        some = part(how.measure, low, high)
        counts += larger(some.upwards(by_unit(some)), pairs, TIE, some.n)
    return counts[0], counts[1]


def _each_unit(how: Setting) -> Floats:
    """Return the score of every system in each unit."""
    parts = [by_unit(part(how.measure, *ends)) for ends in unit_ranges(how.measure)]
    scores = np.concatenate(parts, axis=1)
    return scores if how.measure.n is None else np.repeat(scores, how.measure.n, axis=1)


def _won_items(how: Setting, pairs: Pairs) -> tuple[Pairs, Pairs]:
    """Return how many items (or whole sentences) one of two has right and the other has not."""
    corpus, items = how.counting.corpus, how.counting.items
    if how.plan.metric == "sentences" or items.group == "instance":
        groups = counting_of(corpus, items, items.group)
        right = measure(how.plan.metric, groups, of_items=True).classes[0]().above > 0
        both = together(right)
    else:
        answered = counted_patterns(corpus, items).grouped
        # What gold does not have is right where both leave it out, and is no item to be got right.
        both = together(answered.right & answered.countable, answered.n)
    alone = np.diagonal(both)[:, None] - both
    return alone[pairs[:, 0], pairs[:, 1]], alone[pairs[:, 1], pairs[:, 0]]


def _of_units(how: Setting, pairs: Pairs, wins: Pairs, losses: Pairs) -> tuple[Floats, Floats]:
    """Return p of a test of what units score by themselves, and its effect."""
    if how.plan.test == "sign":
        return mcnemar(wins, losses, mid=False), ratio_array(wins, wins + losses) - 0.5
    return (wilcoxon if how.plan.test == "wilcoxon" else student)(_each_unit(how), pairs)


def _mcnemar(how: Setting, wins: Pairs, losses: Pairs) -> tuple[Floats, Floats, Floats]:
    """Return p, Cohen's g (how far from even the items are on which the two differ), and power."""
    p = mcnemar(wins, losses, mid=how.plan.test == "mcnemar-midp")
    discordant = wins + losses
    share = ratio_array(wins, discordant)
    found = detectable_by_mcnemar(discordant, how.expected, how.plan.alpha)
    return p, share - 0.5, found


def _notes(
    how: Setting, value: Floats, pairs: Pairs, unequal: Pairs, differing: Pairs, found: Counted,
    reason: str,
) -> list[str | None]:  # fmt: skip
    """Return why a pair has no p, or what limits it; ``unequal`` units have different scores."""
    by_items = how.plan.test in ("mcnemar", *OF_UNITS)
    out = _too_few(how, unequal if by_items else differing, found.p)
    for at in np.flatnonzero((differing == 0) | (unequal == 0)):
        out[at] = _equal(how, unequal[at], differing[at]) or out[at]
    for at in np.flatnonzero(found.undecided):
        out[at] = f"{UNDECIDED}: {found.replicates[at]:,} replicates are too few"
    if reason:
        out = [reason] * len(out)
    for at in np.flatnonzero(np.isnan(value[pairs]).any(axis=1)):
        lost = [how.systems[i] for i in pairs[at] if np.isnan(value[i])]
        out[at] = f"{how.plan.metric} of {' and '.join(lost)} is undefined"
    return out


def _too_few(how: Setting, units: Pairs, p: Floats) -> list[str | None]:
    """Return of each test why it cannot be significant whatever the difference, if it cannot."""
    tests, total = int((~np.isnan(p)).sum()), how.informed
    if how.plan.test == "mcnemar":
        total = how.expected
    kind = how.plan.drawn if total == how.informed else ITEM
    there = np.full(len(p), total)
    every, each = undecidable(there, p, how.plan), undecidable(units, p, how.plan)
    of_all = f"any of {tests:,} tests" if tests > 1 else "the test"
    out: list[str | None] = [None] * len(p)
    for at in np.flatnonzero(each):
        out[at] = f"{number_of(units[at], kind)} in which they differ {CANNOT} the test"
    for at in np.flatnonzero(every):
        out[at] = f"{number_of(total, kind)} {CANNOT} {of_all}"
    return out


def _equal(how: Setting, unequal: int, differing: int) -> str | None:
    """Return where two systems are equal: everywhere, or where both have a score to be ranked."""
    kind = how.plan.drawn
    if not differing:
        return f"equal in every {kind}"
    if how.plan.test in OF_UNITS and not unequal:
        return f"no {kind} in which both have a {how.plan.metric} and it differs: nothing to test"
    return None
