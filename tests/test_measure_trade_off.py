"""Precision against recall over a score: by hand, in plain loops, by scikit-learn."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
import oracle_ranking as oracle
from coleval.errors import DataError, UsageError
from coleval.statistics.retrieval import (
    average_precision_of,
    break_even,
    interpolated,
    roc_auc,
    thresholds,
)

ROWS = st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=30)


def load(gold, **columns):
    frame = {"gold": list(gold), "s": list(gold), "t": list(gold), **columns}
    return coleval.load(pl.DataFrame(frame), task="label", columns="gold=gold,system=s,system=t")


def curve_in_loops(rows):
    """Return (threshold, selected, hits) of each score that occurs, the highest first."""
    every = sorted({score for score, _ in rows}, reverse=True)
    chosen = [[hit for score, hit in rows if score >= at] for at in every]
    return [(at, len(hits), sum(hits)) for at, hits in zip(every, chosen, strict=True)]


def arrays(rows):
    return np.array([s for s, _ in rows], float), np.array([h for _, h in rows], bool)


def test_five_items_by_hand():
    """Scores 9 8 7 6 5, relevant y n y n y.

    Precision where recall grows: 1/1, 2/3, 3/5, their mean 0.756. After three items two of three
    are found: break-even 2/3. Of the six pairs of a relevant and another item three are in order
    (9 over 8 and 6, 7 over 6): ROC AUC 1/2.
    """
    report = load("ynyny", score=[9, 8, 7, 6, 5]).measure(scores="score", relevant="y")
    row = report.table("scores").row(0, named=True)
    assert row["average_precision"] == pytest.approx((1 + 2 / 3 + 3 / 5) / 3)
    assert row["break_even"] == pytest.approx(2 / 3)
    assert row["roc_auc"] == pytest.approx(1 / 2)
    levels = report.table("pr_levels")["precision"].to_list()
    assert levels == pytest.approx([1] * 4 + [2 / 3] * 3 + [3 / 5] * 4)
    points = report.table("pr_curve").select("threshold", "selected", "tp", "fp").rows()
    assert points == [(9, 1, 1, 0), (8, 2, 1, 1), (7, 3, 2, 1), (6, 4, 2, 2), (5, 5, 3, 2)]
    assert report.table("pr_curve")["fpr"].to_list() == [0, 0.5, 0.5, 1, 1]


@given(ROWS)
def test_everything_is_as_in_plain_loops(rows):
    score, hit = arrays(rows)
    curve, points = thresholds(score, hit), curve_in_loops(rows)
    assert list(zip(curve.score, curve.selected, curve.hits, strict=True)) == points
    relevant, others = sum(hit), len(rows) - sum(hit)
    if not relevant:
        assert (average_precision_of(curve), break_even(score, hit)) == (None, None)
        return
    before, expected = 0, 0.0
    for _, n, found in points:
        expected += (found - before) / relevant * found / n
        before = found
    assert average_precision_of(curve) == pytest.approx(expected)
    levels = [max(f / n for _, n, f in points if f * 10 >= level * relevant) for level in range(11)]
    assert interpolated(curve).tolist() == pytest.approx(levels)
    pairs = [(a > b) + (a == b) / 2 for a, h in rows if h for b, other in rows if not other]
    assert roc_auc(curve) == (pytest.approx(sum(pairs) / relevant / others) if others else None)


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=6))
def test_break_even_is_precision_and_recall_after_as_many_as_are_relevant(rows):
    score, hit = arrays(rows)
    n = int(hit.sum())
    if n:
        expected = oracle.mean_over_orders(rows, lambda hits: sum(hits[:n]) / n)
        assert break_even(score, hit) == pytest.approx(expected)


@given(ROWS)
def test_average_precision_and_roc_are_those_of_scikit_learn(rows):
    metrics = pytest.importorskip("sklearn.metrics")
    score, hit = arrays(rows)
    if hit.all() or not hit.any():
        return
    curve = thresholds(score, hit)
    assert average_precision_of(curve) == pytest.approx(metrics.average_precision_score(hit, score))
    assert roc_auc(curve) == pytest.approx(metrics.roc_auc_score(hit, score))
    precision, recall, at = metrics.precision_recall_curve(hit, score)
    assert curve.precision()[::-1].tolist() == pytest.approx(precision[:-1].tolist())
    assert curve.recall()[::-1].tolist() == pytest.approx(recall[:-1].tolist())
    assert curve.score[::-1].tolist() == at.tolist()
    false_alarms = metrics.roc_curve(hit, score, drop_intermediate=False)[0]
    assert curve.false_alarms().tolist() == pytest.approx(false_alarms[1:].tolist())


def test_items_without_a_score_are_selected_last_and_counted():
    report = load("yyn", score=[None, 2, 1]).measure(scores="score", relevant="y")
    row = report.table("scores").row(0, named=True)
    assert (row["lacking"], row["average_precision"]) == (1, pytest.approx((1 + 2 / 3) / 2))
    last = report.table("pr_curve").row(-1, named=True)
    assert (last["threshold"], last["selected"], last["recall"]) == (None, 3, 1.0)


def test_what_is_undefined_has_a_reason_and_several_columns_follow_one_another():
    corpus = load("yyn", score=[3, 2, 1], flat=[1, 1, 1])
    every = corpus.measure(scores="score,flat", relevant="y", where="gold = 'y'")
    notes = every.table("scores").select("column", "average_precision", "roc_auc", "note").rows()
    undefined = "all items are relevant: ROC AUC is undefined"
    assert notes == [("score", 1.0, None, undefined), ("flat", 1.0, None, undefined)]
    none = corpus.measure(scores="flat", relevant="y", where="gold = 'n'")
    row = none.table("scores").row(0, named=True)
    assert (row["average_precision"], row["break_even"], row["roc_auc"]) == (None, None, None)
    assert row["note"] == "no item is relevant"
    assert none.table("pr_levels")["precision"].null_count() == 11
    flat = corpus.measure(scores="flat", relevant="y").table("scores").row(0, named=True)
    assert (flat["average_precision"], flat["roc_auc"]) == (pytest.approx(2 / 3), 0.5)


@pytest.mark.parametrize(
    ("options", "kind", "said"),
    [
        ({"scores": "score"}, UsageError, "no label is named as relevant"),
        ({"scores": "score", "relevant": "z"}, UsageError, "z"),
        ({"scores": "scor", "relevant": "y"}, UsageError, "score"),
        ({"scores": "remark", "relevant": "y"}, DataError, "`b` is not a number"),
    ],
)
def test_columns_and_labels_that_are_none_are_refused(options, kind, said):
    with pytest.raises(kind) as error:
        load("yn", score=[1, 2], remark=["b", "c"]).measure(**options)
    assert said in str(error.value)
