"""What must hold of items for any corpus, compared with plain loops, scipy and direct fits."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize

import coleval
import oracle_items as oracle
from coleval.counts.patterns import patterns, together
from coleval.counts.responses import bins_of, responses, rows_of
from coleval.counts.systems import bin_counts
from coleval.statistics.response import benjamini_hochberg, permutation_p, totals_of


@st.composite
def solved(draw, least=1, most=7):
    """Return rows of 0 and 1, some of them the same."""
    systems = draw(st.integers(least, most))
    row = st.lists(st.integers(0, 1), min_size=systems, max_size=systems)
    kinds = draw(st.lists(row, min_size=1, max_size=8))
    return [list(draw(st.sampled_from(kinds))) for _ in range(draw(st.integers(1, 20)))]


def corpus(rows, labels="xyz"):
    """Return the corpus of labels in which just these answers are right."""
    gold = [labels[k % len(labels)] for k in range(len(rows))]
    wrong = dict(zip(labels, labels[1:] + labels[:1], strict=True))
    systems = {
        f"s{s:02}": [g if row[s] else wrong[g] for g, row in zip(gold, rows, strict=True)]
        for s in range(len(rows[0]))
    }
    return load_all(pl.DataFrame({"gold": gold, **systems}))


def load_all(frame):
    return coleval.load(frame, columns={"gold": "gold", "system": frame.columns[1:]})


def by_item(report):
    return report["items"].sort("item").to_dicts()


def close(found, wanted, error=1e-9):
    return (found is None and wanted is None) or found == pytest.approx(wanted, abs=error)


@given(solved(least=3))
def test_every_item_and_their_counts_are_those_of_plain_loops_and_scipy(rows):
    report, totals = corpus(rows).item_statistics(), np.array(oracle.totals(rows))
    found = by_item(report)
    assert len(found) == len(rows)
    values = [oracle.discrimination(rows, item) for item in range(len(rows))]
    for item, row in enumerate(found):
        x = np.array(rows[item])
        assert row["solved_by"] == x.sum()
        assert close(row["discrimination"], values[item])
        if row["discrimination"] is not None:
            assert close(row["discrimination"], stats.pointbiserialr(x, totals - x)[0])
        assert close(row["p"], oracle.exact_p(rows, item))
    if tested := [row for row in found if row["p"] is not None]:
        adjusted = stats.false_discovery_control([row["p"] for row in tested])
        assert [row["p_adjusted"] for row in tested] == pytest.approx(list(adjusted))
    whole = report["overall"].row(0, named=True)
    assert whole["items"] == len(rows)
    assert whole["solved_by_all"] == sum(all(row) for row in rows)
    assert whole["solved_by_none"] == sum(not any(row) for row in rows)
    assert whole["negative"] == sum(v is not None and v < -1e-12 for v in values)
    assert close(whole["alpha"], oracle.kr20(rows))
    assert whole["patterns"] == len(oracle.patterns(rows))


@given(solved())
def test_patterns_and_their_counts_are_those_of_a_dict(rows):
    found = corpus(rows).item_statistics(patterns=True)["patterns"]
    wanted = {"".join(map(str, key)): n for key, n in oracle.patterns(rows).items()}
    assert dict(found.select("pattern", "n").iter_rows()) == wanted


@given(solved(most=5), st.integers(1, 19))
def test_patterns_of_two_parts_add_up_to_those_of_both(rows, cut):
    items = corpus(rows).at()
    mask = np.arange(len(items)) < cut
    whole = responses(patterns(items))
    parts = [patterns(items.where(mask)), patterns(items.where(~mask))]
    both = responses(together(parts))
    for name in ("words", "n", "at", "label", "cell_n"):
        assert np.array_equal(getattr(both, name), getattr(whole, name)), name


@given(solved(), st.randoms(use_true_random=False))
def test_bins_from_patterns_are_those_of_the_kernel_and_some_systems_can_be_chosen(rows, chance):
    items = corpus(rows).at()
    found = responses(patterns(items))
    names = list(items.systems)
    chosen = chance.sample(range(len(names)), chance.randint(1, len(names)))
    part = found.chosen(chosen)
    for one, of in ((found, items), (part, items.chosen([names[k] for k in chosen]))):
        counts = bin_counts(patterns(of))
        bins, tps = bins_of(one)
        assert np.array_equal(bins, counts.items)
        assert np.array_equal(tps, counts.solved)


@pytest.mark.parametrize("systems", [3, 8, 9, 16, 33, 63, 64, 65, 130])
def test_as_many_systems_as_one_likes_have_patterns(systems):
    chance = random.Random(systems)
    rows = [[int(chance.random() < 0.6) for _ in range(systems)] for _ in range(40)]
    rows += [rows[k] for k in range(20)] + [[1] * systems, [0] * systems]
    items = corpus(rows).at()
    found = responses(patterns(items))
    right = found.right.T.astype(int).tolist()
    assert dict(zip(map(tuple, right), found.n.tolist(), strict=True)) == oracle.patterns(rows)
    at, number = rows_of(items, found, np.arange(len(found)))
    assert [right[k] for k in number] == [rows[k] for k in at]
    assert at.tolist() == list(range(len(rows)))


@pytest.mark.parametrize("seed", range(3))
def test_random_permutations_are_counted_as_one_by_one(seed):
    chance = np.random.default_rng(seed)
    right = chance.random((18, 30)) < np.linspace(0.3, 0.8, 18)[:, None]
    n = chance.integers(1, 6, 30)
    p, totals = permutation_p(right, n, 199, seed), totals_of(right, n)
    orders = np.argsort(np.random.default_rng(seed).random((199, 18)), axis=1)
    for x, found in zip(right.T, p, strict=True):
        k, rest = int(x.sum()), totals - x
        seen = abs(18 * rest[x].sum() - k * rest.sum())
        far = [abs(18 * rest[order[:k]].sum() - k * rest.sum()) >= seen for order in orders]
        if 2 < k < 16:
            assert found == (sum(far) + 1) / 200


def test_many_items_of_one_pattern_are_as_many_tests():
    p, n = np.array([0.01, 0.04, np.nan, 0.03]), np.array([2, 1, 9, 3])
    wanted = stats.false_discovery_control([0.01, 0.01, 0.04, 0.03, 0.03, 0.03])
    assert benjamini_hochberg(p, n)[[0, 1, 3]].tolist() == pytest.approx(wanted[[0, 2, 3]].tolist())


def fitted(rows):
    return corpus(rows).item_statistics()


@given(solved(least=3, most=6))
def test_expected_items_add_up_over_systems_and_over_bins(rows):
    fit = fitted(rows)["fit"]
    for bin_, part in fit.group_by("bin"):
        assert part["expected"].sum() == pytest.approx(bin_[0] * part["items"][0])
    for _, part in fit.group_by("system"):
        assert part["expected"].sum() == pytest.approx(part["tp"].sum(), abs=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_abilities_are_those_that_make_the_full_conditional_likelihood_highest(seed):
    chance = np.random.default_rng(seed)
    systems = 3 + seed % 4
    logit = chance.normal(size=systems)[None, :] - chance.normal(size=120)[:, None]
    rows = (chance.random(logit.shape) < 1 / (1 + np.exp(-logit))).astype(int).tolist()
    best = minimize(
        lambda theta: -oracle.log_likelihood([0.0, *theta], rows), np.zeros(systems - 1)
    )
    theta = np.array([0.0, *best.x])
    report = fitted(rows)
    ability = dict(report["systems"].select("system", "ability").iter_rows())
    found = np.array([ability[f"s{k:02}"] for k in range(systems)])
    assert found == pytest.approx(theta - theta.mean(), abs=1e-3)
    for k in range(1, systems):
        rows_ = report["fit"].filter(pl.col("bin") == k).sort("system")
        wanted = np.array(oracle.expected(theta.tolist(), k)) * rows_["items"].to_numpy()
        assert rows_["expected"].to_numpy() == pytest.approx(wanted, abs=0.05)


def test_systems_that_are_equally_able_are_expected_to_solve_equally_much():
    rows = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 1]]
    fit = fitted(rows)["fit"].filter(pl.col("bin").is_in([1, 2]))
    assert fit["expected"].to_list() == pytest.approx([b for b in (1, 2) for _ in range(3)])


def test_a_residual_is_how_far_a_count_is_off_in_standard_deviations():
    rows = [[1, 0, 0]] * 3 + [[0, 1, 0]] * 5 + [[0, 0, 1]] * 4
    rows += [[1, 1, 0]] * 7 + [[0, 1, 1]] * 2 + [[1, 0, 1]] * 6
    for row in fitted(rows)["fit"].filter(pl.col("bin").is_in([1, 2])).to_dicts():
        share = row["expected"] / row["items"]
        spread = (row["items"] * share * (1 - share)) ** 0.5
        assert row["residual"] == pytest.approx((row["tp"] - row["expected"]) / spread)


@given(solved(least=3, most=5), st.randoms(use_true_random=False))
def test_the_order_of_systems_and_of_items_changes_nothing(rows, chance):
    order = chance.sample(range(len(rows[0])), len(rows[0]))
    frame = pl.DataFrame({f"s{s}": [str(row[s]) for row in rows] for s in range(len(rows[0]))})
    names = [frame.columns[k] for k in order]
    gold = pl.lit("1").alias("gold")
    one = load_all(frame.select(gold, *frame.columns)).item_statistics()
    other = load_all(frame.select(gold, *names)).item_statistics()
    for table in ("overall", "fit", "systems", "labels"):
        assert one[table].to_dicts() == other[table].to_dicts()


@pytest.mark.parametrize("how", ["bins", "random", "greedy"])
@pytest.mark.parametrize("size", [1, 5, 37])
def test_a_smaller_test_set_has_as_many_items_and_weights_that_add_up(how, size):
    chance = random.Random(size)
    rows = [[int(chance.random() < 0.2 + 0.1 * s) for s in range(7)] for _ in range(60)]
    chosen = corpus(rows).item_statistics(subset=size, subset_by=how)["chosen"]
    assert len(chosen) == size
    assert chosen["item"].n_unique() == size
    assert all(a < b for a, b in pairwise(chosen["item"]))
    assert chosen["weight"].sum() == pytest.approx(1)
