"""An id belongs to one row of a table, whatever the table is written in."""

from __future__ import annotations

import polars as pl
import pytest

import coleval
from coleval.errors import DataError

IDS = [3, 1, 2, 1, 3, 1, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8]
FRAME = pl.DataFrame({"id": IDS, "gold": ["A"] * len(IDS), "pred": ["A"] * len(IDS)})
WRITERS = {
    "a.csv": FRAME.write_csv,
    "a.tsv": lambda path: FRAME.write_csv(path, separator="\t"),
    "a.jsonl": FRAME.write_ndjson,
    "a.parquet": FRAME.write_parquet,
    "a.arrow": FRAME.write_ipc,
}
NAMED = "7 ids appear more than once: `1`, `3`, `4`, `5`, `6` and 2 more"


@pytest.mark.parametrize("name", WRITERS)
def test_ids_of_several_rows_are_refused_by_name(tmp_path, name):
    WRITERS[name](tmp_path / name)
    with pytest.raises(DataError) as caught:
        coleval.load(str(tmp_path / name), task="label")
    assert caught.value.problem == NAMED
    assert caught.value.remedy


@pytest.mark.parametrize("frame", [FRAME, FRAME.lazy(), FRAME.to_arrow()])
def test_ids_of_several_rows_of_a_frame_are_refused(frame):
    with pytest.raises(DataError, match="7 ids appear more than once"):
        coleval.load(frame)


def test_the_place_is_that_of_the_first_repetition(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('id,gold,pred\n1,"a\nb",A\n2,A,A\n1,B,B\n')
    with pytest.raises(DataError, match=r"a\.csv:5: an id appears more than once: `1`"):
        coleval.load(str(path), task="label")


@pytest.mark.parametrize("side", ["gold", "system"])
def test_files_of_their_own_are_looked_at_too(tmp_path, side):
    texts = {"gold": "1 A\n2 B\n", "system": "1 A\n2 B\n"} | {side: "1 A\n1 B\n"}
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text)
    gold, system = (str(tmp_path / f"{name}.txt") for name in texts)
    with pytest.raises(DataError, match=rf"{side}\.txt:2: an id appears more than once"):
        coleval.load(gold, {"s": system}, task="label")


def test_an_id_as_text_and_as_a_number_is_one_id(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id":1,"gold":"A","pred":"A"}\n{"id":"1","gold":"B","pred":"A"}\n')
    with pytest.raises(DataError, match="an id appears more than once: `1`"):
        coleval.load(str(path))


def test_tokens_may_share_an_id(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,token,gold,pred\n1,a,X,X\n2,b,X,X\n1,c,X,X\n")
    assert len(coleval.load(str(path), task="tag").items) == 3


def test_another_column_may_hold_the_ids(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,key,gold,pred\n1,a,X,X\n1,b,X,X\n")
    assert len(coleval.load(str(path), columns="id=key").items) == 2


@pytest.fixture
def written_otherwise(tmp_path):
    """Return what loads gold, and a system with the same numbers in other writing."""
    for name, text in {
        "gold": "id,gold\n0,1\n7,0\n8,-3\n",
        "ids": "id,pred\n0.0,1\n0007,0\n8,1\n",
        "answers": "id,pred\n0,1.0\n7,0.0\n8,-3.0\n",
    }.items():
        (tmp_path / f"{name}.csv").write_text(text)
    return lambda system, **options: coleval.load(
        tmp_path / "gold.csv", [tmp_path / f"{system}.csv"], **options
    )


def test_ids_that_are_numbers_written_otherwise_are_said_with_the_option_that_reads_them(
    written_otherwise,
):
    with pytest.raises(DataError, match=r"2 ids are not in gold: `0\.0`, `0007`") as caught:
        written_otherwise("ids")
    assert caught.value.remedy.startswith("numbers written otherwise than gold's? --numbers ")
    corpus = written_otherwise("ids", numbers=True)
    assert corpus.score().table()["correct"].item() == 2
    assert "|numbers:yes|" in corpus.score().signature


def test_answers_that_are_numbers_written_otherwise_are_a_warning(written_otherwise):
    corpus = written_otherwise("answers")
    assert corpus.score().table()["correct"].item() == 0
    assert corpus.warnings[0].startswith(
        "answers: `1.0` is a label that gold never has, and as a number it is gold's `1`, and 2"
    )
    corpus = written_otherwise("answers", numbers=True)
    assert (corpus.score().table()["correct"].item(), corpus.warnings) == (3, ())


def test_ids_that_are_one_number_are_two_rows_of_one_id(written_otherwise, tmp_path):
    (tmp_path / "ids.csv").write_text("id,pred\n0,1\n7,0\n07,1\n8,1\n")
    with pytest.raises(DataError, match="an id appears more than once: `7`"):
        written_otherwise("ids", numbers=True)
