"""Tables of any make as one Polars frame, and what is wrong with CSV.

Text stays text: nothing is taken for a number, a date or a missing value but an empty cell.

In CSV a quote opens a cell at its beginning, its end closes the cell, two are one. Readers of CSV
differ in what they make of others. One inside a bare cell is a sign like any; what stands behind
the end of a quoted cell is an error here, for fields were lost or swapped there.
"""

from __future__ import annotations

import csv
import io
import json
import re
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.corpus.plain_names import settled
from coleval.corpus.problems import raise_earliest, there_are_columns, unreadable
from coleval.errors import DataError
from coleval.loading.readers.json_records import (
    check_halves,
    check_keys,
    check_mixed,
    decoded,
)
from coleval.loading.readers.lines import emptied, first_filled, one_line_end
from coleval.loading.readers.names import repeated, unique
from coleval.loading.readers.source import (
    ARROW,
    ARROW_STREAM,
    PARQUET,
    Source,
    check_not_empty,
    check_utf8,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.problems import Problem


# A header longer than this is none.
_HEAD = 1 << 20
# The longest cell there may be.
_BLOCK = 1 << 23
_END_OF_STREAM = ARROW_STREAM + bytes(4)
# Floats from here on skip whole numbers.
_EXACT = 1 << 53
# What pandas calls an index without a name, of a frame that was sampled, sorted or grouped.
_INDEX = re.compile(r"__index_level_\d+__")
# What numbers look like in text; `+7`, `nan` and `1_000` are none, nor is `007`, which is a code.
_NUMBER = r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$"
_SAMPLE = 100
# Beside lists, structs and maps.
_OPAQUE = (pl.Object, pl.Binary, pl.Duration)


@dataclass(frozen=True, slots=True)
class Frame:
    """A table, its lines in the file where it has lines, and the names of several columns."""

    data: pl.DataFrame
    line: NDArray[np.uint32] | None = None
    repeated: frozenset[str] = frozenset()

    @property
    def blank(self) -> pl.Series:
        """Tell which rows hold nothing at all."""
        return self.data.select(pl.all_horizontal(pl.all().is_null())).to_series()

    def typed(self, name: str) -> pl.Series:
        """Return a column with numbers as such, which text files write as text."""
        return self.data[name] if self.line is None else by_type(self.data[name])

    def keep(self, rows: pl.Series) -> Frame:
        """Return the frame with only the rows marked true."""
        line = None if self.line is None else self.line[rows.to_numpy()]
        return replace(self, data=self.data.filter(rows), line=line)


def read_frame(source: Source) -> Frame:
    """Return the table behind a source, whatever it is written in."""
    frame = _read(source)
    if index := [name for name in frame.data.columns if _INDEX.fullmatch(name)]:
        frame = replace(frame, data=frame.data.drop(index))
    return replace(frame, data=with_plain_names(frame.data))


def with_plain_names(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame whose columns have names that no library reads otherwise."""
    if (names := settled(frame.columns)) != frame.columns:
        frame = frame.clone()
        frame.columns = names
    return frame


def _read(source: Source) -> Frame:
    if source.frame is not None:
        table = source.table
        return Frame(table if isinstance(table, pl.DataFrame) else pl.DataFrame(table))
    for magic, kind, read in (
        (PARQUET, "Parquet", pl.read_parquet),
        (ARROW, "Arrow", pl.read_ipc),
        (ARROW_STREAM, "Arrow stream", pl.read_ipc_stream),
    ):
        if source.raw.startswith(magic):
            # Polars reads what there is of a stream that is cut off.
            if magic == ARROW_STREAM and not source.raw.endswith(_END_OF_STREAM):
                raise damaged(kind, source.path, "they are cut off")
            with undamaged(kind, source.path):
                return Frame(read(io.BytesIO(source.raw)))
    data = one_line_end(source.text)
    check_not_empty(data, source.path)
    is_list = data[:64].lstrip()[:1] == b"["
    if is_list:
        # An array has all objects: there are no lines then.
        records = decoded(data, source.path, constants=False)
        data = "\n".join(map(json.dumps, records)).encode()
    if is_list or source.suffix in (".jsonl", ".ndjson", ".json") or data[:64].lstrip()[:1] == b"{":
        frame = _from_json(data, source.path)
        return replace(frame, line=None) if is_list else frame
    return _from_text(data, source.path)


@contextmanager
def undamaged(kind: str, path: str) -> Iterator[None]:
    """Make errors of Arrow and Polars ours."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, pl.exceptions.PolarsError, OSError) as error:
        raise damaged(kind, path, str(error).splitlines()[0]) from None


def damaged(kind: str, path: str, problem: str) -> DataError:
    """Return the error for data of Arrow or Parquet."""
    remedy = "fetch or write the file again"
    return DataError(f"the {kind} data are damaged ({problem})", where=path, remedy=remedy)


def texts(column: pl.Series) -> pl.Series:
    """Return the values as text, lists as lists of text; a float that is no number is null.

    Integers among which one is missing are floats in pandas: a whole number is written as one.
    """
    kind = column.dtype
    if kind == pl.String:
        return column
    if isinstance(kind, pl.Array):
        column, kind = column.arr.to_list(), pl.List(kind.inner or pl.Null)
    if isinstance(kind, pl.List):
        return written_out(column) if opaque(kind.inner) else column.cast(pl.List(pl.String))
    if opaque(kind):
        return written_out(column)
    if not kind.is_float():
        return column.cast(pl.String)
    value = pl.col(column.name).fill_nan(None)
    whole = (value == value.floor()) & (value.abs() < _EXACT)
    integer = value.cast(pl.Int64, strict=False).cast(pl.String)
    return column.to_frame().select(pl.when(whole).then(integer).otherwise(value.cast(pl.String)))[
        column.name
    ]


def by_type(column: pl.Series) -> pl.Series:
    """Return a column of text as numbers if all its values are; codes such as ``007`` are none."""
    if column.dtype != pl.String or not column.head(_SAMPLE).str.contains(_NUMBER).all():
        return column
    for kind in (pl.Int64, pl.Float64):
        values = column.cast(kind, strict=False)
        if values.null_count() == column.null_count() < len(column):
            return values if column.str.contains(_NUMBER).all() else column
    return column


def opaque(kind: Any) -> bool:
    """Tell whether values of a type are no text, and are not turned into text either."""
    return kind is not None and (kind.is_nested() or kind.base_type() in _OPAQUE)


def written_out(column: pl.Series) -> pl.Series:
    """Return values as Python writes them: of columns that are kept, but not read for answers."""
    values = [None if value is None else str(value) for value in column.to_list()]
    return pl.Series(column.name, values, dtype=pl.String)


def _from_json(data: bytes, path: str) -> Frame:
    check_halves(data, path)
    try:
        frame = pl.read_ndjson(io.BytesIO(data), infer_schema_length=None)
        # Whole numbers among others, and very long ones, would come back as floats.
        odd = (n for n, kind in frame.schema.items() if kind.is_float() or kind == pl.Int128)
        numbers = dict.fromkeys(odd, pl.String)
        if numbers:
            frame = pl.read_ndjson(
                io.BytesIO(data), infer_schema_length=None, schema_overrides=numbers
            )
    except pl.exceptions.PolarsError as error:
        check_utf8(data, path)
        _check_objects(data, path)
        raise DataError(
            f"its lines differ in their types ({str(error).splitlines()[0]})",
            where=path,
            remedy="give the values of a key the same type on all lines: text, numbers, or lists",
        ) from None
    filled = [n for n, text in enumerate(data.split(b"\n"), start=1) if text.strip()]
    lines = np.array(filled, dtype=np.uint32)
    check_keys(frame, path)
    check_mixed(frame, lines, data, path)
    return Frame(frame, lines if len(lines) == len(frame) else None)


def _check_objects(data: bytes, path: str) -> None:
    """Raise for the first line that is no object of JSON."""
    for number, text in enumerate(data.split(b"\n"), start=1):
        if not text or text.isspace():
            continue
        if not isinstance(decoded(text, path, number, constants=False), dict):
            raise DataError(
                "is JSON, but not an object",
                where=f"{path}:{number}",
                remedy='every line is an object: {"id": "1", "gold": "A"}',
            )


def _from_text(data: bytes, path: str) -> Frame:
    """Return a CSV or TSV table; what separates the header's names separates all cells."""
    separator, header, skipped = _header(data, path)
    names = unique(header, "column_{}")
    # In CSV such a line may be part of a cell.
    if separator == "\t":
        data = emptied(data)
    else:
        check_quotes(data, separator, path)
    frame = _cells(data, separator, names, skipped, path)
    line = line_numbers(frame, skipped)
    return Frame(frame, line, repeated(header))


def _cells(
    data: bytes, separator: str, names: Sequence[str], skipped: int, path: str
) -> pl.DataFrame:
    try:
        return parsed(data, separator, names, skipped)
    except ValueError as error:
        check_utf8(data, path)
        raise_earliest(ragged(data, separator, len(names)), path)
        bare = emptied(data) if separator == "\t" else emptied_outside(data)
        if bare == data:
            raise DataError(f"is not a table ({error})", where=path, remedy="check it") from None
    return _cells(bare, separator, names, skipped, path)


def parsed(data: bytes, separator: str, names: Sequence[str], skipped: int) -> pl.DataFrame:
    """Return the cells below the header as text.

    Arrow reads a stray quote in a bare cell as it is, where Polars may lose lines (fuzzed).
    """
    start = line_start(data, skipped)
    if start == len(data):
        return pl.DataFrame(schema=dict.fromkeys(names, pl.String()))
    import pyarrow as pa
    import pyarrow.csv as csv_reader

    table = csv_reader.read_csv(
        pa.BufferReader(pa.py_buffer(data).slice(start)),
        read_options=csv_reader.ReadOptions(column_names=names, block_size=_BLOCK),
        parse_options=csv_reader.ParseOptions(
            delimiter=separator,
            quote_char=False if separator == "\t" else '"',
            newlines_in_values=separator != "\t",
            ignore_empty_lines=False,
        ),
        convert_options=csv_reader.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
        ),
    )
    return pl.DataFrame(table)


def line_start(data: bytes, skipped: int) -> int:
    """Return where the text begins behind so many lines."""
    start = 0
    for _ in range(skipped):
        start = data.find(b"\n", start) + 1 or len(data)
    return start


def _header(data: bytes, path: str) -> tuple[str, list[str], int]:
    """Return the separator, the names of the columns, and the number of lines down to the data."""
    above = first_filled(data)
    head = data[above : above + _HEAD]
    check_utf8(head.split(b"\n", 1)[0], path)
    text = head.decode("utf-8", "replace")
    first = text.split("\n", 1)[0].rstrip("\r")
    separator = next((s for s in ("\t", ",", ";") if s in first), ",")
    names, lines = (first.split("\t"), 1) if separator == "\t" else _quoted(text, separator, path)
    if not names:
        raise DataError(
            "has no header: its first line ends before any name, at a carriage return",
            where=f"{path}:1",
            remedy="end lines with a line feed, with or without a carriage return before it",
        )
    blanks = data.count(b"\n", 0, above)
    return separator, [name.strip() for name in names], blanks + lines


def _quoted(text: str, separator: str, path: str) -> tuple[list[str], int]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        return next(reader), reader.line_num
    except csv.Error as error:
        remedy = "the first line names the columns; its quotes must match"
        raise DataError(f"has no header ({error})", where=f"{path}:1", remedy=remedy) from None


def line_numbers(frame: pl.DataFrame, skipped: int) -> NDArray[np.uint32]:
    """Return the line each row begins at, with the line ends inside cells counted."""
    line = np.arange(len(frame), dtype=np.uint32) + np.uint32(skipped + 1)
    ends = pl.all().str.count_matches("\n", literal=True).fill_null(0)
    inside = frame.select(pl.sum_horizontal(ends)).to_series().to_numpy()
    if not inside.any():
        return line
    before = np.cumsum(inside, dtype=np.uint32) - inside.astype(np.uint32)
    line += before
    return line


_CELL = re.compile(rb'"(?:[^"]|"")*"')
_BLANKS = re.compile(rb'(?m)"(?:[^"]|"")*"|^[ \t]+(?=\r?$)')


def check_quotes(data: bytes, separator: str, path: str) -> None:
    """Raise for the first quoted cell that does not end, or does not end its cell."""
    if b'"' not in data:
        return
    # Possessive, so that cells that were matched are forgotten.
    cells = rb'(?:(?:"[^"]*+(?:""[^"]*+)*+"|[^"SEP\n\r][^SEP\n\r]*+)?+(?:[SEP\n\r]|\Z))*+'
    matched = re.match(cells.replace(b"SEP", re.escape(separator.encode())), data)
    at = matched.end() if matched else 0
    if at == len(data):
        return
    cell = _CELL.match(data, at)
    if cell is None:
        problem, remedy = "a quoted cell does not end", 'close it with "'
    else:
        at = cell.end()
        behind = data[at : at + 20].decode("utf-8", "replace").split("\n")[0]
        problem = f"`{behind}` follows the end of a quoted cell"
        remedy = 'a cell that holds quotes is written "say ""x"""; is a separator missing?'
    raise_earliest([unreadable(data.count(b"\n", 0, at) + 1, problem, remedy)], path)


def emptied_outside(data: bytes) -> bytes:
    """Return the text with blank lines empty that are no part of a quoted cell."""
    return _BLANKS.sub(lambda found: found[0] if found[0][:1] == b'"' else b"", data)


def ragged(data: bytes, separator: str, width: int) -> Iterator[Problem]:
    """Yield the first record that has more or fewer cells than the header."""
    for line, cells in records_of(data.decode(), separator):
        blank = not "".join(cells).strip() and (separator == "\t" or len(cells) < 2)
        if len(cells) != width and not blank:
            name = {"\t": "TAB", ",": "comma", ";": "semicolon"}[separator]
            quote = "" if separator == "\t" else '; a cell that holds one is quoted: "…"'
            remedy = f"cells are separated by one {name}{quote}"
            yield unreadable(
                line, f"{there_are_columns(len(cells))} where the header has {width}", remedy
            )
            return


def records_of(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each record with its first line; the slow way that knows where it is."""
    lines = (line + "\n" for line in text.split("\n"))
    if separator in "\t ":
        yield from ((n, t.rstrip("\r\n").split(separator)) for n, t in enumerate(lines, start=1))
        return
    reader = csv.reader(lines, delimiter=separator)
    start = 1
    with suppress(csv.Error):  # a cell without end; Arrow's own message tells it
        for cells in reader:
            yield start, cells
            start = reader.line_num + 1
