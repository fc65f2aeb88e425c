"""Any number of systems: p beyond what replicates can count, and pairs that stay undecided."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.special import ndtri

import coleval
import oracle_compare as oracle
from coleval.analyses.compare import plan as planning
from coleval.analyses.compare import undecided as more
from coleval.analyses.compare.plan import setting, settled
from coleval.statistics.paired import differences
from coleval.statistics.resampling import Replicates, bootstrap, randomised
from coleval.statistics.tails import COUNTABLE, Far, bounded, far, undecided


def systems(*shares, items=300, seed=0):
    """Return the corpus of systems that are right as often as ``shares`` say."""
    rng = np.random.default_rng(seed)
    ease = rng.normal(0, 0.1, items)
    columns = {f"s{k:02d}": np.where(rng.random(items) < share + ease, "y", "n")
               for k, share in enumerate(shares)}  # fmt: skip
    frame = pl.DataFrame({"id": [f"i{k}" for k in range(items)], "gold": ["y"] * items, **columns})
    picks = ",".join(["id=id", "gold=gold", *(f"system={name}" for name in columns)])
    return coleval.load(frame, task="label", columns=picks)


# An average over classes, whose small p no formula says.
NO_FORMULA = "macro_f1"


def by_pair(report):
    return {frozenset((r["a"], r["b"])): r for r in report.table("pairs").iter_rows(named=True)}


@pytest.fixture
def few_replicates(monkeypatch):
    """Let a dozen systems be many: as few replicates for them as there are for hundreds."""
    monkeypatch.setattr(planning, "MOST", 1000)


# ------------------------------------------------------------------------- what the issue saw


def test_95_against_27_is_significant_among_46_systems():
    corpus = systems(0.95, 0.27, *np.linspace(0.85, 0.75, 44), items=150)
    report = corpus.compare(test="bootstrap")
    pair = by_pair(report)[frozenset(("s00", "s01"))]
    assert report.table("pairs").height == 1035
    assert pair["p_adjusted"] < 0.001
    assert "test:bootstrap/20000+|" in report.signature
    ranks = {r["system"]: r for r in report.table("ranks").iter_rows(named=True)}
    assert ranks["s00"]["better_than"] >= 1
    assert ranks["s01"]["worse_than"] == 45


def test_replicates_that_are_asked_for_are_kept_and_what_they_leave_open_is_said():
    report = systems(0.95, 0.5, *np.linspace(0.85, 0.75, 8))
    report = report.compare(replicates=500, test="bootstrap")
    pairs = report.table("pairs")
    assert pairs["replicates"].unique().to_list() == [500]
    assert pairs["p_from"].unique().to_list() == ["replicates"]
    assert "test:bootstrap/500|" in report.signature
    pair = by_pair(report)[frozenset(("s00", "s01"))]
    assert pair["p"] == pytest.approx(1 / 501)
    assert pair["note"].startswith("undecided: 500 replicates")
    assert any("replicates=" in warning for warning in report.warnings)


def test_six_tests_of_1000_replicates_have_p_below_a_thousandth_where_differences_are_huge():
    corpus = systems(0.95, 0.65, 0.35, 0.05)
    for metric, source in (("accuracy", "formula"), (NO_FORMULA, "bound")):
        pairs = corpus.compare(metric=metric, test="bootstrap").table("pairs")
        assert set(pairs["p_from"]) == {source}
        assert (pairs["p_adjusted"] < 0.001).all()
        assert (pairs["p"] > 0).all()


def test_accuracy_of_single_items_is_tested_exactly_whatever_the_number_of_systems():
    """24 models: with 12,000 replicates no p of 276 tests could be below .02 (MMLU-Pro)."""
    report = systems(*np.linspace(0.95, 0.05, 24)).compare()
    assert "test:mcnemar/1000|" in report.signature
    first = by_pair(report)[frozenset(("s00", "s23"))]
    assert (first["p_from"], first["replicates"]) == ("exact", 1000)
    wins, losses = first["a_better"], first["b_better"]
    assert first["p"] == pytest.approx(oracle.mcnemar_exact(wins, losses))
    assert first["p_adjusted"] < 0.001
    assert "|test:bootstrap/" in systems(0.9, 0.8).compare(metric="macro_f1").signature


# ------------------------------------------------------------------------------- more replicates


@pytest.mark.parametrize("test", ["bootstrap", "randomisation"])
def test_undecided_pairs_alone_get_more_replicates_and_p_is_that_of_a_plain_count(
    few_replicates, test
):
    corpus = systems(*np.linspace(0.9, 0.6, 12), items=120, seed=3)
    report = corpus.compare(test=test, metric=NO_FORMULA)
    extended = report.table("pairs").filter(pl.col("replicates") > 1000)
    assert 0 < extended.height < 66
    row = extended.filter(pl.col("p_from") == "replicates").row(0, named=True)
    chosen, plan = settled(corpus, test=test, metric=NO_FORMULA)
    how = setting(chosen, plan)
    pair = np.array([[how.systems.index(row["a"]), how.systems.index(row["b"])]])
    draws = Replicates(how.resampling.key, 0, row["replicates"])
    delta = np.array([row["delta"]])
    if test == "randomisation":
        found, drawn = randomised(how.measure, draws, pair, delta)[:, 0]
    else:
        moved = differences(bootstrap(how.measure, draws), pair)[0]
        found, drawn = int((abs(moved - delta) >= abs(delta) - 1e-12).sum()), len(moved)
    assert row["p"] == pytest.approx((found + 1) / (drawn + 1))


@pytest.mark.parametrize("test", ["bootstrap", "randomisation"])
def test_the_order_of_systems_changes_no_p_where_p_is_a_bound(monkeypatch, test):
    monkeypatch.setattr(planning, "MOST", 6000)
    corpus = systems(*np.linspace(0.95, 0.5, 18), items=100, seed=2)
    one = by_pair(corpus.compare(test=test, metric=NO_FORMULA))
    turned = corpus.chosen(list(reversed(corpus.systems)))
    two = by_pair(turned.compare(test=test, metric=NO_FORMULA))
    assert {r["p_from"] for r in one.values()} == {"bound", "replicates"}
    for key, row in one.items():
        for name in ("p", "p_adjusted"):
            assert two[key][name] == pytest.approx(row[name])
        assert (two[key]["p_from"], two[key]["note"]) == (row["p_from"], row["note"])


def test_what_stays_undecided_says_so(few_replicates, monkeypatch):
    monkeypatch.setattr(more, "MOST", 1000)
    report = systems(*np.linspace(0.9, 0.6, 12), items=120, seed=3).compare(metric=NO_FORMULA)
    still = report.table("pairs").filter(pl.col("note").str.starts_with("undecided"))
    assert still.height
    assert (still["p_adjusted"] >= 0.05).all()
    assert any(f"{still.height} of 66 differences are undecided" in w for w in report.warnings)


# ------------------------------------------------------------------------------------- the bound


@pytest.mark.parametrize("true", [5e-5, 1e-5, 2.5e-6])
def test_the_bound_of_a_normal_tail_lies_above_it_and_not_far(true):
    rng = np.random.default_rng(0)
    size = np.full(200, -ndtri(true / 2))
    tail = far((np.abs(rng.standard_normal((200, 1000))) for _ in range(20)), size)
    p, bound = bounded(tail, np.full(200, 1000))
    assert (p[bound] >= true).mean() > 0.95
    assert np.median(p) < 20 * true


def test_ten_replicates_are_counted_and_not_bounded():
    distances = np.arange(1.0, 20_001.0)[None]
    at = np.array([20_000.0 - COUNTABLE + 1, 20_000.0 - COUNTABLE + 2])
    both = far([np.repeat(distances, 2, axis=0)], at)
    p, bound = bounded(both, np.array([1000, 1000]))
    assert both.found.tolist() == [10, 9]
    assert not bound[0]
    assert p[0] == pytest.approx(11 / 20_001)


def test_blocks_and_their_sizes_change_no_tail():
    rng = np.random.default_rng(1)
    distances, size = rng.exponential(size=(3, 5000)), np.array([2.0, 9.0, np.nan])
    distances[1, ::7] = np.nan
    whole = far([distances], size)
    parts = far((distances[:, at : at + 64] for at in range(0, 5000, 64)), size)
    for name in Far.__dataclass_fields__:
        assert getattr(parts, name) == pytest.approx(getattr(whole, name), nan_ok=True), name
    assert np.isnan(bounded(whole, np.full(3, 99))[0][2])


def test_no_p_is_smaller_than_the_exchanges_of_the_units_that_differ():
    tail = far([np.abs(np.random.default_rng(0).standard_normal((1, 20_000)))], np.array([40.0]))
    assert bounded(tail, np.array([12]))[0][0] == pytest.approx(1 / 20_001)
    assert bounded(tail, np.array([20]))[0][0] == pytest.approx(2.0**-19)


def test_undecided_is_what_more_replicates_may_decide_and_nothing_else():
    def still(found, drawn, tests):
        p = np.full(tests, (found + 1) / (drawn + 1))
        counts = np.full(tests, found), np.full(tests, drawn)
        return bool(undecided(p, counts, np.full(tests, 1e-12), how="holm", alpha=0.05).all())

    assert still(0, 1000, 100)
    assert not still(0, 10_000, 100)
    assert not still(10, 1000, 100)
    assert not still(900, 1000, 1)


def test_few_tests_that_are_undecided_get_more_replicates_too():
    """Ten tests, 1,000 replicates: the first of them is significant below five of a thousand."""
    corpus = systems(*np.linspace(0.88, 0.74, 5), items=200, seed=6)
    report = corpus.compare(test="randomisation")
    assert "test:randomisation/1000+|" in report.signature
    pairs = report.table("pairs")
    assert pairs.filter(pl.col("replicates") > 1000).height
    assert not pairs["note"].drop_nulls().str.starts_with("undecided").any()


def test_groups_of_many_runs_are_tested_as_far_out_as_pairs(few_replicates):
    corpus = systems(*np.linspace(0.95, 0.5, 16), items=200, seed=4)
    pairs = corpus.compare(group="s(..)", replicates=1000).table("group_pairs")
    assert pairs.height == 120
    assert pairs["note"].drop_nulls().str.starts_with("undecided").any()
    usual = corpus.compare(group="s(..)").table("group_pairs")
    assert (pairs["p_adjusted"] < 0.05).sum() == 0
    assert (usual["p_adjusted"] < 0.05).sum() > 50


def test_40_systems_that_answer_alike_are_equal_and_not_undecided():
    answers = {f"s{k:02d}": ["A"] * 60 for k in range(40)}
    frame = pl.DataFrame({"gold": ["A", "B"] * 30, **answers})
    picks = ",".join(["gold=gold", *(f"system={name}" for name in answers)])
    report = coleval.load(frame, task="label", columns=picks).compare(test="bootstrap")
    pairs = report.table("pairs")
    assert pairs["p"].unique().to_list() == [1.0]
    assert pairs["note"].unique().to_list() == ["equal in every instance"]
    assert set(report.table("ranks")["rank_high"]) == {1}


def test_the_order_of_rows_with_ids_changes_no_bound(monkeypatch):
    monkeypatch.setattr(planning, "MOST", 6000)
    rng = np.random.default_rng(0)
    gold = rng.choice(list("AB"), 150)
    answers = {
        f"s{k:02d}": np.where(rng.random(150) < 0.95 - 0.03 * k, gold, "C") for k in range(18)
    }
    frame = pl.DataFrame({"id": [f"i{k}" for k in range(150)], "gold": gold, **answers})
    picks = ",".join(["id=id", "gold=gold", *(f"system={name}" for name in answers)])
    mixed = frame.sample(fraction=1, shuffle=True, seed=3)
    read = [coleval.load(f, task="label", columns=picks) for f in (frame, mixed)]
    one, two = (corpus.compare(metric=NO_FORMULA) for corpus in read)
    assert "bound" in one.table("pairs")["p_from"].to_list()
    for name, table in one.tables.items():
        assert table.equals(two.tables[name])
