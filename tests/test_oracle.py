"""Upper bounds, ladders and votes, on tables small enough to count by hand."""

from __future__ import annotations

import pytest


def rows(report, name, *columns):
    frame = report.table(name)
    return frame.select(columns).rows() if columns else frame.to_dicts()


FIVE = {
    "gold": "A A B B / C C",
    "x": "A A A A / C A",
    "y": "A B B A / A A",
    "z": "B A A A / A A",
}


def test_an_item_counts_if_any_system_is_right(corpus):
    (row,) = rows(corpus(**FIVE).oracle(), "overall")
    assert (row["items"], row["oracle_correct"], row["best_system"], row["best_correct"]) == (
        6,
        4,
        "x",
        3,
    )
    assert (row["oracle"], row["gain"]) == (pytest.approx(4 / 6), pytest.approx(1 / 6))
    assert (row["sentences"], row["sentences_correct"]) == (2, 0)


def test_each_label_has_its_own_best_system_and_gain(corpus):
    report = corpus(**FIVE).oracle()
    assert rows(report, "labels", "label", "items", "oracle_correct", "best_system", "gain") == [
        ("A", 2, 2, "x", 0.0),
        ("B", 2, 1, "y", 0.0),
        ("C", 2, 1, "x", 0.0),
    ]
    assert rows(report, "systems", "label", "system", "correct")[:4] == [
        (None, "x", 3), (None, "y", 2), (None, "z", 1), ("A", "x", 2),
    ]  # fmt: skip


def test_a_label_that_no_system_gets_stays_at_nothing(corpus):
    report = corpus(gold="A Z", a="A A", b="A B").oracle()
    found = {row["label"]: row for row in rows(report, "labels")}
    assert (found["Z"]["oracle"], found["Z"]["best"], found["Z"]["gain"]) == (0.0, 0.0, 0.0)
    assert "B" not in found


def test_the_ladder_takes_what_adds_most_and_ends_at_the_bound(corpus):
    assert rows(corpus(**FIVE).oracle(), "ladder", "k", "system", "correct", "adds", "left") == [
        (1, "x", 3, 3, 3),
        (2, "y", 4, 1, 2),
        (3, "z", 4, 0, 2),
    ]


def test_leaving_a_system_out_loses_what_it_alone_has(corpus):
    assert rows(
        corpus(**FIVE).oracle(), "leave_one_out", "system", "alone", "oracle_correct_without"
    ) == [
        ("x", 1, 3),
        ("y", 1, 3),
        ("z", 0, 4),
    ]


def test_votes_count_items_by_how_many_are_right(corpus):
    found = rows(corpus(**FIVE).oracle(), "votes", "k", "items", "at_least", "majority_correct")
    assert found == [(0, 2, 6, 0), (1, 2, 4, 0), (2, 2, 2, 2), (3, 0, 0, 0)]


def test_a_tie_goes_to_the_better_system(corpus):
    (row,) = rows(corpus(gold="A A A", bad="B B A", good="A A B").oracle(), "overall")
    assert (row["best_system"], row["majority_correct"]) == ("good", 2)


def test_systems_of_one_accuracy_break_ties_in_the_order_given(corpus):
    (row,) = rows(corpus(gold="A A", one="A B", two="B A").oracle(), "overall")
    assert (row["best_system"], row["majority_correct"]) == ("one", 1)


def test_the_items_of_spans_are_those_of_gold_and_inventions_are_told(corpus):
    report = corpus(task="span", gold="B-A O", a="B-A B-B", b="B-A B-B", c="O B-B").oracle()
    (row,) = rows(report, "overall")
    assert (row["items"], row["oracle_correct"]) == (1, 1)
    assert (row["majority_correct"], row["majority_invented"]) == (1, 1)


def test_errors_that_two_systems_share(corpus):
    report = corpus(gold="A A A A", a="A A B B", b="A B B A", c="A A B B").oracle()
    found = rows(report, "overlap", "a", "b", "both", "either", "jaccard", "identical")
    assert found == [
        ("a", "c", 2, 2, 1.0, True),
        ("a", "b", 1, 3, 1 / 3, False),
        ("b", "c", 1, 3, 1 / 3, False),
    ]


def test_systems_without_errors_share_none(corpus):
    report = corpus(gold="A", a="A", b="A").oracle()
    assert rows(report, "overlap", "both", "jaccard", "identical") == [(0, None, True)]


def test_identical_outputs_are_shown_once_and_named(corpus, capsys):
    corpus(gold="A A", a="A B", b="B A", c="A B").oracle().show()
    assert "identical outputs, shown once: a = c" in capsys.readouterr().out


def test_the_bound_of_one_system_is_its_accuracy(corpus, capsys):
    report = corpus(gold="A A B", a="A B B").oracle()
    (row,) = rows(report, "overall")
    assert row["oracle"] == row["best"] == row["majority"] == 2 / 3
    assert row["gain"] == 0.0
    assert report.table("overlap").is_empty()
    report.show()
    assert capsys.readouterr().out


@pytest.mark.parametrize("task", ["tag", "span"])
def test_where_nothing_is_left_the_bound_is_undefined(corpus, task, capsys):
    report = corpus(task=task, gold="B-A B-B", a="B-A B-A", b="B-A B-B").oracle(where="false")
    (row,) = rows(report, "overall")
    assert (row["items"], row["oracle"], row["gain"]) == (0, None, None)
    report.show()
    assert "There are no gold items." in capsys.readouterr().out


def test_sentences_are_in_reach_if_each_of_their_items_is(corpus):
    (row,) = rows(corpus(gold="A B / B", a="A A / A", b="B B / A").oracle(), "overall")
    assert (row["sentences"], row["sentences_correct"]) == (2, 1)


def test_fifty_systems_keep_to_100_columns(corpus, capsys):
    systems = {f"s{k:02}": " ".join("AB"[(k >> bit) & 1] for bit in range(6)) for k in range(50)}
    corpus(gold="A A A A A A", **systems).oracle().show()
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 100
