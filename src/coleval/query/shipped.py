"""The shipped SQL: found, read, and taken apart into its header and its one SELECT."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from coleval.errors import unknown

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_FIELD = re.compile(r"^--\s*(reads|params|returns):\s*(.*)$")


@dataclass(frozen=True, slots=True)
class Query:
    """A query: its room and name, what it answers, what it reads, takes and returns, its text."""

    name: str
    about: str
    reads: tuple[str, ...]
    params: tuple[str, ...]
    returns: tuple[str, ...]
    text: str


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
        raise unknown("query", name, names())
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
        _list(found.get("params", "")),
        _list(found.get("returns", "")),
        text,
    )


def _reads(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"(\w+)\s*\(", text)) or _list(text)


def _list(text: str) -> tuple[str, ...]:
    parts = tuple(part.strip() for part in text.split(","))
    return () if parts in ((), ("",), ("none",)) else parts
