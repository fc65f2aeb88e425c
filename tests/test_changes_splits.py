"""The t-test of ComparEval by type of mention and lemma: beside scipy, by hand, on real data."""

from __future__ import annotations

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

import coleval
import oracle_coref as plain
from coleval.statistics.paired import paired_t
from test_coref_antecedents import dutch
from test_coref_program import WORDS, kind_of, tagged, words
from test_coref_properties import MENTIONS, layers


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_t_and_p_are_those_of_scipy(right):
    before, after = (list(map(int, side)) for side in zip(*right, strict=True))
    gains = sum(a > b for b, a in zip(before, after, strict=True))
    losses = sum(a < b for b, a in zip(before, after, strict=True))
    t, p = paired_t(len(right), gains, losses)
    if len({a - b for b, a in zip(before, after, strict=True)}) == 1:
        assert (t, p) == (None, None)
        return
    expected = ttest_rel(after, before)
    assert t == pytest.approx(expected.statistic, abs=1e-12)
    assert p == pytest.approx(expected.pvalue, rel=1e-9)


def test_one_correction_among_two_mentions_has_p_one_half():
    # Differences 1 and 0: mean 1/2, standard error 1/2, so t = 1 with one degree of freedom.
    assert paired_t(2, 1, 0) == pytest.approx((1.0, 0.5))


def test_what_changes_everywhere_or_nowhere_in_one_way_has_no_variance():
    assert paired_t(5, 5, 0) == paired_t(5, 0, 5) == paired_t(5, 0, 0) == (None, None)


def test_swapping_the_systems_turns_t_and_keeps_p():
    t, p = paired_t(40, 9, 2)
    assert paired_t(40, 2, 9) == (-t, p)


def by_value(report):
    return {
        (row["mention_type"], row["lemma"]): row for row in report.table("split_tests").to_dicts()
    }


def test_a_lemma_with_two_tags_is_tested_apart(write):
    rows = [("Ann", "NNP"), ("her", "PRP"), ("her", "PRP$"), ("Bob", "NNP")]

    def text(*fields):
        cells = (
            f"d 0 {at} {form} {tag} * - - - - * {field}\n"
            for at, ((form, tag), field) in enumerate(zip(rows, fields, strict=True))
        )
        return f"#begin document (d); part 000\n{''.join(cells)}#end document\n"

    gold = write("gold.conll", text("(1)", "(1)", "(1)", "-"))
    paths = {
        "before": write("before.conll", text("(1)", "(1)", "-", "-")),
        "after": write("after.conll", text("(1)", "-", "(1)", "-")),
    }
    found = by_value(coleval.load(gold, paths).changes())
    counts = {key: (row["corrections"], row["new_errors"]) for key, row in found.items()}
    assert counts == {
        ("PRP", None): (0, 1), ("PRP", "her"): (0, 1),
        ("PRP$", None): (1, 0), ("PRP$", "her"): (1, 0),
    }  # fmt: skip


def test_mentions_of_one_tag_or_lemma_are_tested_together(write):
    # Gold joins Ann, she, her and it. Of the two PRP, "after" resolves "she" alone.
    gold, before = tagged(words([0, 1, 2, 4])), tagged(words([0, 2]))
    after = tagged(words([0, 1]))
    paths = {"before": write("before.conll", before), "after": write("after.conll", after)}
    found = by_value(coleval.load(write("gold.conll", gold), paths).changes(unit="nominal"))
    keys = ("items", "different", "corrections", "new_errors", "p")
    assert {key: tuple(row[name] for name in keys) for key, row in found.items()} == {
        ("PRP", None): (2, 1, 1, 0, pytest.approx(0.5)),
        ("PRP$", None): (1, 1, 0, 1, None),
        ("PRP$", "her"): (1, 1, 0, 1, None),
        ("PRP", "she"): (1, 1, 1, 0, None),
    }


@given(st.lists(st.tuples(layers, layers, layers), min_size=1, max_size=4))
def test_the_tests_by_lemma_are_those_of_plain_loops_and_scipy(tmp_path_factory, documents):
    root = tmp_path_factory.mktemp("splits")
    for name, layer in zip("gab", zip(*documents, strict=True), strict=True):
        (root / name).write_text(tagged(*layer))
    paths = {name: str(root / name) for name in "ab"}
    report = coleval.load(str(root / "g"), paths, task="coref").changes(unit="any")
    found = {
        lemma: (row["items"], row["p"]) for (_, lemma), row in by_value(report).items() if lemma
    }
    assert found == _expected(documents)


def _expected(documents):
    expected = {}
    for mention in MENTIONS:
        if kind_of(*mention) == "noun":
            continue
        classes = [
            [plain.any_class(mention, key, response) for response in (a, b)]
            for key, a, b in documents
        ]
        counted = [pair for pair in classes if any(pair)]
        if all(a == b for a, b in counted):
            continue
        sides = [[int(side in ("tp", None)) for side in sides] for sides in zip(*counted)]  # noqa: B905
        expected[WORDS[mention[0]][0]] = (len(counted), _scipy(*sides))
    return expected


def _scipy(before, after):
    if len({a - b for a, b in zip(after, before, strict=True)}) == 1:
        return None
    with warnings.catch_warnings(action="ignore"):
        return pytest.approx(ttest_rel(after, before).pvalue, rel=1e-9)


def test_the_pronoun_of_the_dutch_document_has_the_p_that_the_program_prints(data):
    report = dutch(data, profile="compareval").changes(unit="nominal", pronouns="VNW")
    row = by_value(report)["VNW", "hij"]
    assert (row["items"], row["different"]) == (2, 1)
    assert row["p"] == pytest.approx(0.5)


def test_pairs_are_tested_where_they_are_named(write):
    text = tagged(words([0, 1, 2, 4]))
    paths = {
        name: write(f"{name}.conll", tagged(words([0, at])))
        for at, name in ((1, "a"), (2, "b"), (4, "c"))
    }
    corpus = coleval.load(write("gold.conll", text), paths)
    assert "split_tests" not in corpus.changes().tables
    assert "split_tests" in corpus.changes(("a", "b")).tables
    assert corpus.changes(baseline="a").table("split_tests")["after"].unique().sort().to_list() == [
        "b",
        "c",
    ]
