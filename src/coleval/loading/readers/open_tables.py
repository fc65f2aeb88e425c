"""Tables whose columns are read one by one: Parquet, Arrow, JSON lines and data frames.

Columns are Arrow arrays as the file or the frame has them, so that lists are offsets and values,
and labels are places in a dictionary: nothing is made of a single cell.
"""

from __future__ import annotations

import io
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import polars as pl

from coleval.corpus.plain_names import settled
from coleval.errors import DataError
from coleval.loading.readers.class_names import names_in_features, names_in_metadata
from coleval.loading.readers.json_records import check_keys, exchangeable
from coleval.loading.readers.lines import first_filled
from coleval.loading.readers.source import ARROW, ARROW_STREAM, PARQUET

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    from numpy.typing import NDArray

    from coleval.loading.readers.sequence_columns import SequenceColumns
    from coleval.loading.readers.source import Source

_KEPT = "open table"


class ColumnReader(Protocol):
    """What reads a column; lists of text are text if it is asked for, else as they come."""

    def __call__(self, name: str, *, as_text: bool = False) -> pa.ChunkedArray:
        """Return a column."""
        ...


@dataclass(eq=False)
class OpenTable:
    """A table: the types of its columns, how one is read, and the names of integer codes.

    ``line`` has the line of each row where the file has lines, ``id`` is the column of their ids;
    ``kept`` is what was made of the table once, for all who read a column of it.
    """

    path: str
    schema: pa.Schema
    column: ColumnReader
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
        return _of_frame(source)
    if source.raw.startswith(PARQUET):
        return _of_parquet(source)
    if source.columnar:
        with _undamaged("Arrow", source.path):
            table = _reader(source.raw).read_all()
        return _of_table(source.path, table)
    return _of_json(source)


def schema_of(source: Source) -> pa.Schema | None:
    """Return the types of the columns as the head of a source has them, None if it has none."""
    if isinstance(source.frame, OpenColumn):
        return source.frame.sheet.schema
    if source.frame is not None:
        return open_table(source).schema
    if source.head.startswith((PARQUET, ARROW, ARROW_STREAM)):
        with _undamaged("Parquet or Arrow", source.path):
            return _schema_of_bytes(source.raw)
    return _schema_of_json(source)


def _schema_of_bytes(data: bytes) -> pa.Schema:
    if not data.startswith(PARQUET):
        return _reader(data).schema
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pq.read_schema(pa.BufferReader(data))


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


def _of_json(source: Source) -> OpenTable:
    from coleval.loading.readers.frames import read_frame

    frame = read_frame(source)
    sheet = _of_polars(source.path, frame.data)
    sheet.line = frame.line
    return sheet


def _of_frame(source: Source) -> OpenTable:
    table = source.table
    polars = isinstance(table, pl.DataFrame)
    found = _of_polars(source.path, table) if polars else _of_table(source.path, table)
    found.names = {**found.names, **names_in_features(source.frame)}
    return found


def _of_polars(path: str, frame: pl.DataFrame) -> OpenTable:
    import pyarrow as pa

    check_keys(frame, path)
    frame = exchangeable(frame)
    if (names := settled(frame.columns)) != frame.columns:
        frame = frame.clone()
        frame.columns = names
    newest = pl.CompatLevel.newest()

    def column(name: str, *, as_text: bool = False) -> pa.ChunkedArray:  # noqa: ARG001
        array = frame[name].to_arrow(compat_level=newest)
        return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])

    objects = [name for name, kind in frame.schema.items() if kind == pl.Object]
    return OpenTable(path, frame.drop(objects).head(0).to_arrow().schema, column, {})


def _of_table(path: str, table: pa.Table) -> OpenTable:
    if (names := settled(table.column_names)) != table.column_names:
        table = table.rename_columns(names)

    def column(name: str, *, as_text: bool = False) -> pa.ChunkedArray:  # noqa: ARG001
        return table.column(name)

    return OpenTable(path, table.schema, column, names_in_metadata(table.schema.metadata))


def _of_parquet(source: Source) -> OpenTable:
    import pyarrow as pa
    import pyarrow.parquet as pq

    data, path = source.raw, source.path
    with _undamaged("Parquet", path):
        file = pq.ParquetFile(pa.BufferReader(data))
        head, schema = file.metadata, file.schema_arrow
        leaves = [file.schema.column(at).path for at in range(len(file.schema))]

    names = dict(zip(settled(schema.names), schema.names, strict=True))
    own = (
        schema
        if list(names) == schema.names
        else pa.schema(
            [field.with_name(name) for name, field in zip(names, schema, strict=True)],
            schema.metadata,
        )
    )

    def column(name: str, *, as_text: bool = False) -> pa.ChunkedArray:
        name = names[name]
        if as_text:
            with _undamaged("Parquet", path):
                return _by_polars(path, data, name)
        inside = [leaf for leaf in leaves if leaf.startswith(f"{name}.")]
        coded = inside if _lists_of_text(schema.field(name).type) else None
        # A reader of its own: two columns may be read at once.
        one = pq.ParquetFile(pa.BufferReader(data), metadata=head, read_dictionary=coded)
        with _undamaged("Parquet", path):
            try:
                return _by_groups(one, name) if coded else _whole(one, name)
            except pa.ArrowNotImplementedError:
                # Lists of text that come in several pieces within a row group.
                return _by_polars(path, data, name)

    return OpenTable(path, own, column, names_in_metadata(schema.metadata))


def _by_polars(path: str, data: bytes, name: str) -> pa.ChunkedArray:
    frame = pl.read_parquet(io.BytesIO(data), columns=[name])
    return _of_polars(path, frame).column(settled([name])[0])


def _whole(file: pq.ParquetFile, name: str) -> pa.ChunkedArray:
    return file.read(columns=[name], use_threads=False).column(name)


def _by_groups(file: pq.ParquetFile, name: str) -> pa.ChunkedArray:
    """Return a column whose row groups have dictionaries of their own."""
    import pyarrow as pa

    groups = range(file.metadata.num_row_groups)
    found = [file.read_row_group(k, [name], use_threads=False).column(name) for k in groups]
    chunks = [chunk for column in found for chunk in column.chunks]
    return pa.chunked_array(chunks, file.schema_arrow.field(name).type if not chunks else None)


def _lists_of_text(kind: pa.DataType) -> bool:
    """Tell whether values are read as places in the dictionary that Parquet has of them."""
    import pyarrow as pa

    listed = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    return listed and (
        pa.types.is_string(kind.value_type) or pa.types.is_large_string(kind.value_type)
    )


def _reader(data: bytes) -> pa.ipc.RecordBatchFileReader | pa.ipc.RecordBatchStreamReader:
    import pyarrow as pa

    opened = pa.ipc.open_file if data.startswith(ARROW) else pa.ipc.open_stream
    return opened(pa.BufferReader(data))


@contextmanager
def _undamaged(kind: str, path: str) -> Iterator[None]:
    """Make errors of Arrow ours."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, pl.exceptions.PolarsError, OSError) as error:
        raise DataError(
            f"the {kind} data are damaged ({str(error).splitlines()[0]})",
            where=path,
            remedy="fetch or write the file again",
        ) from None
