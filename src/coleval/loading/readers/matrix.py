"""Matrices of 0 and 1: an item a line, a system a column, separated by TABs, commas or spaces.

The first line is a header if a system's cell in it is no number. The first column names the items
if its header says so, or its cells are not 0 and 1.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import raise_earliest, there_are_columns, unreadable
from coleval.corpus.selection import PARTS, Selection, position
from coleval.errors import DataError, UsageError, unknown
from coleval.loading.readers.csv_quotes import check_quotes
from coleval.loading.readers.frames import line_start, parsed, read_frame, texts
from coleval.loading.readers.lines import as_csv, check_returns, emptied, one_line_end
from coleval.loading.readers.model import TableFile
from coleval.loading.readers.names import repeated, stems, unique
from coleval.loading.readers.source import Source, check_not_empty, check_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coleval.corpus.problems import Problem


ID_NAMES = ("", "id", "item", "items", "input", "item_id", "case_id", "index")


def read_matrix(source: Source, selection: Selection) -> TableFile:
    """Return one column of 0 and 1 a system, and the item names if there are any."""
    if source.frame is not None or source.columnar:
        return _of_frame(source, selection)
    data = one_line_end(source.text)
    check_not_empty(data, source.path)
    layout = layout_of(data, source.path)
    data = emptied(data)
    frame = cells_of(squeezed(data) if layout.separator == " " else data, layout, source.path)
    named = _names_items(frame["c0"], layout) or "id" in selection.picks
    _check_picks(selection, layout, source.path)
    cells = frame.select(pl.exclude("line", "c0") if named else pl.exclude("line"))
    empty = _empty_rows(cells, frame["line"], data, layout)
    systems = bits(cells, frame["line"], source.path, empty)
    names = selection.names or _system_names(layout, named, len(systems))
    _check_names(selection.names, layout.header, systems, source.path)
    return TableFile(
        path=source.path,
        id=_ids(frame, source.path) if named else None,
        columns=_picked(dict(zip(names, systems, strict=True)), selection),
        line=frame["line"].to_numpy(),
    )


def _of_frame(source: Source, selection: Selection) -> TableFile:
    """Return the matrix that a data frame or a Parquet file holds; text columns name the items."""
    data = read_frame(source).data
    ids = [c for c in data.columns if c.lower() in ID_NAMES or data[c].dtype == pl.String][:1]
    systems = {}
    for name in (c for c in data.columns if c not in ids):
        if data[name].dtype.is_nested():
            raise DataError(
                f"column `{name}` holds lists or objects, not 0 and 1",
                where=source.path,
                remedy="a matrix has 1 where a system solves an item, and 0 elsewhere",
            )
        cells = texts(data[name]).replace(["true", "false"], ["1", "0"]).replace("", None)
        for row in (~cells.is_in(CELL).fill_null(value=True)).arg_true()[:1]:
            raise DataError(
                f"`{cells[int(row)]}` in column `{name}` is neither 0 nor 1",
                where=f"{source.path} row {int(row) + 1}",
                remedy="a matrix has 1 where a system solves an item, and 0 elsewhere",
            )
        systems[name] = cells.cast(pl.UInt8)
    _check_names(selection.names, tuple(systems), [], source.path)
    return TableFile(source.path, texts(data[ids[0]]) if ids else None,
                     _picked(systems, selection))  # fmt: skip


def _names_items(first: pl.Series, layout: MatrixLayout) -> bool:
    """Tell whether the first column holds names; a few odd cells among 0 and 1 are mistakes."""
    if layout.width == 1:
        return False
    if layout.header and layout.header[0].lower() in ID_NAMES:
        return True
    other = int((~first.is_in(CELL)).sum())
    return other * 2 > len(first) or (other > 0 and first.n_unique() == len(first))


def _ids(frame: pl.DataFrame, path: str) -> pl.Series:
    for line in frame.filter(pl.col("c0").is_null())["line"][:1]:
        raise DataError("the item has no name", where=f"{path}:{line}", remedy="give it one")
    return frame["c0"].alias("id")


def _system_names(layout: MatrixLayout, named: bool, n: int) -> tuple[str, ...]:
    digits = len(str(n))
    unnamed = f"s{{:0{digits}}}"
    if not layout.header:
        return tuple(unnamed.format(k + 1) for k in range(n))
    return stems(unique(layout.header[1:] if named else layout.header, unnamed))


def _check_names(
    names: tuple[str, ...], header: Sequence[str], systems: Sequence[pl.Series], path: str
) -> None:
    """Raise if systems are given names that they have already, or more or fewer than there are."""
    if names and header:
        raise UsageError(
            "the matrix has a header, which names its systems",
            where=path,
            remedy="leave out --names, or call a column otherwise: --columns NAME=1",
        )
    if names and len(names) != len(systems):
        raise UsageError(
            f"{len(names)} names are given, but the matrix has {len(systems)} systems",
            where="--names",
            remedy="give each system a name, in the order of the columns",
        )


def _check_picks(selection: Selection, layout: MatrixLayout, path: str) -> None:
    for part in selection.picks:
        if part in PARTS and part not in ("id", "system"):
            raise UsageError(
                f"a matrix has no {part}",
                where="--columns",
                remedy="choose among its columns: --columns id=1,system=NAME",
            )
    at = position(selection.get("id", 1) or 1, header=layout.header, width=layout.width, where=path)
    if at != 0:
        raise UsageError(
            "the items of a matrix are named in its first column",
            where="--columns",
            remedy="leave id=… out, or read it with --format table",
        )


def _picked(columns: dict[str, pl.Series], selection: Selection) -> dict[str, pl.Series]:
    """Return the systems chosen by name, glob or place (the item column counts as none).

    What is no part of a matrix names a column: ``bert=1`` calls the first system bert.
    """
    systems = dict(zip(_renamed(list(columns), selection), columns.values(), strict=True))
    wanted = selection.all("system")
    chosen = {name: systems[name] for want in wanted for name in _matching(want, list(systems))}
    return {n: s.alias(n) for n, s in (chosen if wanted else systems).items()}


def _renamed(names: list[str], selection: Selection) -> list[str]:
    """Return the names of all columns; raise if a column has two names, or two have one."""
    given: dict[int, str] = {}
    for name, column in selection.context.items():
        at = position(column, header=names, width=len(names), where="--columns")
        if at in given:
            raise _ambiguous(f"column {at + 1} is called both `{given[at]}` and `{name}`")
        given[at] = name
    found = [given.get(at, name) for at, name in enumerate(names)]
    for name in repeated(found):
        raise _ambiguous(f"two columns are called `{name}`")
    return found


def _ambiguous(problem: str) -> UsageError:
    return UsageError(problem, where="--columns", remedy="give each column a name of its own")


def _matching(want: int | str, names: list[str]) -> list[str]:
    if isinstance(want, int):
        return [names[position(want, header=names, width=len(names), where="--columns")]]
    found = [name for name in names if fnmatchcase(name, want)]
    if not found:
        raise unknown("system", want, names, where="--columns")
    return found


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


def _empty_rows(
    cells: pl.DataFrame, line: pl.Series, data: bytes, layout: MatrixLayout
) -> pl.Series:
    """Return which rows may have empty cells: those whose lines have all separators."""
    rows = cells.select(pl.any_horizontal(pl.all().is_null())).to_series()
    if layout.separator == " " or not rows.any():
        return pl.Series([False]).new_from_index(0, len(rows))
    lines, sign = data.split(b"\n"), layout.separator.encode()
    whole = [there and lines[int(at) - 1].count(sign) >= layout.width - 1
             for there, at in zip(rows, line, strict=True)]  # fmt: skip
    return pl.Series(whole, dtype=pl.Boolean)


def bits(
    cells: pl.DataFrame, line: pl.Series, path: str, empty: pl.Series | None = None
) -> list[pl.Series]:
    """Return the columns as numbers; raise at the first cell that is neither 0 nor 1.

    In rows that may have ``empty`` cells these are null: the system did not answer.
    """
    text = cells.select(pl.col(pl.String)).columns
    numbers = cells.with_columns(_bit(pl.col(text))) if text else cells
    gone = [pl.col(name).is_null() & cells[name].is_not_null() for name in cells.columns]
    odd_or_short = pl.any_horizontal(*gone, pl.all() > 1)
    if empty is None or not empty.all():
        short = pl.any_horizontal(pl.all().is_null())
        rows = pl.lit(value=False) if empty is None else pl.lit(empty)
        odd_or_short = odd_or_short.fill_null(value=False) | (short & ~rows)
    wrong = numbers.select(odd_or_short.fill_null(value=False)).to_series()
    for at in wrong.arg_true()[:1]:
        row = cells.row(at)
        odd = next(
            str(c) if c is not None else None
            for c in row
            if str(c) not in CELL and not (c is None and empty is not None and empty[at])
        )
        raise_earliest([_cell(int(line[at]), odd)], path)
    return numbers.get_columns()


def _bit(cell: pl.Expr) -> pl.Expr:
    """Return 0 or 1, null for anything else: 01 and +1 are mistakes, not numbers."""
    return pl.when(cell.is_in(CELL)).then(cell.cast(pl.UInt8, strict=False))
