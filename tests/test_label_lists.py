"""Lists in tables are sets of labels only where that is asked for."""

from __future__ import annotations

import io
import json

import polars as pl
import pytest

import coleval
from coleval.errors import UsageError

SEQUENCES = pl.DataFrame(
    {"tokens": [["Peter", "sleeps"]], "gold": [["B-PER", "O"]], "pred": [["O", "B-PER"]]}
)
SETS = pl.DataFrame({"id": ["1", "2"], "gold": [["A", "B"], []], "pred": [["B", "A"], ["A"]]})


def jsonl(frame, path):
    path.write_text("".join(json.dumps(row) + "\n" for row in frame.to_dicts()))
    return str(path)


def parquet(frame, path):
    frame.write_parquet(path)
    return str(path)


def arrow(frame, path):
    frame.write_ipc(path)
    return str(path)


def of_equal_lengths(frame, _):
    """Return the frame with lists whose type says how long all are."""
    lists = [name for name, kind in frame.schema.items() if kind == pl.List(pl.String)]
    return frame.head(1).with_columns(pl.col(lists).list.to_array(2))


MAKERS = {
    "a.jsonl": jsonl,
    "a.parquet": parquet,
    "a.arrow": arrow,
    "polars": lambda frame, _: frame,
    "pyarrow": lambda frame, _: frame.to_arrow(),
    "pandas": lambda frame, _: pytest.importorskip("pandas") and frame.to_pandas(),
    "arrays": of_equal_lengths,
}
every_table = pytest.mark.parametrize("make", MAKERS)


@every_table
@pytest.mark.parametrize(
    "options", [{"task": "label"}, {"task": "label", "columns": "gold=gold,system=pred"}]
)
def test_tokens_and_their_tags_are_never_sets(tmp_path, make, options):
    table = MAKERS[make](SEQUENCES, tmp_path / make)
    with pytest.raises(UsageError, match=r"a token|one token"):
        coleval.load(table, **options)


@every_table
@pytest.mark.parametrize(
    "options", [{}, {"task": "span"}, {"columns": "gold=gold"}, {"task": "span", "merged": True}]
)
def test_tokens_and_their_tags_are_sequences(tmp_path, make, options):
    table = MAKERS[make](SEQUENCES, tmp_path / make)
    row = coleval.load(table, **options).score().table().row(0, named=True)
    assert (row["tp"], row["fp"], row["fn"]) == (0, 1, 1)


@every_table
@pytest.mark.parametrize("options", [{}, {"task": "label"}, {"columns": "gold=gold,system=pred"}])
def test_lists_that_nobody_declares_are_refused_with_what_to_type(tmp_path, make, options):
    table = MAKERS[make](SETS, tmp_path / make)
    with pytest.raises(UsageError) as caught:
        coleval.load(table, **options)
    expected = 'task="label", columns={"gold": "gold", "system": "pred"}'
    if make.startswith("a."):
        expected = 'task="label", columns="gold=gold,system=pred"'
    assert expected in str(caught.value)


@every_table
@pytest.mark.parametrize(
    "options", [{"separator": "|"}, {"task": "label", "columns": "gold=gold,system=pred"}]
)
def test_lists_that_are_declared_are_sets(tmp_path, make, options):
    table = MAKERS[make](SETS, tmp_path / make)
    row = coleval.load(table, **options).score().table().row(0, named=True)
    assert (row["tp"], row["fn"]) == (2, 0)


def test_the_remedy_names_every_system(tmp_path):
    frame = SETS.rename({"pred": "pred_a"}).with_columns(pred_b=pl.col("gold"))
    with pytest.raises(UsageError) as caught:
        coleval.load(frame)
    assert '{"gold": "gold", "system": ["pred_a", "pred_b"]}' in str(caught.value)
    path = parquet(frame, tmp_path / "a.parquet")
    with pytest.raises(UsageError) as caught:
        coleval.load(path)
    assert "gold=gold,system=pred_a,system=pred_b" in str(caught.value)


def test_what_the_remedy_says_about_tokens_works():
    assert coleval.load(SEQUENCES, separator="|", task="label").score().table()["f1"][0] == 1.0


def test_lists_of_a_system_in_its_own_file_are_refused_too(tmp_path):
    gold = jsonl(pl.DataFrame({"id": ["1"], "gold": ["A"]}), tmp_path / "g.jsonl")
    system = jsonl(pl.DataFrame({"id": ["1"], "pred": [["A"]]}), tmp_path / "s.jsonl")
    with pytest.raises(UsageError, match=r"s\.jsonl.*column `pred` holds lists"):
        coleval.load(gold, {"s": system})


def test_text_beside_lists_is_one_label_unless_something_separates_it():
    frame = pl.DataFrame({"gold": [["a|b"]], "pred": ["a|b"]})
    named = {"task": "label", "columns": "gold=gold,system=pred"}
    assert coleval.load(frame, **named).items["label"].to_list() == ["a|b"]
    labels = coleval.load(frame, **named, separator="|").items["label"].to_list()
    assert sorted(labels) == ["a", "a|b", "b"]


@pytest.mark.parametrize("value", [{"a": 1}, [["A"]], [{"a": 1}], b"\xff"])
def test_values_that_are_no_text_are_refused(value):
    frame = pl.DataFrame({"gold": [value], "pred": ["A"]})
    with pytest.raises(coleval.ColevalError, match="column `gold` holds values that are not text"):
        coleval.load(frame, separator="|")


def test_lists_that_play_no_part_are_no_obstacle():
    text = '{"id": 1, "sentence": ["a", "b"], "extra": {"x": [1]}, "gold": "A", "pred": "A"}\n'
    frame = pl.read_ndjson(io.StringIO(text))
    assert coleval.load(frame).score().table()["accuracy"][0] == 1.0


TAGGED = pl.DataFrame(
    {"gold": [["B-PER", "O"], ["O", "O", "O"]], "pred": [["O", "B-PER"], ["O", "O", "O"]]}
)
DECLARED = {"task": "label", "columns": "gold=gold,system=pred"}


@every_table
@pytest.mark.parametrize("options", [{}, {"task": "label"}, DECLARED])
@pytest.mark.parametrize(
    "lists",
    [
        TAGGED,
        TAGGED.head(1),
        pl.DataFrame({"gold": [["NOUN", "X", "NOUN"]], "pred": [["NOUN", "NOUN", "X"]]}),
        pl.DataFrame({"gold": [[3, 0, 0]], "pred": [[0, 0, 3]]}),
        pl.DataFrame({"gold": [["A", "B"]], "pred": [["B", "B"]]}),
    ],
    ids=["tags of two sentences", "tags of one", "repeated", "numbers", "repeated by a system"],
)
def test_sequences_of_labels_are_refused_however_they_are_named(tmp_path, make, options, lists):
    if make == "arrays" and lists.height > 1:
        pytest.skip("arrays of one length hold no sentences of several")
    if make == "arrays":
        lists = lists.with_columns(pl.all().list.to_array(lists["gold"].list.len()[0]))
        table = lists
    else:
        table = MAKERS[make](lists, tmp_path / make)
    with pytest.raises(UsageError, match="sequences, not sets") as caught:
        coleval.load(table, **options)
    assert "one token and its tag per line" in str(caught.value)


def test_sequences_that_a_separator_declares_are_sets():
    assert coleval.load(TAGGED, separator="|", task="label").score().table()["f1"][0] == 1.0


def test_tags_with_their_letter_last_are_sequences_too():
    frame = pl.DataFrame({"gold": [["PER-B", "O"]], "pred": [["O", "PER-B"]]})
    with pytest.raises(UsageError, match="sequences"):
        coleval.load(frame, **DECLARED, suffix=True)


def test_sets_may_hold_a_label_with_a_hyphen():
    frame = pl.DataFrame({"gold": [["B-cell", "virus"], ["O"]], "pred": [["virus", "B-cell"], []]})
    assert coleval.load(frame, **DECLARED).score().table()["tp"][0] == 2


AS_TEXT = ['["B-X", "O"]', "['A', 'B']", "['A' 'B']", "[0, 3]", "[0 3]", "[]"]


@pytest.mark.parametrize("text", AS_TEXT)
@pytest.mark.parametrize("options", [{}, DECLARED, {"separator": "|"}, {"separator": ","}])
@pytest.mark.parametrize("column", ["gold", "pred"])
def test_lists_written_as_text_are_no_labels(text, options, column):
    frame = pl.DataFrame({"gold": ["A", "", "B"], "pred": ["A", "", "B"]})
    frame = frame.with_columns(pl.Series(column, [text, None, '["A"]']))
    with pytest.raises(UsageError, match=f"`{column}` holds lists written as text") as caught:
        coleval.load(frame, **options)
    assert 'separator="|"' in str(caught.value)


@pytest.mark.parametrize("text", ["[MASK]", "[A]", "[NP [N x]]"])
def test_classes_in_brackets_are_classes(text):
    frame = pl.DataFrame({"gold": [text, "B"], "pred": [text, '["B"]']})
    assert coleval.load(frame).score().table()["correct"][0] == 1
    assert coleval.load(frame.head(1)).score().table()["correct"][0] == 1
