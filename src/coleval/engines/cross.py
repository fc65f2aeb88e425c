"""Items counted by two or three SQL expressions, with what a score of a cell needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.engines.database import Database


def quoted(name: str) -> str:
    """Return a name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def crossed(
    database: Database, keys: Mapping[str, str], systems: Sequence[str] = ()
) -> pl.DataFrame:
    """Return the keys (name to expression) with n, and right, there, said summed over systems."""
    keys = {name: _whole(database, expression) for name, expression in keys.items()}
    said = [f"({expression}) as {quoted(name)}" for name, expression in keys.items()]
    counts = ["count(*)::bigint as n", *(_sums(database, systems) if systems else ())]
    places = ", ".join(str(k) for k in range(1, len(keys) + 1))
    text = f"select {', '.join([*said, *counts])} from item group by {places}"  # noqa: S608
    _checked(database, keys)
    return _keyed(database.frame(text), list(keys))


def ordered(database: Database, order: str) -> pl.Series:
    """Return the numbers of the items in an order."""
    return database.frame(f"select item from item order by {order}")["item"]  # noqa: S608


def _whole(database: Database, expression: str) -> str:
    """Return the name of a column as SQL has it, with its hyphens; anything else as it is."""
    return quoted(expression) if expression in database.wide().names else expression


def _checked(database: Database, keys: Mapping[str, str]) -> None:
    """Raise for an expression that is none, by itself, so that the error shows it alone."""
    for name, expression in keys.items():
        try:
            database.frame(f"select ({expression}) as value from item limit 0")  # noqa: S608
        except UsageError as error:
            raise UsageError(
                error.problem, where=f"{name} `{expression}`", remedy=error.remedy
            ) from None


def _sums(database: Database, systems: Sequence[str]) -> tuple[str, ...]:
    wide = database.wide()
    names = [quoted(wide.columns[system]) for system in systems]
    everything = wide.items.everything
    alike = "is not distinct from gold" if everything else "= gold"
    there = "count(*)" if everything else "count(gold)"
    right = " + ".join(f"coalesce(sum(({name} {alike})::int), 0)" for name in names)
    hits = " + ".join(f"coalesce(sum(({name} = gold)::int), 0)" for name in names)
    said = " + ".join(f"count({name})" for name in names)
    return (
        f"({right})::bigint as right_", f"({there} * {len(names)})::bigint as there",
        f"({hits})::bigint as hits", f"({said})::bigint as said",
        f"(count(gold) * {len(names)})::bigint as wanted",
    )  # fmt: skip


def _keyed(frame: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Return keys of simple types, in an order that does not depend on threads."""
    plain = [
        pl.col(key) if _simple(frame.schema[key]) else pl.col(key).cast(pl.String) for key in keys
    ]
    return frame.with_columns(plain).sort(keys, nulls_last=True)


def _simple(kind: pl.DataType) -> bool:
    return kind.is_integer() or kind.is_float() or kind in (pl.String, pl.Boolean)
