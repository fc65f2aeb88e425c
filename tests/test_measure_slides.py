"""Kendall's tau, p values, V-measure and ranked lists: by hand, in plain loops, by others."""

from __future__ import annotations

from math import log2

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
import oracle_ranking as oracle
from coleval.statistics.classic import clustered, correlated, correlation_tests
from coleval.statistics.retrieval import average_precision, ndcg, ranked_lists, reciprocal_rank

SMALL = st.integers(0, 3)


def load(columns, *systems):
    picks = ",".join(["gold=gold", *(f"system={name}" for name in systems)])
    return coleval.load(pl.DataFrame(columns), task="label", columns=picks)


def both(x, y):
    x, y = np.array(x, float), np.array(y, float)
    found = correlated(x, y)
    return found, correlation_tests(x, y, found)


def spearman(x, y):
    return correlated(np.array(x, float), np.array(y, float)).spearman


# -------------------------------------------------------------------------- Kendall and p values


def test_tau_of_four_rows_by_hand():
    """1 2 3 4 against 1 3 2 4: of six pairs five are in order, one is not: (5 - 1) / 6.

    Of the 24 orders, 1 has no pair out of order and 3 have one; as many are as far on the other
    side: p = 8/24.
    """
    found, more = both([1, 2, 3, 4], [1, 3, 2, 4])
    assert more.kendall == pytest.approx(4 / 6)
    assert more.kendall_p == pytest.approx(8 / 24)
    assert found.spearman == pytest.approx(0.8)
    assert more.spearman_p == pytest.approx(8 / 24)


@given(st.lists(st.tuples(SMALL, SMALL), min_size=3, max_size=6))
def test_tau_and_p_of_few_rows_are_as_in_plain_loops(rows):
    x, y = zip(*rows, strict=True)
    found, more = both(x, y)
    assert more.kendall == (None if found.pearson is None else pytest.approx(oracle.kendall(x, y)))
    if found.pearson is None:
        assert (more.pearson_p, more.spearman_p, more.kendall_p) == (None, None, None)
        return
    assert more.kendall_p == pytest.approx(oracle.share_as_far(x, y, oracle.kendall))
    rho = oracle.share_as_far(x, y, spearman)
    assert more.spearman_p == pytest.approx(rho)


@given(st.integers(8, 50), st.integers(2, 60), st.integers(0, 10**6), st.booleans())
def test_tau_and_p_of_many_rows_are_those_of_scipy(n, values, seed, untied):
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(seed)
    x = rng.permutation(n) if untied else rng.integers(0, values, n)
    y = rng.permutation(n) if untied else rng.integers(0, values, n)
    found, more = both(x, y)
    if found.pearson is None:
        return
    assert more.kendall == pytest.approx(oracle.kendall(x.tolist(), y.tolist()), abs=1e-12)
    assert more.kendall_p == pytest.approx(stats.kendalltau(x, y)[1], abs=1e-9)
    assert more.pearson_p == pytest.approx(stats.pearsonr(x, y)[1], abs=1e-9)
    assert more.spearman_p == pytest.approx(stats.spearmanr(x, y)[1], abs=1e-9)


def test_two_rows_have_a_tau_but_no_p_and_no_p_of_ranks_is_0():
    assert both([1, 2], [3, 4])[1].kendall == 1
    assert both([1, 2], [3, 4])[1].kendall_p is None
    ten = both(range(10), range(10))[1]
    assert ten.kendall_p == pytest.approx(2 / 3628800)
    assert ten.spearman_p == pytest.approx(2 / 3628800)


def test_the_table_of_correlations_has_tau_and_p_at_its_end():
    frame = {"gold": list("ABABA"), "s": list("ABBBA"), "t": list("AAABB"),
             "length": [1, 2, 30, 4, 5]}  # fmt: skip
    table = load(frame, "s", "t").measure(correlate=[("s", "length")]).table("correlation")
    assert table.columns[-4:] == ["kendall", "pearson_p", "spearman_p", "kendall_p"]
    row = table.row(0, named=True)
    right = [1, 1, 0, 1, 1]
    assert row["kendall"] == pytest.approx(oracle.kendall(right, frame["length"]))
    assert row["kendall_p"] == pytest.approx(
        oracle.share_as_far(right, frame["length"], oracle.kendall)
    )


# ------------------------------------------------------------------------------ NMI and V-measure


def test_the_seventeen_points_of_the_book_have_nmi_036():
    """Manning, Raghavan & Schütze (2008), figure 16.4 and table 16.2."""
    found = clustered(np.array([[5, 1, 0], [1, 4, 1], [2, 0, 3]]))
    assert round(found.nmi, 2) == 0.36
    assert found.nmi == pytest.approx(found.v_measure)


def test_single_items_are_homogeneous_and_one_cluster_is_complete():
    single = clustered(np.array([[1, 0], [1, 0], [0, 1], [0, 1]]))
    assert (single.homogeneity, single.completeness) == (1, pytest.approx(0.5))
    assert single.v_measure == pytest.approx(2 / 3)
    whole = clustered(np.array([[2, 2]]))
    assert (whole.homogeneity, whole.completeness, whole.v_measure, whole.nmi) == (0, 1, 0, 0)
    alike = clustered(np.array([[4]]))
    assert (alike.v_measure, alike.nmi) == (1, None)
    assert clustered(np.zeros((0, 0), np.int64)).homogeneity is None


@given(st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("xyz")), min_size=1, max_size=30))
def test_v_measure_is_that_of_scikit_learn_in_the_table(rows):
    metrics = pytest.importorskip("sklearn.metrics")
    gold, clusters = (list(column) for column in zip(*rows, strict=True))
    table = load({"gold": gold, "s": clusters, "t": gold}, "s", "t").measure().table("purity")
    row = table.row(by_predicate=pl.col("system") == "s", named=True)
    theirs = metrics.homogeneity_completeness_v_measure(gold, clusters)
    ours = [row[name] for name in ("homogeneity", "completeness", "v_measure")]
    assert ours == pytest.approx(theirs, abs=1e-9)
    if row["nmi"] is not None:
        their_nmi = metrics.normalized_mutual_info_score(gold, clusters)
        assert row["nmi"] == pytest.approx(their_nmi, abs=1e-9)


# ---------------------------------------------------------------------------------- ranked lists


def test_two_queries_by_hand():
    """Relevant at ranks 1 and 3 of one query, at rank 2 of the other.

    AP = (1/1 + 2/3) / 2 and 1/2; RR = 1 and 1/2; DCG = 1 + 1/2 of at best 1 + 1/log2(3), and
    1/log2(3) of 1. A third query has nothing relevant and is in no mean.
    """
    frame = {"gold": list("ynynnynnn"), "score": [9, 8, 7, 6, 3, 2, 1, 5, 4],
             "q": list("aaaabbbcc"), "s": list("yyyyyyyyy"), "t": list("nnnnnnnnn")}  # fmt: skip
    report = load(frame, "s", "t").measure(rank="score", relevant="y", query="q", at=(1, 2))
    row = report.table("ranked_lists").row(0, named=True)
    assert (row["queries"], row["items"], row["relevant"]) == (2, 7, 3)
    assert row["map"] == pytest.approx((5 / 6 + 1 / 2) / 2)
    assert row["mrr"] == pytest.approx(3 / 4)
    assert row["ndcg"] == pytest.approx((1.5 / (1 + 1 / log2(3)) + 1 / log2(3)) / 2)
    at = report.table("ranking")["ndcg"].to_list()
    assert at == pytest.approx([1 / 2, (1 / (1 + 1 / log2(3)) + 1 / log2(3)) / 2])


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=6),
       st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=6),
       st.integers(1, 7))  # fmt: skip
def test_equal_scores_share_their_ranks_as_in_plain_loops_over_all_orders(one, two, k):
    query = np.array([7] * len(one) + [3] * len(two))
    score, hit = (np.array(column) for column in zip(*one, *two, strict=True))
    lists = ranked_lists(query, score.astype(float), hit)
    there = [rows for rows in (two, one) if any(relevant for _, relevant in rows)]
    for ours, theirs in (
        (average_precision(lists), oracle.average_precision),
        (reciprocal_rank(lists), oracle.reciprocal_rank),
        (ndcg(lists), lambda hits: oracle.ndcg(hits, None)),
        (ndcg(lists, k), lambda hits: oracle.ndcg(hits, k)),
    ):
        expected = [oracle.mean_over_orders(rows, theirs) for rows in there]
        assert ours.tolist() == pytest.approx(expected)


@given(st.integers(2, 60), st.integers(1, 70), st.integers(0, 10**6))
def test_ndcg_is_that_of_scikit_learn_with_equal_scores_too(n, k, seed):
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(seed)
    score, hit = rng.integers(0, 9, n).astype(float), rng.random(n) < 0.4
    hit[0] = True
    ours = ndcg(ranked_lists(np.zeros(n, int), score, hit), k)[0]
    assert ours == pytest.approx(metrics.ndcg_score([hit.astype(int)], [score], k=k))


RETURNED = st.none() | st.integers(0, 2)


@given(st.lists(st.tuples(st.sampled_from("ab"), RETURNED, st.booleans()), min_size=2, max_size=12),
       st.integers(1, 4), st.booleans(), st.booleans())  # fmt: skip
def test_ranked_lists_are_those_of_trec_eval_in_plain_loops(rows, k, last, zero):
    """Its own test (qrels.test, results.test) has MAP .1785, nDCG .4021, and so has measure."""
    # Names are texts: d9 is higher than d10.
    rows = [(query, f"d{at}", score, hit) for at, (query, score, hit) in enumerate(rows)]
    query, name, score, hit = zip(*rows, ("c", "x", 1, True), strict=True)
    frame = {"id": name, "gold": ["y" if one else "n" for one in hit], "q": query, "score": score,
             "s": ["y"] * len(name)}  # fmt: skip
    corpus = load_with_ids(frame)
    report = corpus.measure(
        rank="score", relevant="y", query="q", at=(k,),
        unreturned="last" if last else "leave-out", empty_queries="zero" if zero else "leave-out",
    )  # fmt: skip
    whole, at = (report.table(name).row(0, named=True) for name in ("ranked_lists", "ranking"))
    every = [*rows, ("c", "x", 1, True)]
    n, *expected = oracle.as_trec_eval(every, k, last=last, zero=zero)
    assert whole["queries"] == at["queries"] == n
    ours = (whole["map"], whole["mrr"], whole["ndcg"], at["precision"], at["recall"])
    assert ours == pytest.approx(expected)


def load_with_ids(frame):
    return coleval.load(pl.DataFrame(frame, schema_overrides={"score": pl.Float64}), task="label",
                        columns="id=id,gold=gold,system=s")  # fmt: skip


def test_equal_scores_are_ordered_by_id_by_a_column_or_not_at_all():
    frame = {"id": list("abc"), "gold": list("ynn"), "score": [1, 1, 1], "turn": [3, 2, 1],
             "s": list("ynn")}  # fmt: skip
    corpus = load_with_ids(frame)
    mrr = {
        ties: corpus.measure(rank="score", relevant="y", ties=ties)["ranked_lists"]["mrr"][0]
        for ties in ("", "turn", "mean")
    }
    assert mrr == {"": pytest.approx(1 / 3), "turn": 1.0, "mean": pytest.approx(11 / 18)}
    with pytest.raises(coleval.ColevalError, match="column"):
        corpus.measure(rank="score", relevant="y", ties="turns")


def test_columns_to_rank_by_may_be_patterns():
    frame = {"gold": list("ynn"), "score_a": [3, 2, 1], "score_b": [1, 2, 3], "s": list("ynn")}
    found = coleval.load(pl.DataFrame(frame), task="label", columns="gold=gold,system=s").measure(
        rank="score_*,score_a", relevant="y"
    )["ranked_lists"]
    assert found.select("column", "mrr").rows() == [
        ("score_a", 1.0),
        ("score_b", pytest.approx(1 / 3)),
    ]


def test_lists_without_a_relevant_or_a_returned_item_are_undefined():
    frame = {"gold": list("ynn"), "score": [None, 1, 1], "s": list("ynn"), "t": list("ynn")}
    corpus = load(frame, "s", "t")
    why = "no query has a relevant item and a returned one"
    for where in ("gold = 'n'", "score is null"):
        none = corpus.measure(rank="score", relevant="y", where=where)["ranked_lists"]
        assert none.row(0)[-4:] == (None, None, None, why)
    # Relevant, and not returned: it divides, and is not ranked.
    assert corpus.measure(rank="score", relevant="y")["ranked_lists"].row(0)[1:6] == (
        1,
        2,
        1,
        0,
        0.0,
    )
