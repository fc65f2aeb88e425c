"""Items counted by two or three SQL expressions, with what a score of a cell needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from coleval.errors import UsageError
from coleval.query.expressions import expression, not_one_each, several, written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.query.database import Database
    from coleval.query.expressions import Expression


_OPTIONS = {"row": "--rows", "column": "--cols", "third": "--third"}


@dataclass(frozen=True, slots=True)
class Crossed:
    """The keys with their counts, and how many values of each key are NaN or infinite."""

    counts: pl.DataFrame
    infinite: Mapping[str, int]


def quoted(name: str) -> str:
    """Return a name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def crossed(database: Database, keys: Mapping[str, str], systems: Sequence[str] = ()) -> Crossed:
    """Return the keys (name to expression) with n, and right, there, said summed over systems."""
    # What is wrong with the items is no fault of an expression over them.
    database.wide()
    found = {name: expression(database, text, _option(name)) for name, text in keys.items()}
    options, texts = (" × ".join(parts) for parts in (map(_option, keys), keys.values()))
    with written(texts, options):
        frame = database.frame(_query(database, found, systems))
    lost = {name: f"infinite {name}" for name, one in found.items() if one.may_be_infinite}
    infinite = {name: int(frame[column].sum()) for name, column in lost.items()}
    counts = _keyed(frame.drop(lost.values()), list(keys))
    if counts["n"].sum() != len(database.wide()):
        raise not_one_each(texts, options)
    return Crossed(counts, infinite)


def crossed_together(parts: list[Crossed], keys: list[str]) -> Crossed:
    """Return the counts of all parts, in the order that does not depend on them."""
    whole = pl.concat([part.counts for part in parts], how="vertical_relaxed")
    numbers = [name for name in whole.columns if name not in keys]
    counts = whole.group_by(keys).agg(pl.col(numbers).sum()).sort(keys, nulls_last=True)
    names = parts[0].infinite
    return Crossed(counts, {name: sum(part.infinite[name] for part in parts) for name in names})


def _option(name: str) -> str:
    return _OPTIONS.get(name, name)


def _query(database: Database, keys: Mapping[str, Expression], systems: Sequence[str]) -> str:
    """Return the query: expressions of items first, which may use windows, then their counts."""
    columns = {name: quoted(f" {name}") for name in keys}
    said = [f"{one.outer(columns[name])} as {quoted(name)}" for name, one in keys.items()]
    lost = [
        f"count(*) filter (not isfinite({columns[name]}))::bigint as {quoted(f'infinite {name}')}"
        for name, one in keys.items() if one.may_be_infinite
    ]  # fmt: skip
    answers = {system: f'" answer {k}"' for k, system in enumerate(systems)}
    sums = _sums(database, list(answers.values())) if systems else ()
    of_system = database.wide().columns
    inner = [
        "item",
        *(f"{one.inner} as {columns[name]}" for name, one in keys.items()),
        *(f"{quoted(of_system[system])} as {name}" for system, name in answers.items()),
        *(['gold as " gold"'] if systems else []),
    ]
    places = ", ".join(str(k) for k in range(1, len(keys) + 1))
    outer = [*said, "count(*)::bigint as n", *sums, *lost]
    return f"select {', '.join(outer)} from (select {', '.join(inner)} from item) group by {places}"  # noqa: S608


def ordered(database: Database, order: str) -> pl.Series:
    """Return the numbers of the items in an order."""
    where = f"--order `{order}`"
    if several(f"select 1 order by\n{order}\n"):
        raise UsageError("one order is needed, but these are several statements", where=where)
    try:
        frame = database.frame(f"select item from item order by\n{order}\n")  # noqa: S608
    except UsageError as error:
        raise UsageError(error.problem, where=where, remedy=error.remedy) from None
    if frame.columns != ["item"] or len(frame) != len(database.wide()):
        raise UsageError("not an order of items", where=where, remedy='"difficulty, form desc"')
    return frame["item"]


def _sums(database: Database, names: Sequence[str]) -> tuple[str, ...]:
    empty_is_answer = database.wide().items.empty_is_answer
    alike = 'is not distinct from " gold"' if empty_is_answer else '= " gold"'
    there = "count(*)" if empty_is_answer else 'count(" gold")'
    right = " + ".join(f"coalesce(sum(({name} {alike})::int), 0)" for name in names)
    hits = " + ".join(f'coalesce(sum(({name} = " gold")::int), 0)' for name in names)
    said = " + ".join(f"count({name})" for name in names)
    return (
        f"({right})::bigint as right_", f"({there} * {len(names)})::bigint as there",
        f"({hits})::bigint as hits", f"({said})::bigint as said",
        f'(count(" gold") * {len(names)})::bigint as wanted',
    )  # fmt: skip


def _keyed(frame: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Return keys of simple types, in an order that does not depend on threads."""
    plain = [
        pl.col(key) if _simple(frame.schema[key]) else pl.col(key).cast(pl.String) for key in keys
    ]
    return frame.with_columns(plain).sort(keys, nulls_last=True)


def _simple(kind: pl.DataType) -> bool:
    return kind.is_integer() or kind.is_float() or kind in (pl.String, pl.Boolean)
