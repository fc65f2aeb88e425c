"""Tables of databases: of DuckDB, SQLite (by Python's own module), PostgreSQL; and one written.

A table is read whole, once, and comes as the bytes of an Arrow stream, which readers take for a
file; tables are written as the bytes of a DuckDB. It leaves to others what columns mean.
"""

from __future__ import annotations

import re
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from coleval.corpus.scratch import scratched
from coleval.errors import DataError, UsageError, unknown
from coleval.query.quoting import literal, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import duckdb
    import polars as pl
    import pyarrow as pa

# Schema, name, rows, comment, and the comments of columns.
Commented = tuple[str, str, "pl.DataFrame", str, "Mapping[str, str]"]
# Schemas that need not be named, and those in which a server describes itself.
_DEFAULT, _INTERNAL = ("", "main", "public"), ("information_schema", "pg_catalog")
# Polars has no such types; DuckDB writes them as text.
_AS_TEXT = ("interval", "union", "bignum")
_TABLES = """
select schema_name, table_name from duckdb_tables() where database_name = 'source'
union all
select schema_name, view_name from duckdb_views() where database_name = 'source' and not internal
order by all
"""
_SQLITE_TABLES = """
select '', name from sqlite_master where type in ('table', 'view') and name not like 'sqlite\\_%'
escape '\\' order by name
"""
# What drivers complain of, and what to do about it.
_REMEDIES = (
    (r"Unique file handle", "this program has it open: pass the table itself, connection.table(…)"),
    (r"\block",
     "another program has it open for writing: close it there, or name a copy of the file"),
    (r"password|authentication", "set PGUSER and PGPASSWORD, or write a line into ~/.pgpass"),
    (r"translate host|refused|timed? ?out|No route|No such file",
     "is the server running, and are host and port right? postgres://USER@HOST:PORT/DATABASE#TABLE"),
    (r'database "[^"]*" does not exist', "check the name of the database, which follows the host"),
    (r"not a valid DuckDB|not a database", "which program wrote it? duckdb:FILE or sqlite:FILE"),
    (r"permission denied", "ask for the right to read it: grant select on … to …"),
)  # fmt: skip


def table_stream(kind: str, place: str, table: str, shown: str) -> bytes:
    """Return a table of a database as an Arrow stream; ``shown`` is what messages call it.

    ``kind`` is duckdb, sqlite or postgres; ``place`` a file, or what libpq connects to. A file
    that cannot be opened raises ``OSError``.
    """
    import pyarrow as pa

    if kind != "postgres":
        # Why a file cannot be read, the operating system says best.
        Path(place).open("rb").close()
    read = _table_of_sqlite if kind == "sqlite" else _table_of_duckdb
    data = read(kind, place, table, shown).combine_chunks()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, data.schema) as stream:
        stream.write_table(data)
    return sink.getvalue().to_pybytes()


def _table_of_duckdb(kind: str, place: str, table: str, shown: str) -> pa.Table:
    import duckdb

    with duckdb.connect() as connection, _refusals(duckdb.Error, shown):
        if kind == "postgres":
            _load_extension(connection, kind, shown)
            # Several threads would get the rows in another order each time.
            connection.execute("set threads = 1")
        connection.execute(f"attach {literal(place)} as source (type {kind}, read_only)")
        schema, name = _chosen(connection.execute(_TABLES).fetchall(), table, shown)
        rows = connection.table(f"source.{quoted(schema)}.{quoted(name)}")
        texts = [
            f"{quoted(column)}::varchar as {quoted(column)}"
            for column, kind_of_column in zip(rows.columns, rows.types, strict=True)
            if kind_of_column.id in _AS_TEXT
        ]
        return (rows.project(f"* replace ({', '.join(texts)})") if texts else rows).to_arrow_table()


def _load_extension(connection: duckdb.DuckDBPyConnection, name: str, shown: str) -> None:
    """Load an extension of DuckDB, fetched once if there is a network."""
    import duckdb

    try:
        connection.install_extension(name)
        connection.load_extension(name)
    except duckdb.Error as error:
        raise DataError(
            f"DuckDB {duckdb.__version__} lacks its extension {name}, and it cannot be fetched "
            f"({_first_line(error)})",
            where=shown,
            remedy="where there is a network: python -c "
            f"'import duckdb; duckdb.sql(\"install {name}\")'; else save the table first: "
            "psql -c '\\copy TABLE to TABLE.csv csv header'",
        ) from None


def _table_of_sqlite(_kind: str, place: str, table: str, shown: str) -> pa.Table:
    import sqlite3

    import pyarrow as pa

    uri = f"{Path(place).absolute().as_uri()}?mode=ro"
    with _refusals(sqlite3.Error, shown), closing(sqlite3.connect(uri, 1, uri=True)) as connection:
        _, name = _chosen(connection.execute(_SQLITE_TABLES).fetchall(), table, shown)
        cursor = connection.execute(f"select * from {quoted(name)}")
        names = [column[0] for column in cursor.description]
        columns = list(zip(*cursor, strict=True)) or [()] * len(names)
    arrays = []
    for column, values in zip(names, columns, strict=True):
        try:
            arrays.append(pa.array(values))
        except pa.ArrowException:
            kinds = sorted({type(value).__name__ for value in values if value is not None})
            raise DataError(
                f"column `{column}` has values of several types ({', '.join(kinds)})",
                where=shown,
                remedy=f"read a view of it: create view typed as select cast({quoted(column)} as "
                f"text) as {quoted(column)}, … from {quoted(name)}",
            ) from None
    return pa.table(arrays, names)


def database_bytes(tables: Iterable[Commented]) -> bytes:
    """Return a DuckDB with some tables; of two columns like ``PER`` and ``per`` one is renamed."""
    import duckdb

    with scratched("database") as folder, duckdb.connect() as connection:
        file = folder / "report.duckdb"
        # A table of ten rows takes up a block: 16 kB, where 256 kB are usual.
        connection.execute(f"attach {literal(file)} as report (block_size 16384)")
        connection.begin()
        for schema, name, frame, comment, meanings in tables:
            space = f"report.{quoted(schema or 'main')}"
            place = f"{space}.{quoted(name)}"
            connection.register("frame", frame.to_arrow())
            connection.execute(f"create schema if not exists {space}")
            connection.execute(f"create table {place} as from frame")
            connection.execute(f"comment on table {place} is {literal(comment)}")
            for own, column in zip(frame.columns, connection.table(place).columns, strict=True):
                if said := meanings[own] or (own if own != column else ""):
                    on = f"{place}.{quoted(column)}"
                    connection.execute(f"comment on column {on} is {literal(said)}")
        connection.commit()
        connection.execute("detach report")
        return file.read_bytes()


def _chosen(there: Sequence[tuple[str, str]], table: str, shown: str) -> tuple[str, str]:
    """Return schema and name of a table; raise with those that are there."""
    names = {
        name if schema in _DEFAULT else f"{schema}.{name}": (schema, name)
        for schema, name in there
        if schema not in _INTERNAL
    }
    default, _, plain = table.partition(".")
    if default in _DEFAULT and plain in names and table not in names:
        table = plain
    if not table or not names:
        some = [f"`{name}`" for name in names][:20] + ["…"] * (len(names) > 20)
        said = f"it has {', '.join(some)}" if names else "it has no tables"
        raise UsageError("no table is named", where=shown, remedy=f"add #TABLE: {said}")
    if table not in names:
        raise unknown("table", table, names, where=shown)
    return names[table]


@contextmanager
def _refusals(kinds: type[Exception], shown: str) -> Iterator[None]:
    """Make what a driver complains of an error that says what to do."""
    try:
        yield
    except kinds as error:
        text = _first_line(error)
        remedies = (remedy for sign, remedy in _REMEDIES if re.search(sign, text))
        remedy = next(remedies, "write the table to a file: copy TABLE to 'TABLE.parquet'")
        raise DataError(f"cannot be read ({text})", where=shown, remedy=remedy) from None


def _first_line(error: Exception) -> str:
    """Return what a driver says, without the address, which may have a password."""
    text = re.sub(r'Unable to connect to Postgres at "[^"]*": ', "", str(error))
    return text.strip().partition("\n")[0]
