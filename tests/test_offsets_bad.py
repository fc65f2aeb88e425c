"""Spans that cannot be read: the record, the path of the field, what is wrong and what to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import coleval
from coleval.cli.main import main
from coleval.errors import ColevalError

GOOD = (
    '{"id":1,"text":"Ann met Bo.","spans":[{"start":0,"end":3,"label":"PER"}]}',
    '{"id":2,"text":"In Rome","spans":[{"start":3,"end":7,"label":"LOC"}]}',
)
SECOND = GOOD[1]
RECORDS = {
    "broken JSON": (
        SECOND.replace('7,"', '7 "'),
        "s.jsonl:2 (record 2): is not JSON: expecting ','",
    ),
    "an end beyond the text": (
        SECOND.replace("7", "9"),
        "(record 2) spans[0].end: the span ends at 9",
    ),
    "a negative start": (SECOND.replace("3", "-3"), "spans[0].start: the offset -3 is negative"),
    "an end before the start": (
        SECOND.replace("7", "1"),
        "spans[0].end: the span from 3 to 1 ends",
    ),
    "no characters": (SECOND.replace("7", "3"), "the span from 3 to 3 has no characters"),
    "white space alone": (
        SECOND.replace("3", "2").replace("7", "3"),
        "(record 2) spans[0]: the span from 2 to 3 is white space only",
    ),
    "a list of labels": (
        SECOND.replace('"LOC"', '["LOC"]'),
        'spans[0].label: the list `["LOC"]` is not a label',
    ),
    "a number for a label": (SECOND.replace('"LOC"', "4"), "spans[0].label: `4` is not a label"),
    "no label": (
        SECOND.replace('"label"', '"lable"'),
        "spans[0]: has no label; its keys are start",
    ),
    "an empty label": (SECOND.replace("LOC", " "), "spans[0].label: the label is empty"),
    "no spans": (SECOND.replace("spans", "marks"), "(record 2): has no `spans`; its keys are `id`"),
    "an offset that is no whole number": (SECOND.replace("3", "3.0"), "`3.0` is not an offset"),
    "an offset in quotes": (SECOND.replace("3", '"3"'), '`"3"` is not an offset'),
    "an offset beyond any text": (SECOND.replace("7", "9" * 20), "is beyond any text"),
    "half a character": (
        SECOND.replace("In", "\\ud83d"),
        "(record 2): holds half a character",
    ),
    "one id twice": (SECOND.replace('"id":2', '"id":1'), "an id appears more than once: `1`"),
    "an id missing": (SECOND.replace('"id":2,', ""), "(record 2): has no id, but others have"),
    "an id of another text": (SECOND.replace('"id":2', '"id":7'), "1 id is not in gold: `7`"),
    "another text": (
        SECOND.replace("Rome", "Romi"),
        "record 2: the text differs from gold's at character 6: `In Romi`, but gold has `In Rome`",
    ),
    "two lists of spans": (
        SECOND[:-1] + ',"ents":[{"start":3,"end":7,"label":"LOC"}]}',
        "`spans` and `ents` hold spans",
    ),
    "null for spans": ('{"id":2,"text":"In Rome","spans":null}', "`spans` is null where a list"),
    "a span that is a number": ('{"id":2,"text":"In Rome","spans":[3]}', "`spans[0]` is a number"),
    "a rejected example": (
        SECOND[:-1] + ',"_input_hash":1,"answer":"reject"}',
        "the answer is `reject`",
    ),
    "tokens out of order": (
        SECOND[:-1] + ',"tokens":[{"start":3,"end":7},{"start":0,"end":2}]}',
        None,
    ),
}


def scored(tmp_path: Path, system: str, *options: str, name: str = "s.jsonl") -> int:
    (tmp_path / "g.jsonl").write_text("\n".join(GOOD) + "\n", encoding="utf-8")
    (tmp_path / name).write_text(system, encoding="utf-8")
    return main(["score", str(tmp_path / "g.jsonl"), f"s={tmp_path / name}", *options])


@pytest.mark.parametrize("case", [name for name, (_, said) in RECORDS.items() if said])
def test_a_record_that_cannot_be_read_is_named_with_the_field(tmp_path, capsys, case):
    record, said = RECORDS[case]
    assert scored(tmp_path, f"{GOOD[0]}\n{record}\n") in (1, 2)
    out, err = capsys.readouterr()
    assert out == ""
    assert said in " ".join(err.split())
    assert len(err.splitlines()) >= 2, "a remedy is missing"


def test_tokens_are_in_the_order_of_the_text(tmp_path, capsys):
    first = GOOD[0][:-1] + ',"tokens":[{"start":0,"end":3}]}'
    assert scored(tmp_path, f"{first}\n{RECORDS['tokens out of order'][0]}\n") == 1
    assert "(record 2) tokens[1].start: the token begins before" in capsys.readouterr().err


def test_validate_lists_the_line_of_the_record(tmp_path, capsys):
    bad = f"{GOOD[0]}\n{RECORDS['no characters'][0]}\n"
    scored(tmp_path, bad)
    capsys.readouterr()
    paths = [str(tmp_path / "g.jsonl"), f"s={tmp_path / 's.jsonl'}"]
    assert main(["validate", *paths, "--as", "json"]) == 1
    row = json.loads(capsys.readouterr().out)["tables"]["problems"][0]
    assert (Path(row["file"]).name, row["line"]) == ("s.jsonl", 2)
    assert row["problem"].startswith("record 2 spans[0].end: ")


def test_a_span_given_twice_counts_once_unless_all_are_asked_for(tmp_path, capsys):
    span = '{"start":3,"end":7,"label":"LOC"}'
    twice = f"{GOOD[0]}\n{SECOND.replace(span, f'{span},{span}')}\n"
    counts = {}
    for options in ((), ("--multiset",)):
        assert scored(tmp_path, twice, "--as", "json", *options) == 0
        row = json.loads(capsys.readouterr().out)["tables"]["overall"][0]
        counts[options] = (row["tp"], row["fp"], row["fn"])
    assert counts == {(): (2, 0, 0), ("--multiset",): (2, 1, 0)}


def test_a_record_that_is_missing_is_missed_only_if_that_is_said(tmp_path, capsys):
    assert scored(tmp_path, GOOD[0] + "\n") == 1
    assert "lacks 1 of gold's 2 records: `2`" in capsys.readouterr().err
    assert scored(tmp_path, GOOD[0] + "\n", "--missing", "wrong", "--as", "json") == 0
    row = json.loads(capsys.readouterr().out)["tables"]["overall"][0]
    assert (row["tp"], row["fp"], row["fn"]) == (1, 0, 1)
    assert scored(tmp_path, GOOD[0] + "\n", "--missing", "leave-out") == 2
    assert "cannot be left out one by one" in capsys.readouterr().err


ANN = {
    "no TAB": ("T1 LOC 3 7 Rome\n", "s.ann:1: `T1 LOC 3 7 Rome` has no TAB"),
    "no offsets": ("T1\tLOC\tRome\n", "s.ann:1: `T1 LOC Rome` has no label, or no offsets"),
    "a negative offset": (
        "T1\tLOC -3 7\tRome\n",
        "s.ann:1: `T1 LOC -3 7 Rome` has a negative offset",
    ),
    "half a fragment": (
        "T1\tLOC 3;7\tRome\n",
        "s.ann:1: `T1 LOC 3;7 Rome` has offsets that are none",
    ),
    "another line": ("T1\tLOC 3 7\tRome\nX1\tno\n", "s.ann:2: `X1 no` is nothing that brat writes"),
    "beyond the text": ("\nT1\tLOC 3 9\tRome\n", "s.ann:2: the span ends at 9, but the text has 7"),
    "fragments that overlap": ("T1\tLOC 3 6;5 7\tRome\n", "s.ann:1: fragments overlap: `3 6;5 7`"),
    "an empty fragment": ("T1\tLOC 3 3;5 7\tRome\n", "s.ann:1: a fragment has no characters"),
    "white space": ("T1\tLOC 2 3\t \n", "s.ann:1: the span from 2 to 3 is white space only"),
    "a huge offset": (f"T1\tLOC 3 {'9' * 30}\tx\n", "is beyond any text"),
}


def brat(tmp_path: Path, name: str, text: str | None, ann: str) -> str:
    if text is not None:
        (tmp_path / f"{name}.txt").write_bytes(text.encode())
    (tmp_path / f"{name}.ann").write_bytes(ann.encode())
    return str(tmp_path / f"{name}.ann")


@pytest.mark.parametrize("case", ANN)
def test_a_line_of_brat_that_cannot_be_read_is_named(tmp_path, case):
    ann, said = ANN[case]
    gold = brat(tmp_path, "g", "In Rome", "T1\tLOC 3 7\tRome\n")
    with pytest.raises(ColevalError) as caught:
        coleval.load(gold, {"s": brat(tmp_path, "s", "In Rome", ann)})
    assert said in " ".join(str(caught.value).split())


def test_spans_without_their_text_are_refused(tmp_path):
    gold = brat(tmp_path, "g", None, "T1\tLOC 3 7\tRome\n")
    with pytest.raises(ColevalError, match=r"g\.ann: there is no text for it: g\.txt is missing"):
        coleval.load(gold, {"s": gold})


def test_other_lines_of_brat_are_counted_and_texts_compared(tmp_path):
    gold = brat(tmp_path, "g", "In Rome", "T1\tLOC 3 7\tRome\n")
    ann = "T1\tLOC 3 7\tParis\nR1\tIn Arg1:T1 Arg2:T1\nE1\tLOC:T1\n#1\tNote T1\tx\n*\tEquiv T1 T1\n"
    corpus = coleval.load(gold, {"s": brat(tmp_path, "s", "In Rome", ann)})
    assert corpus.score()["overall"]["tp"][0] == 1
    notes = {note.kind: (note.line, note.n) for note in corpus.entries[0].notes}
    assert notes == {"not a span": (2, 4), "span text": (1, 1)}


def test_fragments_that_touch_are_one(tmp_path):
    gold = brat(tmp_path, "g", "In Rome", "T1\tLOC 3 7\tRome\n")
    system = brat(tmp_path, "s", "In Rome", "T1\tLOC 5 7;3 5\tRo me\n")
    assert coleval.load(gold, {"s": system}).score()["overall"]["tp"][0] == 1


def task_of_label_studio(*models: str) -> str:
    result = [{"value": {"start": 3, "end": 7, "labels": ["LOC"]}}, {"type": "relation"}]
    wrong = [{"value": {"start": 0, "end": 2, "labels": ["LOC"]}}]
    predictions = [{"model_version": model, "result": wrong} for model in models]
    task = {"id": 9, "data": {"text": "In Rome"}, "annotations": [{"result": result}]}
    return json.dumps([task | {"predictions": predictions}])


def test_annotations_of_label_studio_are_gold_and_predictions_the_system(tmp_path):
    path = tmp_path / "export.json"
    path.write_text(task_of_label_studio("v1"), encoding="utf-8")
    corpus = coleval.load(str(path), {"model": str(path)})
    assert corpus.score()["overall"].select("tp", "fp", "fn").row(0) == (0, 1, 1)
    assert [(n.kind, n.n) for n in corpus.gold.notes] == [("not a span", 1)]
    path.write_text(task_of_label_studio("v1", "v2"), encoding="utf-8")
    with pytest.raises(ColevalError, match=r"predictions: has predictions of several models: v1"):
        coleval.load(str(path), {"model": str(path)})


def test_offsets_inside_a_character_are_refused(tmp_path):
    record = '{"text":"😀 Rome","spans":[{"start":1,"end":7,"label":"LOC"}]}'
    path = tmp_path / "g.jsonl"
    path.write_text(record + "\n", encoding="utf-8")
    with pytest.raises(ColevalError, match=r"spans\[0\]\.start: the offset is inside a character"):
        coleval.load(str(path), {"s": str(path)}, offsets="utf16")
