"""Randomisation over few units: p over all exchanges, never below 2 in as many as there are."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.analyses.compare.plan import Plan
from coleval.analyses.compare.undecided import affordable, needed
from coleval.statistics.exchanges import all_exchanges, differing_units
from coleval.statistics.measure import Measure, Ratio, observed
from oracle_compare import exchanges, f1, macro_f1


def documents(*, gold, systems, size):
    """Return a corpus of documents of ``size`` words each."""
    frame = {"document": [f"d{k // size}" for k in range(len(gold))], "gold": list(gold)}
    frame |= {name: list(answers) for name, answers in systems.items()}
    picks = ",".join(["document=document", "gold=gold", *(f"system={name}" for name in systems)])
    return coleval.load(pl.DataFrame(frame), task="label", columns=picks)


def by_hand(one, other, score):
    """Return the share of exchanges as far from 0 as what was seen, in plain loops."""
    after = exchanges(one, other, score)
    return sum(abs(d) >= abs(after[0]) - 1e-9 for d in after) / len(after)


def test_five_documents_give_the_exact_p_and_not_one_below_a_sixteenth():
    corpus = documents(gold="XX" * 5, systems={"a": "XX" * 5, "b": "XZ" * 5}, size=2)
    row = corpus.compare().table("pairs").row(0, named=True)
    assert row["p"] == 2 / 2**5
    assert (row["p_from"], row["replicates"]) == ("exact", 32)


def test_replicates_drawn_over_more_units_do_not_go_below_the_exact_minimum():
    """13 documents have 8,192 exchanges: 20,000 replicates cannot make p smaller than 2 of them."""
    corpus = documents(gold="XX" * 13, systems={"a": "XX" * 13, "b": "ZZ" * 13}, size=2)
    row = corpus.compare(test="randomisation", replicates=20_000).table("pairs").row(0, named=True)
    assert row["p"] >= 2 / 2**13
    assert row["p_from"] == "replicates"


def test_ten_documents_and_eight_systems_have_no_significant_pair_that_exchanges_deny():
    rng = np.random.default_rng(3)
    gold = ["X"] * 80
    systems = {f"s{k}": np.where(rng.random(80) < 0.95 - k / 10, "X", "Z") for k in range(8)}
    pairs = documents(gold=gold, systems=systems, size=8).compare().table("pairs")
    assert pairs["p"].min() >= 2 / 2**10
    assert set(pairs["p_from"]) == {"exact"}


def test_two_systems_that_differ_nowhere_are_exactly_equal():
    corpus = documents(gold="XY" * 20, systems={"a": "XZ" * 20, "b": "XZ" * 20}, size=4)
    row = corpus.compare(test="randomisation").table("pairs").row(0, named=True)
    assert (row["p"], row["p_from"], row["note"]) == (1.0, "exact", "equal in every document")


COUNTS = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)).map(
    lambda t: (t[0], t[0] + t[1], t[0] + t[2])
)


@given(st.lists(st.tuples(COUNTS, COUNTS), min_size=1, max_size=7))
def test_p_of_f1_is_that_of_plain_loops_over_all_exchanges(units):
    one = [(tp, answered, expected) for (tp, answered, expected), _ in units]
    other = [(min(tp, expected), answered, expected)
             for (_, _, expected), (tp, answered, _) in units]  # fmt: skip
    if None in (f1(one), f1(other)):
        return
    above = np.array([[2 * u[0] for u in s] for s in (one, other)])
    below = np.array([[u[1] + u[2] for u in s] for s in (one, other)])
    measure = Measure("f1", [lambda: Ratio(above, below)], zero_division=0.0)
    pairs, value = np.array([[0, 1]]), observed(measure)
    p = all_exchanges(measure, pairs, value[:1] - value[1:], differing_units(measure, pairs))
    assert p[0] == pytest.approx(by_hand(one, other, lambda units: f1(units) or 0.0))


@given(st.integers(0, 10_000), st.integers(2, 8))
def test_p_of_macro_f1_is_that_of_plain_loops_over_all_exchanges(seed, units):
    rng = np.random.default_rng(seed)
    gold, one, other = (rng.choice(list("AB"), 3 * units) for _ in range(3))
    corpus = documents(gold=gold, systems={"a": one, "b": other}, size=3)
    row = corpus.compare(metric="macro_f1", test="randomisation").table("pairs").row(0, named=True)
    answers = {"a": one, "b": other}
    a, b = ([_labels(gold, answers[row[side]], 3 * k) for k in range(units)] for side in "ab")
    assert row["p"] == pytest.approx(by_hand(a, b, macro_f1))


def _labels(gold, answers, low):
    own, said = gold[low : low + 3], answers[low : low + 3]
    return {x: tuple(int(there.sum()) for there in ((own == x) & (said == x), said == x, own == x))
            for x in "AB"}  # fmt: skip


def test_pairs_of_one_comparison_are_exact_or_drawn_each_by_the_units_in_which_they_differ():
    gold = "X" * 30
    systems = {"a": "X" * 30, "b": "Z" * 3 + "X" * 27, "c": "X" * 10 + "Z" * 20}
    corpus = documents(gold=gold, systems=systems, size=1)
    rows = {frozenset((r["a"], r["b"])): r
            for r in corpus.compare(test="randomisation").table("pairs").to_dicts()}  # fmt: skip
    assert rows[frozenset("ab")]["p"] == 2 / 2**3
    assert rows[frozenset("ab")]["p_from"] == "exact"
    assert rows[frozenset("ac")]["p_from"] == "replicates"
    assert rows[frozenset("bc")]["p_from"] == "replicates"


def test_units_that_differ_are_found_in_every_block_of_many(monkeypatch):
    monkeypatch.setattr("coleval.statistics.exchanges._UNITS", 4)
    right = np.ones((2, 30), np.int64)
    right[1, 2::4] = 0
    measure = Measure("accuracy", [lambda: Ratio(right, np.ones((1, 30), np.int64))])
    found = differing_units(measure, np.array([[0, 1]]))
    assert found.n.tolist() == [7]
    assert found.places[0, :7].tolist() == [2, 6, 10, 14, 18, 22, 26]


def test_more_replicates_cost_no_more_than_twice_the_first_ones_where_these_take_long():
    """A report of 24 systems and 4,000 documents has no time for 4.6 times as many."""
    rng = np.random.default_rng(0)
    right = rng.integers(0, 20, (24, 4000))
    measure = Measure("accuracy", [lambda: Ratio(right, np.full((24, 4000), 20))])
    plan = Plan("accuracy", "bootstrap", replicates=12_000, extended=True)
    how = SimpleNamespace(
        plan=plan, measure=measure, systems=range(24), resampling=SimpleNamespace(key=range(4000))
    )
    pairs = np.array([(a, b) for a in range(24) for b in range(a + 1, 24)])
    assert affordable(how, pairs, np.arange(276)) <= 24_000
    few = SimpleNamespace(
        plan=plan, measure=measure, systems=range(24), resampling=SimpleNamespace(key=range(400))
    )
    assert affordable(few, pairs, np.arange(276)) == needed(276, 0.05) // 1000 * 1000
