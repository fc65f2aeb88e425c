"""The entries of one record: pairs of string and label, however they are written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn

from coleval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
