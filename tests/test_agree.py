"""Agreement: the table of the slides, plain loops, other libraries, what is undefined."""

from __future__ import annotations

import io

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
import oracle_compare as oracle
from coleval.errors import UsageError
from coleval.render import show
from coleval.statistics.agreement import cohen, krippendorff


def load(gold, **systems):
    picks = ",".join(["gold=gold", *(f"system={name}" for name in systems)])
    columns = {"gold": list(gold), **{name: list(text) for name, text in systems.items()}}
    return coleval.load(pl.DataFrame(columns), task="label", columns=picks)


def row(report, a, b):
    frame = report.table("pairs")
    return frame.filter((pl.col("a") == a) & (pl.col("b") == b)).row(0, named=True)


def from_cells(cells):
    """Return two texts of letters with these counts: rows are the first, columns the second."""
    one, two = [], []
    for i, line in enumerate(cells):
        for j, n in enumerate(line):
            one += "ABC"[i] * n
            two += "ABC"[j] * n
    return "".join(one), "".join(two)


SLIDES = [[300, 20], [10, 70]]


def test_the_slides_table_has_kappa_776_with_pooled_chance():
    gold, system = from_cells(SLIDES)
    found = row(load(gold, s=system, t=gold).agree(chance="pooled"), "gold", "s")
    assert round(found["observed"], 3) == 0.925
    assert round(found["expected"], 3) == 0.665
    assert round(found["kappa"], 3) == 0.776


def test_chance_is_cohens_by_default():
    gold, system = from_cells(SLIDES)
    found = row(load(gold, s=system, t=gold).agree(), "gold", "s")
    observed, expected, kappa = oracle.cohen(list(gold), list(system))
    assert found["expected"] == pytest.approx(expected)
    assert found["kappa"] == pytest.approx(kappa)
    assert found["observed"] == pytest.approx(observed)
    assert expected == pytest.approx(0.66375 + 0.00125)


def test_kappa_is_that_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    gold, system = "AABBCCABCABC", "ABBBCAABCACC"
    found = row(load(gold, s=system, t=gold).agree(), "gold", "s")
    assert found["kappa"] == pytest.approx(metrics.cohen_kappa_score(list(gold), list(system)))


def test_fleiss_is_that_of_statsmodels():
    rater = pytest.importorskip("statsmodels.stats.inter_rater")
    texts = {"a": "AABBCCABC", "b": "ABBBCCABA", "c": "AABACCBBC"}
    found = load("AABBCCABC", **texts).agree().table("overall").row(0, named=True)
    table = [[[t[i] for t in texts.values()].count(k) for k in "ABC"] for i in range(9)]
    assert found["fleiss"] == pytest.approx(rater.fleiss_kappa(np.array(table)))


def test_alpha_with_missing_answers_is_that_of_krippendorffs_package():
    package = pytest.importorskip("krippendorff")
    texts = {"a": [None, "A", "B", "C", None, "A"], "b": ["A", "A", "B", "A", None, "B"],
             "c": ["A", None, "B", "C", "C", "A"]}  # fmt: skip
    found = load("AABCCA", **texts).agree().table("overall").row(0, named=True)
    codes = [[np.nan if x is None else "ABC".index(x) for x in t] for t in texts.values()]
    theirs = package.alpha(reliability_data=codes, level_of_measurement="nominal")
    assert found["alpha"] == pytest.approx(theirs)
    assert found["fleiss"] is None
    assert found["note"] == "3 items lack an answer: Fleiss' kappa is undefined"


def test_krippendorffs_own_example_has_alpha_743():
    """Krippendorff (2011), example C: four observers, twelve units, answers missing."""
    rows = [
        [1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
        [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1],
        [None, 3, None, None],
    ]  # fmt: skip
    assert round(oracle.alpha(rows), 3) == 0.743
    m = [sum(x is not None for x in r) for r in rows]
    items = np.bincount(m, minlength=5)
    agreed, answers = np.zeros(5, np.int64), np.zeros((5, 6), np.int64)
    for r, k in zip(rows, m, strict=True):
        there = [x for x in r if x is not None]
        agreed[k] += sum(x == y for i, x in enumerate(there) for y in there[:i])
        for x in there:
            answers[k, x] += 1
    assert krippendorff(items, agreed, answers).kappa == pytest.approx(oracle.alpha(rows))


@given(st.lists(st.tuples(*[st.sampled_from("ABC")] * 4), min_size=2, max_size=30))
def test_everything_is_as_in_plain_loops(rows):
    gold, a, b, c = ("".join(column) for column in zip(*rows, strict=True))
    report = load(gold, a=a, b=b, c=c).agree()
    for found in report.table("pairs").iter_rows(named=True):
        texts = {"gold": gold, "a": a, "b": b, "c": c}
        one, two = texts[found["a"]], texts[found["b"]]
        if len(set(one + two)) == 1:
            assert found["kappa"] is None
            assert "one class" in found["note"]
        else:
            assert found["kappa"] == pytest.approx(oracle.cohen(one, two)[2])
    overall = report.table("overall").row(0, named=True)
    if len(set(a + b + c)) > 1:
        triples = [list(r[1:]) for r in rows]
        assert overall["fleiss"] == pytest.approx(oracle.fleiss(triples))
        assert overall["alpha"] == pytest.approx(oracle.alpha(triples))


def test_spans_that_neither_of_two_proposes_are_no_items_for_them(write):
    def tags(*labels):
        return "".join(f"w {t}\n" for t in labels)

    paths = {
        "gold": write("gold", tags("B-A", "O", "B-B", "O", "O")),
        "a": write("a", tags("B-A", "B-A", "O", "O", "O")),
        "b": write("b", tags("B-A", "O", "B-B", "B-B", "O")),
    }
    corpus = coleval.load(paths["gold"], {n: paths[n] for n in "ab"}, task="span")
    report = corpus.agree()
    assert row(report, "gold", "a")["items"] == 3
    assert row(report, "gold", "b")["items"] == 3
    assert row(report, "a", "b")["items"] == 4
    expected = oracle.cohen(["A", "A", "_", "_"], ["A", "_", "B", "B"])
    assert row(report, "a", "b")["kappa"] == pytest.approx(expected[2])
    tokens = corpus.agree(unit="token")
    assert row(tokens, "gold", "a")["items"] == 5


def test_one_class_nothing_in_common_and_no_answers_are_null_with_a_reason():
    assert np.isnan(cohen(np.array([4]), np.array([[4, 0]]), np.array([[4, 0]]))[2]).all()
    report = load("AAAA", a="AAAA", b="AAAA").agree()
    assert set(report.table("pairs")["note"]) == {
        "there is only one class: agreement beyond chance is undefined"
    }
    assert report.table("overall")["alpha"].null_count() == 2
    lacking = load("AB", a=[None, "A"], b=["A", None]).agree()
    assert row(lacking, "a", "b")["note"] == "no item has answers of both raters"


def test_another_way_of_chance_is_refused():
    with pytest.raises(UsageError, match="pooled"):
        load("AB", a="AB", b="AA").agree(chance="pool")


def picture(systems, width=100):
    rng = np.random.default_rng(0)
    gold = rng.choice(list("ABC"), 60)
    texts = {f"system-number-{k}": np.where(rng.random(60) < 0.5, gold, rng.choice(list("ABC"), 60))
             for k in range(systems)}  # fmt: skip
    stream = io.StringIO()
    show(load(gold, **texts).agree(), stream=stream, width=width, color=False)
    return stream.getvalue()


@pytest.mark.parametrize("systems", [2, 8, 23, 50])
def test_the_matrix_of_any_number_of_raters_fits_a_hundred_columns(systems):
    text = picture(systems)
    assert max(map(len, text.splitlines())) <= 100
    assert "not shown" not in text.split("overall")[0]
    assert sum("system-" in line for line in text.splitlines()) >= systems
