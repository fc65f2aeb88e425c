"""Lists of entities without places, as language models give them: a record a sentence or document.

``{"id": 7, "entities": [["Berlin", "LOC"], …]}``; an entry may also be an object
(``{"text": "Berlin", "label": "LOC"}``), or the entities an object of labels
(``{"LOC": ["Berlin"]}``). Where the strings stand in the text is found out by ``align``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
import polars as pl

from coleval.errors import DataError, UsageError
from coleval.loading.readers.json_records import json_records, no_garbage
from coleval.loading.readers.model import EntityFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.source import Source


# The keys that a field may have; the first that an object has is taken.
_IDS = ("id", "sent_id", "sentence_id", "doc_id", "doc_key", "document_id")
_ENTITIES = ("entities",)
_TEXTS = ("text",)
_KEY = b'"entities"'


class _ListedRecord(NamedTuple):
    where: str
    id: str | None
    text: str | None
    entries: list[tuple[str, str]] | None


class _EntityKeys(NamedTuple):
    """The key that a field surely has, where ``--columns`` names it; else those it may have."""

    id: tuple[str, ...]
    entities: tuple[str, ...]
    text: tuple[str, ...]


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
        return not any(key in first for key in PLACES) and all(
            any(isinstance(first.get(key), str) for key in keys) for keys in (STRINGS, LABELS)
        )
    return isinstance(first, list) and len(first) == 2 and all(isinstance(x, str) for x in first)


def _listed_strings(strings: Any) -> bool:
    return isinstance(strings, list) and all(isinstance(text, str) for text in strings)


def read_entities(source: Source, selection: Selection, role: str) -> EntityFile:
    """Return the entries of a file of JSON lines, or of one JSON array of records."""
    keys = _keys(selection, role)
    with no_garbage():
        found = json_records(source)
        records = [_record(one, found.where(n), keys) for n, one in enumerate(found.records)]
        if not records:
            raise DataError("holds no records", where=source.path, remedy=WRITE)
        return _file(source.path, records, found.line)


def _keys(selection: Selection, role: str) -> _EntityKeys:
    """Return the keys of each field; a number names no field of an object."""
    chosen = (selection.get("id"), selection.pick(role, ""), selection.get("form"))
    for key in chosen:
        if isinstance(key, int):
            raise UsageError(
                f"{key} is the number of a column, and records have names",
                where="--columns",
                remedy=f"for example --columns id=sent,{role}=entities",
            )
    usual = (_IDS, _ENTITIES, _TEXTS)
    return _EntityKeys(
        *((str(key),) if key else keys for key, keys in zip(chosen, usual, strict=True))
    )


def _record(given: Any, where: str, keys: _EntityKeys) -> _ListedRecord:
    if not isinstance(given, dict):
        refuse(f"`{shown(given)}` is not a record", where, WRITE)
    key = first_of(given, keys.entities)
    if key is None:
        there = ", ".join(f"`{name}`" for name in list(given)[:8]) or "nothing"
        remedy = f"{WRITE}, or name the field: --columns system=NAME"
        refuse(f"has no `{keys.entities[0]}`, but {there}", where, remedy)
    value = given[key]
    entries = None if value is None else list(entries_of(value, key, where))
    return _ListedRecord(where, _id(given, keys, where), _text(given, keys, where), entries)


def _id(given: dict[str, Any], keys: _EntityKeys, where: str) -> str | None:
    key = first_of(given, keys.id)
    if key is None:
        return None
    value = given[key]
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        refuse(f"`{key}` is {shown(value)}, not an id", where, "write a number or a text")
    return str(value)


def _text(given: dict[str, Any], keys: _EntityKeys, where: str) -> str | None:
    key = first_of(given, keys.text)
    if key is None or given[key] is None:
        return None
    if not isinstance(given[key], str):
        refuse(f"`{key}` is {shown(given[key])}, not text", where, f'"{key}": "in Berlin"')
    return str(given[key])


def _file(path: str, records: list[_ListedRecord], lines: list[int]) -> EntityFile:
    _check_ids(records)
    size = [len(record.entries or ()) for record in records]
    entries = [entry for record in records for entry in record.entries or ()]
    named = records[0].id is not None
    return EntityFile(
        path=path,
        id=pl.Series("id", [record.id for record in records]) if named else None,
        text=pl.Series("text", [record.text for record in records], dtype=pl.String),
        answered=np.array([record.entries is not None for record in records], np.bool_),
        record=np.repeat(np.arange(len(records), dtype=np.int32), size),
        string=pl.Series("string", [string for string, _ in entries], dtype=pl.String),
        label=pl.Series("label", [label for _, label in entries], dtype=pl.String),
        line=np.array(lines, np.uint32),
    )


def _check_ids(records: list[_ListedRecord]) -> None:
    """Raise unless all records have ids of their own, or none has one."""
    first: dict[str, str] = {}
    for record in records:
        if (record.id is None) != (records[0].id is None):
            has = "has an id" if record.id is not None else "has no id"
            other = "the first record has none" if record.id is not None else "the first one has"
            refuse(f"{has}, but {other}", record.where, "give every record an id, or none")
        if record.id is None:
            continue
        if record.id in first:
            remedy = "write one record for each, with all of its entities"
            refuse(f"the id `{record.id}` was there, in {first[record.id]}", record.where, remedy)
        first[record.id] = record.where


# The keys of an entry that is an object; the first that it has is taken.
STRINGS = ("text", "entity", "name", "span")
LABELS = ("label", "type", "category", "entity_type")
# What says that an entry has a place: it is no bare string, and another reader's.
PLACES = ("start", "begin", "start_offset", "start_char", "from", "end", "token_start")
WRITE = 'write {"id": 1, "entities": [["Berlin", "LOC"]]}'
_OFFSETS = "entities with offsets are of another format: --format offsets"
_SHOWN = 60


def entries_of(value: Any, path: str, where: str) -> Iterator[tuple[str, str]]:
    """Yield string and label of each entry of a list, or of an object of labels."""
    if isinstance(value, dict):
        yield from _by_label(value, path, where)
        return
    if not isinstance(value, list):
        refuse(f"`{path}` is {shown(value)}, not a list", where, WRITE)
    for n, entry in enumerate(value):
        # Nearly all entries are a pair of texts: nothing else is to be asked of them.
        if type(entry) is list and len(entry) == 2 and type(entry[0]) is type(entry[1]) is str:
            yield entry[0], entry[1]
        else:
            yield _entry(entry, f"{path}[{n}]", where)


def first_of(given: dict[str, Any], keys: Iterable[str]) -> str | None:
    """Return the first of some keys that an object has, None if it has none of them."""
    return next((key for key in keys if key in given), None)


def shown(value: Any) -> str:
    """Return a value as JSON writes it, cut off where it is long."""
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def refuse(problem: str, where: str, remedy: str) -> NoReturn:
    """Raise for data that cannot be read; keys may hold what cannot be printed."""
    problem = problem.encode("utf-8", "backslashreplace").decode("utf-8")
    raise DataError(problem, where=where, remedy=remedy)


def _by_label(value: dict[str, Any], path: str, where: str) -> Iterator[tuple[str, str]]:
    for label, strings in value.items():
        field = f"{path}.{label}"
        if not isinstance(strings, list):
            remedy = 'list the strings of each label: {"entities": {"LOC": ["Berlin"]}}'
            refuse(f"`{field}` is {shown(strings)}, not a list", where, remedy)
        for n, string in enumerate(strings):
            yield _string(string, f"{field}[{n}]", where), label


def _entry(entry: Any, path: str, where: str) -> tuple[str, str]:
    if isinstance(entry, dict):
        return _object(entry, path, where)
    if not isinstance(entry, list):
        refuse(f"`{path}` is {shown(entry)}, not a string with its label", where, WRITE)
    if sum(isinstance(x, int) for x in entry) > 1:
        refuse(f"`{path}` is {shown(entry)}, which has a place", where, _OFFSETS)
    if len(entry) != 2:
        refuse(f"`{path}` has {len(entry)} values instead of 2: {shown(entry)}", where, WRITE)
    return _string(entry[0], f"{path}[0]", where), _string(entry[1], f"{path}[1]", where)


def _object(entry: dict[str, Any], path: str, where: str) -> tuple[str, str]:
    if any(isinstance(entry.get(key), int) for key in PLACES):
        refuse(f"`{path}` is {shown(entry)}, which has a place", where, _OFFSETS)
    string, label = first_of(entry, STRINGS), first_of(entry, LABELS)
    for kind, key, keys in (("string", string, STRINGS), ("label", label, LABELS)):
        if key is None:
            remedy = f"it is called {', '.join(keys[:-1])} or {keys[-1]}"
            refuse(f"`{path}` has no {kind}: {shown(entry)}", where, remedy)
    return (
        _string(entry[string], f"{path}.{string}", where),  # type: ignore[index]
        _string(entry[label], f"{path}.{label}", where),  # type: ignore[index]
    )


def _string(value: Any, path: str, where: str) -> str:
    if not isinstance(value, str):
        refuse(f"`{path}` is {shown(value)}, not text", where, WRITE)
    return str(value)
