"""The keys under which programs write texts and the spans on them: what a record says, as rows.

Each dialect finds the text, the id, the spans and any tokens of one record; what they hold is
looked at afterwards, for all records at once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from coleval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable

    from coleval.loading.readers.json_records import JsonRecords


# RecordKeys of the lists of spans: Prodigy and spaCy, spaCy, spaCy and doccano, doccano.
SPAN_KEYS = ("spans", "ents", "entities", "label", "labels")
TEXT_KEY = "text"
ID_KEYS = ("id", "_id", "doc_id", "document_id", "key")
STARTS, ENDS = ("start", "start_offset"), ("end", "end_offset")
LABELS = ("label", "entity_group")
_PARTS = ("start", "end", "label")
_USUAL = set(_PARTS)
_EXAMPLE = '{"text": "…", "spans": [{"start": 0, "end": 4, "label": "PER"}]}'


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
    read: Callable[[JsonRecords, int, RecordKeys], Record]
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


def plain(file: JsonRecords, at: int, keys: RecordKeys) -> Record:
    """Return a record of doccano, spaCy or Prodigy."""
    record = file.records[at]
    if "answer" in record:
        _accepted(file, at, record)
    given, path = _given(file, at, record, keys)
    spans: list[RecordSpan] = []
    for k, each in enumerate(given):
        if type(each) is list and len(each) == 3:
            spans.append((*each, k))
        elif type(each) is dict and each.keys() >= _USUAL:
            spans.append((each["start"], each["end"], each["label"], k))
        else:
            spans += of_object(file, at, each, path.replace("{}", str(k)), k)
    tokens = _token_places(file, at, record) if "tokens" in record else None
    return Record(record.get(keys.text), id_of(record, keys), spans, path, tokens)


def part_of(file: JsonRecords, at: int, path: str, part: str) -> str:
    """Return the path of a part of a span: ``spans[2].end``, ``label[2][1]``."""
    if not part:
        return path
    found: Any = pair(file.records[at])
    for name in re.findall(r"[^.\[\]]+", path):
        found = found[int(name)] if isinstance(found, list) else found[name]
    if isinstance(found, list):
        return f"{path}[{_PARTS.index(part)}]"
    names = dict(zip(_PARTS, (STARTS, ENDS, _labels_of(found)), strict=True))[part]
    return f"{path}.{next(name for name in names if name in found)}"


def object_of(file: JsonRecords, at: int) -> dict[str, Any]:
    """Return a record that is an object; raise for another."""
    found = file.records[at]
    if not isinstance(found, dict):
        raise unlike(file, at, "", found, "an object")
    return found


def pair(record: Any) -> dict[str, Any]:
    """Return a record as an object: spaCy's training data are pairs of text and annotations."""
    if isinstance(record, list) and list(map(type, record)) == [str, dict]:
        return {TEXT_KEY: record[0], **record[1]}
    return record if isinstance(record, dict) else {}


def _accepted(file: JsonRecords, at: int, record: dict[str, Any]) -> None:
    """Raise for an example that was rejected or ignored in Prodigy: its spans are no answer."""
    answer = record.get("answer", "accept")
    if answer != "accept" and "_input_hash" in record:
        raise DataError(
            f"the answer is `{answer}`, so its spans are not annotations",
            where=file.where(at, "answer"),
            remedy="leave out the records that were not accepted, in gold and in the systems",
        )


def _given(
    file: JsonRecords, at: int, record: dict[str, Any], keys: RecordKeys
) -> tuple[list[Any], str]:
    """Return the spans of a record as they are, and the path of one."""
    name = keys.spans or next((key for key in SPAN_KEYS if _holds(record.get(key))), None)
    if name is None or name not in record:
        if keys.optional:
            return [], ""
        raise _no_spans(file, at, record, name)
    given = record[name]
    if isinstance(given, dict) and len(given) == 1:
        group = next(iter(given))
        given, name = given[group], f"{name}.{group}"
    if isinstance(given, dict) and given:
        raise DataError(
            f"has several groups of spans: {', '.join(map(str, given))}",
            where=file.where(at, name),
            remedy="keep the one to be scored",
        )
    if isinstance(given, dict) or (given is None and keys.optional):
        return [], ""
    if not isinstance(given, list):
        raise unlike(file, at, name, given, "a list of spans")
    return given, f"{name}[{{}}]"


def _holds(value: Any) -> bool:
    return isinstance(value, (list, dict))


def of_object(file: JsonRecords, at: int, given: Any, path: str, k: int) -> list[RecordSpan]:
    """Return the span of an object; several where it has several labels."""
    if not isinstance(given, dict):
        raise unlike(file, at, path, given, "[start, end, label] or an object")
    names = [next((n for n in known if n in given), "") for known in (STARTS, ENDS)]
    label = next((n for n in _labels_of(given) if n in given), "")
    for part, name in zip(_PARTS, (*names, label), strict=True):
        if not name:
            raise DataError(
                f"has no {part}; its keys are {', '.join(map(str, given)) or 'none'}",
                where=file.where(at, path),
                remedy='write {"start": 0, "end": 4, "label": "PER"}, or [0, 4, "PER"]',
            )
    start, end = (given[name] for name in names)
    if not label.endswith("labels") or not isinstance(given[label], list):
        return [(start, end, given[label], k)]
    if not given[label]:
        raise DataError(
            "the list of labels is empty",
            where=file.where(at, f"{path}.{label}"),
            remedy="name what the span is, or leave it out",
        )
    return [(start, end, each, k) for each in given[label]]


def _labels_of(given: dict[str, Any]) -> tuple[str, ...]:
    """Return the keys that the label of a span may have; Label Studio names its kind of text."""
    return (*LABELS, *(key for key in given if key.endswith("labels")))


def id_of(record: dict[str, Any], keys: RecordKeys) -> Any:
    """Return what a record is called, None if nothing says it."""
    return next((record[key] for key in keys.id if record.get(key) is not None), None)


def _token_places(
    file: JsonRecords, at: int, record: dict[str, Any]
) -> list[tuple[Any, Any]] | None:
    """Return where the tokens of a record begin and end, None if it has none."""
    tokens = record.get("tokens")
    if not isinstance(tokens, list):
        return None
    for k, token in enumerate(tokens):
        if not isinstance(token, dict) or not {"start", "end"} <= token.keys():
            raise unlike(file, at, f"tokens[{k}]", token, "a token with start and end")
    return [(token["start"], token["end"]) for token in tokens]


def unlike(file: JsonRecords, at: int, path: str, given: Any, due: str) -> DataError:
    """Return the error that a field holds something else than is due."""
    kinds = {dict: "an object", list: "a list", str: "text", bool: "true or false",
             type(None): "missing"}  # fmt: skip
    what = kinds.get(type(given), "a number")
    return DataError(
        f"is {what} where {due} is due",
        where=file.where(at, path),
        remedy=f"for example {_EXAMPLE}; `coleval formats` lists what can be read",
    )


def _no_spans(file: JsonRecords, at: int, record: dict[str, Any], name: str | None) -> DataError:
    there = ", ".join(f"`{key}`" for key in list(record)[:8]) or "none"
    what = f"`{name}`" if name else "spans"
    return DataError(
        f"has no {what}; its keys are {there}",
        where=file.where(at),
        remedy=f"for example {_EXAMPLE}; other keys are chosen by --columns form=body,label=marks",
    )


PLAIN = Dialect("plain", plain)


_TOKENS = "tokenized_text"


def label_studio(file: JsonRecords, at: int, keys: RecordKeys) -> Record:
    """Return a task of Label Studio: its first annotation that was not cancelled, or prediction."""
    task = object_of(file, at)
    data = task.get("data")
    if not isinstance(data, dict):
        raise unlike(file, at, "data", data, "an object with the text")
    path, results, ignored = _results(file, at, task, keys)
    spans: list[RecordSpan] = []
    for k, result in enumerate(results):
        value = result.get("value") if isinstance(result, dict) else None
        if isinstance(value, dict) and {"start", "end"} & value.keys():
            spans += of_object(file, at, value, path.replace("{}", str(k)), k)
        else:
            ignored += 1
    # A task's own id is a number of the project's; what the data call id is the text's.
    return Record(data.get(keys.text), id_of(data, keys), spans, path, None, ignored)


def gliner(file: JsonRecords, at: int, keys: RecordKeys) -> Record:
    """Return a record of GLiNER: spans by the numbers of their first and last token."""
    record = object_of(file, at)
    tokens = record.get(_TOKENS)
    if not isinstance(tokens, list) or not all(type(t) is str for t in tokens):
        raise unlike(file, at, _TOKENS, tokens, "a list of tokens")
    given = record.get("ner")
    if not isinstance(given, list):
        raise unlike(file, at, "ner", given, "a list of [first, last, label]")
    places, length = [], 0
    for token in tokens:
        places.append((length, length + len(token)))
        length += len(token) + 1
    spans = [_of_tokens(file, at, k, each, places) for k, each in enumerate(given)]
    return Record(" ".join(tokens), id_of(record, keys), spans, "ner[{}]", places)


def _of_tokens(
    file: JsonRecords, at: int, k: int, given: Any, places: list[tuple[int, int]]
) -> RecordSpan:
    """Return the characters of a span over tokens, of which the last one is inside."""
    if not isinstance(given, list) or len(given) != 3:
        raise unlike(file, at, f"ner[{k}]", given, "[first token, last token, label]")
    first, last, label = given
    for name, token in enumerate((first, last)):
        if type(token) is not int or not 0 <= token < len(places):
            raise DataError(
                f"there is no token `{token}`: they are numbered from 0 to {len(places) - 1}",
                where=file.where(at, f"ner[{k}][{name}]"),
                remedy="write the numbers of the first and the last token of the span",
            )
    if last < first:
        raise DataError(
            f"the span from token {first} to {last} ends before it begins",
            where=file.where(at, f"ner[{k}][1]"),
            remedy="write the number of the first token, then that of the last one",
        )
    return places[first][0], places[last][1], label, k


def _results(
    file: JsonRecords, at: int, task: dict[str, Any], keys: RecordKeys
) -> tuple[str, list[Any], int]:
    """Return the results of the annotation that counts with their path; how many others are."""
    kind = "predictions" if keys.predictions else "annotations"
    given = task.get(kind)
    if not isinstance(given, list):
        raise unlike(file, at, kind, given, f"a list of {kind}")
    there = [(k, one) for k, one in enumerate(given)
             if not (isinstance(one, dict) and one.get("was_cancelled"))]  # fmt: skip
    if not there:
        return "", [], 0
    number, first = there[0]
    results = first.get("result") if isinstance(first, dict) else None
    if not isinstance(results, list):
        raise unlike(file, at, f"{kind}[{number}].result", results, "a list of results")
    return f"{kind}[{number}].result[{{}}].value", results, len(there) - 1


LABEL_STUDIO = Dialect("Label Studio", label_studio)
GLINER = Dialect("GLiNER", gliner, joined=True)
