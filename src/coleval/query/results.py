"""What a query takes and gives, as frames: no value changes, no column is lost.

Types that Polars has not are texts as DuckDB writes them. Columns of the very same name are
numbered, as frames and JSON have room for one each; names that differ in case stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import duckdb
    import pyarrow as pa

_SIMPLE = {
    "boolean", "tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger",
    "ubigint", "hugeint", "float", "double", "decimal", "varchar", "enum", "uuid", "json",
}  # fmt: skip
_DATES = {"date", "timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns",
          "timestamp with time zone"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stream:
    """A frame as an Arrow stream, which DuckDB reads without pyarrow."""

    frame: pl.DataFrame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)


def readable(relation: duckdb.DuckDBPyRelation) -> tuple[Any, list[str]]:
    """Return a relation of types that Polars reads, and names of which no two are the same."""
    names = numbered(relation.columns)
    columns = [_readable(k, kind) for k, kind in enumerate(relation.types, 1)]
    if all(column.startswith("#") and "::" not in column for column in columns):
        return relation, names
    return relation.project(", ".join(f"{c} as c{k}" for k, c in enumerate(columns))), names


def _readable(place: int, kind: Any) -> str:
    column = f"#{place}"
    if kind.id in ("time", "null") or _is_simple(kind):
        return column
    if kind.id in _DATES:
        # Python has no year beyond these, and no infinite one.
        return f"case when year({column}) between 1 and 9999 then {column} end"
    return f"{column}::varchar"


def _is_simple(kind: Any) -> bool:
    if kind.id in ("list", "array"):
        return _is_simple(kind.children[0][1])
    if kind.id == "struct":
        return all(_is_simple(part) for _, part in kind.children)
    return kind.id in _SIMPLE


def numbered(names: Sequence[str]) -> list[str]:
    """Return names of which no two are the same: ``a``, ``a_2`` for ``a``, ``a``."""
    out: list[str] = []
    for name in names:
        fresh, k = name, 2
        while fresh in out or (k > 2 and fresh in names):
            fresh, k = f"{name}_{k}", k + 1
        out.append(fresh)
    return out


def frame_of(table: pa.Table, names: Sequence[str]) -> pl.DataFrame:
    """Return a result as a frame; whole numbers that fit in 64 bits are such."""
    frame = pl.DataFrame(pl.from_arrow(table.rename_columns(list(names))))
    whole = [k for k, kind in frame.schema.items() if kind.is_decimal() and kind.scale == 0]  # type: ignore[attr-defined]
    return frame.with_columns(_narrowed(frame[name]) for name in whole)


def table_of(batch: pa.RecordBatch) -> pa.Table:
    """Return a batch as a table."""
    import pyarrow as pa

    return pa.Table.from_batches([batch])


def _narrowed(column: pl.Series) -> pl.Series:
    wide = column.cast(pl.Int128)
    narrow = wide.cast(pl.Int64, strict=False)
    return narrow if narrow.null_count() == wide.null_count() else wide


def together(pieces: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return pieces of one result as one frame."""
    return pl.concat(pieces, how="vertical_relaxed") if len(pieces) > 1 else pieces[0]


def fetched(pieces: Iterator[pl.DataFrame], limit: int | None) -> tuple[pl.DataFrame, bool]:
    """Return a result, up to a limit, and whether there is more of it."""
    if limit is None:
        return together(list(pieces)), False
    first: list[pl.DataFrame] = []
    while sum(len(frame) for frame in first) <= limit and (piece := list(islice(pieces, 1))):
        first += piece
    frame = together(first)
    return frame.head(limit), len(frame) > limit
