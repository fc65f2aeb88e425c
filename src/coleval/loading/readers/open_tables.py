"""Tables whose columns are read one by one: Parquet, Arrow, JSON lines and data frames.

Columns are Arrow arrays as the file or the frame has them, so that lists are offsets and values,
and labels are places in a dictionary: nothing is made of a single cell.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.corpus.plain_names import settled
from coleval.errors import DataError
from coleval.loading.readers.class_names import names_in_features, names_in_metadata
from coleval.loading.readers.frames import read_frame, undamaged, with_plain_names
from coleval.loading.readers.json_records import check_keys, exchangeable
from coleval.loading.readers.lines import first_filled
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
    schema: pa.Schema
    column: Callable[[str], pa.ChunkedArray]
    names: Mapping[str, tuple[str, ...]]
    line: NDArray[np.uint32] | None = None
    id: str | None = None
    kept: dict[Any, Any] = field(default_factory=dict)

    def at(self, row: int) -> str:
        """Return ``file:line`` of a row, or ``file row n`` where there are no lines."""
        if self.line is None:
            return f"{self.path} row {row + 1}"
        return f"{self.path}:{int(self.line[row])}"

    def error(self, row: int, problem: str, remedy: str) -> DataError:
        """Return the error that a row is wrong, which is named by its id too if it has one."""
        named = None if self.id is None else self.column(self.id)[row].as_py()
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
    if source.frame is not None:
        table = source.table
        polars = isinstance(table, pl.DataFrame)
        found = _of_polars(source.path, table) if polars else _of_arrow(source.path, table)
        found.names = {**found.names, **names_in_features(source.frame)}
        return found
    if source.raw.startswith(PARQUET):
        return _of_parquet(source)
    if source.columnar:
        with undamaged("Arrow", source.path):
            table = _arrow_reader(source.raw).read_all()
        return _of_arrow(source.path, table)
    frame = read_frame(source)
    sheet = _of_polars(source.path, frame.data)
    sheet.line = frame.line
    return sheet


def schema_of(source: Source) -> pa.Schema | None:
    """Return the types of the columns as the head of a source has them, None if it has none."""
    if isinstance(source.frame, OpenColumn):
        return source.frame.sheet.schema
    if source.frame is not None:
        return open_table(source).schema
    if source.head.startswith(PARQUET):
        return _parquet_schema(source)
    if source.head.startswith((ARROW, ARROW_STREAM)):
        with undamaged("Parquet or Arrow", source.path):
            return _arrow_reader(source.raw).schema
    return _schema_of_json(source)


def _parquet_schema(source: Source) -> pa.Schema:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with undamaged("Parquet", source.path):
        return pq.read_schema(pa.BufferReader(source.raw))


def _schema_of_json(source: Source) -> pa.Schema | None:
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
        return exchangeable(frame).to_arrow().schema
    except (pl.exceptions.PolarsError, DataError):
        return None


def _of_polars(path: str, frame: pl.DataFrame) -> OpenTable:
    check_keys(frame, path)
    frame = with_plain_names(exchangeable(frame))

    def column(name: str) -> pa.ChunkedArray:
        return _as_arrow(frame[name])

    objects = [name for name, kind in frame.schema.items() if kind == pl.Object]
    return OpenTable(path, frame.drop(objects).head(0).to_arrow().schema, column, {})


def _as_arrow(column: pl.Series) -> pa.ChunkedArray:
    import pyarrow as pa

    array = column.to_arrow(compat_level=pl.CompatLevel.newest())
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _of_arrow(path: str, table: pa.Table) -> OpenTable:
    names = names_in_metadata(table.schema.metadata)
    table = table.rename_columns(settled(table.column_names))
    return OpenTable(path, table.schema, table.column, names)


def _of_parquet(source: Source) -> OpenTable:
    """Return a table of which only the columns that somebody asks for are read."""
    schema = _parquet_schema(source)
    stored = dict(zip(settled(schema.names), schema.names, strict=True))

    def column(name: str) -> pa.ChunkedArray:
        with undamaged("Parquet", source.path):
            frame = pl.read_parquet(io.BytesIO(data), columns=[stored[name]])
        check_keys(frame, source.path)
        return _as_arrow(exchangeable(frame).to_series())

    data, types = source.raw, schema.empty_table().rename_columns(list(stored)).schema
    return OpenTable(source.path, types, column, names_in_metadata(schema.metadata))


def _arrow_reader(data: bytes) -> pa.ipc.RecordBatchFileReader | pa.ipc.RecordBatchStreamReader:
    import pyarrow as pa

    opened = pa.ipc.open_file if data.startswith(ARROW) else pa.ipc.open_stream
    return opened(pa.BufferReader(data))
