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

import polars as pl

from coleval.corpus.problems import raise_earliest, there_are_columns, unreadable
from coleval.corpus.selection import PARTS, Selection, position
from coleval.errors import DataError, UsageError, unknown
from coleval.loading.readers.frames import (
    check_quotes,
    line_numbers,
    parsed,
    read_frame,
    records_of,
    texts,
)
from coleval.loading.readers.lines import check_returns, emptied, one_line_end
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
    if layout.separator == " ":
        # One space wherever there is a run of them, none at a line's ends.
        data = re.sub(rb"(?m)^ | (?=\r?$)", b"", re.sub(rb" {2,}", b" ", data))
    frame = _read_cells(data, layout, source.path)
    named = _names_items(frame["c0"], layout) or "id" in selection.picks
    _check_picks(selection, layout, source.path)
    cells = frame.select(pl.exclude("line", "c0") if named else pl.exclude("line"))
    for line in frame["line"].filter(frame["c0"].is_null())[:1] if named else ():
        where = f"{source.path}:{line}"
        raise DataError("the item has no name", where=where, remedy="give it one")
    valid = ((pl.all() == "0") | (pl.all() == "1")).fill_null(value=False).all()
    if not cells.select(pl.all_horizontal(valid)).item():
        raise_earliest(_problems(data, layout, named=named), source.path)
    # An empty cell is none: the system did not answer.
    bit = pl.when(pl.all().is_in(CELL)).then((pl.all() == "1").cast(pl.UInt8))
    systems = cells.select(bit).get_columns()
    names = selection.names or _system_names(layout, named, len(systems))
    _check_names(selection.names, layout.header, systems, source.path)
    return TableFile(
        path=source.path,
        id=frame["c0"].alias("id") if named else None,
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
        cells = (
            next(csv.reader([text]), [])
            if separator == ","
            else text.split(separator if separator == "\t" else None)
        )
    except csv.Error as error:
        raise DataError(
            f"has no header ({error})", where=f"{path}:1", remedy="check its quotes and line ends"
        ) from None
    header = any(cell and not _NUMBER.match(cell) for cell in cells[1:] or cells)
    skipped = data.count(b"\n", 0, start) + header
    return MatrixLayout(separator, len(cells), tuple(cells) if header else (), skipped)


def _read_cells(data: bytes, layout: MatrixLayout, path: str) -> pl.DataFrame:
    """Return the cells as text with their lines; blank lines are left out."""
    if layout.separator == "," and b'"' in data:
        check_quotes(data, ",", path)
    else:
        check_returns(data, path)
    try:
        frame = parsed(data, layout.separator, [f"c{at}" for at in range(layout.width)],
                       layout.skipped)  # fmt: skip
    except ValueError:
        check_utf8(data, path)
        raise_earliest(_problems(data, layout, named=True), path)
        raise DataError("the quotes do not match", where=path, remedy="leave them out") from None
    frame = frame.with_columns(line=line_numbers(frame, layout.skipped))
    frame = frame.filter(~pl.all_horizontal(pl.exclude("line").is_null()))
    if len(frame) == 0:
        raise DataError("holds no items", where=path, remedy="there is only a header line")
    return frame


def _problems(data: bytes, layout: MatrixLayout, *, named: bool) -> Iterator[Problem]:
    """Yield the first line of another width, or with a cell that is neither 0, 1 nor empty."""
    for line, cells in records_of(data.decode(), layout.separator):
        if line <= layout.skipped or not "".join(cells).strip():
            continue
        if len(cells) != layout.width:
            yield unreadable(
                line,
                f"{there_are_columns(len(cells))} where the first line has {layout.width}",
                "each line has one cell for each system",
            )
            return
        # Between two separators a cell may be empty; of cells apart by spaces one is missing.
        may_be = CELL if layout.separator == " " else (*CELL, "")
        odd = next((cell for cell in cells[named:] if cell not in may_be), None)
        if odd is not None:
            yield unreadable(
                line,
                f"`{odd}` is neither 0 nor 1" if odd else "a cell is missing",
                "write 1 where the system is right and 0 where it is wrong",
            )
            return
