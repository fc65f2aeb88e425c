"""What tables and columns of SQL mean: comments of ``corpus.duckdb``, ``--list``, docs/store.md.

``sql/columns.tsv`` has a line for each column, by its name, or by ``table.column`` where a name
means something else than elsewhere.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from coleval.annotate.attributes import ATTRIBUTES
from coleval.query.database import ABOUT, VIEWS
from coleval.query.shipped import query, root

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

OF_SYSTEM = "answer of the system of this name; null: none, or the system was not run (see `run`)"
OF_SOURCE = "column of the files that were read"


def about_table(name: str) -> str:
    """Return what a table or view is."""
    return query(f"views/{name}").about if name in VIEWS else ABOUT[name]


def meaning_of_column(table: str, column: str, systems: Collection[str] = ()) -> str:
    """Return what a column means; those named after systems and of the files are explained alike."""
    if column in systems:
        return OF_SYSTEM
    known = meanings()
    for name in (f"{table}.{column}", column):
        if name in known:
            return known[name]
    if column in ATTRIBUTES:
        return ATTRIBUTES[column].about
    return OF_SOURCE


@cache
def meanings() -> Mapping[str, str]:
    """Return the meanings that are written down, by the names of their columns."""
    lines = (root() / "columns.tsv").read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines)  # type: ignore[misc]
