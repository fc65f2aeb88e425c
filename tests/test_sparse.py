"""Systems that answered different items: tests pair by pair, adjusted means, abilities."""

from __future__ import annotations

from itertools import combinations, product
from math import exp, isnan, log, prod
from statistics import mean

import numpy as np
import polars as pl
import pytest

import coleval
from coleval.errors import UsageError
from coleval.statistics.ability import centred, connected, fitted
from coleval.statistics.additive import adjusted_means, drawn_means
from coleval.statistics.draws import keys_of_numbers

SYSTEMS = 12


def responses(seed, systems=SYSTEMS, items=1500, filled=0.4, spread=1.3):
    """Return abilities, difficulties, and 1, 0 or NaN for each system and item (Rasch's model)."""
    rng = np.random.default_rng(seed)
    theta, b = rng.normal(size=systems), rng.normal(0, spread, items)
    right = rng.random((systems, items)) < 1 / (1 + np.exp(b - theta[:, None]))
    there = rng.random((systems, items)) < filled
    return theta - theta.mean(), b, np.where(there, right.astype(float), np.nan)


def frame_of(rows):
    """Return a matrix as a table: a column a system, null where there is no answer."""
    columns = {f"m{k:02}": pl.Series(row, nan_to_null=True) for k, row in enumerate(rows)}
    return pl.DataFrame({"id": [f"q{k}" for k in range(rows.shape[1])], **columns})


@pytest.fixture(scope="module")
def sparse():
    theta, _, rows = responses(1)
    return theta, rows, coleval.load(frame_of(rows).cast({pl.Float64: pl.Int64}), task="matrix",
                                     missing="leave-out")  # fmt: skip


def test_pairs_are_tested_on_what_both_answered_and_say_how_many_that_is(sparse):
    _, rows, corpus = sparse
    found = corpus.compare(replicates=200)["pairs"]
    assert found.height == SYSTEMS * (SYSTEMS - 1) // 2
    for row in found.head(20).to_dicts():
        a, b = (rows[int(row[side][1:])] for side in ("a", "b"))
        both = [(x, y) for x, y in zip(a, b, strict=True) if not (isnan(x) or isnan(y))]
        assert row["units"] == len(both)
        assert row["delta"] == pytest.approx(mean(x for x, _ in both) - mean(y for _, y in both))
        assert row["a_better"] == sum(x > y for x, y in both)


def test_p_of_sparse_pairs_are_adjusted_over_all_of_them(sparse):
    found = sparse[2].compare(replicates=200)["pairs"].sort("p")
    p, adjusted = found["p"].to_list(), found["p_adjusted"].to_list()
    n, expected, highest = len(p), [], 0.0
    for at, one in enumerate(p):
        highest = max(highest, min(1.0, one * (n - at)))
        expected.append(highest)
    assert adjusted == pytest.approx(expected)


def test_adjusted_means_order_systems_that_answered_items_of_unlike_difficulty():
    """A good system that was given hard items alone has the worse plain mean."""
    easy, hard = [0.9] * 10, [0.3] * 10
    gap = [None] * 10
    table = pl.DataFrame({"id": [str(k) for k in range(30)],
                          "score_good": [*gap, *[x + 0.1 for x in hard], *[0.7] * 10],
                          "score_bad": [*easy, *gap, *[0.6] * 10],
                          "score_link": [*easy, *hard, *gap]})  # fmt: skip
    corpus = coleval.load(table, task="score", missing="leave-out")
    ranks = corpus.compare(replicates=50)["ranks"]
    assert ranks["system"][0] == "good"
    plain = dict(ranks.select("system", "plain_mean").iter_rows())
    assert plain["good"] < plain["bad"]


@pytest.mark.parametrize("seed", range(20))
def test_adjusted_means_are_least_squares_over_systems_and_items(seed):
    rng = np.random.default_rng(seed)
    systems, items = int(rng.integers(2, 5)), int(rng.integers(3, 9))
    rows = rng.normal(size=(systems, items))
    rows[rng.random(rows.shape) < 0.3] = np.nan
    if len(connected(~np.isnan(rows))) > 1 or np.isnan(rows).all(axis=0).any():
        pytest.skip("not one table")
    design, target = [], []
    for s, i in product(range(systems), range(items)):
        if not isnan(rows[s, i]):
            design.append([*(k == s for k in range(systems)), *(k == i for k in range(items))])
            target.append(rows[s, i])
    fit = np.linalg.lstsq(np.array(design, float), np.array(target), rcond=None)[0]
    expected = fit[:systems] + fit[systems:].mean()
    assert adjusted_means(rows) == pytest.approx(expected)


def test_adjusted_means_of_a_full_table_are_its_means():
    rows = np.random.default_rng(2).normal(size=(4, 50))
    assert adjusted_means(rows) == pytest.approx(rows.mean(axis=1))
    drawn = drawn_means(rows, keys_of_numbers(np.arange(50)), 0, 500)
    assert drawn.std(axis=1) == pytest.approx(rows.std(axis=1) / 50**0.5, rel=0.15)


def test_bins_and_items_go_by_the_share_of_those_that_answered(sparse):
    _, rows, corpus = sparse
    enough = (~np.isnan(rows)).sum(axis=0) >= 2
    bins = corpus.bins()["bins"]
    assert bins["items"].sum() == enough.sum()
    assert bins["low"][0] == 0.0
    listed = corpus.item_statistics()["items"].to_dicts()
    first = rows[:, int(listed[0]["id"][1:])]
    assert listed[0]["mean_score"] == pytest.approx(np.nanmean(first))
    assert listed[0]["answered"] == (~np.isnan(first)).sum()


def test_tables_without_gaps_are_counted_as_before():
    _, _, rows = responses(3, systems=4, items=60, filled=1.0)
    corpus = coleval.load(frame_of(rows).cast({pl.Float64: pl.Int64}), task="matrix")
    assert "solved_by_all" in corpus.item_statistics()["overall"].columns
    assert corpus.compare(replicates=50)["ranks"]["metric"].to_list() == ["accuracy"] * 4


def test_groups_without_a_common_item_are_named():
    rows = np.array([[1, 0, 1, np.nan, np.nan, np.nan]] * 2 + [[np.nan] * 3 + [1, 0, 0]] * 2)
    assert connected(~np.isnan(rows)) == [[0, 1], [2, 3]]
    corpus = coleval.load(frame_of(rows).cast({pl.Float64: pl.Int64}), task="matrix",
                          missing="leave-out")  # fmt: skip
    for ask in (corpus.compare, lambda: corpus.item_statistics(model="rasch")):
        with pytest.raises(UsageError, match="2 groups without any item in common: m00, m01"):
            ask()


@pytest.mark.parametrize("seed", range(4))
def test_abilities_and_their_intervals_hold_those_that_data_were_made_of(seed):
    theta, b, rows = responses(seed + 10, items=1200)
    fit = centred(fitted(rows, "rasch"))
    z = (fit.ability - theta) / fit.error
    assert np.abs(z).max() < 4
    assert np.sqrt((z**2).mean()) < 1.6
    assert np.corrcoef(fit.difficulty, b)[0, 1] > 0.7
    assert fit.spread == pytest.approx(1.3, rel=0.15)


def test_standard_errors_are_the_deviation_over_samples():
    found, errors = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        theta = np.array([-1.0, 0.0, 0.3, 0.7])
        b = rng.normal(size=300)
        rows = (rng.random((4, 300)) < 1 / (1 + np.exp(b - theta[:, None]))).astype(float)
        rows[rng.random(rows.shape) < 0.4] = np.nan
        fit = centred(fitted(rows, "rasch"))
        found.append(fit.ability)
        errors.append(fit.error)
    assert np.std(found, axis=0) == pytest.approx(np.mean(errors, axis=0), rel=0.35)
    assert np.mean(found, axis=0) == pytest.approx(theta - theta.mean(), abs=0.08)


def marginal(theta, spread, rows):
    """Return the log-likelihood of abilities, items summed out on a fine grid, by plain loops."""
    nodes = [k / 10 for k in range(-60, 61)]
    weights = [exp(-0.5 * (node / spread) ** 2) for node in nodes]
    total = 0.0
    for item in rows.T:
        likely = 0.0
        for node, weight in zip(nodes, weights, strict=True):
            p = [1 / (1 + exp(node - one)) for one in theta]
            chances = [1 if isnan(answer) else one if answer else 1 - one
                       for one, answer in zip(p, item, strict=True)]  # fmt: skip
            likely += weight * prod(chances)
        total += log(likely / sum(weights))
    return total


def test_the_fit_is_at_the_top_of_the_likelihood():
    _, _, rows = responses(5, systems=4, items=80, filled=0.7)
    fit = fitted(rows, "rasch")
    top = marginal(fit.ability, fit.spread, rows)
    for k, step in product(range(4), (-0.05, 0.05)):
        moved = fit.ability.copy()
        moved[k] += step
        assert marginal(moved, fit.spread, rows) < top
    assert marginal(fit.ability, fit.spread * 1.1, rows) < top
    assert marginal(fit.ability, fit.spread / 1.1, rows) < top


def test_discriminations_are_found_where_many_systems_answered():
    rng = np.random.default_rng(8)
    theta, b, a = rng.normal(size=120), rng.normal(size=80), np.exp(rng.normal(0, 0.5, 80))
    right = rng.random((120, 80)) < 1 / (1 + np.exp(-a * (theta[:, None] - b)))
    fit = centred(fitted(right.astype(float), "2pl"))
    assert np.corrcoef(fit.ability, theta)[0, 1] > 0.9
    assert np.corrcoef(np.log(fit.discrimination), np.log(a))[0, 1] > 0.6


def test_a_system_that_solves_all_or_nothing_has_no_finite_ability():
    rows = np.array([[1, 1, 1, 1], [1, 0, 1, 0], [0, 0, 0, 0], [0, 1, 1, 0]], float)
    corpus = coleval.load(frame_of(rows).cast({pl.Float64: pl.Int64}), task="matrix")
    found = {r["system"]: r for r in corpus.item_statistics(model="rasch")["abilities"].to_dicts()}
    assert found["m00"]["ability"] is None
    assert found["m00"]["note"] == "solves all of its items"
    assert found["m02"]["note"] == "solves none of its items"
    assert found["m01"]["ability"] is not None


def test_numbers_have_no_abilities_unless_a_threshold_says_what_is_right():
    frame = pl.DataFrame(
        {"id": ["1", "2", "3"], "score_a": [0.1, 0.9, 0.5], "score_b": [0.4, 0.2, 1]}
    )
    corpus = coleval.load(frame, task="score")
    with pytest.raises(UsageError, match="say which numbers are right"):
        corpus.item_statistics(model="rasch")
    assert corpus.item_statistics(model="rasch", above=0.4)["abilities"].height == 2


def test_ranks_of_abilities_go_with_their_intervals(sparse):
    found = sparse[2].item_statistics(model="rasch")["abilities"]
    assert found["ability"].to_list() == sorted(found["ability"].to_list(), reverse=True)
    for place, row in enumerate(found.to_dicts(), start=1):
        assert row["rank_low"] <= place <= row["rank_high"]
        assert row["low"] < row["ability"] < row["high"]
    assert len(list(combinations(found["system"].to_list(), 2))) == 66


def test_abilities_are_of_all_cells_though_many_items_were_answered_by_all():
    _, _, rows = responses(3, systems=5, items=300, filled=0.9)
    corpus = coleval.load(frame_of(rows).cast({pl.Float64: pl.Int64}), task="matrix",
                          missing="leave-out")  # fmt: skip
    found = corpus.item_statistics(model="rasch")["abilities"]
    items = dict(zip(found["system"], found["items"], strict=True))
    # An item that one system answered compares it with none.
    answered = ~np.isnan(rows[:, (~np.isnan(rows)).sum(axis=0) > 1])
    assert items == {f"m{k:02}": int(row.sum()) for k, row in enumerate(answered)}
    assert sum(items.values()) > 5 * answered.all(axis=0).sum()
