"""What the columns of tables mean, for ``coleval help TABLE`` and the reference.

``meanings.tsv`` has a line for each column, by its name, or by ``command.column`` or
``command.table.column`` where a name means something else than elsewhere.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_ENDS = {"_low": "lower end of the interval of", "_high": "upper end of the interval of"}


def meaning_of(command: str, table: str, column: str) -> str:
    """Return what a column means, nothing for one that is named after data or a system."""
    known = _meanings()
    for name in (f"{command}.{table}.{column}", f"{command}.{column}", column):
        if name in known:
            return known[name]
    for end, text in _ENDS.items():
        if column.endswith(end) and column.removesuffix(end) in known:
            return f"{text} {column.removesuffix(end)}"
    return ""


def columns_of(command: str, table: str) -> tuple[str, ...]:
    """Return the columns that are listed for a table."""
    return _columns().get(f"{command}.{table}", ())


@cache
def _meanings() -> Mapping[str, str]:
    """Return all meanings by the names of their columns."""
    return dict(_lines("meanings.tsv"))


@cache
def _columns() -> Mapping[str, tuple[str, ...]]:
    """Return the columns of all tables by the names of these."""
    return {table: tuple(names.split()) for table, names in _lines("table_columns.tsv")}


def _lines(name: str) -> list[tuple[str, str]]:
    text = (files("coleval.declare") / name).read_text(encoding="utf-8")
    pairs = (line.partition("\t") for line in text.splitlines())
    return [(name, rest) for name, _, rest in pairs]
