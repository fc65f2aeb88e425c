"""Column files: a token a line, its labels beside it, a blank line after each sentence.

Most files are plain and regular; those are read by the CSV reader. Whatever is odd (runs of
spaces, lines of blanks, mixed separators, short rows) goes the strict way, which splits every
line itself and can say where a line is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.errors import DataError, UsageError
from coleval.readers.lines import (
    DOCSTART,
    blank,
    one_line_end,
    read_fields,
    read_lines,
    split,
)
from coleval.readers.model import TokenFile
from coleval.readers.selection import Selection, position

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.readers.source import Source

_FORM_NAMES = ("token", "form", "word", "tok")
_LABEL_NAMES = ("gold", "label", "tag", "ner", "ne-", "pred", "true", "pos", "chunk")


@dataclass(frozen=True, slots=True)
class Layout:
    """How the rows of one file are laid out: their width, the header, a part's column."""

    width: int
    header: tuple[str, ...]
    form: int
    picks: dict[str, int]
    from_end: bool

    @property
    def skipped(self) -> int:
        """Return the number of header lines."""
        return 1 if self.header else 0


def read_columns(source: Source, selection: Selection, role: str = "gold") -> TokenFile:
    """Return the tokens of a file with the label column of ``role``, the last one by default."""
    return _read(source, layout_of(source, selection, role))


def layout_of(source: Source, selection: Selection, role: str) -> Layout:
    """Return how a file's rows are laid out, from its first line that is not blank."""
    return _layout(_first_line(source), selection, (role,), source)


def read_merged(source: Source, selection: Selection) -> TokenFile:
    """Return the tokens of a file that holds gold and the answers of one or more systems."""
    first = _first_line(source)
    layout = _merged_layout(first, selection, source)
    return _read(source, layout)


def _read(source: Source, layout: Layout) -> TokenFile:
    rows = _plain(source, layout)
    return _tokens(_strict(source, layout) if rows is None else rows, layout, source)


@dataclass(frozen=True, slots=True)
class _Rows:
    """The lines that are no blank ones: their place in the file and their picked fields."""

    line: NDArray[np.uint32]
    fields: pl.DataFrame


def _plain(source: Source, layout: Layout) -> _Rows | None:
    """Return the rows as the CSV reader sees them, None if anything about them is odd."""
    data = one_line_end(source.text)
    separator = b"\t" if b"\t" in data else b" "
    try:
        frame = read_fields(data, separator.decode(), layout.width, source.path)
    except pl.exceptions.ComputeError:
        return None
    frame = frame.slice(layout.skipped)
    if frame.select(pl.any_horizontal(pl.all().is_null() != pl.col("f0").is_null()).any()).item():
        return None
    there = frame["f0"].is_not_null()
    line = there.arg_true().to_numpy() + np.uint32(1 + layout.skipped)
    return _Rows(line.astype(np.uint32), frame.filter(there).select(_chosen(layout)))


def _chosen(layout: Layout) -> list[pl.Expr]:
    wanted = {"form": layout.form, **layout.picks}
    return [pl.col(f"f{at}").alias(name) for name, at in wanted.items()]


def _strict(source: Source, layout: Layout) -> _Rows:
    lines = read_lines(source).slice(layout.skipped)
    there = ~blank(lines)
    line = (there.arg_true().to_numpy() + 1 + layout.skipped).astype(np.uint32)
    return _Rows(line, parse(lines.filter(there), line, layout, source.path))


def parse(lines: pl.Series, line: NDArray[np.uint32], layout: Layout, path: str) -> pl.DataFrame:
    """Return the picked fields of non-blank lines; raise at the first that does not have them."""
    fields = split(lines)
    widths = fields.list.len()
    _check_widths(fields, widths, line, layout, path)
    wanted = {"form": layout.form, **layout.picks}
    columns = {
        name: fields.list.get(at if at >= 0 else widths.cast(pl.Int64) + at, null_on_oob=True)
        for name, at in _ends(wanted, layout).items()
    }
    frame = pl.DataFrame(columns).with_columns(
        pl.col(name).str.strip_chars(" ") for name in layout.picks
    )
    _check_labels(frame, line, layout, path)
    return frame


def _ends(wanted: dict[str, int], layout: Layout) -> dict[str, int]:
    """Return the places of the columns, counted from the end where rows may differ in width."""
    if not layout.from_end:
        return wanted
    return {k: (v if k == "form" else v - layout.width) for k, v in wanted.items()}


def _check_widths(
    fields: pl.Series, widths: pl.Series, line: NDArray[np.uint32], layout: Layout, path: str
) -> None:
    enough = widths >= 2 if layout.from_end else widths == layout.width
    document = fields.list.get(0) == DOCSTART
    wrong = (~(enough | document)).arg_true()
    if len(wrong) == 0:
        return
    at = int(wrong[0])
    text = " ".join(fields[at].to_list())[:60]
    remedy = (
        "a line holds a token and its label; a token alone has lost its label"
        if widths[at] < layout.width
        else "if the label is always the last column say so: --columns gold=-1,system=-1"
    )
    raise DataError(
        f"`{text}` has {widths[at]} column{'s' * (widths[at] != 1)}"
        f" where the first line has {layout.width}",
        where=f"{path}:{line[at]}",
        remedy=remedy,
    )


def _check_labels(frame: pl.DataFrame, line: NDArray[np.uint32], layout: Layout, path: str) -> None:
    missing = pl.any_horizontal(pl.col(list(layout.picks)).fill_null("") == "")
    wrong = frame.select((missing & (pl.col("form") != DOCSTART)).arg_true()).to_series()
    if len(wrong):
        at = int(wrong[0])
        raise DataError(
            f"the label of token `{frame['form'][at]}` is empty",
            where=f"{path}:{line[at]}",
            remedy="every token needs a label; O says that there is none",
        )


def _tokens(rows: _Rows, layout: Layout, source: Source) -> TokenFile:
    """Return the tokens; -DOCSTART- lines become document starts, gaps in lines sentence starts."""
    marks = (rows.fields["form"] == DOCSTART).to_numpy()
    gap = np.diff(rows.line, prepend=rows.line[:1]) > 1 if len(rows.line) else marks
    keep = ~marks
    if not keep.any():
        raise DataError("has no tokens", where=source.path, remedy="is it the right file?")
    breaks = np.cumsum(gap | marks)[keep]
    frame = rows.fields.filter(pl.Series(keep)) if marks.any() else rows.fields
    document, names = _documents(marks, keep)
    columns = {name: frame[name] for name in layout.picks}
    return TokenFile(
        source.path, frame["form"], dense(breaks), rows.line[keep], columns, document, names
    )


def _documents(
    marks: NDArray[np.bool_], keep: NDArray[np.bool_]
) -> tuple[NDArray[np.int32] | None, tuple[str, ...]]:
    if not marks.any():
        return None, ()
    document = dense(np.cumsum(marks)[keep])
    return document, tuple(str(k + 1) for k in range(int(document[-1]) + 1))


def dense(rising: NDArray[np.integer] | NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return never-falling numbers as 0, 1, 2 … without gaps."""
    step = np.diff(rising, prepend=rising[:1]) != 0
    return np.cumsum(step, dtype=np.int32)


def _first_line(source: Source) -> tuple[tuple[str, ...], int]:
    """Return the fields of the first line that is not blank, and its number."""
    data = one_line_end(source.text)
    start, number = 0, 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        number += 1
        text = data[start:end]
        fields = _fields(text)
        if fields and fields[0] != DOCSTART:
            return fields, number
        start = end + 1
    if data.strip():
        raise DataError("has no tokens", where=source.path, remedy="is it the right file?")
    raise DataError("is empty", where=source.path, remedy="is it the right file?")


def _fields(text: bytes) -> tuple[str, ...]:
    line = text.decode("utf-8", "replace").rstrip("\r")
    if not line.strip(" \t"):
        return ()
    return tuple(
        line.split("\t")
        if "\t" in line
        else line.split(" ")
        if line.strip(" ") == line and "  " not in line
        else filter(None, line.split(" "))
    )


def _layout(
    first: tuple[tuple[str, ...], int], selection: Selection, roles: tuple[str, ...], source: Source
) -> Layout:
    fields, number = first
    where = f"{source.path}:{number}"
    if len(fields) < 2:
        raise DataError(
            f"`{fields[0][:60]}` is a single column; a column file has a token and its label",
            where=where,
            remedy="columns are separated by a TAB or by spaces; see `coleval formats`",
        )
    header = _header(fields, number, selection)
    place = {
        role: position(selection.pick(role, -1), header=header, width=len(fields), where=where)
        for role in roles
    }
    place |= _context(selection, header, len(fields), where)
    form = position(selection.pick("form", 1), header=header, width=len(fields), where=where)
    _not_the_form(form, place, roles, where)
    chosen = selection.pick(roles[0], "")
    ends = isinstance(chosen, int) and chosen < 0
    return Layout(len(fields), header, form, place, ends)


def _context(
    selection: Selection, header: tuple[str, ...], width: int, where: str
) -> dict[str, int]:
    return {
        name: position(column, header=header, width=width, where=where)
        for name, column in selection.context.items()
    }


def _merged_layout(
    first: tuple[tuple[str, ...], int], selection: Selection, source: Source
) -> Layout:
    fields, number = first
    where = f"{source.path}:{number}"
    if len(fields) < 3:
        raise DataError(
            f"has {len(fields)} columns; a merged file holds token, gold and prediction",
            where=where,
            remedy="without --merged the first file is gold and the others are systems",
        )
    header = _header(fields, number, selection)
    width = len(fields)
    form = position(selection.pick("form", 1), header=header, width=width, where=where)
    gold = position(selection.pick("gold", 2), header=header, width=width, where=where)
    chosen = [
        position(column, header=header, width=width, where=where)
        for column in selection.all("system")
    ] or [k for k in range(width) if k > gold and k != form]
    _not_the_form(form, {"gold": gold}, ("gold",), where)
    if not chosen:
        raise UsageError(
            "no column is left for a prediction",
            where=where,
            remedy="say which: --columns form=1,gold=2,system=3",
        )
    names = _system_names(chosen, header, source.name)
    place = {"gold": gold, **dict(zip(names, chosen, strict=True))}
    return Layout(width, header, form, place | _context(selection, header, width, where), False)


def _system_names(chosen: list[int], header: tuple[str, ...], name: str) -> list[str]:
    if len(chosen) == 1:
        return [name]
    return [header[k] if header else f"{name}.{n}" for n, k in enumerate(chosen, 1)]


def _not_the_form(form: int, place: dict[str, int], roles: tuple[str, ...], where: str) -> None:
    for role in roles:
        if place[role] == form:
            raise UsageError(
                f"column {form + 1} is chosen both as form and as {role}",
                where=where,
                remedy="say which column is which: --columns form=1,gold=2",
            )


def _header(fields: tuple[str, ...], number: int, selection: Selection) -> tuple[str, ...]:
    """Return the names of the columns if the first line holds names instead of a token."""
    if number != 1:
        return ()
    if selection.named:
        return fields
    labels = [f.casefold() for f in fields[1:]]
    named = fields[0].casefold() in _FORM_NAMES
    if named and all(any(name in label for name in _LABEL_NAMES) for label in labels):
        return fields
    return ()
