"""Column files: a token a line, its labels beside it, a blank line after each sentence.

Most files are plain and regular; those are read by the CSV reader. Whatever is odd (runs of
spaces, lines of blanks, mixed separators, short rows) goes the strict way, which splits every
line itself and can say where a line is wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import MOST_LISTED, READING, Problem, raise_first, recover_from
from coleval.errors import DataError
from coleval.loading.readers.frames import by_type
from coleval.loading.readers.headers import check_form
from coleval.loading.readers.layout import (
    ColumnLayout,
    layout_of,
    merged_by_place,
    merged_layout,
    other_answers,
)
from coleval.loading.readers.lines import (
    DOCSTART,
    blank,
    emptied,
    one_line_end,
    read_fields,
    read_lines,
    split,
    stray_returns,
)
from coleval.loading.readers.model import TokenFile
from coleval.loading.readers.source import check_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.source import Source


def read_columns(source: Source, selection: Selection, role: str = "gold") -> TokenFile:
    """Return the tokens of a file with the label column of ``role``, the last one by default."""
    file = _read(source, layout_of(source, selection, role))
    return replace(file, notes=other_answers(source, selection, role))


def read_merged(source: Source, selection: Selection) -> TokenFile:
    """Return the tokens of a file that holds gold and the answers of one or more systems."""
    file = _read(source, merged_layout(source, selection))
    return replace(file, notes=merged_by_place(source, selection))


def _read(source: Source, layout: ColumnLayout) -> TokenFile:
    rows = _plain(source, layout)
    return _tokens(_strict(source, layout) if rows is None else rows, layout, source)


# Bytes that are read at a time: the CSV reader takes ten times as much, for a while.
_PIECE = 1 << 25
_BETWEEN = re.compile(rb"[^\r\n]\r?\n(?=[^\r\n])")


@dataclass(frozen=True, slots=True)
class _ColumnRows:
    """The lines with a token: place in the file and picked fields; and where documents begin."""

    line: NDArray[np.uint32]
    fields: pl.DataFrame
    documents: NDArray[np.uint32]


def _plain(source: Source, layout: ColumnLayout) -> _ColumnRows | None:
    """Return the rows as the CSV reader sees them, None if anything about them is odd."""
    data = emptied(one_line_end(source.text))
    separator = b"\t" if b"\t" in data else b" "
    if _lenient(data, separator):
        return None
    parts: list[_ColumnRows] = []
    lines = 0
    for low, high in pairwise(_pieces(data)):
        piece = data if high - low == len(data) else data[low:high]
        try:
            frame = read_fields(piece, separator.decode(), layout.width, source.path)
        except pl.exceptions.PolarsError:
            return None
        except DataError:
            # The line it names is that of the piece; this one names that of the file.
            check_utf8(data, source.path)
            raise
        rows = _rows(frame, layout, lines)
        if rows is None:
            return None
        parts.append(rows)
        lines += len(frame)
    return parts[0] if len(parts) == 1 else _end_to_end(parts)


# What may be at an end of a label, which the CSV reader leaves there.
_PADDED = (b" \n", b" \t", b"\t ", b" \r")


def _lenient(data: bytes, separator: bytes) -> bool:
    """Tell whether the CSV reader would take something for what it is not.

    It drops carriage returns in the middle of a line, and keeps the spaces around a label.
    """
    if stray_returns(data):
        return True
    padded = separator == b"\t" and b" " in data
    return padded and (data.endswith(b" ") or any(signs in data for signs in _PADDED))


def _pieces(data: bytes) -> list[int]:
    """Return where pieces begin that can be read one by one, and where the last ends.

    Each begins and ends with a line that is not blank, for those at an end might get lost.
    """
    found = [0]
    while len(data) - found[-1] > 2 * _PIECE:
        inside = _BETWEEN.search(data, found[-1] + _PIECE)
        if inside is None:
            break
        found.append(inside.end())
    return [*found, len(data)]


def _rows(frame: pl.DataFrame, layout: ColumnLayout, before: int) -> _ColumnRows | None:
    """Return the rows of a piece with so many lines ``before`` it, None if anything is odd."""
    skipped = max(0, layout.skipped - before)
    frame = frame.slice(skipped)
    there, *others = (column.is_not_null() for column in frame.get_columns())
    if any((there != other).any() for other in others):
        return None
    marks = (frame["f0"] == DOCSTART).fill_null(value=False)
    there = there & ~marks
    first = np.uint32(1 + skipped + before)
    line, documents = (rows.arg_true().to_numpy() + first for rows in (there, marks))
    return _ColumnRows(line, frame.filter(there).select(_chosen(layout)), documents)


def _end_to_end(parts: list[_ColumnRows]) -> _ColumnRows:
    return _ColumnRows(
        np.concatenate([part.line for part in parts]),
        pl.concat([part.fields for part in parts]),
        np.concatenate([part.documents for part in parts]),
    )


def _chosen(layout: ColumnLayout) -> list[pl.Expr]:
    wanted = {"form": layout.form, **layout.picks}
    return [pl.col(f"f{at}").alias(name) for name, at in wanted.items()]


def _strict(source: Source, layout: ColumnLayout) -> _ColumnRows:
    lines = read_lines(source).slice(layout.skipped)
    there = ~blank(lines)
    line = (there.arg_true().to_numpy() + 1 + layout.skipped).astype(np.uint32)
    fields = parse(lines.filter(there), line, layout, source.path)
    marks = fields["form"] == DOCSTART
    tokens = ~marks.to_numpy()
    return _ColumnRows(line[tokens], fields.filter(~marks), line[~tokens])


def parse(
    lines: pl.Series, line: NDArray[np.uint32], layout: ColumnLayout, path: str
) -> pl.DataFrame:
    """Return the picked fields of non-blank lines; raise at the first that does not have them."""
    fields = split(lines)
    widths = fields.list.len()
    unfit = _unfit(fields, widths, layout)
    wanted = {"form": layout.form, **layout.picks}
    columns = {
        name: fields.list.get(at if at >= 0 else widths.cast(pl.Int64) + at, null_on_oob=True)
        for name, at in _ends(wanted, layout).items()
    }
    frame = pl.DataFrame(columns).with_columns(
        pl.col(name).str.strip_chars(" ") for name in layout.picks
    )
    problems = [
        *_wrong_widths(fields, unfit, line, layout, path),
        *_empty_labels(frame.with_columns(unfit=unfit), line, layout, path),
    ]
    try:
        raise_first(sorted(problems, key=lambda problem: problem.line or 0))
    except DataError as error:
        # Lines that most of a file is made of are no slips: it is no file of columns.
        if 2 * len(error.problems) > len(frame):
            raise
        recover_from(error, path)
    return frame


def _ends(wanted: dict[str, int], layout: ColumnLayout) -> dict[str, int]:
    """Return the places of the columns, counted from the end where rows may differ in width."""
    if not layout.from_end:
        return wanted
    return {k: (v if k == "form" else v - layout.width) for k, v in wanted.items()}


def _unfit(fields: pl.Series, widths: pl.Series, layout: ColumnLayout) -> pl.Series:
    """Return which lines have other columns than the first."""
    enough = widths >= 2 if layout.from_end else widths == layout.width
    return ~(enough | (fields.list.get(0) == DOCSTART))


def _wrong_widths(
    fields: pl.Series, unfit: pl.Series, line: NDArray[np.uint32], layout: ColumnLayout, path: str
) -> Iterator[Problem]:
    for at in unfit.arg_true().head(MOST_LISTED).to_list():
        parts = fields[at].to_list()
        yield Problem(
            path,
            int(line[at]),
            READING,
            f"`{' '.join(parts)[:60]}` has {len(parts)} column{'s' * (len(parts) != 1)}"
            f" where the first line has {layout.width}",
            "every line needs as many columns as the first one; is a label missing?"
            if len(parts) < layout.width
            else "if the label is always the last column use --columns gold=-1,system=-1",
        )


def _empty_labels(
    frame: pl.DataFrame, line: NDArray[np.uint32], layout: ColumnLayout, path: str
) -> Iterator[Problem]:
    missing = pl.any_horizontal(pl.col(list(layout.picks)).fill_null("") == "")
    there = (pl.col("form") != DOCSTART) & ~pl.col("unfit")
    wrong = frame.select((missing & there).arg_true()).to_series()
    for at in wrong.head(MOST_LISTED).to_list():
        yield Problem(
            path,
            int(line[at]),
            READING,
            f"the label of token `{frame['form'][at]}` is empty",
            "every token needs a label; O marks outside tokens",
        )


def _tokens(rows: _ColumnRows, layout: ColumnLayout, source: Source) -> TokenFile:
    """Return the tokens; a line without one, blank or -DOCSTART-, ends a sentence."""
    if len(rows.line) == 0:
        raise DataError("has no tokens", where=source.path, remedy="is it the right file?")
    breaks = np.zeros(len(rows.line), np.bool_)
    np.greater(rows.line[1:], rows.line[:-1] + np.uint32(1), out=breaks[1:])
    _check_header(rows, layout, source.path)
    document, names = _documents(rows)
    answers, context = (
        {name: rows.fields[name] for name in layout.picks if (name in layout.context) is kept}
        for kept in (False, True)
    )
    context = {n: column if n in _OF_TREES else by_type(column) for n, column in context.items()}
    return TokenFile(
        source.path,
        rows.fields["form"],
        np.cumsum(breaks, dtype=np.int32),
        rows.line,
        answers,
        document,
        names,
        context,
    )


# Answers of trees: what is no number there is an error, and stays as it is written.
_OF_TREES = frozenset({"head", "deprel", "deps"})
# So many tokens show what a column holds.
_SHOWN = 1000


def _check_header(rows: _ColumnRows, layout: ColumnLayout, path: str) -> None:
    """Raise if tokens and tags are not in the columns that the header says."""
    answer = next((name for name in layout.picks if name not in layout.context), None)
    if not layout.header or answer is None:
        return
    first = rows.fields.select("form", answer).head(_SHOWN)
    form, labels = (first[name].unique().to_list() for name in ("form", answer))
    names = layout.header[layout.form], layout.header[layout.picks[answer]]
    check_form((names[0], form), (names[1], labels), f"{path}:{layout.skipped}")


def _documents(rows: _ColumnRows) -> tuple[NDArray[np.int32] | None, tuple[str, ...]]:
    """Return each token's document and the documents' names: their numbers, there are no others."""
    if len(rows.documents) == 0:
        return None, ()
    first = np.searchsorted(rows.line, rows.documents)
    starts = np.zeros(len(rows.line), np.int8)
    starts[first[(first > 0) & (first < len(starts))]] = 1
    document = np.cumsum(starts, dtype=np.int32)
    return document, tuple(str(k + 1) for k in range(int(document[-1]) + 1))
