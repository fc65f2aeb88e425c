"""Tables whose columns are read one by one: Parquet, Arrow, JSON lines and data frames.

Columns are as the file or the frame has them: lists are offsets and values, and nothing is made of
a single cell.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.errors import DataError
from coleval.loading.readers.class_names import names_in_features, names_in_metadata
from coleval.loading.readers.frames import read_frame, undamaged, with_plain_names
from coleval.loading.readers.json_records import check_keys, exchangeable
from coleval.loading.readers.lines import first_filled
from coleval.loading.readers.model import row_place
from coleval.loading.readers.source import ARROW, ARROW_STREAM, PARQUET

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from coleval.loading.readers.sequence_columns import SequenceColumns
    from coleval.loading.readers.source import Source

_KEPT = "open table"


@dataclass(eq=False)
class OpenTable:
    """A table: the types of its columns, how one is read, and the names of integer codes.

    ``line`` has the line of each row where the file has lines, ``id`` is the column of their ids;
    ``kept`` is what was made of the table once, for all who read a column of it.
    """

    path: str
    schema: Mapping[str, pl.DataType]
    column: Callable[[str], pl.Series]
    names: Mapping[str, tuple[str, ...]]
    line: NDArray[np.uint32] | None = None
    id: str | None = None
    kept: dict[Any, Any] = field(default_factory=dict)

    def at(self, row: int) -> str:
        """Return ``file:line`` of a row, or ``file row n`` where there are no lines."""
        return row_place(self.path, self.line, row)

    def error(self, row: int, problem: str, remedy: str) -> DataError:
        """Return the error that a row is wrong, which is named by its id too if it has one."""
        named = None if self.id is None else self.column(self.id)[row]
        text = problem if named is None else f"{problem} (id `{named}`)"
        return DataError(text, where=self.at(row), remedy=remedy)


@dataclass(frozen=True, eq=False)
class OpenColumn:
    """An opened table as a source, what its columns are, and the one of answers that is meant."""

    sheet: OpenTable
    columns: SequenceColumns
    answers: str


def open_table(source: Source) -> OpenTable:
    """Return the table behind a source, opened once; only its head is read now."""
    if isinstance(source.frame, OpenColumn):
        return source.frame.sheet
    if _KEPT not in source.kept:
        source.kept[_KEPT] = _opened(source)
    table: OpenTable = source.kept[_KEPT]
    return table


def _opened(source: Source) -> OpenTable:
    if source.frame is None and source.raw.startswith(PARQUET):
        return _of_parquet(source)
    frame = read_frame(source)
    check_keys(frame.data, source.path)
    data = exchangeable(frame.data)
    schema = {name: kind for name, kind in data.schema.items() if kind != pl.Object}
    names = names_in_metadata(getattr(_arrow_schema(source), "metadata", None))
    names |= names_in_features(source.frame)
    return OpenTable(source.path, schema, data.get_column, names, frame.line)


def _arrow_schema(source: Source) -> pa.Schema | None:
    """Return the types of Arrow and Parquet, whose metadata may name codes; None for others."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if source.frame is not None:
        return getattr(source.table, "schema", None)
    if not source.columnar:
        return None
    data = pa.BufferReader(source.raw)
    with undamaged("Parquet" if source.raw.startswith(PARQUET) else "Arrow", source.path):
        if source.raw.startswith(PARQUET):
            return pq.read_schema(data)
        opened = pa.ipc.open_file if source.raw.startswith(ARROW) else pa.ipc.open_stream
        return opened(data).schema


def schema_of(source: Source) -> Mapping[str, pl.DataType] | None:
    """Return the types of the columns as the head of a source has them, None if it has none."""
    if isinstance(source.frame, OpenColumn):
        return source.frame.sheet.schema
    if source.frame is not None or source.head.startswith((PARQUET, ARROW, ARROW_STREAM)):
        return open_table(source).schema
    return _schema_of_json(source)


def _schema_of_json(source: Source) -> Mapping[str, pl.DataType] | None:
    """Return what the first line says of a file of JSON objects."""
    text = source.head.removeprefix(b"\xef\xbb\xbf")
    if text.lstrip()[:1] != b"{":
        return None
    if b"\n" not in text.lstrip():
        text = source.text
    line = text[first_filled(text) :].split(b"\n", 1)[0]
    try:
        frame = pl.read_ndjson(io.BytesIO(line)).head(0)
        check_keys(frame, source.path)
        return exchangeable(frame).schema
    except (pl.exceptions.PolarsError, DataError):
        return None


def _of_parquet(source: Source) -> OpenTable:
    """Return a table of which only the columns that somebody asks for are read."""
    data, path = source.raw, source.path
    with undamaged("Parquet", path):
        stored = pl.read_parquet_schema(io.BytesIO(data))
    schema = with_plain_names(exchangeable(pl.DataFrame(schema=stored))).schema
    places = dict(zip(schema, stored, strict=True))

    def column(name: str) -> pl.Series:
        with undamaged("Parquet", path):
            frame = pl.read_parquet(io.BytesIO(data), columns=[places[name]])
        check_keys(frame, path)
        return exchangeable(frame).to_series().alias(name)

    return OpenTable(
        path, schema, column, names_in_metadata(getattr(_arrow_schema(source), "metadata", None))
    )
