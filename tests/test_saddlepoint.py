"""p of the bootstrap without replicates is that of very many replicates; never far below it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from coleval.statistics.draws import keys_of_numbers
from coleval.statistics.measure import Measure, Ratio
from coleval.statistics.resampling import Replicates, bootstrap_blocks
from coleval.statistics.tails import p_by_saddlepoint

SYSTEMS = 12
REPLICATES = 200_000


def task(kind, units, seed):
    """Return counts of systems from good to less good whose errors go together."""
    rng = np.random.default_rng([seed, units])
    worse = np.linspace(0, 1, SYSTEMS)[:, None] * np.sqrt(10 / units)
    if kind == "accuracy":
        hard = rng.beta(1, 4, units) + worse
        shared = rng.random((SYSTEMS, units)) < 0.85
        luck = np.where(shared, rng.random(units), rng.random((SYSTEMS, units)))
        return Ratio((luck > hard).astype(int), np.ones((1, units), int))
    gold = 1 + rng.poisson(rng.lognormal(1.0, 0.6, units))
    share = rng.beta(6, 2, units) + rng.normal(0, 0.05, (SYSTEMS, units)) - 0.6 * worse
    tp = rng.binomial(gold, np.clip(share, 0.02, 0.98))
    if kind == "recall":
        return Ratio(tp, gold[None])
    answered = tp + rng.poisson((0.2 + np.clip(1 - share, 0, 1)) * gold)
    return Ratio(tp, answered) if kind == "precision" else Ratio(2 * tp, answered + gold)


def pairs_of(counts):
    """Return a measure of counts, all pairs, and their differences."""
    score = counts.above.sum(axis=1) / counts.below.sum(axis=1)
    pairs = np.stack(np.triu_indices(len(score), 1), axis=1)
    measure = Measure("f1", [lambda: counts])
    return measure, pairs, score[pairs[:, 0]] - score[pairs[:, 1]]


def as_far_out(measure, pairs, delta, units):
    """Return the share of replicates as far from the difference as it is from 0."""
    found = np.zeros(len(pairs))
    for scores in bootstrap_blocks(measure, Replicates(keys_of_numbers(np.arange(units)), 3,
                                                       REPLICATES), len(pairs)):  # fmt: skip
        moved = scores[pairs[:, 0]] - scores[pairs[:, 1]] - delta[:, None]
        found += (np.abs(moved) >= np.abs(delta)[:, None] - 1e-12).sum(axis=1)
    return found / REPLICATES


@pytest.mark.parametrize("kind", ["accuracy", "recall", "precision", "f1"])
def test_p_is_that_of_very_many_replicates(kind):
    measure, pairs, delta = pairs_of(task(kind, 300, seed=1))
    p = p_by_saddlepoint(measure, pairs, delta)
    drawn = as_far_out(measure, pairs, delta, 300)
    known = (drawn > 1e-3) & (drawn < 0.02)
    assert known.sum() > 3
    ratio = p[known] / drawn[known]
    assert 0.95 < np.median(ratio) < 1.15
    assert ratio.min() > 0.7
    # Pairs that replicates hardly ever reach: together as often as p says, or more seldom.
    rare = drawn <= 1e-3
    assert np.nansum(p[rare]) > 0.8 * drawn[rare].sum() - 3 / REPLICATES


def test_the_order_of_a_pair_changes_nothing_and_equal_systems_have_no_p():
    counts = task("f1", 200, seed=2)
    counts.above[3], counts.below[3] = counts.above[4], counts.below[4]
    measure, pairs, delta = pairs_of(counts)
    p = p_by_saddlepoint(measure, pairs, delta)
    assert p_by_saddlepoint(measure, pairs[:, ::-1], -delta) == pytest.approx(p, nan_ok=True)
    assert np.isnan(p[(pairs == [3, 4]).all(axis=1)]).all()


def test_a_difference_all_units_agree_on_is_certain_and_of_many_like_units_normal():
    """Of 4,000 units with as many wins as can be told from losses, z is 6."""
    units, wins, losses = 4000, 590, 410
    above = np.zeros((2, units), int)
    above[0, :wins], above[1, wins : wins + losses] = 1, 1
    above[:, -500:] = 1
    measure, pairs, delta = pairs_of(Ratio(above, np.ones((1, units), int)))
    z = (wins - losses) / np.sqrt(wins + losses - (wins - losses) ** 2 / units)
    assert p_by_saddlepoint(measure, pairs, delta)[0] == pytest.approx(2 * norm.sf(z), rel=0.35)
    above[1] = 0
    assert p_by_saddlepoint(*pairs_of(Ratio(above, np.ones((1, units), int))))[0] < 1e-12


def test_units_at_a_time_and_the_number_of_pairs_change_nothing(monkeypatch):
    measure, pairs, delta = pairs_of(task("precision", 150, seed=4))
    whole = p_by_saddlepoint(measure, pairs, delta)
    monkeypatch.setattr("coleval.statistics.tails._CELLS", 200)
    monkeypatch.setattr("coleval.statistics.tails._PAIRS_AT_ONCE", 5)
    assert p_by_saddlepoint(measure, pairs, delta) == pytest.approx(whole, rel=1e-6, nan_ok=True)
