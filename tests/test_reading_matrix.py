"""Matrices of 0 and 1, with and without header and item column."""

from __future__ import annotations

import csv

import polars as pl
import pytest

import coleval
from coleval.cli.main import main
from coleval.corpus.selection import Selection
from coleval.errors import ColevalError, DataError, UsageError
from coleval.loading.readers.matrix import read_matrix
from coleval.loading.readers.source import Source


def read(tmp_path, text, columns=""):
    path = tmp_path / "m.tsv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_matrix(Source(str(path)), Selection.parse(columns))


def cells(file):
    return {name: column.to_list() for name, column in file.columns.items()}


def test_a_bare_matrix_has_numbered_systems_and_no_items(tmp_path):
    file = read(tmp_path, "1\t0\n0\t0\n1\t1\n")
    assert cells(file) == {"s1": [1, 0, 1], "s2": [0, 0, 1]}
    assert {column.dtype for column in file.columns.values()} == {pl.UInt8()}
    assert file.id is None
    assert file.line.tolist() == [1, 2, 3]


@pytest.mark.parametrize("separator", ["\t", ",", " ", "   "])
def test_a_header_and_an_item_column_are_seen(tmp_path, separator):
    rows = [["item", "A", "B"], ["0_the", "1", "0"], ["5_cat", "0", "1"]]
    file = read(tmp_path, "".join(separator.join(row) + "\n" for row in rows))
    assert cells(file) == {"A": [1, 0], "B": [0, 1]}
    assert file.id.to_list() == ["0_the", "5_cat"]
    assert file.line.tolist() == [2, 3]


THREE = "item\tax\tay\tb\nx\t1\t0\t1\n"


@pytest.mark.parametrize(("text", "columns", "items", "systems"), [
    # An item column needs no header, a header no item column; one system alone is a matrix.
    ("a\t1\nb\t0\n", "", ["a", "b"], {"s1": [1, 0]}),
    ("A\tB\n1\t0\n", "", None, {"A": [1], "B": [0]}),
    ("A\n1\n0\n", "", None, {"A": [1, 0]}),
    ("1\n0\n", "", None, {"s1": [1, 0]}),
    ("0\t1\n1\t0\n", "id=1", ["0", "1"], {"s1": [1, 0]}),
    # Numbers of systems sort as they stand.
    ("\t".join("1" * 10) + "\n", "", None, {f"s{k:02}": [1] for k in range(1, 11)}),
    # Quotes are items in TSV, and quote items in CSV; a stray one loses no line.
    ('item\tA\n3_"\t1\n9_"\t0\n', "", ['3_"', '9_"'], {"A": [1, 0]}),
    ('"item","A"\n"x, y",1\n', "", ["x, y"], {"A": [1]}),
    ('item,A\n3_",1\n4_x,0\n9_",0\n', "", ['3_"', "4_x", '9_"'], {"A": [1, 0, 0]}),
    # Paths in the header become names of files, unless these would be the same.
    ("item\td/a-s1.tsv\td/b.tsv.gz\nx\t1\t0\n", "", ["x"], {"a-s1": [1], "b": [0]}),
    ("item\ta/s.tsv\tb/s.tsv\nx\t1\t0\n", "", ["x"], {"a/s.tsv": [1], "b/s.tsv": [0]}),
    # Systems are chosen, and named, by name, glob or number.
    (THREE, "system=b,system=ax", ["x"], {"b": [1], "ax": [1]}),
    (THREE, "system=a*", ["x"], {"ax": [1], "ay": [0]}),
    (THREE, "system=-1", ["x"], {"b": [1]}),
    ("1\t0\t1\n0\t0\t1\n", "bert=1,crf=-1", None, {"bert": [1, 0], "s2": [0, 0], "crf": [1, 1]}),
    ("item\ta\tb\nx\t1\t0\n", "bert=b,system=bert", ["x"], {"bert": [0]}),
])  # fmt: skip
def test_a_matrix_has_these_items_and_systems(tmp_path, text, columns, items, systems):
    file = read(tmp_path, text, columns)
    assert (None if file.id is None else file.id.to_list()) == items
    assert list(cells(file).items()) == list(systems.items())


@pytest.mark.parametrize("items", ["item\tA\n0\t1\n1\t0\n", "0\t1\n1\t0\n2\t1\n3\t1\n", "7\t1\n"])
def test_items_may_be_numbers(tmp_path, items):
    assert read(tmp_path, items).id is not None


def test_blank_lines_windows_line_ends_and_spaces_at_the_end_are_ordinary(tmp_path):
    file = read(tmp_path, b"\xef\xbb\xbf\r\n1 0 \r\n\r\n 0  1\r\n\r\n")
    assert cells(file) == {"s1": [1, 0], "s2": [0, 1]}
    assert file.line.tolist() == [2, 4]


def test_columns_of_a_frame_are_named_and_chosen_as_those_of_a_file():
    frame = pl.DataFrame({"a": [1, 0], "b": [0, 0]})
    made = coleval.load(frame, task="matrix", columns={"bert": 2, "system": ["bert"]})
    assert made.systems == ("bert",)


@pytest.mark.parametrize(
    ("columns", "problem"),
    [("x=1,y=1", "both `x` and `y`"), ("b=1", "two columns are called `b`"),
     ("x=3", "no column 3"), ("x=c", "no column is called `c`")],
)  # fmt: skip
def test_names_of_columns_must_differ_and_be_of_columns(tmp_path, columns, problem):
    with pytest.raises(ColevalError, match=problem):
        read(tmp_path, "a\tb\n1\t0\n", columns)


@pytest.mark.parametrize("columns", ["gold=1", "id=2", "system=c", "system=9"])
def test_what_a_matrix_does_not_have_cannot_be_chosen(tmp_path, columns):
    with pytest.raises(ColevalError) as caught:
        read(tmp_path, "a\tb\n1\t0\n", columns)
    assert isinstance(caught.value, UsageError | DataError)
    assert caught.value.remedy


BAD = {
    "a two": ("1\t0\n0\t2\n", 2, "`2`"),
    "a two at the start": ("1\t2\n", 1, "`2`"),
    "a two in the first column": ("a\tb\n1\t0\n1\t0\n0\t1\n2\t1\n", 5, "`2`"),
    "a letter": ("1\t0\n0\tx\n", 2, "`x`"),
    "a fraction": ("1\t0\n0\t1.0\n", 2, "`1.0`"),
    "a minus": ("1\t0\n0\t-1\n", 2, "`-1`"),
    "a big number": ("1\t0\n0\t1000\n", 2, "`1000`"),
    "a cell of two apart by spaces": ("1 0\n0  \n", 2, ""),
    "a short line": ("1\t0\t1\n0\t1\n", 2, "2 columns"),
    "a long line": ("1\t0\n0\t1\t1\n", 2, "3 columns"),
    "an item without name": ("item\ta\nx\t1\n\t0\n", 3, "no name"),
    "no UTF-8": (b"item\ta\n\xff\t1\n", 2, "UTF-8"),
    "no UTF-8 in the header": (b"item\t\xff\n", 1, "UTF-8"),
    "a header alone": ("item\ta\n", None, "no items"),
    "nothing": (" \n", None, "is empty"),
}


@pytest.mark.parametrize(
    ("text", "answers"),
    [("1\t0\n0\t\n", [(2, 1), (1, 0)]), ("1\t\n", [(2,), (0,)]), ("id,a,b\nx,,1\n", [(0,), (2,)])],
)
def test_an_empty_cell_is_no_answer(tmp_path, text, answers):
    (tmp_path / "m.tsv").write_text(text, encoding="utf-8")
    corpus = coleval.load(tmp_path / "m.tsv", task="matrix", missing="leave-out")
    codes = corpus.units["row"].answers.values()
    assert [tuple(column.tolist()) for column in codes] == answers


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_is_told_with_its_line(tmp_path, name):
    text, line, part = BAD[name]
    with pytest.raises(DataError) as caught:
        read(tmp_path, text)
    assert caught.value.where == str(tmp_path / "m.tsv") + (f":{line}" if line else "")
    assert part in caught.value.problem
    assert caught.value.remedy


@pytest.mark.parametrize("text", ["1\t0\n0\t\n", "1,0\n0,\n", "a,b\n1,0\n0,\n"])
def test_an_empty_cell_is_one_that_was_not_answered(write, text):
    corpus = coleval.load(write("m.tsv", text), task="matrix")
    second = corpus.systems[1]
    with pytest.raises(DataError, match=f"`{second}` has nothing for 1 of 2 items: row 2"):
        corpus.score()
    found = {r["system"]: r for r in corpus.score(missing="leave-out")["overall"].to_dicts()}
    assert (found[second]["items"], found[second]["correct"]) == (1, 0)
    assert found[corpus.systems[0]]["items"] == 2


def test_the_hungarian_matrix_has_the_totals_of_table_2(data):
    with data("differential-evaluation/expected/paper_table2_hungarian.tsv").open() as lines:
        rows = [row for row in csv.DictReader(lines, delimiter="\t") if len(row["system"]) < 3]
    path = data("differential-evaluation/HU-eval-dist-tps.tsv.gz")
    file = read_matrix(Source(str(path)), Selection())
    assert len(file) == 97537
    assert list(file.columns) == [f"s{k}" for k in range(1, 10)]
    totals = [int(column.cast(pl.Int64).sum()) for column in file.columns.values()]
    assert totals == [int(row["total"]) for row in rows]


@pytest.mark.parametrize(("name", "items"), [("bc5-c", 7015), ("bc5-d", 7161)])
def test_the_matrices_of_bc5_have_items_and_named_systems(data, name, items):
    path = data(f"differential-evaluation/{name}-models.tsv.gz")
    file = read_matrix(Source(str(path)), Selection())
    assert len(file) == items
    assert len(file.columns) == 12
    assert "characterbert-general-s1" in file.columns
    assert file.id.n_unique() == items


def test_names_are_those_of_the_systems_of_a_matrix_without_a_header(tmp_path, capsys):
    path = tmp_path / "m.tsv"
    path.write_text("x 1 0\ny 1 1\n")
    corpus = coleval.load(path, task="matrix", names="bert,crf")
    assert corpus.systems == ("bert", "crf")
    arguments = ["score", str(path), "--task", "matrix", "--names", "b,a", "--order", "given"]
    assert main([*arguments, "--as", "csv"]) == 0
    assert [line[:1] for line in capsys.readouterr().out.splitlines()[1:]] == ["b", "a"]


@pytest.mark.parametrize(("text", "names", "problem"), [
    ("1 0\n1 1\n", "a,b,c", "3 names are given, but the matrix has 2 systems"),
    ("x 1 0\ny 1 1\n", "a,b,c", "3 names are given, but the matrix has 2 systems"),
    ("s1 s2\n1 1\n", "a,b", "the matrix has a header"),
])  # fmt: skip
def test_names_that_do_not_suit_a_matrix_are_refused(tmp_path, text, names, problem):
    path = tmp_path / "m.tsv"
    path.write_text(text)
    with pytest.raises(UsageError, match=problem):
        coleval.load(path, task="matrix", names=names)
    frame = pl.DataFrame({"s1": [1, 0], "s2": [1, 1]})
    with pytest.raises(UsageError, match="the matrix has a header"):
        coleval.load(frame, task="matrix", names="a,b")
