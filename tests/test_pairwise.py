"""Counts of all pairs at once are those of a loop over places: any values, ties, nothing at all."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from coleval.statistics import paired, pairwise
from coleval.statistics.exchanges import differing_units
from coleval.statistics.measure import Measure, Ratio
from coleval.statistics.paired import interval
from coleval.statistics.ranking import ranks


@pytest.fixture(params=["products", "numbers", "loops"])
def way(request, monkeypatch):
    """Count by matrix products, by numbered values, or by comparing as few systems are."""
    if request.param != "loops":
        monkeypatch.setattr(pairwise, "_MANY", 1)
        monkeypatch.setattr(pairwise, "_NUMBERED", 1)
        monkeypatch.setattr(pairwise, "_CELLS", 7)
    if request.param == "numbers":
        monkeypatch.setattr(pairwise, "_FEW", 1)


def cases(n=60):
    """Yield rows of few values with NaN, copies and rows that are one value, and some pairs."""
    for seed in range(n):
        rng = np.random.default_rng(seed)
        systems, places = int(rng.integers(2, 6)), int(rng.integers(0, 9))
        values = rng.integers(0, rng.integers(1, 5), (systems, places)) / 3
        values[rng.random(values.shape) < 0.2 * (seed % 2)] = np.nan
        if seed % 3:
            values[0] = values[-1] + 1e-14
        pairs = np.array([(a, b) for a in range(systems) for b in range(systems) if a != b])
        yield values, pairs[rng.random(len(pairs)) < 0.8].reshape(-1, 2)


def test_the_larger_of_two_is_that_of_a_plain_loop(way):
    for values, pairs in cases():
        found = pairwise.larger(values, pairs, 1e-12)
        for at, (a, b) in enumerate(pairs):
            both = list(zip(values[a].tolist(), values[b].tolist(), strict=True))
            assert found[0][at] == sum(x > y + 1e-12 for x, y in both)
            assert found[1][at] == sum(y > x + 1e-12 for x, y in both)


def test_unequal_places_are_those_of_a_plain_loop(way):
    for values, pairs in cases():
        whole = np.nan_to_num(values * 3, nan=7).round().astype(np.uint64)
        found = pairwise.unequal(whole, pairs)
        for at, (a, b) in enumerate(pairs):
            assert found[at] == sum(x != y for x, y in zip(whole[a], whole[b], strict=True))


def test_places_where_both_are_true_are_those_of_a_plain_loop(way):
    for values, _ in cases(20):
        rows = values > 0.5
        found = pairwise.together(rows)
        assert found.tolist() == [[int((a & b).sum()) for b in rows] for a in rows]


def test_few_differing_units_are_named_in_every_way(way):
    rng = np.random.default_rng(0)
    above = np.repeat(rng.integers(0, 3, (1, 40)), 4, axis=0)
    above[1, [3, 9]] += 1
    above[2, 5:30] += 2
    measure = Measure("accuracy", [lambda: Ratio(above, np.full((1, 40), 5))])
    found = differing_units(measure, np.array([[0, 1], [0, 2], [0, 3], [1, 0]]))
    assert found.n.tolist() == [2, 25, 0, 2]
    assert found.places[0, :2].tolist() == [3, 9]
    assert found.places[3, :2].tolist() == [3, 9]
    assert found.few.tolist() == [True, False, True, True]


def test_a_rank_is_one_more_than_how_many_are_better():
    rng = np.random.default_rng(1)
    values = rng.integers(0, 4, (9, 30)) / 7 + rng.choice([0, 1e-14], (9, 30))
    values[rng.random(values.shape) < 0.1] = np.nan
    known = np.where(np.isnan(values), -np.inf, values)
    expected = [[1 + sum(column > own + 1e-12) for own in column] for column in known.T]
    assert ranks(values).T.tolist() == expected


@pytest.mark.parametrize("n", [1, 2, 3, 40, 41, 1000])
@pytest.mark.parametrize("alpha", [0.05, 0.5, 0.0317])
def test_intervals_are_the_quantiles_of_numpy_to_the_last_digit(n, alpha):
    drawn = np.random.default_rng(n).normal(size=(50, n))
    usual = np.quantile(drawn, [alpha / 2, 1 - alpha / 2], axis=1)
    assert interval(drawn, alpha).tolist() == usual.tolist()


def test_ends_of_very_many_intervals_are_right_to_seven_digits(monkeypatch):
    values = np.random.default_rng(0).normal(size=(9, 500))
    pairs, delta = np.array(list(combinations(range(9), 2))), np.full(36, 0.1)
    exact = paired.spread(values, pairs, delta, 0.05)
    monkeypatch.setattr(paired, "_COARSE", 1)
    assert paired.spread(values, pairs, delta, 0.05) == pytest.approx(exact, abs=1e-6)
