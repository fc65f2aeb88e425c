"""A handful of documents: which test keeps its level, which intervals cover, what is said."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom, binomtest
from scipy.stats import t as student

import coleval
from coleval.statistics.draws import keys_of_numbers
from coleval.statistics.measure import Measure, Ratio, informed, observed
from coleval.statistics.paired import (
    interval,
    p_value,
    score_interval,
    spread,
    widened,
    widened_p,
)
from coleval.statistics.ranking import rank_interval
from coleval.statistics.resampling import Replicates, bootstrap, randomised

PAIR = np.array([[0, 1]])


def equally_good(documents, seed):
    """Return F1 counts of two systems that are equally good: documents differ in difficulty."""
    rng = np.random.default_rng([documents, seed])
    gold = 5 + rng.poisson(20, documents)
    share = np.clip(rng.beta(8, 3, documents) + rng.normal(0, 0.06, (2, documents)), 0.02, 0.98)
    tp = rng.binomial(gold, share)
    counts = Ratio(2 * tp, tp + rng.poisson(gold * (1 - share)) + gold)
    return Measure("f1", [lambda: counts])


def rejected(documents, corpora):
    """Return how often p < .05 under the null: bootstrap, by Student's t, randomisation."""
    found = np.zeros(3)
    for seed in range(corpora):
        measure = equally_good(documents, seed)
        how = Replicates(keys_of_numbers(np.arange(documents)), seed, 500)
        value = observed(measure)
        delta = value[:1] - value[1:]
        p = spread(bootstrap(measure, how), PAIR, delta, 0.05)[3]
        exchanged = p_value(*randomised(measure, how, PAIR, delta))
        found += [p[0] < 0.05, widened_p(p, documents)[0] < 0.05, exchanged[0] < 0.05]
    return found / corpora


def test_with_12_documents_only_the_bootstrap_rejects_too_often():
    plain, by_student, exchanged = rejected(12, 1500)
    assert plain > 0.06
    assert by_student < 0.055
    assert exchanged < 0.06


def test_the_usual_test_with_few_units_is_randomisation_and_with_many_the_bootstrap():
    for units, test in ((12, "randomisation"), (99, "randomisation"), (100, "bootstrap")):
        assert f"test:{test}/" in documents(units).compare().signature


def documents(units, *, labels="XY", seed=0):
    """Return the corpus of documents of eight words each."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(list(labels), 8 * units)
    columns = {f"s{k}": np.where(rng.random(8 * units) < 0.9 - k / 20, gold, "Z") for k in range(2)}
    context = {"document": [f"d{k // 8}" for k in range(8 * units)]}
    picks = "document=document,gold=gold,system=s0,system=s1"
    frame = pl.DataFrame({**context, "gold": gold, **columns})
    return coleval.load(frame, task="label", columns=picks)


def test_what_few_documents_do_to_p_and_to_intervals_is_said():
    chosen = documents(12).compare(test="bootstrap", unit_of_resampling="document").warnings
    assert any("p of the bootstrap is too small" in w and "randomisation" in w for w in chosen)
    assert any("only 12 documents" in w and "11 degrees of freedom" in w for w in chosen)
    usual = documents(12).compare(unit_of_resampling="document").warnings
    assert not any("too small" in w for w in usual)
    assert not documents(120).compare(unit_of_resampling="document").warnings


def test_five_documents_cannot_show_any_difference_and_that_is_said():
    report = documents(5).compare(unit_of_resampling="document")
    assert report.table("pairs")["p"][0] >= 0.05
    assert any("5 documents no p" in w for w in report.warnings)
    assert not any("no p" in w for w in documents(6).compare(metric="accuracy").warnings)


def test_only_documents_that_have_the_label_count_as_units():
    corpus = documents(120)
    frame = corpus.compare(metric="f1:X", unit_of_resampling="document").table("power")
    assert frame["units_scored"][0] == 120
    rare = documents(120, labels="Y" * 160 + "X", seed=1)
    report = rare.compare(metric="f1:X", unit_of_resampling="document")
    assert report.table("power")["units_scored"][0] < 20
    assert "test:randomisation/" in report.signature


def test_leaderboards_with_intervals_over_few_documents_say_so():
    few = documents(12).score(intervals=True, replicates=50, unit_of_resampling="document")
    assert any("only 12 documents" in w for w in few.warnings)
    many = documents(120).score(intervals=True, replicates=50, unit_of_resampling="document")
    assert not any("documents" in w for w in many.warnings)


# -------------------------------------------------------------------------------------- intervals


@pytest.mark.parametrize("units", [2, 5, 12, 99])
def test_an_interval_over_few_units_is_as_wide_as_students(units):
    normal = np.sort(np.random.default_rng(0).standard_normal(200_000))
    low, high = np.quantile(normal, [widened(0.05, units) / 2, 1 - widened(0.05, units) / 2])
    wide = student.ppf(0.975, units - 1) * np.sqrt(units / (units - 1))
    if units > 2:
        assert [low, high] == pytest.approx([-wide, wide], abs=0.05)
    assert widened(0.05, units) < 0.05


def test_many_units_have_the_percentiles_they_had():
    assert widened(0.05, 100) == 0.05
    assert widened_p(np.array([0.01]), 100)[0] == 0.01


def test_intervals_over_12_documents_hold_the_true_score_nineteen_times_in_twenty():
    truth = float(observed(equally_good(200_000, 0)).mean())
    held = np.zeros(2)
    for seed in range(1, 601):
        measure = equally_good(12, seed)
        how = Replicates(keys_of_numbers(np.arange(12)), seed, 500)
        drawn = bootstrap(measure, how)[:1]
        for at, level in enumerate((0.05, widened(0.05, informed(measure)))):
            low, high = interval(drawn, level)[:, 0]
            held[at] += low <= truth <= high
    plain, wide = held / 600
    assert plain < 0.92
    assert 0.925 < wide < 0.98


@pytest.mark.parametrize(("items", "right"), [(30, 30), (30, 21), (200, 197), (20_000, 15_000)])
def test_a_proportion_of_single_items_has_wilsons_interval(items, right):
    gold = ["a"] * items
    frame = {"gold": gold, "s": ["a"] * right + ["b"] * (items - right), "t": gold}
    corpus = coleval.load(pl.DataFrame(frame), task="label")
    expected = binomtest(right, items).proportion_ci(method="wilson")
    row = corpus.compare()["ranks"].filter(pl.col("system") == "s").row(0, named=True)
    beside = corpus.score(intervals=True)["overall"].filter(pl.col("system") == "s")
    assert beside.select("accuracy_low", "accuracy_high").row(0) == (row["low"], row["high"])
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilsons_intervals_of_30_items_cover_and_percentiles_do_not():
    """The share of all samples whose interval holds the truth, on average over proportions."""
    right = np.tril(np.ones((31, 30), np.int64), -1)
    measure = Measure("accuracy", [lambda: Ratio(right, np.ones((1, 30), np.int64))])
    drawn = bootstrap(measure, Replicates(keys_of_numbers(np.arange(30)), 0, 500))
    truth = np.linspace(0.02, 0.98, 97)[:, None]
    chance = binom.pmf(np.arange(31), 30, truth)
    covered = [
        (chance * ((low <= truth) & (truth <= high))).sum(axis=1).mean()
        for low, high in (
            interval(drawn, widened(0.05, 30)),
            score_interval(measure, drawn, 0.05, 30),
        )
    ]
    assert covered[0] < 0.935
    assert 0.948 < covered[1] < 0.96


def test_documents_of_several_items_have_percentiles():
    row = (
        documents(30)
        .score(intervals=True, unit_of_resampling="document")["overall"]
        .row(0, named=True)
    )
    wilson = binomtest(row["correct"], row["items"]).proportion_ci(method="wilson")
    assert row["accuracy_low"] != pytest.approx(wilson.low, abs=1e-6)


def test_p_by_students_t_and_its_interval_agree():
    p = np.array([widened(0.05, 12)])
    assert widened_p(p, 12)[0] == pytest.approx(0.05)
    assert widened_p(np.array([0.05]), 12)[0] > 0.05
    assert widened_p(np.array([1.0, np.nan]), 12)[0] == 1.0


# ------------------------------------------------------------------------------ what is undefined


def test_a_replicate_without_a_score_is_in_no_rank_interval():
    nan = np.nan
    values = np.array([[0.9, nan, nan, 0.9], [0.5, 0.5, 0.5, 0.5], [nan, nan, nan, nan]])
    assert rank_interval(values, 0.05)[:2].tolist() == [[1, 1], [1, 2]]
    assert np.isnan(rank_interval(values, 0.05)[2]).all()


def test_a_group_is_averaged_over_the_runs_that_have_a_score():
    gold = list("AB" * 20)
    runs = {"t1": list("AB" * 20), "t2": list("AC" * 20), "u1": list("BB" * 20)}
    columns = {"gold": gold, **runs}
    picks = "gold=gold,system=t1,system=t2,system=u1"
    corpus = coleval.load(pl.DataFrame(columns), task="label", columns=picks)
    options = {"metric": "precision:B", "group": "(.)", "replicates": 200, "test": "bootstrap"}
    report = corpus.compare(**options)
    team = report.table("groups").filter(pl.col("group") == "t").row(0, named=True)
    assert (team["n"], team["runs"], team["mean"]) == (1, 2, 1.0)
    assert team["note"] == "precision:B of t2 is undefined: left out"
    pair = report.table("group_pairs").row(0, named=True)
    assert pair["delta"] == pytest.approx(0.5)
    assert pair["low"] is not None
    assert pair["p"] < 0.05
    assert any("t2 is undefined" in w for w in report.warnings)


def test_a_group_without_any_score_is_null_and_says_so():
    columns = {
        "gold": list("AB" * 5),
        "t1": list("AC" * 5),
        "t2": list("AC" * 5),
        "u1": list("AB" * 5),
    }
    picks = "gold=gold,system=t1,system=t2,system=u1"
    corpus = coleval.load(pl.DataFrame(columns), task="label", columns=picks)
    report = corpus.compare(metric="precision:B", group="(.)", replicates=100)
    team = report.table("groups").filter(pl.col("group") == "t").row(0, named=True)
    assert (team["n"], team["runs"], team["mean"]) == (0, 2, None)
    assert report.table("group_pairs")["p"].to_list() == [None]


def test_a_bucket_that_one_document_fills_has_no_interval():
    """One unit can be drawn in one way only: a low and a high end would claim to be certain."""
    gold = ["A"] * 4 + ["B"] * 36
    answers = [label if k % 3 else "C" for k, label in enumerate(gold)]
    document = [f"d{k // 4}" for k in range(40)]
    frame = pl.DataFrame({"document": document, "gold": gold, "s0": answers})
    corpus = coleval.load(frame, task="label", columns="document=document,gold=gold,system=s0")
    options = {"attributes": "label", "replicates": 50, "unit_of_resampling": "document"}
    table = corpus.buckets(intervals=True, **options).table("buckets")
    low = next(name for name in table.columns if name.endswith("_low"))
    rows = {row["bucket"]: row for row in table.iter_rows(named=True)}
    assert rows["A"][low] is None
    assert rows["B"][low] is not None
