"""The shipped SQL: found, read, and taken apart into its header and its one SELECT."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from coleval.errors import UsageError, unknown
from coleval.query.quoting import literal
from coleval.query.results import bare

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from importlib.resources.abc import Traversable

# Parameters that name a system.
OF_SYSTEMS = ("system", "before", "after")
Value = str | int | float | bool | None
# What a default may be: text in quotes, a number, true, false or null.
_DEFAULT = re.compile(r"(\w+)(?:\s*=\s*('(?:[^']|'')*'|[^,\s]+))?")
_WORDS: Mapping[str, Value] = {"null": None, "true": True, "false": False}
_FIELD = re.compile(r"^--\s*(reads|params|returns):\s*(.*)$")


# Queries that read ``answers`` and need no label of them.
_COMPARING = frozenset(
    f"questions/{name}"
    for name in (
        "dataset-leaders", "dataset-means", "error-runs", "gold-suspects", "outvoted",
        "perfect-sentences", "sentence-length", "unsteady-documents", "worst-documents",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Query:
    """A query: its room and name, what it answers, what it reads, takes and returns, its text.

    ``defaults`` are the values of its parameters, by name, where nobody gives others.
    """

    name: str
    about: str
    reads: tuple[str, ...]
    defaults: Mapping[str, Value]
    returns: tuple[str, ...]
    text: str

    @property
    def params(self) -> tuple[str, ...]:
        """Return the names of the parameters."""
        return tuple(self.defaults)

    @property
    def only_compares(self) -> bool:
        """Return whether answers are compared with each other, and no label of them is shown."""
        return self.name in _COMPARING

    @property
    def shows_texts(self) -> bool:
        """Return whether sentences are read for the texts of those in the result alone."""
        read = self.columns("sentence") == ("sentence", "text")
        return read and {"sentence", "text"} <= {*self.returns}

    def columns(self, table: str) -> tuple[str, ...] | None:
        """Return the columns of a table that are read, None if the header does not list them."""
        named = rf"^-- reads:.*\b{re.escape(table)}\s*\(([^)]*)\)"
        listed = re.search(named, self.text, re.MULTILINE)
        return None if listed is None else _list(listed[1])

    def given(self, values: Mapping[str, object], systems: Sequence[str]) -> dict[str, Value]:
        """Return the parameters with the values given; raise for a wrong name or value."""
        bare = self.name.partition("/")[2] or "the query"
        for name, value in values.items():
            if name not in self.defaults:
                raise _no_such(name, bare, self.params)
            if name in OF_SYSTEMS and value is not None and value not in systems:
                raise unknown("system", str(value), systems, where=f"--param {name}")
        return {
            name: _like(default, values[name], f"{bare}: {name}") if name in values else default
            for name, default in self.defaults.items()
        }


def _no_such(name: str, query: str, params: tuple[str, ...]) -> UsageError:
    if params:
        return unknown("parameter", name, params, where=f"--param of {query}")
    return UsageError(f"{query} has no parameters", where=f"--param {name}")


def _like(default: Value, value: object, where: str) -> Value:
    """Return a value as its default is: a number for a number, true or false, else text."""
    if default is None or isinstance(default, str):
        return None if value is None else str(value)
    text = str(value).strip().lower()
    if isinstance(default, bool):
        if text in ("true", "false"):
            return text == "true"
        raise UsageError(f"`{value}` is neither true nor false", where=f"--param {where}")
    try:
        return type(default)(text)
    except ValueError:
        kind = "whole number" if isinstance(default, int) else "number"
        raise UsageError(
            f"`{value}` is not a {kind}",
            where=f"--param {where}",
            remedy=f"the default is {default}",
        ) from None


def macro_name(name: str) -> str:
    """Return what the macro of a query is called."""
    return name.partition("/")[2].replace("-", "_")


def called_macros(text: str) -> list[str]:
    """Return the queries that an SQL text calls as macros."""
    called = {*re.findall(r"\b(\w+)\s*\(", bare(text))}
    return [n for n in names() if macro_name(n) in called and not n.startswith("views/")]


def macro_of(found: Query, kind: str = "macro") -> str:
    """Return SQL that makes a query a table macro; its parameters begin with an underscore."""
    body = found.text
    for param in found.params:
        body = re.sub(rf"\${param}\b", f"_{param}", body)
    params = ", ".join(f"_{param} := {literal(value)}" for param, value in found.defaults.items())
    return f"create {kind} {macro_name(found.name)}({params}) as table {body}"


def root() -> Traversable:
    """Return the directory of queries: inside the wheel, or at the top of the repository."""
    shipped = files("coleval") / "sql"
    return shipped if shipped.is_dir() else Path(__file__).parents[3] / "sql"


@cache
def query(name: str) -> Query:
    """Return a query by ``room/name``; raise with near misses."""
    room, _, file = name.partition("/")
    path = root() / room / f"{file}.sql"
    if not path.is_file():
        raise closest(name)
    return parse(name, path.read_text(encoding="utf-8"))


def names() -> tuple[str, ...]:
    """Return the names of all queries."""
    rooms = [entry for entry in root().iterdir() if entry.is_dir()]
    return tuple(
        sorted(
            f"{room.name}/{file.name.removesuffix('.sql')}"
            for room in rooms
            for file in room.iterdir()
            if file.name.endswith(".sql")
        )
    )


def asked(text: str) -> Query:
    """Return the query of a name, or a text as one: its parameters are those of its header."""
    name = called(text)
    return query(name) if name else parse("", text)


def closest(name: str) -> UsageError:
    """Return the error for a name that no query has, with near misses among bare names too."""
    known = [*names(), *(full.partition("/")[2] for full in names())]
    return unknown("query", name, known)


def called(name: str) -> str | None:
    """Return the full name of a query given with its room or, views apart, without; else None."""
    rooms = {*names()}
    bare = [full for full in rooms if full.partition("/")[2] == name]
    outside = [full for full in bare if not full.startswith("views/")]
    return name if name in rooms else outside[0] if len(outside) == 1 else None


def parse(name: str, text: str) -> Query:
    """Return a query's parts; the header ends at the first line that is no comment."""
    header = [line for line in text.splitlines() if line.startswith("--")]
    found = {m.group(1): m.group(2) for m in map(_FIELD.match, header) if m}
    about = header[0].removeprefix("--").strip() if header else ""
    return Query(
        name,
        about,
        _reads(found.get("reads", "")),
        _defaults(found.get("params", "none")),
        _list(found.get("returns", "")),
        text,
    )


def _reads(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"(\w+)\s*\(", text)) or _list(text)


def _defaults(text: str) -> dict[str, Value]:
    if text == "none":
        return {}
    return {name: _value(value) for name, value in _DEFAULT.findall(text)}


def _value(text: str) -> Value:
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    if not text or text in _WORDS:
        return _WORDS[text or "null"]
    return float(text) if "." in text else int(text)


def _list(text: str) -> tuple[str, ...]:
    parts = tuple(part.strip() for part in text.split(","))
    return () if parts in ((), ("",), ("none",)) else parts
