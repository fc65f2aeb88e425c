"""Column files: a token a line, its labels beside it, a blank line after each sentence.

Every line is split by itself, at TABs if it has one, else at runs of spaces, so that whatever is
odd about it is said with its number. Of a system only the lines that are not gold's
are split (``GoldLines``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.corpus.problems import MOST_LISTED, READING, Problem, raise_first, recover_from
from coleval.errors import DataError
from coleval.loading.readers.frames import by_type
from coleval.loading.readers.headers import (
    ColumnLayout,
    check_form,
    layout_of,
    merged_by_place,
    merged_layout,
    other_answers,
)
from coleval.loading.readers.lines import (
    DOCSTART,
    blank,
    one_line_end,
    series_of,
    split,
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


# Bytes that are read at a time: fields take some times as much, for a while.
_PIECE = 1 << 25
_BETWEEN = re.compile(rb"[^\r\n]\r?\n(?=[^\r\n])")


@dataclass(frozen=True, slots=True)
class _ColumnRows:
    """The lines with a token: place in the file and picked fields; and where documents begin."""

    line: NDArray[np.uint32]
    fields: pl.DataFrame
    documents: NDArray[np.uint32]


def _read(source: Source, layout: ColumnLayout) -> TokenFile:
    """Return the tokens of a file; raise for all rows that lack columns or labels."""
    data = one_line_end(source.text)
    parts, problems, before = [], [], 0
    for low, high in pairwise(_pieces(data)):
        try:
            lines = series_of(data if high - low == len(data) else data[low:high], source.path)
        except DataError:
            # The line it names is that of the piece; this one names that of the file.
            check_utf8(data, source.path)
            raise
        rows = (~blank(lines)).arg_true().to_numpy().astype(np.uint32) + np.uint32(before)
        rows = rows[rows >= layout.skipped]
        line, text = rows + np.uint32(1), lines.gather(pl.Series(rows - np.uint32(before)))
        before += len(lines)
        fields, wrong = _parsed(text, line, layout, source.path)
        problems += wrong
        marks = fields["mark"].to_numpy()
        parts.append(_ColumnRows(line[~marks], fields.filter(~fields["mark"]), line[marks]))
    _raise_slips(problems, sum(len(part.line) for part in parts), source.path)
    whole = _ColumnRows(
        np.concatenate([part.line for part in parts]),
        pl.concat([part.fields for part in parts]),
        np.concatenate([part.documents for part in parts]),
    )
    return _tokens(whole, layout, source)


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


def parse(
    lines: pl.Series, line: NDArray[np.uint32], layout: ColumnLayout, path: str
) -> pl.DataFrame:
    """Return the picked fields of non-blank lines; raise at the first that does not have them."""
    frame, problems = _parsed(lines, line, layout, path)
    _raise_slips(problems, len(frame), path)
    return frame


def _raise_slips(problems: list[Problem], lines: int, path: str) -> None:
    """Raise for wrong lines, or go on where problems are collected and few lines are wrong."""
    try:
        raise_first(sorted(problems, key=lambda problem: problem.line or 0))
    except DataError as error:
        # Lines that most of a file is made of are no slips: it is no file of columns.
        if 2 * len(error.problems) > lines:
            raise
        recover_from(error, path)


def _parsed(
    lines: pl.Series, line: NDArray[np.uint32], layout: ColumnLayout, path: str
) -> tuple[pl.DataFrame, list[Problem]]:
    """Return the picked fields of non-blank lines, which are a ``mark``, and what is wrong."""
    fields = split(lines)
    widths = fields.list.len()
    mark = fields.list.get(0) == DOCSTART
    enough = widths >= 2 if layout.from_end else widths == layout.width
    unfit = ~(enough | mark)
    # Labels are counted from the end where rows may differ in width.
    back = layout.width if layout.from_end else 0
    columns = {"form": fields.list.get(layout.form, null_on_oob=True)}
    columns |= {n: fields.list.get(at - back, null_on_oob=True) for n, at in layout.picks.items()}
    frame = pl.DataFrame(columns).with_columns(
        *(pl.col(name).str.strip_chars(" ") for name in layout.picks), mark=mark
    )
    problems = [
        *_wrong_widths(fields, unfit, line, layout, path),
        *_empty_labels(frame.with_columns(unfit=unfit), line, layout, path),
    ]
    return frame, problems


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
    wrong = frame.select((missing & ~pl.col("mark") & ~pl.col("unfit")).arg_true()).to_series()
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


# Above this share of other lines (CRLF, another separator) reading in full is faster.
_MOSTLY_OTHER = 0.5
# Arrow counts bytes in 32 bits below so many, which takes half the memory.
_WIDE = 1 << 31
_BLOCK = 1 << 18


@dataclass(frozen=True, slots=True)
class GoldLines:
    """Gold's lines as bytes, and how to parse those lines of a system that differ."""

    lines: Any
    layout: ColumnLayout
    selection: Selection
    gold: TokenFile

    @classmethod
    def of(cls, source: Source, selection: Selection, gold: TokenFile) -> GoldLines:
        """Return the lines of a gold file."""
        return cls(_arrow_lines(source), layout_of(source, selection, "gold"), selection, gold)

    def differing(self, source: Source) -> tuple[NDArray[np.intp], pl.Series] | None:
        """Return the tokens on lines that differ from gold's, and the labels there.

        None where anything but labels differs, or most lines do: the file is read in full then.
        """
        theirs = layout_of(source, self.selection, "system")
        if _places(self.layout, "gold") != _places(theirs, "system"):
            return None
        lines = _arrow_lines(source)
        if len(lines) != len(self.lines) or lines.type != self.lines.type:
            return None
        rows = _unequal(lines, self.lines)
        if len(rows) > len(self.gold) * _MOSTLY_OTHER:
            return None
        return self._labels(_text(lines, rows, source), rows + np.uint32(1), source.path)

    def _labels(
        self, text: pl.Series, line: NDArray[np.uint32], path: str
    ) -> tuple[NDArray[np.intp], pl.Series] | None:
        """Return the tokens on some lines and their labels, None if gold has other tokens there."""
        token = np.searchsorted(self.gold.line, line)
        inside = np.minimum(token, len(self.gold) - 1)
        if (self.gold.line[inside] != line).any() or blank(text).any():
            return None
        if len(text) == 0:
            return token, text
        fields = parse(text, line, self.layout, path)
        same = (fields["form"] == self.gold.form.gather(token)).all()
        return (token, fields["gold"]) if same else None


def _places(layout: ColumnLayout, role: str) -> tuple[Any, ...]:
    return layout.width, layout.header, layout.form, layout.picks[role]


def _arrow_lines(source: Source) -> Any:
    """Return the lines of a source, each with its line end, as an Arrow array over its bytes."""
    import pyarrow as pa

    data = one_line_end(source.text)
    data = data if data.endswith(b"\n") else data + b"\n"
    wide = len(data) >= _WIDE
    offsets = _begins(data, np.int64 if wide else np.int32)
    array = pa.LargeBinaryArray if wide else pa.BinaryArray
    kind = pa.large_binary() if wide else pa.binary()
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    return array.from_buffers(kind, len(offsets) - 1, buffers)


def _begins(data: bytes, kind: type[np.signedinteger]) -> NDArray[Any]:
    """Return where each line begins, and the end; block by block, as masks of all cost memory."""
    buffer = np.frombuffer(data, np.uint8)
    parts = [
        np.flatnonzero(buffer[at : at + _BLOCK] == ord("\n")).astype(kind) + kind(at + 1)
        for at in range(0, len(buffer), _BLOCK)
    ]
    return np.concatenate([np.zeros(1, kind), *parts])


def _unequal(lines: Any, others: Any) -> NDArray[np.uint32]:
    """Return which lines are not the others; bits, for Arrow's way to numpy imports pandas."""
    import pyarrow.compute as pc

    bits = np.frombuffer(pc.not_equal(lines, others).buffers()[1], np.uint8)
    differ = np.unpackbits(bits, count=len(lines), bitorder="little")
    return np.flatnonzero(differ.view(np.bool_)).astype(np.uint32)


def _text(lines: Any, rows: NDArray[np.uint32], source: Source) -> pl.Series:
    """Return some lines as text without their ends; raise where one is not UTF-8."""
    import pyarrow as pa

    # Rows are handed over as bytes, for arrays would bring pandas along.
    taken = lines.take(pa.Array.from_buffers(pa.uint32(), len(rows), [None, pa.py_buffer(rows)]))
    try:
        return pl.Series(taken, dtype=pl.Binary).cast(pl.String).str.strip_chars_end("\r\n")
    except pl.exceptions.PolarsError:
        check_utf8(source.text, source.path)
        raise
