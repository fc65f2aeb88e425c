"""Records that are built otherwise: tasks of Label Studio, and the token numbers of GLiNER."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coleval.errors import DataError
from coleval.loading.readers.offset_dialects import (
    Dialect,
    Record,
    id_of,
    object_of,
    of_object,
    unlike,
)

if TYPE_CHECKING:
    from coleval.loading.readers.json_records import JsonRecords
    from coleval.loading.readers.offset_dialects import RecordKeys, RecordSpan

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
