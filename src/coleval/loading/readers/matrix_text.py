"""The text of a matrix as cells: its separator and header, and the line of what is no 0 or 1."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import raise_earliest, there_are_columns, unreadable
from coleval.errors import DataError
from coleval.loading.readers.csv_quotes import check_quotes
from coleval.loading.readers.frames import line_start, parsed
from coleval.loading.readers.lines import as_csv, check_returns
from coleval.loading.readers.source import check_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coleval.corpus.problems import Problem

CELL = ("0", "1")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?$")


@dataclass(frozen=True, slots=True)
class MatrixLayout:
    """The separator, the width, the header's names (none without header) and lines above data."""

    separator: str
    width: int
    header: tuple[str, ...]
    skipped: int


def layout_of(data: bytes, path: str) -> MatrixLayout:
    """Return how the lines of a matrix are laid out, by the first that is not blank."""
    above = len(data) - len(data.lstrip())
    start = data.rfind(b"\n", 0, above) + 1
    stop = data.find(b"\n", above)
    first = data[start : stop if stop >= 0 else len(data)]
    check_utf8(first, path)
    text = first.decode().rstrip("\r")
    separator = "\t" if "\t" in text else "," if "," in text else " "
    try:
        cells = _split(text, separator)
    except csv.Error as error:
        raise DataError(
            f"has no header ({error})", where=f"{path}:1", remedy="check its quotes and line ends"
        ) from None
    header = any(cell and not _NUMBER.match(cell) for cell in cells[1:] or cells)
    skipped = data.count(b"\n", 0, start) + header
    return MatrixLayout(separator, len(cells), tuple(cells) if header else (), skipped)


def _split(text: str, separator: str) -> list[str]:
    if separator == " ":
        return text.split()
    if separator == ",":
        return next(csv.reader([text]), [])
    return text.split("\t")


def squeezed(data: bytes) -> bytes:
    """Return the text with one space wherever there is a run of them, none at a line's ends."""
    return re.sub(rb"(?m)^ | (?=\r?$)", b"", re.sub(rb" {2,}", b" ", data))


def cells_of(data: bytes, layout: MatrixLayout, path: str) -> pl.DataFrame:
    """Return the cells, the first column as text, with their lines; blank lines are left out."""
    try:
        frame = _parsed(data, layout, path)
    except (pl.exceptions.PolarsError, ValueError):
        check_utf8(data, path)
        raise_earliest(_wrong(data, layout), path)
        raise DataError("the quotes do not match", where=path, remedy="leave them out") from None
    return _numbered(frame, layout, path)


def _parsed(data: bytes, layout: MatrixLayout, path: str) -> pl.DataFrame:
    names = [f"c{at}" for at in range(layout.width)]
    if layout.separator == "," and b'"' in data:
        check_quotes(data, ",", path)
        return parsed(data, ",", names, layout.skipped)
    check_returns(data, path)
    frame = _of_kind(data, layout, pl.UInt8())
    return frame if _of_one_sign(frame, data, layout) else _of_kind(data, layout, pl.String())


def _of_kind(data: bytes, layout: MatrixLayout, kind: pl.DataType) -> pl.DataFrame:
    """Return the cells as values of a kind, but text in the first column."""
    schema: dict[str, pl.DataType] = {f"c{at}": kind for at in range(layout.width)}
    schema["c0"] = pl.String()
    text, above = as_csv(data, layout.separator)
    return pl.read_csv(
        text,
        separator=layout.separator,
        has_header=False,
        skip_lines=layout.skipped + above,
        quote_char=None,
        schema=schema,
        missing_columns="insert",
        raise_if_empty=False,
    )


def _of_one_sign(frame: pl.DataFrame, data: bytes, layout: MatrixLayout) -> bool:
    """Tell by the number of bytes whether all cells but the first of a row have one sign each.

    Of numbers alone, ``01`` and ``+1`` would look like 1.
    """
    body = data[line_start(data, layout.skipped) :]
    names = int(frame["c0"].str.len_bytes().sum())
    rows = len(frame) - frame.select(pl.all_horizontal(pl.all().is_null()).sum()).item()
    ends = body.count(b"\n") + body.count(b"\r")
    return len(body) - ends == names + rows * 2 * (layout.width - 1)


def _numbered(frame: pl.DataFrame, layout: MatrixLayout, path: str) -> pl.DataFrame:
    lines = np.arange(len(frame), dtype=np.uint32) + np.uint32(layout.skipped + 1)
    frame = frame.with_columns(line=pl.Series(lines))
    frame = frame.filter(~pl.all_horizontal(pl.exclude("line").is_null()))
    if len(frame) == 0:
        raise DataError("holds no items", where=path, remedy="there is only a header line")
    return frame


def _wrong(data: bytes, layout: MatrixLayout) -> Iterator[Problem]:
    """Yield the first line that the fast way cannot read."""
    for number, line in enumerate(data.decode().split("\n"), start=1):
        try:
            cells = _split(line.rstrip("\r"), layout.separator)
        except csv.Error as error:
            yield unreadable(
                number, f"is not a row of a table ({error})", "check its quotes and line ends"
            )
            return
        if number <= layout.skipped or not line.strip():
            continue
        if len(cells) != layout.width:
            yield _width(number, len(cells), layout.width)
            return
        for cell in cells[1:]:
            if cell not in CELL:
                yield _cell(number, cell)
                return


def _width(line: int, found: int, expected: int) -> Problem:
    problem = f"{there_are_columns(found)} where the first line has {expected}"
    return unreadable(line, problem, "each line has one cell for each system")


def _cell(line: int, cell: str | None) -> Problem:
    problem = f"`{cell}` is neither 0 nor 1" if cell else "a cell is missing"
    return unreadable(line, problem, "write 1 where the system is right and 0 where it is wrong")


def bits(cells: pl.DataFrame, line: pl.Series, path: str) -> list[pl.Series]:
    """Return the columns as numbers; raise at the first cell that is neither 0 nor 1."""
    text = cells.select(pl.col(pl.String)).columns
    numbers = cells.with_columns(_bit(pl.col(text))) if text else cells
    wrong = numbers.select(pl.any_horizontal(pl.all().is_null() | (pl.all() > 1))).to_series()
    for at in wrong.arg_true()[:1]:
        row = cells.row(at)
        odd = next(str(c) if c is not None else None for c in row if str(c) not in CELL)
        raise_earliest([_cell(int(line[at]), odd)], path)
    return numbers.get_columns()


def _bit(cell: pl.Expr) -> pl.Expr:
    """Return 0 or 1, null for anything else: 01 and +1 are mistakes, not numbers."""
    return pl.when(cell.is_in(CELL)).then(cell.cast(pl.UInt8, strict=False))
