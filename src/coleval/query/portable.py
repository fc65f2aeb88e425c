"""``corpus.duckdb`` of a store: its tables and views, for any program that speaks DuckDB.

A store of moderate size has all of its items in it, as ``coleval sql`` has them: it can be moved,
attached and sent alone. The items of a larger one are views over the Parquet beside it. Named
questions and the definitions of analyses are table macros: ``from who_alone('A')``.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.annotate import ANNOTATIONS, MEAN_SCORE
from coleval.query.database import MACROS, MADE, VIEWS
from coleval.query.dictionary import about_table, meaning_of_column
from coleval.query.quoting import literal, quoted
from coleval.query.results import Stream
from coleval.query.shipped import macro_of, names, query
from coleval.query.tables import SCHEMA_VERSION, UNITS, text_tables
from coleval.query.wide import BESIDE, distinct

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    import duckdb

    from coleval.query.database import Database

FILE = "corpus.duckdb"
# The oldest format of DuckDB's files that has all that is in this one.
_STORAGE = "v1.2.0"
_CATALOG = "written"
_NUMBERED = ("sentence", "instance")
# Tables that are `item` in other words.
_DERIVED = ("answers", "grouped", "word")
# A file beside this database. DuckDB does not tell a view where its database is: the variable
# `store` does, else the directory for temporary files, which is beside the database that was opened
# first. What SQL takes for a pattern is none.
_FILE_AT = r"""
create macro file_at(name) as regexp_replace(coalesce(
  getvariable('store') || '/',
  regexp_replace(current_setting('temp_directory'), '[^/\\]*$', '')
), '([*?[])', '[\1]', 'g') || name
"""


@dataclass(frozen=True, slots=True)
class ViewPart:
    """A unit of one gold file: its table, its dataset and part, how many sentences are before."""

    file: str
    place: tuple[str, str]
    before: int


@dataclass(frozen=True, slots=True)
class ViewUnit:
    """A table of items in a store, gold file after gold file, with the same columns in all."""

    name: str
    group: str
    empty_is_answer: bool
    context: Sequence[str]
    parts: Sequence[ViewPart]
    shared_documents: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class StoredCorpus:
    """What a store holds: its units, of which the first is the task's, and its systems' files.

    ``cells`` are the datasets and parts, each with the systems that were run on it, ``columns``
    the names that systems have in Parquet.
    """

    task: str
    metric: str
    units: Sequence[ViewUnit]
    text_unit: str
    systems: Mapping[str, str]
    cells: Sequence[tuple[str | None, str | None, frozenset[str]]]
    columns: Mapping[str, str]
    trees: bool = False
    numeric: bool = False


def write_views(store: Path, corpus: StoredCorpus | Database, file: Path) -> None:
    """Write the database of a store to a file that lies in it.

    It holds the tables of a ``Database``, or views over the Parquet of a ``StoredCorpus``.
    """
    import duckdb

    try:
        # To say what there is takes one thread, and others that wait take time.
        with duckdb.connect(config={"threads": 1}) as con:
            # Written in one go at its end: nobody reads what was left half done.
            con.execute(
                f"attach {literal(str(file.absolute()))} as {_CATALOG} "
                f"(storage_version '{_STORAGE}', recovery_mode 'no_wal_writes')"
            )
            con.execute(f"use {_CATALOG}")
            # To choose among compressions takes longer than to write, and saves nothing here.
            con.execute("pragma force_compression = 'dictionary'")
            for macro in MACROS:
                con.execute(f"create macro {macro}")
            if isinstance(corpus, StoredCorpus):
                con.execute(f"set variable store = {literal(str(store.absolute()))}")
                con.execute(_FILE_AT)
                _put_stored(con, corpus)
            else:
                _put_held(con, corpus)
            _put_comments(con)
            con.execute(f"checkpoint {_CATALOG}")
    except duckdb.Error as error:
        # Nobody else has a part in this database: what fails is writing it.
        raise OSError(str(error).splitlines()[0]) from error
    finally:
        file.with_name(f"{file.name}.wal").unlink(missing_ok=True)


def _put_held(con: duckdb.DuckDBPyConnection, database: Database) -> None:
    """Put all tables there as they are, and views and macros over them."""
    wide = database.wide()
    # A unit that is the items is not held twice.
    units = {u: w for u, w in database.units.items() if u == "item" or w.items is not wide.items}
    frames = {unit: table.frame(table.described) for unit, table in units.items()}
    frames |= {name: make(wide) for name, make in MADE.items() if name not in _DERIVED}
    frames |= {name: count() for name, count in database.counted.items() if name == "standing"}
    _put_frames(con, frames)
    own = [*wide.columns.values()]
    views = {unit: "from item" for unit in database.units if unit not in units}
    views |= _derived({*frames["item"].columns}, wide.items.group, own, frames["run"])
    _put_views(con, views | _shipped_views(own, frames))


def _put_frames(con: duckdb.DuckDBPyConnection, frames: Mapping[str, pl.DataFrame]) -> None:
    for name, frame in frames.items():
        # Texts, for which labels there are is no part of the schema.
        plain = frame.cast({pl.Categorical: pl.String, pl.Enum: pl.String})
        con.register("handed", Stream(plain))
        con.execute(f"create table {name} as from handed")
        con.unregister("handed")


def _put_stored(con: duckdb.DuckDBPyConnection, corpus: StoredCorpus) -> None:
    """Put views over Parquet there, and what reads them.

    To bind these takes long where there are hundreds of files: they are tables until all is made.
    """
    main = corpus.units[0]
    columns = _columns(corpus, main)
    units = {**{u.name: u for u in corpus.units if u.name in UNITS}, "item": main}
    facts = _facts(corpus, columns)
    own = list(columns.values())
    for name, unit in units.items():
        con.execute(f"create table {name} as {_without_rows(corpus, unit)}")
    _put_frames(con, facts)
    context = {"item", *main.context}
    running = next((u for u in corpus.units if u.name == corpus.text_unit), None)
    views = _derived(context, main.group, own, facts["run"]) | text_tables(context, running)
    _put_views(con, views | _shipped_views(own, {}))
    for name, unit in units.items():
        con.execute(f"drop table {name}")
        con.execute(f"create view {name} as {_items(corpus, unit)}")


def _shipped_views(systems: Sequence[str], made: Collection[str]) -> dict[str, str]:
    """Return SQL of the views that come with coleval, none where there is no system."""
    return {n: query(f"views/{n}").text for n in VIEWS if systems and n not in made}


def _derived(
    context: set[str], group: str, columns: Sequence[str], run: pl.DataFrame
) -> dict[str, str]:
    """Return SQL of the tables that are ``item`` in other words, by their names."""
    own = "".join(f", {quoted(name)}" for name in columns)
    run_set, sets = "0", "item"
    if run["run_set"].n_unique() > 1:
        keys = [name for name in ("dataset", "part") if name in context]
        alike = " and ".join(f"item.{key} is not distinct from ran.{key}" for key in keys)
        ran = f"(select distinct {', '.join(keys)}, run_set from run)"
        run_set, sets = "ran.run_set", f"item join {ran} as ran on {alike}"
    unit = quoted(group) if group in context else "item"
    form = "form" if "form" in context else "null::varchar as form"
    return {
        "answers": f"select item, {run_set} as run_set, gold{own} from {sets}",
        "grouped": f"select {unit} as unit, {run_set} as run_set, gold{own} from {sets}",
        "word": f"select item, {form}, difficulty as bin from item where difficulty is not null",
    }


def _put_views(con: duckdb.DuckDBPyConnection, views: Mapping[str, str]) -> None:
    """Put views there, and the macros over them.

    What is made binds all that it reads, which takes long where that is views of views: they are
    tables without rows until the macros are made, of which the text alone is stored.
    """
    import duckdb

    for name, sql in views.items():
        con.execute(f"create table {name} as from ({sql}) limit 0")
    for name in names():
        # A question about tables or columns that this corpus has not is left out.
        with suppress(duckdb.CatalogException, duckdb.BinderException):
            if not name.startswith("views/"):
                con.execute(macro_of(query(name)))
    for name in views:
        con.execute(f"drop table {name}")
    for name, sql in views.items():
        con.execute(f"create view {name} as {sql}")


def _put_comments(con: duckdb.DuckDBPyConnection) -> None:
    """Say of every table and column what it is."""
    views = {name for (name,) in con.execute("select view_name from duckdb_views()").fetchall()}
    systems = {column for (column,) in con.execute("select column_name from system").fetchall()}
    said = {}
    for table, column in con.execute(
        "select table_name, column_name from duckdb_columns() where not internal "
        f"and database_name = {literal(_CATALOG)} order by table_name, column_index"
    ).fetchall():
        said[f"{'view' if table in views else 'table'} {table}"] = about_table(table)
        said[f"column {table}.{quoted(column)}"] = meaning_of_column(table, column, systems)
    con.execute(";\n".join(f"comment on {what} is {literal(text)}" for what, text in said.items()))


def _without_rows(corpus: StoredCorpus, unit: ViewUnit) -> str:
    """Return SQL of no rows with the columns of a wide table."""
    if len(unit.parts) > 1 or corpus.numeric:
        return f"from ({_items(corpus, unit)}) limit 0"
    columns = [
        "null::uinteger as item",
        *map(quoted, unit.context),
        *(f"null::varchar as {quoted(c)}" for c in ("gold", *_columns(corpus, unit).values())),
        "null::integer as difficulty",
        "null::integer as spurious",
    ]
    return f"select {', '.join(columns)} from {_parquet([unit.parts[0].file])} limit 0"


def _columns(corpus: StoredCorpus, unit: ViewUnit) -> dict[str, str]:
    """Return the name of every system's column, by the system's name, as ``Wide`` has it."""
    taken = ["item", *unit.context, "gold", *ANNOTATIONS, *BESIDE]
    return dict(zip(corpus.systems, distinct(corpus.systems, taken), strict=True))


def _items(corpus: StoredCorpus, unit: ViewUnit) -> str:
    """Return SQL of the wide table of a unit."""
    columns = _columns(corpus, unit)
    own = [quoted(name) for name in columns.values()]
    if corpus.numeric:
        mean = f"list_avg([{', '.join(own)}])" if own else "null::double"
        return (
            "select (row_number() over () - 1)::uinteger as item, *, null::integer as difficulty, "
            f"null::integer as spurious, {mean} as {MEAN_SCORE} "
            f"from ({_rows(corpus, unit, columns)})"
        )
    # Lists and calls, for a chain of a thousand operators is deeper than DuckDB goes.
    filled = (
        "" if unit.empty_is_answer else f" where coalesce({', '.join(['gold', *own])}) is not null"
    )
    right, said = (
        f"list_sum([{', '.join(told.format(name) for name in own)}])::int" if own else "0"
        for told in ("coalesce(({} = gold)::int, 0)", "({} is not null)::int")
    )
    return (
        f"with answered as (select * from ({_rows(corpus, unit, columns)}){filled}) "
        "select (row_number() over () - 1)::uinteger as item, *, "
        f"case when gold is not null then {right} end as difficulty, "
        f"case when gold is null then {said} end as spurious from answered"
    )


def _rows(corpus: StoredCorpus, unit: ViewUnit, columns: Mapping[str, str]) -> str:
    """Return SQL of all rows of a unit; sentences go on where those of the file before end."""
    places = [name for name in ("dataset", "part") if name in unit.context and len(unit.parts) > 1]
    before = {"/".join(filter(None, part.place)): part.before for part in unit.parts}
    cells = ", ".join(literal(name) for name in before)
    numbers = ", ".join(map(str, before.values()))
    place = f"concat_ws('/', {', '.join(map(quoted, places))})" if places else ""
    on = f"map([{cells}], [{numbers}])[{place}]"
    context = {
        c: f"({quoted(c)} + {on})::uinteger as {quoted(c)}"
        if c in _NUMBERED and places
        else quoted(c)
        for c in unit.context
    }
    if unit.shared_documents:
        # Documents of several gold files are not one document.
        shared = ", ".join(map(literal, unit.shared_documents))
        named = f"concat_ws('/', {', '.join(map(quoted, places))}, document)"
        context["document"] = (
            f"case when document in ({shared}) then {named} else document end as document"
        )
    answers = [
        f"{_told(corpus, quoted(corpus.columns[system]))} as {quoted(column)}"
        for system, column in columns.items()
    ]
    listed = ", ".join([*context.values(), f"{_told(corpus, 'gold')} as gold", *answers])
    return f"select {listed} from {_parquet([part.file for part in unit.parts])}"


def _told(corpus: StoredCorpus, column: str) -> str:
    """Return SQL of an answer as it is compared by default: trees without subtypes of relations."""
    if corpus.trees:
        return f"regexp_replace({column}::varchar, ':.*@', '@')"
    return f"{column}::varchar::double" if corpus.numeric else f"{column}::varchar"


def _parquet(files: Sequence[str]) -> str:
    listed = ", ".join(f"file_at({literal(file)})" for file in files)
    return f"read_parquet([{listed}], hive_partitioning = false)"


def _facts(corpus: StoredCorpus, columns: Mapping[str, str]) -> dict[str, pl.DataFrame]:
    """Return the tables of systems, of what they were run on, and of the corpus.

    What is counted of items is not known here, and null.
    """
    main = corpus.units[0]
    sets = list(dict.fromkeys(ran for *_, ran in corpus.cells))
    number = {ran: k for k, ran in enumerate(sets)}
    tables: dict[str, tuple[dict[str, Any], list[tuple[object, ...]]]] = {
        "system": (
            {"number": pl.Int64, "system": pl.String, "column_name": pl.String, "path": pl.String,
             "judge": pl.Boolean, "answers": pl.Int64, "correct": pl.Int64},
            [
                (k, system, column, corpus.systems[system] or None, True, None, None)
                for k, (system, column) in enumerate(columns.items(), 1)
            ],
        ),
        "run": (
            {"dataset": pl.String, "part": pl.String, "system": pl.String, "status": pl.String,
             "run_set": pl.Int32},
            [
                (dataset, part, system, "run" if system in ran else "not_run", number[ran])
                for dataset, part, ran in corpus.cells
                for system in columns
            ],
        ),
        "corpus": (
            {"task": pl.String, "unit": pl.String, "items": pl.Int64, "groups": pl.Int64,
             "empty_is_answer": pl.Boolean, "metric": pl.String, "schema_version": pl.Int64},
            [(corpus.task, main.name, None, None, main.empty_is_answer, corpus.metric,
              SCHEMA_VERSION)],
        ),
        "chosen": ({"system": pl.String}, []),
    }  # fmt: skip
    return {
        name: pl.DataFrame(rows, schema=kinds, orient="row")
        for name, (kinds, rows) in tables.items()
    }
