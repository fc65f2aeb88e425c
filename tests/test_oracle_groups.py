"""Upper bounds by a column of the items, and the correct answers that two systems share."""

from __future__ import annotations

import pytest

import coleval
from coleval.cli.main import main
from coleval.errors import UsageError
from coleval.render.console import render
from test_changes_properties import SHARED, grouped

GOLD = "w A\nw A\nw B\n\nw B\nw A\n"
ONE = "w A\nw B\nw B\n\nw A\nw B\n"
TWO = "w A\nw A\nw A\n\nw A\nw B\n"


@pytest.fixture
def two(write):
    systems = {"one": write("one.conll", ONE), "two": write("two.conll", TWO)}
    return coleval.load(write("gold.conll", GOLD), systems, task="tag")


def test_the_bound_of_each_sentence_is_counted_by_hand(two):
    # Sentence 0: one has words 1 and 3, two has 1 and 2; sentence 1: neither has anything.
    assert two.oracle(by="sentence").table("by").to_dicts() == [
        {"by": "0", "items": 3, "oracle_correct": 3, "oracle": 1.0, "best_system": "one",
         "best_correct": 2, "best": 2 / 3, "gain": 1 - 2 / 3},
        {"by": "1", "items": 2, "oracle_correct": 0, "oracle": 0.0, "best_system": "one",
         "best_correct": 0, "best": 0.0, "gain": 0.0},
    ]  # fmt: skip


def test_correct_answers_that_two_systems_share_are_counted_by_hand(two):
    # Both have word 1; one alone has word 3, two alone word 2; there are 5 words.
    (row,) = two.oracle().table("overlap").to_dicts()
    assert [row[name] for name in SHARED] == [2, 2, 1, 3]
    assert (row["correct_jaccard"], row["correct_share"]) == (1 / 3, 1 / 5)
    assert (row["correct_of_a"], row["correct_of_b"]) == (1 / 2, 1 / 2)


def test_the_overlap_of_table_1_is_of_what_one_system_has_right(write, capsys):
    """Of three items each, the papers' systems share 2, 2 and 1: 67, 67, 33 %."""
    answers = {"a": "1110000", "b": "0111000", "c": "0010110"}
    rows = map(",".join, zip(*answers.values(), strict=True))
    matrix = write("m.csv", "\n".join(["a,b,c", *rows]))
    assert main(["oracle", str(matrix), "--task", "matrix", "--table", "overlap"]) == 0
    shown = capsys.readouterr().out
    assert "shared correct answers; % of what the row's system has right" in shown
    rows = coleval.load(matrix, task="matrix").oracle().table("overlap").to_dicts()
    found = {r["a"] + r["b"]: (r["correct_jaccard"], r["correct_of_a"], r["correct_of_b"])
             for r in rows}  # fmt: skip
    assert found == {"ab": (1 / 2, 2 / 3, 2 / 3), "ac": (1 / 5, 1 / 3, 1 / 3),
                     "bc": (1 / 5, 1 / 3, 1 / 3)}  # fmt: skip


def test_nothing_right_leaves_the_overlap_of_correct_answers_undefined(write):
    wrong = {name: write(f"{name}.conll", "w B\n") for name in ("a", "b")}
    report = coleval.load(write("gold.conll", "w A\n"), wrong, task="tag").oracle()
    (row,) = report.table("overlap").to_dicts()
    assert (row["correct_jaccard"], row["correct_share"]) == (None, 0.0)


def test_what_neither_gold_nor_systems_label_is_shared_by_none(write):
    gold = write("gold.conll", "w B-A\nw O\nw O\n")
    systems = {name: write(f"{name}.conll", "w B-A\nw B-C\nw O\n") for name in ("a", "b")}
    (row,) = coleval.load(gold, systems, task="span").oracle().table("overlap").to_dicts()
    assert [row[name] for name in SHARED] == [1, 1, 1, 1]
    assert row["correct_share"] == 1.0


def test_there_are_no_groups_unless_they_are_asked_for(two):
    assert not {"by", "by_systems"} & set(two.oracle().tables)


def test_items_without_a_value_are_a_group_of_their_own(write):
    text = ["w\tA\n", "w\tA\n", "w\tB\n"]
    gold = write("gold.conll", "".join(text))
    systems = {"s": write("s.conll", "w\tA\nw\tB\nw\tB\n")}
    corpus = coleval.load(gold, systems, task="tag")
    report = corpus.oracle(by="spurious")
    assert grouped(report) == {None: (3, 2, {"s": 2})}
    assert render(report, "by_systems").splitlines()[1].split() == ["–"]


def test_a_screen_has_the_bound_of_each_value_and_a_column_for_it(two):
    text = render(two.oracle(by="sentence"))
    assert "upper bound by group" in text
    assert "by_systems  % of the items of each group that a system has right" in text


def test_a_column_that_is_none_is_refused_with_what_is_near(two):
    with pytest.raises(UsageError, match="sentense") as caught:
        two.oracle(by="sentense")
    assert "sentence" in str(caught.value)


def test_the_command_line_takes_a_column(write, capsys):
    files = [str(write("gold.conll", GOLD)), f"one={write('one.conll', ONE)}"]
    code = main(["oracle", *files, "--task", "tag", "--by", "gold", "--table", "by", "--as", "csv"])
    assert code == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("A,3,1,")


@pytest.mark.parametrize("unit", ["any", "nominal"])
@pytest.mark.parametrize("profile", ["", "compareval"])
def test_mentions_of_the_dutch_document_by_type_are_those_of_compareval(data, unit, profile):
    root = data("dutch-knack")
    names = {"corea": "coreawebservice", "dutch": "dutchcoref"}
    systems = {name: str(root / f"knack_file7.{file}.conll") for name, file in names.items()}
    gold = str(root / "knack_file7.gold.conll")
    corpus = coleval.load(gold, systems, task="coref", nominal="N,SPEC", profile=profile)
    table = corpus.oracle(unit=unit, by="mention_type").table("by")
    assert table.select("by", "oracle_correct", "items").rows() == [
        ("noun", 5, 8), ("VNW", 2, 2),
    ]  # fmt: skip


def test_the_square_of_overlaps_has_the_share_of_the_system_of_its_row(write):
    # a, the worse one, has 2 right, both of them among z's 4; its name comes first.
    matrix = write("m.csv", "a,z\n1,1\n1,1\n0,1\n0,1\n0,0\n")
    shown = render(coleval.load(matrix, task="matrix").oracle(), "overlap")
    last = shown.split("what the row's system")[-1]
    rows = [line.split()[2:] for line in last.splitlines() if line.startswith((" 1 z", " 2 a"))]
    assert rows == [["·", "50.00"], ["100.00", "·"]]


def test_equal_systems_have_one_best_among_groups_filters_and_labels(write):
    """`two` is better over all; in sentence 0 both have one of two, as for label B."""
    systems = {"one": write("one.conll", "w A\nw A\n\nw B\nw B\n"),
               "two": write("two.conll", "w B\nw B\n\nw A\nw A\n")}  # fmt: skip
    corpus = coleval.load(write("gold.conll", "w A\nw B\n\nw A\nw A\n"), systems, task="tag")
    report = corpus.oracle(by="sentence")
    assert report.table("overall")["best_system"].to_list() == ["two"]
    by_group = dict(report.table("by").select("by", "best_system").rows())
    filtered = {
        at: corpus.oracle(where=f"sentence = {at}").table("overall")["best_system"][0]
        for at in ("0", "1")
    }
    assert by_group == filtered == {"0": "one", "1": "two"}
