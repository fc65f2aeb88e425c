"""Files of entities without places: how they are recognised, read, and refused."""

from __future__ import annotations

import gzip
import json
from contextlib import suppress

import pytest

from coleval.corpus.selection import Selection
from coleval.errors import ColevalError, DataError, UsageError
from coleval.loading.readers.entities import read_entities
from coleval.loading.readers.formats import detect
from coleval.loading.readers.source import Source


def read(tmp_path, text, columns=""):
    path = tmp_path / "a.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_entities(Source(str(path)), Selection.parse(columns), "system")


def entries(file):
    return list(zip(file.record.tolist(), file.string, file.label, strict=True))


@pytest.mark.parametrize("written", [
    '[["New York", "LOC"], ["Bob", "PER"]]',
    '[{"text": "New York", "label": "LOC"}, {"text": "Bob", "label": "PER"}]',
    '[{"entity": "New York", "type": "LOC", "score": 0.5}, {"name": "Bob", "category": "PER"}]',
    '[["New York", "LOC"], {"span": "Bob", "label": "PER", "start": null}]',
    '{"LOC": ["New York"], "PER": ["Bob"], "ORG": []}',
])  # fmt: skip
def test_entries_are_written_in_many_ways(tmp_path, written):
    file = read(tmp_path, f'{{"id": 1, "entities": []}}\n{{"id": 2, "entities": {written}}}\n')
    assert entries(file) == [(1, "New York", "LOC"), (1, "Bob", "PER")]
    assert file.id.to_list() == ["1", "2"]
    assert file.line.tolist() == [1, 2]
    assert file.answered.all()


def test_a_file_may_be_one_array_over_many_lines(tmp_path):
    records = [{"sent_id": "s", "text": "Bob", "entities": [["Bob", "PER"]]}, {"sent_id": "t",
               "entities": None}]  # fmt: skip
    file = read(tmp_path, json.dumps(records, indent=1))
    assert entries(file) == [(0, "Bob", "PER")]
    assert file.text.to_list() == ["Bob", None]
    assert file.answered.tolist() == [True, False]
    assert file.at(1).endswith("(record 2)")


def test_fields_are_chosen_by_name(tmp_path):
    file = read(tmp_path, '{"key": 7, "out": [["a", "X"]], "id": 1}\n', "id=key,system=out")
    assert entries(file) == [(0, "a", "X")]
    assert file.id.to_list() == ["7"]
    with pytest.raises(UsageError, match="number of a column"):
        read(tmp_path, "{}", "system=2")


@pytest.mark.parametrize(("text", "message"), [
    ('{"entities": [["a", "X"]', r"a.jsonl:1 \(record 1\): is not JSON"),
    ('{"entities": []}\n\nnull\n', r"a.jsonl:3 \(record 2\): `the record` is null where an object"),
    ('{"labels": []}', "has no `entities`, but `labels`"),
    ('{"entities": 5}', r"`entities` is a number \(5\) where a list is due"),
    ('{"entities": [["a", 1]]}', r"`entities\[0\]\[1\]` is a number \(1\) where text"),
    ('{"entities": [["a", ["X", "Y"]]]}', r"`entities\[0\]\[1\]` is a list of 2 where text"),
    ('{"entities": [["b", "X"], ["a"]]}', r"`entities\[1\]` has 1 values instead of 2"),
    ('{"entities": [null]}', r"`entities\[0\]` is null where a string with its label"),
    ('{"entities": [{"text": "a"}]}', r"`entities\[0\]` has no label"),
    ('{"entities": [{"label": "a"}]}', r"`entities\[0\]` has no string"),
    ('{"entities": [{"text": null, "label": "a"}]}', r"`entities\[0\].text` is null where text"),
    ('{"entities": {"X": "a"}}', r"`entities.X` is text \(\"a\"\) where a list"),
    ('{"entities": {"X": ["a", 2]}}', r"`entities.X\[1\]` is a number \(2\) where text"),
    ('{"entities": [[0, 3, "X"]]}', r"`entities\[0\]` is \[0, 3, \"X\"\], which has a place"),
    ('{"entities": [{"text": "a", "label": "X", "start": 0}]}', "which has a place"),
    ('{"id": null, "entities": []}', "`id` is null where an id"),
    ('{"id": true, "entities": []}', "an id that is neither text nor a number"),
    ('{"id": 1, "entities": []}\n{"entities": []}', r":2 \(record 2\): has no id, but others"),
    ('{"id": 1, "entities": []}\n{"id": "1", "entities": []}', "an id appears more than once: `1`"),
    ('{"text": 3, "entities": []}', r"`text` is a number \(3\) where text"),
    ('{"entities": [["\\ud800", "X"]]}', r"record 1.: holds half a character"),
    ("[]", "holds no records"),
    ("", "is empty"),
])  # fmt: skip
def test_what_cannot_be_read_is_told_with_record_and_field(tmp_path, text, message):
    with pytest.raises(DataError, match=message) as caught:
        read(tmp_path, text)
    assert "\n" in str(caught.value), "a remedy is missing"


@pytest.mark.parametrize(("text", "name"), [
    (b'{"id": 1, "entities": [["a", "X"]]}\n', "entities"),
    (b'{"id": 1, "entities": []}\n{"id": 2, "entities": {"X": ["a"]}}\n', "entities"),
    (b'[{"text": "a b", "entities": [{"text": "a", "label": "X"}]}]', "entities"),
    (b'{"id": 1, "entities": []}\n', "entities"),
    (b'{"text": "a b", "entities": [[0, 1, "X"]]}\n', "offsets"),
    (b'{"text": "a b", "entities": [{"start": 0, "end": 1, "label": "X"}]}\n', "offsets"),
])  # fmt: skip
def test_a_file_is_recognised_by_its_first_entity(tmp_path, text, name):
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(text))
    assert detect(Source(str(path)), None).name == name


def test_a_long_first_record_is_recognised_by_how_it_begins(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"entities": [["a", "X"]] * 5000}]), encoding="utf-8")
    assert detect(Source(str(path)), None).name == "entities"


def test_damage_anywhere_ends_in_a_message(tmp_path):
    whole = b'{"id": 1, "entities": [["a", "X"], {"text": "b", "label": "Y"}]}\n{"entities": {}}\n'
    for at in range(len(whole)):
        for piece in (b"", b"\x00", b"\xff", b"null", b"[", b'"'):
            with suppress(ColevalError):
                read(tmp_path, whole[:at] + piece + whole[at + 1 :])
