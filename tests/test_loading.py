"""What ``coleval.load`` accepts from Python: paths, globs, frames; and the systems' names."""

from __future__ import annotations

import polars as pl
import pytest

import coleval

GOLD = "John\tB-PER\nlives\tO\n\nMary\tB-PER\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Gold and two systems in the current directory."""
    for name in ("gold", "one", "two"):
        (tmp_path / f"{name}.conll").write_text(GOLD, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "systems", [{"one": "one.conll", "two": "two.conll"}, ["one.conll", "two.conll"], "*.conll"]
)
def test_systems_are_a_mapping_a_list_or_a_glob(files, systems):
    assert coleval.load("gold.conll", systems).systems == ("one", "two")


def test_paths_may_be_path_objects(files):
    assert coleval.load(files / "gold.conll", [files / "one.conll"]).systems == ("one",)


def test_a_frame_holds_gold_and_systems():
    frame = pl.DataFrame({"gold": ["x", "y"], "pred_a": ["x", "x"], "pred_b": ["x", "y"]})
    table = coleval.load(frame).score().table()
    assert table["system"].to_list() == ["pred_b", "pred_a"]
    assert table["correct"].to_list() == [2, 1]


def test_a_lone_system_in_a_frame_keeps_its_columns_name():
    frame = pl.DataFrame({"gold": ["x", "y"], "pred_a": ["x", "x"]})
    assert coleval.load(frame).systems == ("pred_a",)


def test_gold_and_systems_may_be_frames_of_their_own():
    gold = pl.DataFrame({"id": ["1", "2"], "gold": ["x", "y"]})
    system = pl.DataFrame({"id": ["2", "1"], "label": ["y", "x"]})
    corpus = coleval.load(gold, {"new": system}, task="label")
    assert corpus.score().table()["correct"].to_list() == [2]


def test_several_labels_need_no_ids():
    frame = pl.DataFrame({"gold": [["x", "y"], []], "pred": [["x"], []]})
    row = coleval.load(frame, separator="|").score().table().row(0, named=True)
    assert (row["tp"], row["fp"], row["fn"], row["correct"]) == (1, 0, 1, 1)


def test_a_frame_may_be_a_matrix():
    frame = pl.DataFrame({"item": ["a", "b"], "s": [1, 0], "t": [True, True]})
    table = coleval.load(frame, task="matrix").score().table()
    assert dict(table.select("system", "correct").rows()) == {"t": 2, "s": 1}


def test_a_frame_of_tokens_is_read_as_spans():
    frame = pl.DataFrame(
        {
            "sentence": [1, 1, 2],
            "form": ["New", "York", "Mary"],
            "gold": ["B-LOC", "I-LOC", "B-PER"],
            "pred": ["B-LOC", "O", "B-PER"],
        }
    )
    row = coleval.load(frame, task="span").score().table().row(0, named=True)
    assert (row["system"], row["tp"], row["fp"], row["fn"]) == ("pred", 1, 1, 1)


def test_an_unknown_option_is_an_error_with_its_neighbours():
    with pytest.raises(coleval.ColevalError, match="did you mean 'scheme'"):
        coleval.load("gold.conll", "*.conll", sheme="io")


def test_a_reading_option_cannot_come_too_late(files):
    corpus = coleval.load("gold.conll", ["one.conll"])
    with pytest.raises(coleval.ColevalError, match="sets how files are read"):
        corpus.score(scheme="io")
