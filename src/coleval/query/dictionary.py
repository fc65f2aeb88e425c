"""What tables and columns of SQL mean: comments of ``corpus.duckdb``, ``--list``, docs/store.md.

``sql/columns.tsv`` has table, column and meaning; ``item`` stands for all wide tables.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from coleval.annotate.attributes import ATTRIBUTES
from coleval.query.database import ABOUT, VIEWS
from coleval.query.shipped import query, root
from coleval.query.tables import UNITS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

OF_SYSTEM = "answer of the system of this name; null: none, or the system was not run (see `run`)"
_OF_UNIT = "the items by {}, whatever the items are"
OF_SOURCE = "column of the files that were read"


def about_table(name: str) -> str:
    """Return what a table or view is."""
    return (
        query(f"views/{name}").about if name in VIEWS else ABOUT.get(name) or _OF_UNIT.format(name)
    )


def meaning_of_column(table: str, column: str, systems: Collection[str]) -> str:
    """Return what a column means; those of the ``systems`` are explained alike."""
    if column in systems:
        return OF_SYSTEM
    own = "item" if table in UNITS else table
    found = meanings().get((own, column))
    return found or (ATTRIBUTES[column].about if column in ATTRIBUTES else OF_SOURCE)


@cache
def meanings() -> Mapping[tuple[str, str], str]:
    """Return the meanings of columns, by table and column, in the order of the data dictionary."""
    lines = (root() / "columns.tsv").read_text(encoding="utf-8").splitlines()
    return {(table, column): text for table, column, text in (line.split("\t") for line in lines)}
