"""What changed from A to B, on tables small enough to count by hand."""

from __future__ import annotations

import polars as pl
import pytest

import coleval
from coleval.cli.main import main
from coleval.errors import UsageError


def rows(report, name, *columns):
    frame = report.table(name)
    return frame.select(columns).rows() if columns else frame.to_dicts()


# The paper's Tables 1 and 2 are not at hand. This is the example that its definitions describe: a
# key, a system before and one after, equal in accuracy and yet different in every second answer.
TOY = {
    "gold": "DT NN VB DT JJ NN IN NE / NE VB",
    "a": "DT NN NN DT NN NN IN NN / NN VB",
    "b": "DT NE VB DT JJ VB IN JJ / NN VB",
}


def test_toy_two_systems_of_one_accuracy_differ_in_half_of_their_answers(corpus):
    (row,) = rows(corpus(**TOY).changes(("a", "b")), "summary")
    assert (row["items"], row["different"], row["diff"]) == (10, 5, 0.5)
    assert (row["corrections"], row["new_errors"], row["changed_errors"]) == (2, 2, 1)
    assert row["accuracy_before"] == row["accuracy_after"] == 0.6
    assert row["delta"] == 0.0
    assert row["net"] == 0


def test_toy_every_kind_is_split_by_its_transitions(corpus):
    report = corpus(**TOY).changes(("a", "b"))
    found = rows(report, "changes", "kind", "gold", "label_before", "label_after", "n",
                 "share_of_kind", "share_of_changes")  # fmt: skip
    assert found == [
        ("correction", None, "NN", "JJ", 1, 0.5, 0.2),
        ("correction", None, "NN", "VB", 1, 0.5, 0.2),
        ("new error", None, "NN", "NE", 1, 0.5, 0.2),
        ("new error", None, "NN", "VB", 1, 0.5, 0.2),
        ("changed error", "NE", "NN", "JJ", 1, 1.0, 0.2),
    ]


def test_toy_labels_differ_most_where_one_system_has_them_all(corpus):
    found = rows(corpus(**TOY).changes(("a", "b")), "labels", "label", "items", "correct_before",
                 "correct_after", "delta")  # fmt: skip
    assert found == [
        ("NN", 2, 2, 0, -1.0),
        ("JJ", 1, 0, 1, 1.0),
        ("VB", 2, 1, 2, 0.5),
        ("DT", 2, 2, 2, 0.0),
        ("NE", 2, 0, 0, 0.0),
        ("IN", 1, 1, 1, 0.0),
    ]


def test_toy_a_combination_reaches_what_either_has_right(corpus):
    (row,) = rows(corpus(**TOY).oracle(), "overall")
    assert (row["oracle_correct"], row["best_system"], row["gain"]) == (8, "a", pytest.approx(0.2))


def test_sentences_wholly_right_are_counted_before_and_after(corpus):
    (row,) = rows(corpus(gold="A / A B / C", a="A / A A / B", b="A / A B / B").changes(), "summary")
    assert (row["sentences"], row["sentences_before"], row["sentences_after"]) == (3, 1, 2)


SPANS = {
    "gold": "B-PER I-PER O B-LOC / O B-ORG I-ORG O",
    "a": "B-PER O O B-LOC / B-LOC B-ORG I-ORG O",
    "b": "B-PER I-PER O B-ORG / O O B-ORG O",
}


def test_spans_appear_vanish_and_change_their_label(corpus):
    report = corpus(task="span", **SPANS).changes(("a", "b"))
    assert rows(report, "changes", "kind", "label_before", "label_after", "n") == [
        ("correction", "LOC", None, 1),
        ("correction", "PER", None, 1),
        ("correction", None, "PER", 1),
        ("new error", "LOC", "ORG", 1),
        ("new error", "ORG", None, 1),
        ("new error", None, "ORG", 1),
    ]


def test_items_of_spans_are_those_of_gold_and_the_pair(corpus):
    (row,) = rows(corpus(task="span", **SPANS).changes(("a", "b")), "summary")
    assert (row["items"], row["different"]) == (6, 6)
    assert (row["f1_before"], row["f1_after"]) == (pytest.approx(4 / 7), pytest.approx(2 / 6))
    third = {**SPANS, "c": "B-LOC I-LOC I-LOC I-LOC / B-LOC I-LOC I-LOC I-LOC"}
    (same,) = rows(corpus(task="span", **third).changes(("a", "b")), "summary")
    assert same["items"] == 6


def test_a_span_drawn_elsewhere_is_a_boundary_change(corpus):
    report = corpus(task="span", **SPANS).changes(("a", "b"))
    assert rows(report, "boundaries", "change", "label_before", "label_after", "n", "corrected",
                "broken") == [
        ("longer", "PER", "PER", 1, 1, 0), ("shorter", "ORG", "ORG", 1, 0, 1),
    ]  # fmt: skip


def test_each_span_is_matched_once_and_its_own_label_first(corpus):
    report = corpus(
        task="span", gold="O O O O", a="B-PER I-PER I-PER I-PER", b="B-LOC I-LOC B-PER O"
    ).changes()
    assert rows(report, "boundaries", "change", "label_before", "label_after", "n") == [
        ("shorter", "PER", "PER", 1)
    ]


def test_labels_of_instances_and_rows_of_a_matrix_change_too(write):
    frame = pl.DataFrame(
        {"id": ["x", "y", "z"], "gold": ["p", "n", "n"], "a": ["n", "n", "p"], "b": ["p", "p", "p"]}
    )
    corpus = coleval.load(frame, task="label", columns="gold=gold,system=a,system=b")
    (row,) = rows(corpus.changes(), "summary")
    assert (row["corrections"], row["new_errors"], row["changed_errors"]) == (1, 1, 0)
    matrix = coleval.load(write("m.tsv", "a\tb\n1\t0\n0\t1\n0\t0\n1\t1\n"), task="matrix")
    assert rows(matrix.changes(), "changes", "kind", "label_before", "label_after", "n") == [
        ("correction", "0", "1", 1),
        ("new error", "1", "0", 1),
    ]


def test_a_baseline_is_before_every_other_system(corpus):
    report = corpus(gold="A B", a="A A", b="A B", c="B B").changes(baseline="b")
    assert rows(report, "summary", "before", "after") == [("b", "a"), ("b", "c")]


def test_negative_flips_break_what_all_earlier_systems_have_right(corpus):
    report = corpus(gold="A A A A", a="A A A B", b="A A B A", c="B A A A").changes()
    assert rows(report, "flips", "system", "held", "flips", "firsts") == [
        ("b", 3, 1, 1),
        ("c", 2, 1, 0),
    ]


def test_labels_not_asked_for_are_read_as_nothing(corpus):
    report = corpus(gold="A B C", a="A A C", b="B B C").changes(labels=["A"])
    (row,) = rows(report, "summary")
    assert (row["items"], row["corrections"], row["new_errors"]) == (2, 1, 1)


def test_the_items_behind_a_cell_come_with_their_words(corpus):
    report = corpus(**TOY).changes(
        ("a", "b"), kind="correction", label_before="NN", label_after="JJ"
    )
    assert rows(report, "items", "item", "kind", "left", "form", "right", "gold") == [
        (4, "correction", "w0 w1 w2 w3", "w4", "w5 w6 w7", "JJ")
    ]


def test_items_keep_their_numbers_under_where(corpus):
    report = corpus(**TOY).changes(("a", "b"), items=True, where="gold = 'JJ'")
    assert rows(report, "items", "item") == [(4,)]


GATES = [
    ("max_new_errors=2", True), ("max_new_errors=1", False), ("max_new_errors=20%", True),
    ("max_new_errors=19%", False), ("max_drop=0", True), ("max_diff=40%", False),
    ("max_diff=50%", True), ("max_diff=50pp", True),
]  # fmt: skip


@pytest.mark.parametrize(("gate", "holds"), GATES)
def test_a_gate_holds_up_to_its_limit(corpus, gate, holds):
    report = corpus(**TOY).changes(("a", "b"), gate=gate)
    assert rows(report, "gate", "holds") == [(holds,)]


def test_a_gate_that_fails_leaves_with_1_and_says_by_how_much(write, capsys):
    gold, a, b = (
        write(f"{n}.conll", t)
        for n, t in (("gold", "w A\nv A\n"), ("a", "w A\nv A\n"), ("b", "w B\nv A\n"))
    )
    arguments = [str(p) for p in (gold, a, b)]
    assert main(["changes", *arguments, "--task", "tag", "--gate", "max_new_errors=1"]) == 0
    assert (
        main(["changes", *arguments, "--task", "tag", "--gate", "max_new_errors=0,max_drop=10pp"])
        == 1
    )
    said = capsys.readouterr().err
    assert "a → b: 1 new error; the limit is 0, exceeded by 1." in said
    assert "a → b: accuracy fell by 50 points; the limit is 10." in said


@pytest.mark.parametrize(
    "gate", ["max_new_errors", "max_drop=x", "max_drop=-1", "max_fun=1", "max_drop=nan",
     "max_drop=0.5", "max_drop=0.005", "max_diff=1", "max_new_errors=5pp", "", ","],
)  # fmt: skip
def test_a_gate_that_sets_no_limit_is_a_usage_error(corpus, gate):
    with pytest.raises(UsageError):
        corpus(**TOY).changes(gate=gate)


def test_misspelt_names_are_errors_that_help(corpus):
    toy = corpus(**TOY)
    with pytest.raises(UsageError, match="no system is called `bb`"):
        toy.changes(("a", "bb"))
    with pytest.raises(UsageError, match="no system is called `aa`"):
        toy.changes(baseline="aa")
    with pytest.raises(UsageError, match="kind of change"):
        toy.changes(kind="corect")
    with pytest.raises(UsageError, match="no label is called `XX`"):
        toy.changes(label_before="XX")
    with pytest.raises(UsageError, match="is not a pair"):
        toy.changes("ab")
