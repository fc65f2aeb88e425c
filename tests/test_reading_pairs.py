"""Files of an id and a label a line."""

from __future__ import annotations

import pytest

import coleval
from coleval.corpus.selection import Selection
from coleval.errors import DataError, UsageError
from coleval.loading.readers.pairs import read_pairs
from coleval.loading.readers.source import Source


def read(tmp_path, text, columns=""):
    path = tmp_path / "a.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_pairs(Source(str(path)), Selection.parse(columns))


def pairs(file):
    return dict(zip(file.id, file.columns["label"], strict=True))


@pytest.mark.parametrize("separator", ["\t", " ", "   "])
def test_a_pair_is_split_at_a_tab_or_at_spaces(tmp_path, separator):
    file = read(tmp_path, f"x{separator}1\ny{separator}0\n")
    assert pairs(file) == {"x": "1", "y": "0"}
    assert file.line.tolist() == [1, 2]


def test_comments_stand_at_the_top_only(tmp_path):
    file = read(tmp_path, "# about\n\n#id\tlabel\nx\t1\n#y\t0\n")
    assert pairs(file) == {"x": "1", "#y": "0"}
    assert file.line.tolist() == [4, 5]


def test_a_header_may_come_without_a_hash(tmp_path):
    assert pairs(read(tmp_path, "# about\nid label\nx 1\n")) == {"x": "1"}


def test_values_stay_as_they_are_written(tmp_path):
    assert pairs(read(tmp_path, '007\tNA\n1e5\t"a\n')) == {"007": "NA", "1e5": '"a'}


def test_ids_and_labels_may_hold_spaces_beside_a_tab(tmp_path):
    assert pairs(read(tmp_path, "item one\tvery good\n")) == {"item one": "very good"}


def test_a_label_may_hold_spaces_where_there_is_no_tab(tmp_path):
    assert pairs(read(tmp_path, "x very good\n")) == {"x": "very good"}


def test_windows_line_ends_and_a_missing_last_one_are_ordinary(tmp_path):
    assert pairs(read(tmp_path, b"\xef\xbb\xbfx 1\r\n\r\ny 0")) == {"x": "1", "y": "0"}


BAD = {
    "no label": ("x 1\ny\n", 2, "1 column "),
    "three columns": ("x\t1\t2\n", 1, "3 columns"),
    "an empty label": ("x\t1\ny\t\n", 2, "label is empty"),
    "an empty id": ("\t1\n", 1, "id is empty"),
    "no UTF-8": (b"x\t1\ny\t\xff\n", 2, "UTF-8"),
    "comments alone": ("# x\n", None, "only comments"),
    "nothing": ("\n", None, "is empty"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_is_told_with_its_line(tmp_path, name):
    text, line, part = BAD[name]
    with pytest.raises(DataError) as caught:
        read(tmp_path, text)
    assert caught.value.where == str(tmp_path / "a.txt") + (f":{line}" if line else "")
    assert part in caught.value.problem
    assert caught.value.remedy


def test_columns_cannot_be_chosen(tmp_path):
    with pytest.raises(UsageError):
        read(tmp_path, "x 1\n", "gold=2")


def test_the_semeval_submissions_all_have_the_items_of_the_truth(data):
    folder = data("semeval2018-t12")
    truth = pairs(read_pairs(Source(str(folder / "truth.txt")), Selection()))
    assert len(truth) == 444
    submissions = sorted((folder / "submissions").glob("*.txt"))
    assert len(submissions) == 23
    for path in submissions:
        answers = pairs(read_pairs(Source(str(path)), Selection()))
        assert answers.keys() == truth.keys(), path.name
        assert set(answers.values()) == {"0", "1"}, path.name


def test_the_accuracy_published_for_the_best_system_comes_out(data):
    folder = data("semeval2018-t12")
    truth = pairs(read_pairs(Source(str(folder / "truth.txt")), Selection()))
    correct = [
        sum(
            truth[key] == answer
            for key, answer in pairs(read_pairs(Source(str(p)), Selection())).items()
        )
        for p in (folder / "submissions").glob("*.txt")
    ]
    assert f"{max(correct) / 444:.3f}" == "0.712"


@pytest.mark.parametrize("header", ["", "label\n", "# by hand\n", "prediction\n"])
def test_a_label_alone_on_each_line_is_the_answer_of_that_line(tmp_path, header):
    (tmp_path / "gold.csv").write_text("id,gold\n1,A\n2,B\n3,A\n")
    (tmp_path / "gold.txt").write_text(f"{header}A\nB\nA\n")
    (tmp_path / "s.txt").write_text(f"{header}A\n\nB\n")
    for gold in ("gold.csv", "gold.txt"):
        corpus = coleval.load(tmp_path / gold, [tmp_path / "s.txt"], task="label", missing="wrong")
        assert corpus.score().table().select("correct", "items").row(0) == (1, 3)
    (tmp_path / "s.txt").write_text("A\nB\n")
    with pytest.raises(DataError, match="has 2 rows, gold has 3"):
        coleval.load(tmp_path / "gold.txt", [tmp_path / "s.txt"], task="label")


def test_a_label_alone_on_each_line_is_read_only_if_the_task_says_so(tmp_path):
    (tmp_path / "gold.txt").write_text("A\nB\nA\n")
    with pytest.raises(DataError, match="single column") as caught:
        coleval.load(tmp_path / "gold.txt", {"s": tmp_path / "gold.txt"})
    assert caught.value.remedy.endswith("nothing else is read with --task label")
