"""Items as DuckDB has them: patterns of equal answers, out of a store's files or out of memory.

What is counted stands in ``sql/``; here is only how answers get there, as codes. Of a store DuckDB
reads the files of the systems itself, side by side with gold's column.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.corpus.disk import parquet_of
from coleval.query.quoting import literal, quoted
from coleval.query.results import Stream
from coleval.query.shipped import query

if TYPE_CHECKING:
    import duckdb
    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.disk import ParquetColumns
    from coleval.corpus.items import Items

    Con = duckdb.DuckDBPyConnection

_SCHEMAS = count()
# By connection, the schemas that nobody holds any more.
_LEFT: weakref.WeakKeyDictionary[Any, list[str]] = weakref.WeakKeyDictionary()


@dataclass(eq=False)
class Schema:
    """A schema that holds the tables of some items, as long as anybody holds it."""

    con: Con
    name: str
    # Keeps what the tables were made of, whose identity they are known by.
    of: object = None

    def use(self) -> Con:
        """Return the connection, where names are those of this schema."""
        self.con.execute(f"set search_path = '{self.name}'")
        return self.con

    def put(self, table: str, frame: pl.DataFrame) -> None:
        """Put a small table there, in place of one of that name."""
        con = self.use()
        con.register("handed", Stream(frame))
        con.execute(f"create or replace table {table} as from handed")
        con.unregister("handed")


def schema(con: Con, of: object = None) -> Schema:
    """Return a new schema, which is dropped when nobody holds it any more and another is made.

    Not at once: that would be in the midst of what the connection is doing for somebody else.
    """
    made = Schema(con, f"items_{next(_SCHEMAS)}", of)
    left = _LEFT.setdefault(con, [])
    while left:
        con.execute("set search_path = 'main'")
        con.execute(f"drop schema if exists {left.pop()} cascade")
    con.execute(f"create schema {made.name}")
    weakref.finalize(made, left.append, made.name)
    return made


@dataclass(frozen=True, slots=True)
class Layer:
    """Columns of one schema of codes: gold's, and one a system, in memory or in a store's files."""

    prefix: str
    gold: Codes
    answers: Any
    source: ParquetColumns | None

    @property
    def columns(self) -> list[str]:
        """Return the names that systems have in DuckDB, which is blind to case in names."""
        return [f"{self.prefix}{k}" for k in range(len(self.answers))]


def _apart(layers: list[Layer]) -> list[Layer]:
    """Return layers of which DuckDB reads from files those only whose rows are the first one's."""
    first = next((layer.source for layer in layers if layer.source is not None), None)
    return [layer if _beside(layer, first) else replace(layer, source=None) for layer in layers]


def _beside(layer: Layer, first: ParquetColumns | None) -> bool:
    own = layer.source
    if own is None or first is None or own is first:
        return True
    if own.rows is None or first.rows is None:
        return own.rows is first.rows and own.size == first.size
    return own.size == first.size and np.array_equal(own.rows, first.rows)


def tally(con: Con, items: Items, shown: Items | None = None, more: Any = None) -> Schema:
    """Return a schema with patterns of the items and the view ``tally`` over them.

    ``more`` are the answers of other systems, which judge; ``shown`` the same items by what tables
    show. Where that is one code for all systems, it is given by the layer of a single system.
    """
    made = schema(con, shown)
    # Joining two mappings looks at all their columns, and those of a store are not to be read.
    answers = {**items.answers, **more} if more else items.answers
    layers = [_layer("s", items.gold, answers)]
    alike = shown is not None and len(shown.answers) == 1 < len(items.answers)
    if shown is not None:
        layers.append(_layer("t", shown.gold, shown.answers))
    _put_facts(made, items, answers)
    _put_patterns(made, _apart(layers))
    view = "tally" if shown is None else "tally_alike" if alike else "tally_shown"
    text = query(f"views/{view}").text
    if not answers:
        _put_nothing(made)
    else:
        made.use().execute(f"create view tally as {text}")
    return made


def _layer(prefix: str, gold: Codes, answers: Any) -> Layer:
    return Layer(prefix, gold, answers, parquet_of(answers))


def _put_facts(made: Schema, items: Items, answers: Any) -> None:
    """Put the tables ``system`` and ``corpus`` there."""
    judges = set(items.judging)
    rows = {
        "number": range(1, len(answers) + 1),
        "system": list(answers),
        "column_name": [f"s{k}" for k in range(len(answers))],
        "judge": [name in judges for name in answers],
    }
    kinds = {"number": pl.Int32, "system": pl.String, "column_name": pl.String,
             "judge": pl.Boolean}  # fmt: skip
    made.put("system", pl.DataFrame(rows, schema=kinds))
    made.put("corpus", pl.DataFrame({"empty_is_answer": [items.empty_is_answer]}))


def _put_nothing(made: Schema) -> None:
    """Put a tally of no systems there, which UNPIVOT cannot make."""
    made.use().execute(
        "create table tally as select pattern, n, 0 as number, '' as system, false as judge, gold, "
        "gold as answer, gold as label_gold, gold as label, false as correct, false as findable "
        "from pattern limit 0"
    )


def _put_patterns(made: Schema, layers: list[Layer]) -> None:
    """Put ``pattern`` there, and ``shown`` if there is a second layer; codes, null for nothing."""
    con = made.use()
    kind = _kind(layers)
    source = beside(made, layers)
    names = [name for layer in layers for name in (f"gold_{layer.prefix}", *layer.columns)]
    listed = ", ".join(names)
    con.execute(
        f"create table counted as select {listed}, count(*)::bigint as n from ({source}) "
        "group by all"
    )
    coded = ", ".join(
        f"{code_of(made, layer, name)}::{kind} as {name}"
        for layer in layers
        for name in (f"gold_{layer.prefix}", *layer.columns)
    )
    first = layers[0]
    con.execute(
        "create table pattern_all as select (row_number() over ())::uinteger as pattern, n, "
        f"{coded} from counted"
    )
    con.execute("drop table counted")
    own = ", ".join(first.columns)
    con.execute(
        f"create view pattern as select pattern, n, gold_s as gold{own and ', ' + own} "
        "from pattern_all"
    )
    if len(layers) > 1:
        _put_shown(made, layers[1], len(first.answers))


def _put_shown(made: Schema, layer: Layer, systems: int) -> None:
    if len(layer.answers) == 1 < systems:
        columns = "t0 as label"
    else:
        columns = ", ".join(f"t{k} as s{k}" for k in range(len(layer.answers)))
    made.use().execute(
        f"create view shown as select pattern, gold_t as gold, {columns} from pattern_all"
    )


def _kind(layers: list[Layer]) -> str:
    """Return the type of codes that all columns have, or they could not be unpivoted together."""
    wide = any(
        codes.dtype.itemsize > 2 for layer in layers for codes in (layer.gold, *_tables(layer))
    )
    return "uinteger" if wide else "usmallint"


def _tables(layer: Layer) -> list[NDArray[Any]]:
    if layer.source is None:
        return [codes[:0] for codes in layer.answers.values()]
    return [] if layer.source.table is None else [layer.source.table]


def beside(made: Schema, layers: list[Layer], unit: NDArray[Any] | None = None) -> str:
    """Return SQL of gold and all systems side by side, answers of files as their labels.

    ``unit`` is a number of each item, as of its sentence.
    """
    con = made.use()
    source = next((layer.source for layer in layers if layer.source is not None), None)
    held: dict[str, NDArray[Any]] = {} if unit is None else {"unit": unit}
    for layer in layers:
        held[f"gold_{layer.prefix}"] = layer.gold
        if layer.source is None:
            held |= dict(zip(layer.columns, layer.answers.values(), strict=True))
    if source is not None:
        held = {name: source.placed(column) for name, column in held.items()}
        if (chosen := source.chosen) is not None:
            held["chosen"] = chosen
    con.register("handed", Stream(pl.DataFrame(held)))
    con.execute("create or replace table held as from handed")
    con.unregister("handed")
    files = [
        f"positional join (select {_listed(layer, source)} from {parquet(source.path())})"
        for layer in layers
        if (source := layer.source) is not None and layer.columns
    ]
    where = " where chosen" if "chosen" in held else ""
    return f"select * from held {' '.join(files)}{where}"


def _listed(layer: Layer, source: ParquetColumns) -> str:
    """Return SQL of the columns of systems in a file, under the names they have here."""
    columns = zip(layer.answers, layer.columns, strict=True)
    return ", ".join(f"{quoted(source.columns[name])} as {own}" for name, own in columns)


def code_of(made: Schema, layer: Layer, column: str) -> str:
    """Return SQL of the code of a column, null for nothing."""
    source = layer.source
    if source is None or column.startswith("gold_"):
        return f"nullif({column}, 0)"
    if not source.labels:
        return "null"
    kind, recode = _known(made, layer.prefix, source)
    place = f"coalesce(enum_code({column}::{kind}) + 1, 0)"
    return f"nullif({recode}[{place} + 1], 0)" if recode else f"nullif({place}, 0)"


def _known(made: Schema, prefix: str, source: ParquetColumns) -> tuple[str, str]:
    """Return the type of the labels of some files, and the list of their codes if they have others.

    Both are made once for all systems: trees have hundreds of thousands of labels.
    """
    con = made.use()
    kind = f"{made.name}.label_{prefix}"
    there = con.execute(
        "select count(*) from duckdb_types() where schema_name = ? and type_name = ?",
        [made.name, f"label_{prefix}"],
    ).fetchall()
    if not there[0][0]:
        con.register("handed", Stream(pl.DataFrame({"label": list(source.labels)})))
        con.execute(f"create type {kind} as enum (select label from handed)")
        con.unregister("handed")
    if source.table is None:
        return kind, ""
    codes = pl.DataFrame({"code": source.table}).with_row_index("place")
    made.put(f"recoded_{prefix}", codes)
    con.execute(
        f"set variable {made.name}_{prefix} = "
        f"(select list(code order by place) from {made.name}.recoded_{prefix})"
    )
    return kind, f"getvariable('{made.name}_{prefix}')"


def parquet(path: object) -> str:
    """Return SQL of the rows of a file, whatever its path is called."""
    plain = "".join(f"[{c}]" if c in "*?[" else c for c in str(path))
    return f"read_parquet({literal(plain)}, hive_partitioning = false)"


def grouped(con: Con, items: Items) -> Schema:
    """Return a schema with the answers to items by their sentence or instance: ``grouped``."""
    made = schema(con)
    (layer,) = _apart([_layer("s", items.gold, items.answers)])
    source = beside(made, [layer], items.groups)
    columns = ", ".join(f"{code_of(made, layer, name)} as {name}" for name in layer.columns)
    made.put("corpus", pl.DataFrame({"empty_is_answer": [items.empty_is_answer]}))
    made.use().execute(
        f"create view grouped as select unit, nullif(gold_s, 0) as gold, {columns} from ({source})"
    )
    return made
