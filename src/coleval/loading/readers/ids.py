"""Ids of instances: each row has one, and no two rows have the same."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from coleval.corpus.selection import columns_option
from coleval.errors import DataError

if TYPE_CHECKING:
    from coleval.loading.readers.model import TableFile

_NAMED = 5


def check_ids(table: TableFile) -> None:
    """Raise for a row without an id, and for ids that several rows have."""
    if table.id is None:
        return
    another = columns_option([("id", "NAME")], table.path)
    for row in table.id.is_null().arg_true()[:1]:
        raise DataError(
            "the item has no id",
            where=table.at(int(row)),
            remedy=f"give it one, or choose another column: {another}",
        )
    again = (~table.id.is_first_distinct()).arg_true()
    if len(again):
        repeated = table.id.gather(again).unique(maintain_order=True)
        several = f"{len(repeated):,} ids appear" if len(repeated) > 1 else "an id appears"
        raise DataError(
            f"{several} more than once: {listed(repeated)}",
            where=table.at(int(again[0])),
            remedy=f"give every row an id of its own, or choose another column: {another}",
        )


def plain_numbers(texts: pl.Series) -> pl.Series:
    """Return texts with whole numbers written as such: ``7`` for ``0007`` and ``7.0``."""
    if texts.dtype != pl.String:
        return texts
    return texts.str.replace(r"^\+?(-?)0*(\d+)(?:\.0*)?$", "${1}${2}")


def by_value(table: TableFile) -> TableFile:
    """Return the table with ids and answers that are whole numbers written as such."""
    columns = {name: plain_numbers(column) for name, column in table.columns.items()}
    own = None if table.id is None else plain_numbers(table.id)
    plain = replace(table, id=own, columns=columns)
    check_ids(plain)
    return plain


def listed(ids: pl.Series) -> str:
    """Return the first ids, and how many there are besides."""
    more = f" and {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
    return ", ".join(f"`{i}`" for i in ids.head(_NAMED).to_list()) + more
