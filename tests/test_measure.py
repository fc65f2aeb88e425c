"""The classic measures: the examples of the course, other libraries, what is undefined."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.cli.main import main
from coleval.errors import DataError, UsageError
from coleval.statistics.classic import (
    average_ranks,
    correlated,
    cross_entropy,
    f_beta,
    hits_at,
    purity,
)


def load(columns, *systems):
    picks = ",".join(["gold=gold", *(f"system={name}" for name in systems)])
    return coleval.load(pl.DataFrame(columns), task="label", columns=picks)


def row(report, table, **where):
    frame = report.table(table)
    for name, value in where.items():
        frame = frame.filter(pl.col(name).eq_missing(pl.lit(value)))
    return frame.row(0, named=True)


def no_nan(report):
    for frame in report.tables.values():
        for column in frame.select(pl.col(pl.Float64)):
            assert column.is_nan().sum() in (0, None)


# ------------------------------------------------------------------------ the course's exercises


def retrieval(tp, fp, fn, tn):
    """Return gold and answers of documents, relevant (y) or not (n)."""
    gold = "y" * tp + "n" * fp + "y" * fn + "n" * tn
    return list(gold), list("y" * (tp + fp) + "n" * (fn + tn))


def test_the_retrieval_exercise_comes_out_and_its_solution_table_has_misprints():
    """A hundred documents, 40 of them relevant.

    The slides' solution table misprints System I's recall, which is 30/40 = 0.75, and System II's
    accuracy, 50/100, and precision, 40/90. Of System I the issue states the recall alone.
    """
    gold, second = retrieval(tp=40, fp=50, fn=0, tn=10)
    first = ["y"] * 30 + ["n"] * 70
    report = load({"gold": gold, "I": first, "II": second}, "I", "II").measure()
    of = {name: row(report, "f_beta", system=name, label="y") for name in ("I", "II")}
    assert of["I"]["recall"] == 0.75
    assert (of["II"]["tp"], of["II"]["fp"], of["II"]["fn"], of["II"]["tn"]) == (40, 50, 0, 10)
    assert of["II"]["accuracy"] == 0.5
    assert of["II"]["precision"] == pytest.approx(40 / 90)
    assert of["II"]["recall"] == 1.0
    assert of["II"]["error_rate"] == 0.5


def test_seventeen_points_in_three_clusters_have_purity_071():
    cells = np.array([[5, 1, 0], [1, 4, 1], [2, 0, 3]])
    pure, inverse = purity(cells)
    assert round(pure, 2) == 0.71
    assert inverse == pytest.approx((5 + 4 + 3) / 17)
    clusters, classes = [], []
    for i, line in enumerate(cells):
        for j, n in enumerate(line):
            clusters += [f"cluster {i}"] * n
            classes += ["xod"[j]] * n
    report = load({"gold": classes, "s": clusters, "t": classes}, "s", "t").measure()
    found = row(report, "purity", system="s")
    assert round(found["purity"], 2) == 0.71
    assert (found["items"], found["clusters"], found["classes"]) == (17, 3, 3)


def test_purity_of_single_items_is_one_and_its_inverse_tells():
    assert purity(np.array([[1, 0], [1, 0], [0, 1], [0, 1]])) == (1.0, 0.5)
    assert purity(np.zeros((0, 0), int)) == (None, None)


# ----------------------------------------------------------------------------------- correlation


def test_correlations_by_hand():
    found = correlated(np.array([1.0, 2, 3, 4]), np.array([2.0, 4, 6, 8]))
    assert (found.pearson, found.spearman) == (pytest.approx(1), pytest.approx(1))
    found = correlated(np.array([1.0, 2, 3, 4]), np.array([1.0, 4, 9, 1000]))
    assert found.spearman == pytest.approx(1)
    assert found.pearson < 0.9
    assert average_ranks(np.array([10.0, 20, 20, 5])).tolist() == [2, 3.5, 3.5, 1]


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=30))
def test_correlations_are_those_of_scipy(rows):
    stats = pytest.importorskip("scipy.stats")
    x, y = (np.array(column, float) for column in zip(*rows, strict=True))
    found = correlated(x, y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert found.pearson is None
        assert found.spearman is None
        assert "constant" in found.note
        return
    assert found.pearson == pytest.approx(stats.pearsonr(x, y)[0], abs=1e-9)
    assert found.spearman == pytest.approx(stats.spearmanr(x, y)[0], abs=1e-9)


def test_a_constant_that_floats_blur_is_one_and_places_without_a_value_are_left_out():
    assert correlated(np.array([0.1 + 0.2, 0.3, 0.3]), np.array([1.0, 2, 3])).pearson is None
    found = correlated(np.array([1.0, np.nan, 2, 4]), np.array([1.0, 5, 2, 4]))
    assert (found.n, found.pearson) == (3, pytest.approx(1))


def test_systems_and_columns_are_correlated():
    frame = {"gold": list("ABAB"), "s": list("ABBB"), "t": list("AAAB"), "length": [1, 2, 30, 4]}
    report = load(frame, "s", "t").measure(correlate=[("s", "length"), ("s", "t")])
    first = row(report, "correlation", y="length")
    right = np.array([1, 1, 0, 1.0])
    assert first["pearson"] == pytest.approx(np.corrcoef(right, frame["length"])[0, 1])
    second = row(report, "correlation", y="t")
    assert second["pearson"] == pytest.approx(np.corrcoef(right, [1, 0, 1, 1])[0, 1])
    assert second["of"] == "instance"


def test_a_column_that_is_no_number_is_refused():
    corpus = load({"gold": list("AB"), "s": list("AB"), "t": list("AA"), "n": ["1", "x"]}, "s", "t")
    with pytest.raises(DataError, match="`x` is not a number"):
        corpus.measure(correlate=("s", "n"))
    with pytest.raises(UsageError, match="no column"):
        corpus.measure(correlate=("s", "nn"))


# ------------------------------------------------------------------------- perplexity and ranking


def test_perplexity_of_even_chances_is_their_number():
    corpus = load({"gold": list("ABAB"), "s": list("ABBB"), "t": list("AAAB"), "p": [0.25] * 4,
                   "e": [float(np.log(0.25))] * 4, "zero": [0.5, 0, 1, 1],
                   "gap": ["0.5", None, "0.5", "0.5"]}, "s", "t")  # fmt: skip
    assert row(corpus.measure(perplexity="p"), "perplexity")["perplexity"] == pytest.approx(4)
    by_log = row(corpus.measure(perplexity="e", log_base="e"), "perplexity")
    assert (by_log["perplexity"], by_log["cross_entropy"]) == (pytest.approx(4), pytest.approx(2))
    zero = row(corpus.measure(perplexity="zero"), "perplexity")
    assert (zero["perplexity"], zero["note"]) == (None, "a probability is 0")
    gap = row(corpus.measure(perplexity="gap"), "perplexity")
    assert (gap["items"], gap["lacking"], gap["perplexity"]) == (3, 1, pytest.approx(2))
    with pytest.raises(UsageError, match='log_base="e"'):
        corpus.measure(perplexity="e")
    assert cross_entropy(np.zeros(0)) is None


def test_precision_and_recall_at_k():
    frame = {"gold": list("ynynnnyn"), "s": list("yyyyyyyy"), "t": list("nnnnnnnn"),
             "score": [9, 8, 7, 6, 5, 4, 3, 2], "flat": [1] * 8, "q": list("aaaabbbb")}  # fmt: skip
    corpus = load(frame, "s", "t")
    report = corpus.measure(rank="score,flat", relevant="y", at="1,3,20")
    at = {(r["column"], r["k"]): r for r in report.table("ranking").iter_rows(named=True)}
    assert (at["score", 1]["precision"], at["score", 1]["recall"]) == (1.0, pytest.approx(1 / 3))
    assert (at["score", 3]["precision"], at["score", 3]["recall"]) == tuple(
        map(pytest.approx, (2 / 3, 2 / 3))
    )
    assert at["score", 20]["precision"] == pytest.approx(3 / 20)
    assert at["flat", 3]["precision"] == pytest.approx(3 / 8)
    by_query = corpus.measure(rank="score", relevant="y", at="1", query="q").table("ranking")
    assert by_query["queries"][0] == 2
    assert by_query["precision"][0] == pytest.approx(1 / 2)


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=12),
       st.integers(1, 14), st.randoms())  # fmt: skip
def test_equal_scores_are_in_no_order(rows, k, random):
    mixed = list(rows)
    random.shuffle(mixed)
    one, other = (hits_at(np.array([s for s, _ in r], float), np.array([x for _, x in r]), k)
                  for r in (rows, mixed))  # fmt: skip
    assert one == pytest.approx(other)
    assert one <= min(k, sum(x for _, x in rows)) + 1e-9


# ------------------------------------------------------------------------------- F-beta and RSA


def test_f_beta_is_that_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    gold, system = list("yynnyynn"), list("ynnyyynn")
    corpus = load({"gold": gold, "s": system, "t": gold}, "s", "t")
    for beta in (0.5, 1.0, 2.0):
        found = row(corpus.measure(beta=beta), "f_beta", system="s", label="y")
        theirs = metrics.fbeta_score(gold, system, beta=beta, pos_label="y")
        assert found["f"] == pytest.approx(theirs)
    assert f_beta(0, 0, 0, 1) is None


def test_rsa_is_the_correlation_of_what_two_tell_apart():
    gold, s = list("AABB"), list("ABBB")
    report = load({"gold": gold, "s": s, "t": list("AAAA")}, "s", "t").measure()
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    a, b = ([float(x[i] != x[j]) for i, j in pairs] for x in (gold, s))
    found = row(report, "rsa", a="gold", b="s")
    assert found["pearson"] == pytest.approx(np.corrcoef(a, b)[0, 1])
    constant = row(report, "rsa", a="gold", b="t")
    assert (constant["pearson"], constant["note"]) == (None, "one of the two is constant")


def test_rsa_draws_pairs_by_the_seed_and_finds_nearly_what_all_pairs_say():
    rng = np.random.default_rng(0)
    gold = rng.choice(list("ABC"), 300)
    s = np.where(rng.random(300) < 0.6, gold, rng.choice(list("ABC"), 300))
    corpus = load({"gold": gold, "s": s, "t": gold}, "s", "t")
    values = [row(corpus.measure(sample=n, seed=k), "rsa", a="gold", b="s")["pearson"]
              for n, k in ((20_000, 0), (20_000, 0), (20_000, 1), (10**6, 0))]  # fmt: skip
    assert values[0] == values[1] != values[2]
    assert values[0] == pytest.approx(values[3], abs=0.03)


def test_degenerate_corpora_are_null_and_do_not_crash(write):
    for gold, a in (("O\n", "O\n"), ("O\n", "B-A\n"), ("B-A\n", "O\n")):
        paths = [write(n, f"w {t}") for n, t in (("gold", gold), ("a", a), ("b", a))]
        corpus = coleval.load(paths[0], {"a": paths[1], "b": paths[2]}, task="span")
        no_nan(corpus.measure())
        no_nan(corpus.agree())


def test_options_that_mean_nothing_are_refused():
    corpus = load({"gold": list("AB"), "s": list("AB"), "t": list("AA"), "p": [1, 1]}, "s", "t")
    for given_, said in (({"beta": 0.0}, "beta"), ({"log_base": "3"}, "e, 2 or 10"),
                         ({"rank": "p"}, "relevant="), ({"rank": "p", "relevant": "C"}, "A"),
                         ({"rank": "p", "relevant": "A", "at": "0"}, 'at="1,5,10"'),
                         ({"rank": "p", "relevant": "A", "query": "zz"}, "column")):  # fmt: skip
        with pytest.raises(UsageError) as error:
            corpus.measure(**given_)
        assert said in str(error.value)


def test_measures_of_columns_need_neither_gold_nor_a_system(write, capsys):
    """x and y: 5 of 6 pairs of rows are in the same order."""
    path = str(write("xy.csv", "x,y\n1,1\n2,3\n3,2\n4,4\n"))
    assert main(["measure", path, "--correlate", "x", "y", "--as", "csv"]) == 0
    out, err = capsys.readouterr()
    (found,) = csv.DictReader(io.StringIO(out))
    assert (found["n"], float(found["spearman"])) == ("4", pytest.approx(0.8))
    assert "xy.csv is read without gold and systems" in err
    path = str(write("prob.csv", "prob\n0.5\n0.125\n"))
    assert main(["measure", path, "--perplexity", "prob", "--as", "json"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    assert tables.keys() == {"perplexity"}
    assert tables["perplexity"][0]["perplexity"] == 4
    assert main(["measure", path]) == 2
    assert "it is not clear which column is gold" in capsys.readouterr().err
