"""``coleval help TOPIC``: what the columns of a table, or a name of a list, mean; as a report."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.commands import TABLES
from coleval.analyses.registries import LISTED, listed
from coleval.analyses.registry import ANALYSES
from coleval.corpus.report import Report
from coleval.declare.meanings import columns_of, meaning_of
from coleval.errors import unknown
from coleval.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from coleval.declare.tables import Table

_LISTS = (
    "all are listed by `coleval --help`, `coleval COMMAND --help` (its tables), `coleval formats`, "
    "`coleval attributes`, `coleval profiles`, `coleval sql --list`"
)
_SCHEMA = dict.fromkeys(("table", "column", "meaning"), pl.String)


def declared_tables() -> Mapping[str, tuple[str, str]]:
    """Return command and table of all tables that commands declare, by ``command.table``."""
    every = {name: one.tables for name, one in ANALYSES.items()} | dict(TABLES)
    return {
        f"{command}.{table.name}": (command, table.name)
        for command, tables in every.items()
        for table in tables
        if command != "help"
    }


def explained(topic: str) -> Report:
    """Return the columns of a table, of all that have the name if no command is named.

    Formats, attributes, profiles and named queries are explained by their row of their list.
    """
    known = declared_tables()
    chosen = [key for key, (_, name) in known.items() if topic in (key, name)]
    if not chosen:
        return _of_a_registry(topic, {*known, *(name for _, name in known.values()), *ANALYSES})
    rows = [row for key in chosen for row in rows_of(*known[key])]
    return Report("help", {"columns": pl.DataFrame(rows, _SCHEMA, orient="row")},
                  f"coleval:{__version__}")  # fmt: skip


def _of_a_registry(topic: str, others: set[str]) -> Report:
    """Return the row of what has this name; raise with the near misses among all names."""
    names = set(others)
    for registry in LISTED:
        report = listed(registry)
        name, frame = next(iter(report.tables.items()))
        found = frame.filter(frame["name"] == topic)
        if found.height:
            return replace(report, tables={name: found})
        names.update(frame["name"])
    kinds = "command, table, format, attribute, profile or query"
    raise unknown(kinds, topic, names, lists=_LISTS)


def rows_of(command: str, table: str) -> list[tuple[str, str, str]]:
    """Return table, name and meaning of each column of a table."""
    named = columns_of(command, table) or tuple(_declared(command, table))
    return [(f"{command}.{table}", name, meaning_of(command, table, name)) for name in named]


def _declared(command: str, table: str) -> Iterable[str]:
    """Return the columns that a spec names, for a table whose columns are not listed."""
    tables: Iterable[Table] = ANALYSES[command].tables if command in ANALYSES else TABLES[command]
    columns = (column.name for one in tables if one.name == table for column in one.columns)
    return dict.fromkeys(columns)
