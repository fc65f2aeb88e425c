"""Any SQL over a corpus: a DuckDB in this process that holds the tables a query names.

It reads nothing and writes nothing outside itself, not even what memory has no room for, and its
configuration is locked, unless it is ``unsafe``. Tables are handed over as Arrow streams when a
query names them, without a copy.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.corpus.forking import check_process
from coleval.corpus.paths import is_file
from coleval.corpus.scratch import scratch
from coleval.errors import DataError, UsageError, unknown
from coleval.query import tables
from coleval.query.quoting import literal, quoted
from coleval.query.results import (
    Clock,
    Stream,
    check_case,
    complaint,
    frame_of,
    lists_tables,
    readable,
    table_of,
    takes_all,
    together,
)
from coleval.query.shipped import called_macros, macro_of, query
from coleval.query.tables import SIZES, TEXTS
from coleval.query.wide import Wide, lower, named_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import duckdb

    from coleval.query.shipped import Query

    Params = Mapping[str, object]

BATCH = 100_000
# Views are SQL files over tables; a table is made by a function of the wide table.
VIEWS = (
    "run_set", "answer", "outcome", "pattern", "tally", "pair", "answer_list", "cell", "standing",
    "versus",
)  # fmt: skip
MADE: Mapping[str, Callable[[Wide], pl.DataFrame]] = {
    "system": tables.systems,
    "run": tables.runs,
    "answers": tables.answers,
    "sentence": tables.sentences,
    "document": tables.documents,
    "word": tables.words,
    "grouped": tables.grouped,
    "trait": tables.trait_table,
    "corpus": tables.facts,
    "error": tables.errors,
    "chosen": tables.chosen,
}
# Short words for what queries often say.
MACROS = (
    "share(condition) as avg((condition)::int)",
    "errs(answer, gold) as (answer is distinct from gold)::int",
)
ABOUT = {
    "item": "one row per item: a thing that gold and systems can disagree about",
    "token": "the tokens, whatever the items are",
    "span": "the spans, whatever the items are",
    "system": "the systems: name, name of the column in item, file, answers, correct",
    "run": "which systems were run on which dataset and part: status is run or not_run",
    "corpus": "one row: task, unit, number of items, whether nothing is an answer too",
    "error": "span errors that count: system, item, gold, answer, kind",
    "chosen": "the systems a ladder begins with: none",
    "answers": "item, run_set, gold, a column per system, nothing else",
    "sentence": "sentences with their text, tokens, items",
    "document": "documents with their sentences, tokens, items",
    "word": "item, form, bin of the items that have a bin",
    "grouped": "as answers, by sentence or instance",
    "trait": "bin and traits of items, as whole numbers",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """What a query may use: memory (``4GB``), threads, time, and whether it may reach outside.

    ``tables`` are files and frames that are further tables, by their names.
    """

    memory: str = ""
    threads: int = 0
    unsafe: bool = False
    seconds: float = 0.0
    tables: Mapping[str, Any] = field(default_factory=dict)

    @property
    def config(self) -> dict[str, Any]:
        """Return DuckDB's configuration."""
        asked = {"memory_limit": self.memory, "threads": str(self.threads or "")}
        # Queries may read and write any file in a directory for temporary files.
        own = {"temp_directory": str(scratch("sql")) if self.unsafe else ""}
        return {k: v for k, v in asked.items() if v} | own

    def open(self) -> duckdb.DuckDBPyConnection:
        """Return a connection that has what is mounted, and from then on is as safe as asked."""
        import duckdb

        connection = duckdb.connect(config=self.config)
        for name, table in self.tables.items():
            if hasattr(table, "__arrow_c_stream__"):
                connection.register(name, table)
            else:
                mount(connection, name, str(table))
        if not self.unsafe:
            connection.execute(
                "set autoinstall_known_extensions = false; set autoload_known_extensions = false; "
                "set python_enable_replacements = false; set enable_external_access = false; "
                "set lock_configuration = true"
            )
        return connection


# What reads a file that is mounted, by its suffix.
_MOUNTED = {
    ".csv": "read_csv", ".tsv": "read_csv", ".parquet": "read_parquet", ".json": "read_json",
    ".jsonl": "read_json",
}  # fmt: skip
_DATABASES = (".duckdb", ".db", ".ddb")


def mount(connection: duckdb.DuckDBPyConnection, name: str, path: str) -> None:
    """Make a file a table, or a database of tables; raise if it is none that can be read."""
    import duckdb

    where, suffix = f"--with {name}={path}", Path(path).suffix.lower()
    if suffix not in (*_MOUNTED, *_DATABASES):
        raise UsageError(
            "cannot be a table",
            where=where,
            remedy=f"name a file that ends in {', '.join((*_MOUNTED, _DATABASES[0]))}",
        )
    if not is_file(Path(path)):
        raise DataError("no such file", where=where, remedy="check the path")
    own, file = quoted(name), literal(path)
    try:
        if suffix in _DATABASES:
            connection.execute(f"attach {file} as {own} (read_only)")
        else:
            # A copy: what may be read by its path could be written to as well.
            connection.execute(f"create temp table {own} as from {_MOUNTED[suffix]}({file})")
    except duckdb.Error as error:
        raise DataError(str(error).splitlines()[0], where=where) from None


@dataclass(frozen=True)
class Database:
    """A connection and what it can be asked about; ``units`` are wide tables by name.

    ``counted`` are the views whose rows are counted faster than by SQL, and what counts them.
    """

    units: Mapping[str, Wide]
    limits: Limits = field(default_factory=Limits)
    counted: Mapping[str, Callable[[], pl.DataFrame]] = field(default_factory=dict)
    _there: dict[str, tuple[str, ...]] = field(default_factory=dict)
    # A connection answers one thread at a time; the others wait.
    _guard: RLock = field(default_factory=RLock)
    _opening: RLock = field(default_factory=RLock)

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """Return the connection, opened now by whoever asks first: two would not share tables."""
        with self._opening:
            return self._opened

    @cached_property
    def _opened(self) -> duckdb.DuckDBPyConnection:
        import duckdb

        try:
            for name in self.limits.tables:
                if lower(name) in (*self.units, *MADE, *VIEWS):
                    raise UsageError(
                        "is a table of every corpus",
                        where=f"--with {name}",
                        remedy="choose another name",
                    )
            connection = self.limits.open()
        except duckdb.Error as error:
            raise complaint(error, "", ()) from None
        for macro in MACROS:
            connection.execute(f"create temp macro {macro}")
        return connection

    @property
    def tables(self) -> tuple[str, ...]:
        """Return the names of all tables and views."""
        return (*self.units, *MADE, *VIEWS, *self.limits.tables)

    def wide(self, unit: str = "item") -> Wide:
        """Return the wide table of a name."""
        return self.units[unit]

    def columns(self, table: str) -> tuple[str, ...]:
        """Return the columns that a table can have."""
        if table in self.units:
            return self.wide(table).names
        if table in VIEWS:
            return query(f"views/{table}").returns
        if table in self.limits.tables:
            return tuple(self.connection.sql(f"from {quoted(table)} limit 0").columns)
        return tuple(MADE[table](self.wide()).columns)

    def words(self) -> list[str]:
        """Return the names of all tables and of the columns of the wide ones."""
        return [*self.tables, *(name for unit in self.units for name in self.wide(unit).names)]

    def frame(self, text: str, params: Params | None = None) -> pl.DataFrame:
        """Return the result of a query; that of the last one, if there are several."""
        return together(list(self.pieces(text, params)))

    def types(self, text: str) -> list[str]:
        """Return what DuckDB calls the types of a query's columns, without running it."""
        with self._guard, self._watched(text):
            return [str(kind) for kind in self.connection.sql(text).types]

    def answer(self, asked: Query, params: Params | None = None) -> Iterator[pl.DataFrame]:
        """Return the result of a query that is shipped: it reads what it says, and is small."""
        return self.pieces(asked.text, params, asked)

    def pieces(
        self, text: str, params: Params | None = None, shipped: Query | None = None
    ) -> Iterator[pl.DataFrame]:
        """Return the result of a query piece by piece, at least one; it is never there in full."""
        check_process()
        clock = Clock(self.limits.seconds)

        def awaited(call: Callable[[], Any]) -> Any:
            return clock.awaited(self.connection, call)

        with self._guard:
            try:
                if shipped is None:
                    yield from self._pieces(text, params, awaited)
                else:
                    yield self._whole(shipped, params, awaited)
            finally:
                if clock.left_behind:
                    # It is busy for who knows how long: the next query gets another one.
                    self.__dict__.pop("_opened", None)
                    self._there.clear()

    def _pieces(self, text: str, params: Params | None, awaited: Any) -> Iterator[pl.DataFrame]:
        self.prepare(text)
        with self._watched(text):
            relation = awaited(lambda: self._relation(text, params))
            if relation is None:
                yield pl.DataFrame()
                return
            relation, names = readable(relation)
            reader = awaited(lambda: relation.to_arrow_reader(BATCH))
            batch = awaited(lambda: next(reader, None))
            if batch is None:
                yield frame_of(reader.schema.empty_table(), names)
            while batch is not None:
                yield frame_of(table_of(batch), names)
                batch = awaited(lambda: next(reader, None))

    def _whole(self, asked: Query, params: Params | None, awaited: Any) -> pl.DataFrame:
        for unit in self.units:
            columns = asked.columns(unit)
            if columns is not None:
                there = self.wide(unit).makers
                # `$case` is a column that a parameter names.
                named = {c: c for c in columns} | {
                    f"${k}": v for k, v in (params or {}).items() if f"${k}" in columns and v
                }
                for given, name in named.items():
                    if given != name and name not in there:
                        raise unknown("column", str(name), there, where=f"--param {given[1:]}")
                self._put_columns(unit, [str(c) for c in named.values() if c in there])
        if not asked.shows_texts:
            self._put_others(
                asked.reads, asked.columns("sentence") or SIZES, coded=asked.only_compares
            )
            return self._answered(asked, params, awaited)
        self._put_others([name for name in asked.reads if name != "sentence"], ())
        # Once to see which sentences are shown, and again with the texts of these alone.
        self._put_texts(None)
        self._put_texts(self._answered(asked, params, awaited)["sentence"])
        return self._answered(asked, params, awaited)

    def _answered(self, asked: Query, params: Params | None, awaited: Any) -> pl.DataFrame:
        with self._watched(asked.text):
            relation = awaited(lambda: self._relation(asked.text, params))
            relation, names = readable(relation)
            return frame_of(awaited(relation.to_arrow_table), names)

    def prepare(self, text: str) -> None:
        """Put the tables and views there that a query names, with the columns it names."""
        small = lower(text)
        if lists_tables(text):
            self.everything()
        for name in called_macros(text):
            self.prepare(query(name).text)
            self.connection.execute(macro_of(query(name), "or replace temp macro"))
        everything = takes_all(text)
        for unit in self.units:
            if named_in(unit, small):
                check_case(text, self.wide(unit).renamed)
                self._put_wide(unit, text, everything=everything)
        named = [name for name in (*MADE, *VIEWS) if named_in(name, small)]
        self._put_others(named, TEXTS if everything or named_in("text", small) else SIZES)

    def _put_others(
        self, named: Sequence[str], of_sentences: Sequence[str], *, coded: bool = False
    ) -> None:
        """Put the small tables and the views there that are named, with those that they read.

        Sentences have only those columns that are asked for, as texts take longer than the rest;
        answers are ``coded`` where labels are only compared.
        """
        wanted = self._behind(named)
        for name in MADE:
            if name == "sentence" and name in wanted:
                self._put_sentences(of_sentences)
            elif name == "answers" and name in wanted and coded:
                self._put(name, ("codes",), lambda: tables.codes(self.wide()))
            elif name in wanted:
                self._put_made(name)
        for name in VIEWS:
            if name in wanted:
                self._put_view(name)

    def everything(self) -> duckdb.DuckDBPyConnection:
        """Return the connection with all tables, items in the columns that ``*`` gives."""
        for unit in self.units:
            wide = self.wide(unit)
            self._put(unit, wide.stored, partial(wide.frame, wide.stored))
        for name in MADE:
            self._put_made(name)
        for name in VIEWS:
            self._put_view(name)
        return self.connection

    def _relation(self, text: str, params: Params | None) -> Any:
        return self.connection.sql(text, params=dict(params) if params else None)

    def _put_made(self, name: str) -> None:
        self._put(name, TEXTS if name == "sentence" else ("",), lambda: MADE[name](self.wide()))

    def _put_sentences(self, columns: Sequence[str]) -> None:
        there = self._there.get("sentence", ())
        if not there or not {*columns} <= {*there}:
            wanted = tuple(name for name in TEXTS if name in {*columns, *there})
            self._put("sentence", wanted, lambda: tables.sentences(self.wide(), wanted))

    def _put_texts(self, shown: pl.Series | None) -> None:
        """Put some sentences there with their texts, or none."""
        only = pl.Series([], dtype=pl.UInt32) if shown is None else shown
        self._there.pop("sentence", None)
        self._put("sentence", (), lambda: tables.sentences(self.wide(), ("sentence", "text"), only))

    def _put_wide(self, unit: str, text: str, *, everything: bool) -> None:
        wide = self.wide(unit)
        starred = wide.stored if everything else ()
        self._put_columns(unit, [*starred, *wide.mentioned(text)])

    def _put_columns(self, unit: str, columns: Sequence[str]) -> None:
        wide = self.wide(unit)
        # What is there stays, after what a star gives in its order.
        starred = wide.stored if set(wide.stored) <= {*columns} else ()
        names = tuple(dict.fromkeys([*starred, *self._there.get(unit, ()), *columns]))
        self._put(unit, names, lambda: wide.frame(names))

    def _put(self, table: str, columns: tuple[str, ...], make: Callable[[], pl.DataFrame]) -> None:
        if self._there.get(table) != columns:
            made = Stream(make())
            self.connection.register(table, made)
            self._there[table] = columns

    def _put_view(self, name: str) -> None:
        if name in self._there:
            return
        if name in self.counted:
            self._put(name, ("",), self.counted[name])
        else:
            self.connection.execute(f"create temp view {name} as {query(f'views/{name}').text}")
            self._there[name] = ()

    def _behind(self, named: Sequence[str]) -> set[str]:
        """Return some tables and views with those that they read."""
        wanted: set[str] = set()
        left = list(named)
        while left:
            name = left.pop()
            wanted.add(name)
            if name in VIEWS and name not in self.counted:
                left += [one for one in query(f"views/{name}").reads if one not in wanted]
        return wanted

    def _watched(self, text: str) -> Any:
        from coleval.query.results import Watch

        return Watch(text, self.words)
