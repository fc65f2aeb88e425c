"""The keys under which programs write texts and the spans on them: what a record says, as rows.

Each dialect finds the text, the id, the spans and any tokens of one record; what they hold is
looked at afterwards, for all records at once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from coleval.errors import DataError
from coleval.loading.readers.json_records import Field, inside

if TYPE_CHECKING:
    from collections.abc import Callable


# The keys of the lists of spans: Prodigy and spaCy, spaCy, spaCy and doccano, doccano.
SPAN_KEYS = ("spans", "ents", "entities", "label", "labels")
TEXT_KEY = "text"
ID_KEYS = ("id", "_id", "doc_id", "document_id", "key")
STARTS, ENDS = ("start", "start_offset"), ("end", "end_offset")
LABELS = ("label", "entity_group")
_PARTS = ("start", "end", "label")
_USUAL = set(_PARTS)
_EXAMPLE = 'for example {"text": "…", "spans": [{"start": 0, "end": 4, "label": "PER"}]}'


# Start, end and label of a span, and its number in the list that it is from.
RecordSpan = tuple[Any, Any, Any, int]


@dataclass(frozen=True, slots=True)
class Record:
    """What one record says; ``path`` is that of a span, with ``{}`` for its number."""

    text: Any
    id: Any
    spans: list[RecordSpan]
    path: str
    tokens: list[tuple[Any, Any]] | None = None
    ignored: int = 0


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a program writes a record; ``joined`` if its texts are tokens with spaces between."""

    name: str
    read: Callable[[Field, RecordKeys], Record]
    joined: bool = False


@dataclass(frozen=True, slots=True)
class RecordKeys:
    """The keys of a file: those chosen by ``--columns``, or the usual ones."""

    text: str = TEXT_KEY
    id: tuple[str, ...] = ID_KEYS
    spans: str | None = None
    optional: bool = False
    predictions: bool = False
    kept: dict[str, str] = field(default_factory=dict)


def pair(record: Any) -> dict[str, Any]:
    """Return a record as an object: spaCy's training data are pairs of text and annotations."""
    if isinstance(record, list) and list(map(type, record)) == [str, dict]:
        return {TEXT_KEY: record[0], **record[1]}
    return record if isinstance(record, dict) else {}


def part_of(record: Any, path: str, part: str) -> str:
    """Return the path of a part of a span: ``spans[2].end``, ``label[2][1]``."""
    if not part:
        return path
    found: Any = pair(record)
    for name in re.findall(r"[^.\[\]]+", path):
        found = found[int(name)] if isinstance(found, list) else found[name]
    if isinstance(found, list):
        return f"{path}[{_PARTS.index(part)}]"
    names = dict(zip(_PARTS, (STARTS, ENDS, _labels_of(found)), strict=True))[part]
    return f"{path}.{next(name for name in names if name in found)}"


def _plain(record: Field, keys: RecordKeys) -> Record:
    """Return a record of doccano, spaCy or Prodigy."""
    fields = record.value
    if "_input_hash" in fields and fields.get("answer", "accept") != "accept":
        raise DataError(
            f"the answer is `{fields['answer']}`, so its spans are not annotations",
            where=f"{record.where} answer",
            remedy="leave out the records that were not accepted, in gold and in the systems",
        )
    given = _spans_of(record, keys)
    spans: list[RecordSpan] = []
    path = given.path if given else ""
    for k, each in enumerate(given.value if given else ()):
        # Nearly all spans are written in one of these two ways.
        if type(each) is list and len(each) == 3:
            spans.append((*each, k))
        elif type(each) is dict and each.keys() >= _USUAL:
            spans.append((each["start"], each["end"], each["label"], k))
        else:
            spans += _of_object(Field(each, record.where, f"{path}[{k}]"), k)
    tokens = None
    if isinstance(fields.get("tokens"), list):
        tokens = [_token_place(token) for token in record["tokens"].items()]
    return Record(fields.get(keys.text), _id_of(fields, keys), spans, f"{path}[{{}}]", tokens)


def _spans_of(record: Field, keys: RecordKeys) -> Field | None:
    """Return the list of spans of a record, None if it has none and may have none."""
    fields = record.value
    lists = (key for key in SPAN_KEYS if isinstance(fields.get(key), (list, dict)))
    name = keys.spans or next(lists, None)
    if name is None or name not in fields:
        if keys.optional:
            return None
        present = ", ".join(f"`{key}`" for key in list(fields)[:8]) or "none"
        raise DataError(
            f"has no {f'`{name}`' if name else 'spans'}; its keys are {present}",
            where=record.where,
            remedy=f"{_EXAMPLE}; other keys are chosen by --columns form=body,label=marks",
        )
    given = record[name]
    if isinstance(given.value, dict) and len(given.value) == 1:
        given = given[next(iter(given.value))]
    if isinstance(given.value, dict) and given.value:
        raise DataError(
            f"has several groups of spans: {', '.join(given.value)}",
            where=f"{given.where} {given.path}",
            remedy="keep the one to be scored",
        )
    if given.value == {} or (given.value is None and keys.optional):
        return None
    if not isinstance(given.value, list):
        raise given.wrong("a list of spans", _EXAMPLE)
    return given


def _of_object(given: Field, k: int) -> list[RecordSpan]:
    """Return the span of an object; several where it has several labels."""
    if not isinstance(given.value, dict):
        raise given.wrong("[start, end, label] or an object", _EXAMPLE)
    found = [given.first(names) for names in (STARTS, ENDS, _labels_of(given.value))]
    for part, one in zip(_PARTS, found, strict=True):
        if one is None:
            raise DataError(
                f"has no {part}; its keys are {', '.join(given.value) or 'none'}",
                where=f"{given.where} {given.path}",
                remedy='write {"start": 0, "end": 4, "label": "PER"}, or [0, 4, "PER"]',
            )
    start, end, label = (one for one in found if one is not None)
    if not label.path.endswith("labels") or not isinstance(label.value, list):
        return [(start.value, end.value, label.value, k)]
    if not label.value:
        raise DataError(
            "the list of labels is empty",
            where=f"{label.where} {label.path}",
            remedy="name what the span is, or leave it out",
        )
    return [(start.value, end.value, each, k) for each in label.value]


def _labels_of(given: dict[str, Any]) -> tuple[str, ...]:
    """Return the keys that the label of a span may have; Label Studio names its kind of text."""
    return (*LABELS, *(key for key in given if key.endswith("labels")))


def _id_of(record: dict[str, Any], keys: RecordKeys) -> Any:
    return next((record[key] for key in keys.id if record.get(key) is not None), None)


def _token_place(token: Field) -> tuple[Any, Any]:
    if not isinstance(token.value, dict) or not {"start", "end"} <= token.value.keys():
        raise token.wrong("a token with start and end", _EXAMPLE)
    return token.value["start"], token.value["end"]


def _label_studio(task: Field, keys: RecordKeys) -> Record:
    """Return a task of Label Studio: its first annotation that was not cancelled, or prediction."""
    task.fields()
    data = task["data"].fields()
    spans: list[RecordSpan] = []
    path, ignored = "", 0
    given = task["predictions" if keys.predictions else "annotations"].items()
    valid = [one for one in given if not inside(one.value, "was_cancelled")]
    if valid:
        results = valid[0]["result"]
        path, ignored = f"{results.path}[{{}}].value", len(valid) - 1
        for k, result in enumerate(results.items("a list of results")):
            value = inside(result.value, "value")
            if isinstance(value, dict) and {"start", "end"} & value.keys():
                spans += _of_object(result["value"], k)
            else:
                ignored += 1
    # A task's own id is a number of the project's; what the data call id is the text's.
    return Record(data.get(keys.text), _id_of(data, keys), spans, path, None, ignored)


def _gliner(record: Field, keys: RecordKeys) -> Record:
    """Return a record of GLiNER: spans by the numbers of their first and last token."""
    record.fields()
    tokens = [token.string() for token in record["tokenized_text"].items("a list of tokens")]
    places, length = [], 0
    for token in tokens:
        places.append((length, length + len(token)))
        length += len(token) + 1
    given = record["ner"].items("a list of [first, last, label]")
    spans = [_of_tokens(each, k, places) for k, each in enumerate(given)]
    return Record(" ".join(tokens), _id_of(record.value, keys), spans, "ner[{}]", places)


def _of_tokens(given: Field, k: int, places: list[tuple[int, int]]) -> RecordSpan:
    """Return the characters of a span over tokens, of which the last one is inside."""
    if not isinstance(given.value, list) or len(given.value) != 3:
        raise given.wrong("[first token, last token, label]")
    first, last, label = given.value
    for name, token in enumerate((first, last)):
        if type(token) is not int or not 0 <= token < len(places):
            raise DataError(
                f"there is no token `{token}`: they are numbered from 0 to {len(places) - 1}",
                where=f"{given.where} {given.path}[{name}]",
                remedy="write the numbers of the first and the last token of the span",
            )
    if last < first:
        raise DataError(
            f"the span from token {first} to {last} ends before it begins",
            where=f"{given.where} {given.path}[1]",
            remedy="write the number of the first token, then that of the last one",
        )
    return places[first][0], places[last][1], label, k


PLAIN = Dialect("plain", _plain)
LABEL_STUDIO = Dialect("Label Studio", _label_studio)
GLINER = Dialect("GLiNER", _gliner, joined=True)
