"""Item scores of other programs: means by hand, exchanges in plain loops and as scipy has them."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.errors import DataError, UsageError
from coleval.statistics.draws import keys_of_numbers
from coleval.statistics.item_means import exchanged_p


def load(separator="", gold=None, **scores):
    n = len(next(iter(scores.values())))
    frame = pl.DataFrame({"id": [f"i{k}" for k in range(n)], "gold": gold or ["x"] * n,
                          "s": ["x"] * n, **scores})  # fmt: skip
    columns = "id=id,gold=gold,system=s"
    return coleval.load(frame, task="label", columns=columns, separator=separator)


def pair(corpus, names="A,B", **more):
    return corpus.measure(means=names, **more).table("mean_pairs").row(0, named=True)


def test_three_items_by_hand():
    """A has 3 5 2 and B 1 4 3: 10/3 and 8/3, differences 2 1 -1.

    Of the eight signs of 2, 1 and 1, six sums are at least 2 away from 0: p = 6/8.
    """
    report = load(A=[3, 5, 2], B=[1, 4, 3]).measure(means=["B", "A"])
    table = report.table("means")
    assert table["column"].to_list() == ["A", "B"]
    assert table["mean"].to_list() == pytest.approx([10 / 3, 8 / 3])
    assert table["sd"][0] == pytest.approx((7 / 3) ** 0.5)
    found = report.table("mean_pairs").row(0, named=True)
    assert (found["a"], found["b"], found["items"]) == ("A", "B", 3)
    assert found["delta"] == pytest.approx(2 / 3)
    assert (found["p"], found["p_from"]) == (0.75, "exact")
    assert (found["a_better"], found["b_better"]) == (2, 1)


NUMBERS = st.lists(st.one_of(st.none(), st.integers(-6, 6)), min_size=1, max_size=8)


@given(NUMBERS, st.data())
def test_everything_is_as_in_plain_loops(a, data):
    b = data.draw(st.lists(st.one_of(st.none(), st.integers(-6, 6)),
                           min_size=len(a), max_size=len(a)))  # fmt: skip
    report = load(A=pl.Series(a, dtype=pl.Int64), B=pl.Series(b, dtype=pl.Int64)).measure(
        means=["A", "B"]
    )
    for row in report.table("means").to_dicts():
        known = [x for x in (a if row["column"] == "A" else b) if x is not None]
        assert (row["items"], row["lacking"]) == (len(known), len(a) - len(known))
        assert row["mean"] == (pytest.approx(sum(known) / len(known)) if known else None)
    found = report.table("mean_pairs").row(0, named=True)
    first, second = (a, b) if found["a"] == "A" else (b, a)
    apart = [x - y for x, y in zip(first, second, strict=True) if None not in (x, y)]
    sums = [sum(s * d for s, d in zip(signs, apart, strict=True))
            for signs in product((1, -1), repeat=len(apart))]  # fmt: skip
    far = sum(abs(x) >= abs(sum(apart)) for x in sums)
    assert found["p"] == (pytest.approx(far / len(sums)) if apart else None)


def test_intervals_are_those_of_scipy():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(1)
    a, b = rng.normal(30, 9, 25), rng.normal(28, 9, 25)
    found = pair(load(A=a, B=b))
    low, high = stats.ttest_rel(a, b).confidence_interval()
    assert (found["low"], found["high"]) == pytest.approx((low, high))


def test_p_of_many_items_is_drawn_and_near_scipy_s_permutations():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(2)
    a, b = rng.normal(30, 9, 60), rng.normal(27, 9, 60)
    found = pair(load(A=a, B=b))
    assert found["p_from"] == "replicates"
    expected = stats.permutation_test(
        (a - b,), lambda x, axis: x.mean(axis=axis), permutation_type="samples", vectorized=True,
        n_resamples=9_999, rng=np.random.default_rng(3),
    )  # fmt: skip
    assert found["p"] == pytest.approx(expected.pvalue, abs=0.02)


def test_of_equal_systems_one_test_in_twenty_is_significant():
    rng = np.random.default_rng(4)
    keys = keys_of_numbers(np.arange(30))
    p = [exchanged_p(rng.exponential(size=30) - rng.exponential(size=30), keys, 0)[0]
         for _ in range(400)]  # fmt: skip
    assert 0.03 < np.mean(np.array(p) < 0.05) < 0.08


def test_the_order_of_rows_with_ids_changes_no_p():
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({"id": [f"i{k}" for k in range(40)], "gold": ["x"] * 40, "s": ["x"] * 40,
                          "A": rng.normal(size=40), "B": rng.normal(size=40)})  # fmt: skip
    columns = "id=id,gold=gold,system=s"
    one, other = (coleval.load(f, task="label", columns=columns) for f in (frame, frame.reverse()))
    assert pair(one)["p"] == pair(other)["p"]


def test_scores_of_a_part_are_those_of_its_items():
    corpus = load(A=[3.0, 5.0, 2.0], B=[1.0, 4.0, 3.0], domain=["news", "web", "news"])
    found = pair(corpus, where="domain = 'news'")
    assert (found["items"], found["delta"], found["p"]) == (2, 0.5, 1.0)


def test_columns_without_numbers_are_null_with_a_reason():
    report = load(A=[None, 1.5], B=pl.Series([None, None], dtype=pl.Float64)).measure(means="A,B")
    assert report.table("means")["note"].to_list() == [
        "one item has no spread",
        "the column is empty",
    ]
    found = report.table("mean_pairs").row(0, named=True)
    assert (found["items"], found["p"], found["note"]) == (0, None, "no item has both")


def test_columns_that_are_none_and_scores_of_several_items_are_refused():
    corpus = load(A=["1", "two"], B=[1, 2])
    with pytest.raises(DataError, match="`two` is not a number"):
        corpus.measure(means="A")
    with pytest.raises(UsageError, match="no column"):
        corpus.measure(means="C")
    several = load(separator="|", gold=["x|y", "x"], A=[1, 2])
    with pytest.raises(UsageError, match="several labels"):
        several.measure(means="A")
