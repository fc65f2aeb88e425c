"""Lists of entities without places, as language models give them: a record a sentence or document.

``{"id": 7, "entities": [["Berlin", "LOC"], …]}``; an entry may also be an object
(``{"text": "Berlin", "label": "LOC"}``), or the entities an object of labels
(``{"LOC": ["Berlin"]}``). Where the strings stand in the text is found out by ``align``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.errors import DataError
from coleval.loading.readers.json_records import (
    Field,
    chosen_keys,
    json_records,
    no_garbage,
    written,
)
from coleval.loading.readers.model import EntityFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.source import Source


# The keys that a field may have; the first that an object has is taken.
_IDS = ("id", "sent_id", "sentence_id", "doc_id", "doc_key", "document_id")
# Those of an entry that is an object.
_STRINGS = ("text", "entity", "name", "span")
_LABELS = ("label", "type", "category", "entity_type")
# What says that an entry has a place: it is no bare string, and another reader's.
_PLACES = ("start", "begin", "start_offset", "start_char", "from", "end", "token_start")
_WRITE = 'write {"id": 1, "entities": [["Berlin", "LOC"]]}'
_KEY = b'"entities"'


def looks_like_entities(text: bytes) -> bool:
    """Tell whether the first record with any entity lists it without a place.

    Where no record has one, lists without texts are taken for what has no places.
    """
    empty = False
    if _KEY not in text:
        return empty
    for line in text.split(b"\n"):
        # A file may be one array, and its beginning may end within a record.
        there, entities = _entities_in(line.strip().removeprefix(b"[").rstrip(b",]"))
        if entities:
            return _unplaced(entities)
        empty |= there and b'"text"' not in line
    return empty


def _entities_in(line: bytes) -> tuple[bool, Any]:
    """Return whether an object has ``entities``, and their value as far as the line goes."""
    at = line.find(_KEY) if line.lstrip().startswith(b"{") else -1
    rest = line[at + len(_KEY) :].lstrip()
    if at < 0 or not rest.startswith(b":"):
        return False, None
    value = rest[1:].decode("utf-8", "ignore").lstrip()
    inside = value[1:].lstrip()
    first = value[:1] == "[" and inside[:1] in ("[", "{")
    try:
        found = json.JSONDecoder().raw_decode(inside if first else value)[0]
    except (ValueError, RecursionError):
        return False, None
    return True, [found] if first else found


def _unplaced(entities: Any) -> bool:
    if isinstance(entities, dict):
        return all(_listed_strings(strings) for strings in entities.values())
    if not isinstance(entities, list):
        return False
    first = entities[0]
    if isinstance(first, dict):
        return not any(key in first for key in _PLACES) and all(
            any(isinstance(first.get(key), str) for key in keys) for keys in (_STRINGS, _LABELS)
        )
    return isinstance(first, list) and len(first) == 2 and all(isinstance(x, str) for x in first)


def _listed_strings(strings: Any) -> bool:
    return isinstance(strings, list) and all(isinstance(text, str) for text in strings)


def read_entities(source: Source, selection: Selection, role: str) -> EntityFile:
    """Return the entries of a file of JSON lines, or of one JSON array of records."""
    parts = ("id", role, "label", "form")
    picks = {part: key for part, key in selection.picks.items() if part in parts}
    chosen = chosen_keys(picks, f"id=sent,{role}=entities")
    entities = chosen.get(role) or chosen.get("label") or "entities"
    with no_garbage():
        file = json_records(source)
        if not file.records:
            raise DataError("holds no records", where=source.path, remedy=_WRITE)
        lists = [_entities(record, entities) for record in file.fields()]
        entries = [list(_entries(one)) if one.value is not None else [] for one in lists]
        ids = [
            record.first((chosen["id"],) if "id" in chosen else _IDS) for record in file.fields()
        ]
        texts = [record.first((chosen.get("form", "text"),)) for record in file.fields()]
        every = [entry for record in entries for entry in record]
        return EntityFile(
            path=source.path,
            id=file.ids([_id(one) for one in ids]),
            text=pl.Series(
                "text",
                [one.string() if one and one.value is not None else None for one in texts],
                dtype=pl.String,
            ),
            answered=np.array([one.value is not None for one in lists], np.bool_),
            record=np.repeat(np.arange(len(lists), dtype=np.int32), list(map(len, entries))),
            string=pl.Series("string", [string for string, _ in every], dtype=pl.String),
            label=pl.Series("label", [label for _, label in every], dtype=pl.String),
            line=np.array(file.line, np.uint32),
        )


def _entities(record: Field, key: str) -> Field:
    fields = record.fields()
    if key not in fields:
        present = ", ".join(f"`{written(name)[1:-1]}`" for name in list(fields)[:8]) or "nothing"
        remedy = f"{_WRITE}, or name the field: --columns system=NAME"
        raise DataError(f"has no `{key}`, but {present}", where=record.where, remedy=remedy)
    return record[key]


def _id(given: Field | None) -> Any:
    """Return an id as it is; raise for null and nothing, which are none where the key is there."""
    if given is not None and given.value in (None, ""):
        raise given.wrong("an id", "write a number or a text")
    return given and given.value


def _entries(given: Field) -> Iterator[tuple[str, str]]:
    """Yield string and label of each entry of a list, or of an object of labels."""
    if isinstance(given.value, dict):
        for label in given.value:
            remedy = 'list the strings of each label: {"entities": {"LOC": ["Berlin"]}}'
            for string in given[label].items(remedy=remedy):
                yield string.string(_WRITE), label
        return
    for entry in given.items(remedy=_WRITE):
        pair = entry.value
        # Nearly all entries are a pair of texts: nothing else is to be asked of them.
        if type(pair) is list and len(pair) == 2 and type(pair[0]) is type(pair[1]) is str:
            yield pair[0], pair[1]
        else:
            yield _entry(entry)


def _entry(entry: Field) -> tuple[str, str]:
    value = entry.value
    numbers = [x for x in value if isinstance(x, int)] if isinstance(value, list) else []
    if len(numbers) > 1 or (
        isinstance(value, dict) and any(isinstance(value.get(key), int) for key in _PLACES)
    ):
        raise DataError(
            f"`{entry.path}` is {written(value)}, which has a place",
            where=entry.where,
            remedy="entities with offsets are of another format: --format offsets",
        )
    if not isinstance(value, dict):
        parts = list(entry.items("a string with its label", _WRITE))
        if len(parts) != 2:
            problem = f"`{entry.path}` has {len(parts)} values instead of 2: {written(value)}"
            raise DataError(problem, where=entry.where, remedy=_WRITE)
        return parts[0].string(_WRITE), parts[1].string(_WRITE)
    found = []
    for kind, keys in (("string", _STRINGS), ("label", _LABELS)):
        part = entry.first(keys)
        if part is None:
            raise DataError(
                f"`{entry.path}` has no {kind}: {written(value)}",
                where=entry.where,
                remedy=f"it is called {', '.join(keys[:-1])} or {keys[-1]}",
            )
        found.append(part.string(_WRITE))
    return found[0], found[1]
