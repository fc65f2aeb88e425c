"""``corpus.duckdb`` of a store: its tables and views, for any program that speaks DuckDB.

A store of moderate size has all of its items in it, as ``coleval sql`` has them: it can be moved,
attached and sent alone. The items of a larger one are views over the Parquet beside it. Named
questions and the definitions of analyses are table macros: ``from who_alone('A')``.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import polars as pl

from coleval.annotate import ANNOTATIONS
from coleval.query.database import MACROS, MADE, VIEWS
from coleval.query.dictionary import about_table, meaning_of_column
from coleval.query.quoting import literal, quoted
from coleval.query.results import Stream
from coleval.query.shipped import macro_name, macro_of, names, query
from coleval.query.tables import UNITS, text_tables
from coleval.query.wide import BESIDE, distinct

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import duckdb

    from coleval.query.database import Database

T = TypeVar("T")
FILE = "corpus.duckdb"
# The oldest format of DuckDB's files that has all that is in this one.
_STORAGE = "v1.2.0"
_CATALOG = "written"
_NUMBERED = ("sentence", "instance")
# A file beside this database, whose place DuckDB does not tell a view: the variable `store` says it;
# else its directory for temporary files does, which is `corpus.duckdb.tmp` where this database is
# the one that was opened; else it is where it was written. What SQL takes for a pattern is none.
_FILE_AT = r"""
create macro file_at(name) as regexp_replace(coalesce(
  getvariable('store'),
  nullif(regexp_extract(current_setting('temp_directory'), '^(.*)[/\\]corpus\.duckdb\.tmp$', 1), ''),
  {}
), '([*?[])', '[\1]', 'g') || '/' || name
"""


@dataclass(frozen=True, slots=True)
class ViewPart:
    """A unit in one folder of a store: its base files, a file a system, which of it counts.

    ``live`` are the datasets and parts that do, None for all; ``before`` is how many sentences
    stand in the folders before.
    """

    base: Sequence[str]
    context: Sequence[str]
    files: Mapping[str, str]
    live: Sequence[tuple[str, str]] | None
    before: int


@dataclass(frozen=True, slots=True)
class StoredUnit:
    """A table of items in a store, folder by folder."""

    name: str
    group: str
    empty_is_answer: bool
    parts: Sequence[ViewPart]


@dataclass(frozen=True, slots=True)
class StoredCorpus:
    """What a store holds: its units, of which the first is the task's, and its systems' files.

    ``cells`` are the datasets and parts, each with the systems that were run on it.
    """

    task: str
    metric: str
    units: Sequence[StoredUnit]
    text_unit: str
    systems: Mapping[str, str]
    cells: Sequence[tuple[str | None, str | None, frozenset[str]]]
    trees: bool = False


def write_views(store: Path, corpus: StoredCorpus | Database) -> None:
    """Write the database of a store beside its place and rename it.

    It holds the tables of a ``Database``, or views over the Parquet of a ``StoredCorpus``.
    """
    import duckdb

    fresh = store / f".{FILE}.{os.getpid()}"
    try:
        # To say what there is takes one thread, and others that wait take time.
        with duckdb.connect(config={"threads": 1}) as con:
            # Written in one go at its end: nobody reads what was left half done.
            con.execute(
                f"attach {literal(str(fresh.absolute()))} as {_CATALOG} "
                f"(storage_version '{_STORAGE}', recovery_mode 'no_wal_writes')"
            )
            con.execute(f"use {_CATALOG}")
            for macro in MACROS:
                con.execute(f"create macro {macro}")
            if isinstance(corpus, StoredCorpus):
                con.execute(f"set variable store = {literal(str(store.absolute()))}")
                con.execute(_FILE_AT.format(literal(str(store.absolute()))))
                _put_stored(con, corpus)
            else:
                _put_held(con, corpus)
            _put_comments(con)
            con.execute(f"checkpoint {_CATALOG}")
        fresh.replace(store / FILE)
    except duckdb.Error as error:
        # Nobody else has a part in this database: what fails is writing it.
        raise OSError(str(error).splitlines()[0]) from error
    finally:
        for file in (fresh, fresh.with_name(f"{fresh.name}.wal")):
            file.unlink(missing_ok=True)


def _put_held(con: duckdb.DuckDBPyConnection, database: Database) -> None:
    """Put all tables there as they are, and the views and macros over them."""
    wide = database.wide()
    frames = {unit: table.frame(table.described) for unit, table in database.units.items()}
    frames |= {
        name: make(wide) for name, make in MADE.items() if name not in _derived(set(), "", ())
    }
    frames |= {name: count() for name, count in database.counted.items() if name == "standing"}
    for name, frame in frames.items():
        # Texts, for which labels there are is no part of the schema.
        plain = frame.cast({pl.Categorical: pl.String, pl.Enum: pl.String})
        con.register("handed", Stream(plain))
        con.execute(f"create table {name} as from handed")
        con.unregister("handed")
    own = [*wide.columns.values()]
    views = _derived({*frames["item"].columns}, wide.items.group, own)
    views |= {n: query(f"views/{n}").text for n in VIEWS if n not in frames and own}
    _put_views(con, views)


def _put_stored(con: duckdb.DuckDBPyConnection, corpus: StoredCorpus) -> None:
    """Put views over Parquet there, and what reads them.

    To bind these takes long where there are hundreds of files: they are tables until all is made.
    """
    main = corpus.units[0]
    columns = _columns(corpus, main)
    units = {**{u.name: u for u in corpus.units if u.name in UNITS}, "item": main}
    for name, unit in units.items():
        con.execute(f"create table {name} as {_without_rows(corpus, unit)}")
    _put_facts(con, corpus, columns)
    context = {"item", *main.parts[0].context}
    views = _derived(context, main.group, list(columns.values()))
    running = next((u for u in corpus.units if u.name == corpus.text_unit), None)
    views |= text_tables(context, running)
    views |= {name: query(f"views/{name}").text for name in VIEWS if columns}
    _put_views(con, views)
    for name, unit in units.items():
        con.execute(f"drop table {name}")
        con.execute(f"create view {name} as {_items(corpus, unit)}")


def _put_views(con: duckdb.DuckDBPyConnection, views: Mapping[str, str]) -> None:
    """Put views there, and the macros over them.

    Whatever is made binds all that it reads, which takes long where that is views of views: so
    these are tables without rows until the macros are made.
    """
    for name, sql in views.items():
        con.execute(f"create table {name} as from ({sql}) limit 0")
    _put_macros(con)
    for name in views:
        con.execute(f"drop table {name}")
    for name, sql in views.items():
        con.execute(f"create view {name} as {sql}")


def _derived(context: set[str], group: str, columns: Sequence[str]) -> dict[str, str]:
    """Return SQL of the tables that are ``item`` in other words, by their names."""
    own = "".join(f", {quoted(name)}" for name in columns)
    keys = [name for name in ("dataset", "part") if name in context]
    sets = "item"
    if keys:
        listed = ", ".join(keys)
        alike = " and ".join(f"item.{key} is not distinct from ran.{key}" for key in keys)
        sets = f"item left join (select distinct {listed}, run_set from run) as ran on {alike}"
    run_set = "coalesce(run_set, 0)" if keys else "0"
    unit = quoted(group) if group in context else "item"
    form = "form" if "form" in context else "null::varchar as form"
    return {
        "answers": f"select item, {run_set} as run_set, gold{own} from {sets}",
        "grouped": f"select {unit} as unit, gold{own} from item",
        "word": f"select item, {form}, difficulty as bin from item where difficulty is not null",
    }


def _put_macros(con: duckdb.DuckDBPyConnection) -> None:
    import duckdb

    for name in names():
        if name.startswith("views/"):
            continue
        # A question about tables or columns that this corpus has not is left out.
        with suppress(duckdb.CatalogException, duckdb.BinderException):
            con.execute(macro_of(query(name)))


def _put_comments(con: duckdb.DuckDBPyConnection) -> None:
    """Say of every table, column and macro what it is."""
    rows = con.execute(
        "select table_name, table_name in (select view_name from duckdb_views() where not internal), "
        "list(column_name order by column_index) from duckdb_columns() "
        "where database_name = current_database() and not internal group by all"
    ).fetchall()
    systems = {column for (column,) in con.execute("select column_name from system").fetchall()}
    said = []
    for table, is_view, columns in rows:
        kind = "view" if is_view else "table"
        said.append(f"comment on {kind} {table} is {literal(about_table(table))}")
        said += [
            f"comment on column {table}.{quoted(c)} is {literal(meaning_of_column(table, c, systems))}"
            for c in columns
        ]
    found = con.execute("select function_name from duckdb_functions() where "
                        "function_type = 'table_macro' and not internal").fetchall()  # fmt: skip
    for name in names():
        if (macro_name(name),) in found:
            said.append(
                f"comment on macro table {macro_name(name)} is {literal(query(name).about)}"
            )
    con.execute(";\n".join(said))


def _without_rows(corpus: StoredCorpus, unit: StoredUnit) -> str:
    """Return SQL of no rows with the columns of a wide table."""
    if len(unit.parts) > 1:
        return f"from ({_items(corpus, unit)}) limit 0"
    (part,) = unit.parts
    columns = [
        "null::uinteger as item",
        *map(quoted, part.context),
        *(f"null::varchar as {quoted(c)}" for c in ("gold", *_columns(corpus, unit).values())),
        "null::integer as difficulty",
        "null::integer as spurious",
    ]
    return f"select {', '.join(columns)} from {_parquet(part.base[:1])} limit 0"


def _columns(corpus: StoredCorpus, unit: StoredUnit) -> dict[str, str]:
    """Return the name of every system's column, by the system's name, as ``Wide`` has it."""
    taken = ["item", *unit.parts[0].context, "gold", *ANNOTATIONS, *BESIDE]
    return dict(zip(corpus.systems, distinct(corpus.systems, taken), strict=True))


def _items(corpus: StoredCorpus, unit: StoredUnit) -> str:
    """Return SQL of the wide table of a unit."""
    columns = _columns(corpus, unit)
    own = [quoted(name) for name in columns.values()]
    parts = " union all by name ".join(f"({_part(corpus, p, columns)})" for p in unit.parts)
    # Lists and calls, for a chain of a thousand operators is deeper than DuckDB goes.
    filled = (
        "" if unit.empty_is_answer else f" where coalesce({', '.join(['gold', *own])}) is not null"
    )
    right, said = (
        f"list_sum([{', '.join(told.format(name) for name in own)}])::int" if own else "0"
        for told in ("coalesce(({} = gold)::int, 0)", "({} is not null)::int")
    )
    return (
        f"with answered as (select * from ({parts}){filled}) "
        "select (row_number() over () - 1)::uinteger as item, *, "
        f"case when gold is not null then {right} end as difficulty, "
        f"case when gold is null then {said} end as spurious from answered"
    )


def _part(corpus: StoredCorpus, part: ViewPart, columns: Mapping[str, str]) -> str:
    """Return SQL of the rows of one folder: base files and systems' files side by side."""
    context = [
        f"(base.{quoted(c)} + {part.before})::uinteger as {quoted(c)}"
        if c in _NUMBERED and part.before
        else f"base.{quoted(c)}"
        for c in part.context
    ]
    there = {system: k for k, system in enumerate(columns) if system in part.files}
    files = [
        f" positional join (select {', '.join(f'{quoted(s)} as a{there[s]}' for s in systems)} "
        f"from {_parquet([file])})"
        for file, systems in by_file({system: part.files[system] for system in there}).items()
    ]
    answers = [
        f"{_told(corpus, f'a{k}') if system in there else 'null::varchar'} as {quoted(column)}"
        for k, (system, column) in enumerate(columns.items())
    ]
    listed = ", ".join([*context, f"{_told(corpus, 'base.gold')} as gold", *answers])
    live = "" if part.live is None else f" where {_live(part)}"
    return f"select {listed} from {_parquet(part.base)} as base{''.join(files)}{live}"


def by_file(files: Mapping[str, T]) -> dict[T, list[str]]:
    """Return the systems in each file, files in the order of their first ones."""
    found: dict[T, list[str]] = {}
    for system, file in files.items():
        found.setdefault(file, []).append(system)
    return found


def _told(corpus: StoredCorpus, column: str) -> str:
    """Return SQL of an answer as it is compared by default: trees without subtypes of relations."""
    if corpus.trees:
        return f"regexp_replace({column}::varchar, ':.*@', '@')"
    return f"{column}::varchar"


def _live(part: ViewPart) -> str:
    there = [name for name in ("dataset", "part") if name in part.context]
    named = (
        " and ".join(f"base.{c}::varchar = {literal(v)}" for c, v in zip(there, cell, strict=False))
        for cell in part.live or ()
    )
    return " or ".join(f"({one or 'true'})" for one in named) or "false"


def _parquet(files: Sequence[str]) -> str:
    listed = ", ".join(f"file_at({literal(file)})" for file in files)
    return f"read_parquet([{listed}], hive_partitioning = false)"


def _put_facts(
    con: duckdb.DuckDBPyConnection, corpus: StoredCorpus, columns: Mapping[str, str]
) -> None:
    main = corpus.units[0]
    sets = list(dict.fromkeys(ran for *_, ran in corpus.cells))
    number = {ran: k for k, ran in enumerate(sets)}
    tables = {
        "system (number bigint, system varchar, column_name varchar, path varchar, judge boolean)": [
            (k, system, column, corpus.systems[system] or None, True)
            for k, (system, column) in enumerate(columns.items(), 1)
        ],
        "run (dataset varchar, part varchar, system varchar, status varchar, run_set integer)": [
            (dataset, part, system, "run" if system in ran else "not_run", number[ran])
            for dataset, part, ran in corpus.cells
            for system in columns
        ],
        "corpus (task varchar, unit varchar, empty_is_answer boolean, metric varchar)": [
            (corpus.task, main.name, main.empty_is_answer, corpus.metric)
        ],
        "chosen (system varchar)": [],
    }
    for table, rows in tables.items():
        con.execute(f"create table {table}")
        values = [f"({', '.join(map(literal, row))})" for row in rows]
        if values:
            con.execute(f"insert into {table.partition(' ')[0]} values {', '.join(values)}")
