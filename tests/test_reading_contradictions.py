"""Columns that are named twice, chosen twice or named by half: understood, or refused."""

from __future__ import annotations

import polars as pl
import pytest

import coleval
from coleval.errors import ColevalError, UsageError
from coleval.loading.readers.headers import is_header


@pytest.fixture
def file(tmp_path):
    def file(text, name="a.txt"):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return file


def test_a_header_of_tokens_and_gold_names_systems_of_any_name(file):
    corpus = coleval.load(file("gold token s1 s2\nB-X a B-X O\nB-Y b O O\n"), merged=True)
    assert corpus.systems == ("s1", "s2")
    assert corpus.units["token"].context["form"].to_list() == ["a", "b"]
    assert corpus.score().table()["tp"].to_list() == [1, 0]


def test_numbers_that_contradict_such_a_header_are_refused(file):
    path = file("gold token s1 s2\nB-X a B-X O\n")
    with pytest.raises(UsageError, match="the header calls it"):
        coleval.load(path, merged=True, columns="form=1,gold=2,system=3")


def test_a_name_before_gold_may_be_a_system_and_is_not_left_out_in_silence(file):
    path = file("s1 token gold s2\nB-X a B-X O\n")
    with pytest.raises(UsageError, match="column `s1` is before gold") as caught:
        coleval.load(path, merged=True)
    assert "--columns form=token,gold=gold,system=s1" in caught.value.remedy
    columns = "form=token,gold=gold,system=s1,system=s2"
    assert coleval.load(path, merged=True, columns=columns).systems == ("s1", "s2")


def test_tags_of_other_kinds_between_tokens_and_gold_are_no_systems(file):
    text = "token pos gold s1 s2\na N B-X B-X O\n"
    assert coleval.load(file(text), merged=True).systems == ("s1", "s2")


SIDE_BY_SIDE = "a DT O B-X\nb NN B-X O\nc NN B-Y B-Y\n"


@pytest.mark.parametrize("differ", ["B-Y", "O"])  # compared line by line with gold, or in full
def test_a_file_whose_columns_might_be_swapped_is_warned_of(file, differ):
    gold = file("a DT - B-X\nb NN - O\nc NN - B-Y\n", "gold.txt")
    corpus = coleval.load(gold, {"s": file(SIDE_BY_SIDE.replace("B-Y B-Y", f"B-Y {differ}"))})
    assert [warning.partition(" (")[0] for warning in corpus.warnings] == [
        "s: column 4 of 4 is read as answers, and column 3 has the same labels"
    ]
    assert "say so: --columns system=3" in corpus.warnings[0]
    chosen = coleval.load(gold, {"s": file(SIDE_BY_SIDE)}, columns="system=3")
    assert (chosen.warnings, correct(chosen)) == ((), 1)


def test_merged_columns_that_only_their_places_name_are_said(file):
    corpus = coleval.load(file(SIDE_BY_SIDE.replace(" DT", "").replace(" NN", "")), merged=True)
    assert corpus.warnings[0].startswith("a: column 2 is read as gold, and 3 as answers (")
    named = coleval.load(file("token pred gold\na O B-X\nb B-X O\n"), merged=True)
    assert named.warnings == ()


def correct(corpus):
    return corpus.score().table()["tp"].to_list()[0]


@pytest.mark.parametrize(
    "line",
    [
        "gold word O O",
        "reference token B-X O",
        "truth form 3 NN",
        "gold word NN NN",
        "gold silver token NN",
        "the word gold NN",
    ],
)
def test_tokens_with_tags_are_no_header(line):
    names = line.split()
    if line in ("gold silver token NN", "the word gold NN"):
        assert is_header([*names[:-1], "O"]) is False
    else:
        assert is_header(names) is False


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
@pytest.mark.parametrize("header", ["gold,gold,system", "id,id,gold,pred", "gold,pred,pred"])
def test_names_of_several_columns_are_refused(file, name, header):
    separator = "," if name == "a.csv" else "\t"
    rows = [header.split(","), [str(k) for k, _ in enumerate(header.split(","))]]
    path = file("".join(separator.join(row) + "\n" for row in rows), name)
    with pytest.raises(UsageError, match="several columns are called") as caught:
        coleval.load(path, task="label", format="table")
    assert "by number" in caught.value.remedy


def test_a_column_chosen_by_number_may_share_its_name(file):
    path = file("gold,gold,system\nA,B,A\n", "a.csv")
    corpus = coleval.load(path, columns="gold=1,system=3")
    assert corpus.score().table()["correct"].to_list() == [1]


def test_names_of_columns_that_are_not_read_may_be_the_same(file):
    path = file("text,text,gold,pred,,\nx,y,A,A,,\n", "a.csv")
    assert coleval.load(path).score().table()["correct"].to_list() == [1]


@pytest.mark.parametrize(
    "header", ["token gold gold pred", "token gold pred pred", "token gold m m"]
)
def test_merged_files_with_a_name_twice_are_refused(file, header):
    path = file(f"{header}\na B-X O B-X\n")
    with pytest.raises(ColevalError, match="several columns are called"):
        coleval.load(path, merged=True)


def test_no_system_gets_lost_where_columns_of_one_name_are_chosen_by_number(file):
    path = file("token gold pred pred\na B-X O B-X\n")
    corpus = coleval.load(path, merged=True, columns="form=1,gold=2,system=3,system=4")
    assert corpus.score().table()["tp"].sort().to_list() == [0, 1]


def test_one_column_of_a_merged_file_is_not_both_gold_and_system(file):
    path = file("a B-X O\n")
    with pytest.raises(UsageError, match="column 2 is chosen both as gold and as system"):
        coleval.load(path, merged=True, columns="form=1,gold=2,system=2")


FRAME = pl.DataFrame({"s1": ["A"], "s2": ["B"]})


@pytest.mark.parametrize("columns", [{"gold": "s1", "system": "s1"}, {"gold": 1, "system": [2, 1]}])
def test_one_column_of_a_frame_is_not_both_gold_and_system(columns):
    with pytest.raises(UsageError, match="column `s1` is chosen both as gold and as") as caught:
        coleval.load(FRAME, columns=columns)
    assert 'columns={"gold": "s1", "system": "s2"}' in caught.value.remedy


def test_one_column_of_a_file_is_not_both_gold_and_system(file):
    with pytest.raises(UsageError, match='columns="gold=s1,system=s2"'):
        coleval.load(file("s1,s2\nA,B\n", "a.csv"), columns="gold=s1,system=s1")


def test_what_to_do_about_a_frame_is_said_in_python():
    frame = pl.DataFrame({"gold": ["A", "B"], "pred": [["A"], ["B"]], "id": ["1", "1"]})
    with pytest.raises(UsageError) as caught:
        coleval.load(frame.drop("id"))
    assert 'task="label", columns={"gold": "gold", "system": "pred"}' in caught.value.remedy
    single = frame.with_columns(pred=pl.lit("A"))
    with pytest.raises(ColevalError) as caught:
        coleval.load(single)
    assert 'columns={"id": "NAME"}' in caught.value.remedy
    named = single.drop("id").rename({"pred": "s1"})
    with pytest.raises(UsageError) as caught:
        coleval.load(named, columns={"gold": "s1", "system": ["gold"]})
    assert caught.value.remedy == "give the column another name"
    for given in (frame.drop("id"), single):
        with pytest.raises(ColevalError) as caught:
            coleval.load(given)
        assert "--" not in str(caught.value)


def test_what_python_is_told_works():
    frame = pl.DataFrame({"gold": [["A"]], "pred": [["A"]]})
    columns = {"gold": "gold", "system": "pred"}
    assert coleval.load(frame, task="label", columns=columns).score().table()["tp"][0] == 1
