"""``corpus.duckdb`` of a store: its tables as views, for any program that speaks DuckDB.

The views read the Parquet beside the file, wherever the store is moved to. Named questions and the
definitions of analyses are table macros of it: ``from who_alone('A')``.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from coleval.annotate import ANNOTATIONS
from coleval.query.database import MACROS, VIEWS
from coleval.query.quoting import literal, quoted
from coleval.query.shipped import Query, names, query
from coleval.query.tables import UNITS, small_tables
from coleval.query.wide import distinct

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    import duckdb

FILE = "corpus.duckdb"
# The oldest format of DuckDB's files that has all that is in this one.
_STORAGE = "v1.2.0"
_CATALOG = "written"
_FACTS = ("system", "corpus", "chosen")
_NUMBERED = ("sentence", "instance")
# A file beside this database: DuckDB's own directory for temporary files says where that is, and
# the variable `store` where that directory is another one. What SQL takes for a pattern is none.
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
class StoredUnit:
    """A table of items in a store, gold file after gold file, with the same columns in all."""

    name: str
    group: str
    empty_is_answer: bool
    context: Sequence[str]
    parts: Sequence[ViewPart]


@dataclass(frozen=True, slots=True)
class StoredCorpus:
    """What a store holds: its units, of which the first is the task's, and its systems' files.

    ``columns`` are the names that systems have in Parquet.
    """

    task: str
    units: Sequence[StoredUnit]
    text_unit: str
    systems: Mapping[str, str]
    columns: Mapping[str, str]
    trees: bool = False


def write_views(store: Path, corpus: StoredCorpus, file: Path) -> None:
    """Write the database of a store to a file that lies in it."""
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
            con.execute(f"set variable store = {literal(str(store.absolute()))}")
            _fill(con, corpus)
            for name, sql in _tables(corpus).items():
                con.execute(f"drop table {name}")
                con.execute(f"create view {name} as {sql}")
            con.execute(f"checkpoint {_CATALOG}")
    except duckdb.Error as error:
        # Nobody else has a part in this database: what fails is writing it.
        raise OSError(str(error).splitlines()[0]) from error
    finally:
        file.with_name(f"{file.name}.wal").unlink(missing_ok=True)


def _fill(con: duckdb.DuckDBPyConnection, corpus: StoredCorpus) -> None:
    """Make all but the tables that read Parquet, in whose places are tables without rows.

    Whatever is made binds all that it reads, which takes long where that is hundreds of files or
    views of views: so views are tables as well until they are made.
    """
    con.execute(_FILE_AT)
    for macro in MACROS:
        con.execute(f"create macro {macro}")
    main = corpus.units[0]
    columns = _columns(corpus, main)
    for name, unit in _wide_units(corpus).items():
        con.execute(f"create table {name} as {_without_rows(corpus, unit)}")
    _put_facts(con, corpus, columns)
    views = {**_views(corpus, columns), **small_tables(corpus, main, columns)}
    for name, sql in views.items():
        con.execute(f"create table {name} as from ({sql}) limit 0")
    _put_macros(con, {*_wide_units(corpus), *views, *_FACTS})
    for name in views:
        con.execute(f"drop table {name}")
    for name, sql in views.items():
        con.execute(f"create view {name} as {sql}")


def _wide_units(corpus: StoredCorpus) -> dict[str, StoredUnit]:
    """Return the units that are wide tables, by the names of these."""
    return {**{u.name: u for u in corpus.units if u.name in UNITS}, "item": corpus.units[0]}


def _without_rows(corpus: StoredCorpus, unit: StoredUnit) -> str:
    """Return SQL of no rows with the columns of a wide table."""
    columns = [
        "null::uinteger as item",
        *map(quoted, unit.context),
        *(f"null::varchar as {quoted(c)}" for c in ("gold", *_columns(corpus, unit).values())),
        "null::integer as difficulty",
        "null::integer as spurious",
    ]
    return f"select {', '.join(columns)} from {_parquet([unit.parts[0].file])} limit 0"


def _tables(corpus: StoredCorpus) -> dict[str, str]:
    """Return SQL of the wide tables."""
    return {name: _items(corpus, unit) for name, unit in _wide_units(corpus).items()}


def _views(corpus: StoredCorpus, columns: Mapping[str, str]) -> dict[str, str]:
    """Return SQL of the views that every corpus has, in the order in which they can be made."""
    listed = ", ".join(["item", "gold", *map(quoted, columns.values())])
    answers = f"select {listed} from item"
    if not corpus.systems:
        return {"answers": answers}
    return {"answers": answers, **{name: query(f"views/{name}").text for name in VIEWS}}


def _put_macros(con: duckdb.DuckDBPyConnection, tables: Collection[str]) -> None:
    import duckdb

    for name in names():
        if name.startswith("views/") or not set(query(name).reads) <= set(tables):
            continue
        # A question about columns that this corpus has not is left out too.
        with suppress(duckdb.CatalogException, duckdb.BinderException):
            con.execute(macro_of(query(name)))


def _columns(corpus: StoredCorpus, unit: StoredUnit) -> dict[str, str]:
    """Return the name of every system's column, by the system's name, as ``Wide`` has it."""
    taken = ["item", *unit.context, "gold", *ANNOTATIONS]
    return dict(zip(corpus.systems, distinct(corpus.systems, taken), strict=True))


def _items(corpus: StoredCorpus, unit: StoredUnit) -> str:
    """Return SQL of the wide table of a unit."""
    columns = _columns(corpus, unit)
    own = [quoted(name) for name in columns.values()]
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


def _rows(corpus: StoredCorpus, unit: StoredUnit, columns: Mapping[str, str]) -> str:
    """Return SQL of all rows of a unit; sentences go on where those of the file before end."""
    places = [name for name in ("dataset", "part") if name in unit.context and len(unit.parts) > 1]
    before = {"/".join(filter(None, part.place)): part.before for part in unit.parts}
    cells = ", ".join(literal(name) for name in before)
    numbers = ", ".join(map(str, before.values()))
    place = f"concat_ws('/', {', '.join(map(quoted, places))})" if places else ""
    on = f"map([{cells}], [{numbers}])[{place}]"
    context = [
        f"({quoted(c)} + {on})::uinteger as {quoted(c)}" if c in _NUMBERED and places else quoted(c)
        for c in unit.context
    ]
    answers = [
        f"{_told(corpus, quoted(corpus.columns[system]))} as {quoted(column)}"
        for system, column in columns.items()
    ]
    listed = ", ".join([*context, f"{_told(corpus, 'gold')} as gold", *answers])
    return f"select {listed} from {_parquet([part.file for part in unit.parts])}"


def _told(corpus: StoredCorpus, column: str) -> str:
    """Return SQL of an answer as it is compared by default: trees without subtypes of relations."""
    if corpus.trees:
        return f"regexp_replace({column}::varchar, ':.*@', '@')"
    return f"{column}::varchar"


def _parquet(files: Sequence[str]) -> str:
    listed = ", ".join(f"file_at({literal(file)})" for file in files)
    return f"read_parquet([{listed}], hive_partitioning = false)"


def _put_facts(
    con: duckdb.DuckDBPyConnection, corpus: StoredCorpus, columns: Mapping[str, str]
) -> None:
    main = corpus.units[0]
    con.execute(
        "create table system (number integer, system varchar, column_name varchar, path varchar, "
        "judge boolean)"
    )
    told = (
        [k, system, column, corpus.systems[system] or None, True]
        for k, (system, column) in enumerate(columns.items(), 1)
    )
    rows = [f"({', '.join(map(literal, row))})" for row in told]
    if rows:
        con.execute(f"insert into system values {', '.join(rows)}")
    con.execute(
        f"create table corpus as select {literal(corpus.task)} as task, "
        f"{literal(main.name)} as unit, {main.empty_is_answer} as empty_is_answer"
    )
    con.execute("create table chosen (system varchar)")


def macro_of(found: Query) -> str:
    """Return SQL that makes a query a table macro; its parameters begin with an underscore."""
    name = found.name.partition("/")[2].replace("-", "_")
    body = found.text
    for param in found.params:
        body = re.sub(rf"\${param}\b", f"_{param}", body)
    params = ", ".join(f"_{param} := {literal(value)}" for param, value in found.defaults.items())
    return f"create macro {name}({params}) as table {body}"
