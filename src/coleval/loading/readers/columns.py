"""Column files: a token a line, its labels beside it, a blank line after each sentence.

Every line is split by itself, at TABs if it has one, else at runs of spaces, so that whatever is
odd about it is said with its number. Of a system only the lines that are not gold's
are split (``GoldLines``).
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


# Answers of trees: what is no number there is an error, and stays as it is written.
_OF_TREES = frozenset({"head", "deprel", "deps"})
# So many tokens show what a column holds.
_SHOWN = 1000
# Bytes that are read at a time: fields take some times as much, for a while.
_PIECE = 1 << 23
_BETWEEN = re.compile(rb"[^\r\n]\r?\n(?=[^\r\n])")


def _read(source: Source, layout: ColumnLayout) -> TokenFile:
    """Return the tokens of a file; raise for all rows that lack columns or labels.

    A line without a token, blank or -DOCSTART-, ends a sentence.
    """
    parts, numbers, problems, before = [], [], [], 0
    for lines in _lines_by_piece(source):
        rows = (~blank(lines)).arg_true().to_numpy().astype(np.uint32) + np.uint32(before)
        rows = rows[rows >= layout.skipped]
        text = lines.gather(pl.Series(rows - np.uint32(before)))
        before += len(lines)
        numbers.append(rows + np.uint32(1))
        fields, wrong = _parsed(text, numbers[-1], layout, source.path)
        parts.append(fields)
        problems += wrong
    _raise_slips(problems, sum(map(len, parts)), source.path)
    fields, line = pl.concat(parts), np.concatenate(numbers)
    marks = fields["mark"].to_numpy()
    fields, documents, line = fields.filter(~fields["mark"]), line[marks], line[~marks]
    if len(line) == 0:
        raise DataError("has no tokens", where=source.path, remedy="is it the right file?")
    breaks = np.zeros(len(line), np.bool_)
    np.greater(line[1:], line[:-1] + np.uint32(1), out=breaks[1:])
    answer = next((name for name in layout.picks if name not in layout.context), None)
    if layout.header and answer is not None:
        first = fields.select("form", answer).head(_SHOWN)
        form, labels = (first[name].unique().to_list() for name in ("form", answer))
        names = layout.header[layout.form], layout.header[layout.picks[answer]]
        check_form((names[0], form), (names[1], labels), f"{source.path}:{layout.skipped}")
    document = None
    if len(documents):
        begins = np.searchsorted(line, documents)
        starts = np.zeros(len(line), np.bool_)
        starts[begins[(begins > 0) & (begins < len(line))]] = True
        document = np.cumsum(starts, dtype=np.int32)
    return TokenFile(
        source.path,
        fields["form"],
        np.cumsum(breaks, dtype=np.int32),
        line,
        {name: fields[name] for name in layout.picks if name not in layout.context},
        document,
        # Documents have no names but their numbers.
        () if document is None else tuple(str(k + 1) for k in range(int(document[-1]) + 1)),
        {
            name: fields[name] if name in _OF_TREES else by_type(fields[name])
            for name in layout.picks
            if name in layout.context
        },
    )


def _lines_by_piece(source: Source) -> Iterator[pl.Series]:
    """Yield the lines of a file, some at a time; raise where one is not UTF-8."""
    data = one_line_end(source.text)
    for low, high in pairwise(_pieces(data)):
        try:
            yield series_of(data if high - low == len(data) else data[low:high], source.path)
        except DataError:
            # The line it names is that of the piece; this one names that of the file.
            check_utf8(data, source.path)
            raise


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


@dataclass(frozen=True, slots=True)
class GoldLines:
    """Hashes of gold's lines, and how to parse those of a system that differ: mostly one in ten.

    Of 64 bits, two lines that differ have one hash once in 10^19 times; the lines themselves would
    take three times the memory.
    """

    hashes: pl.Series
    layout: ColumnLayout
    selection: Selection
    gold: TokenFile

    @classmethod
    def of(cls, source: Source, selection: Selection, gold: TokenFile) -> GoldLines:
        """Return the lines of a gold file."""
        hashes = pl.concat([lines.hash() for lines in _lines_by_piece(source)])
        return cls(hashes, layout_of(source, selection, "gold"), selection, gold)

    def differing(self, source: Source) -> tuple[NDArray[np.intp], pl.Series] | None:
        """Return the tokens on lines that differ from gold's, and the labels there.

        None where anything but labels differs: the file is read in full then.
        """
        ours, theirs = self.layout, layout_of(source, self.selection, "system")
        same = (ours.width, ours.header, ours.form) == (theirs.width, theirs.header, theirs.form)
        if not same or ours.picks["gold"] != theirs.picks["system"]:
            return None
        texts, numbers, before = [], [], 0
        for lines in _lines_by_piece(source):
            hashes = self.hashes.slice(before, len(lines))
            if len(hashes) < len(lines):
                return None
            rows = (lines.hash() != hashes).arg_true()
            texts.append(lines.gather(rows))
            numbers.append(rows.to_numpy().astype(np.uint32) + np.uint32(before + 1))
            before += len(lines)
        text, line = pl.concat(texts), np.concatenate(numbers)
        token = np.searchsorted(self.gold.line, line)
        inside = np.minimum(token, len(self.gold) - 1)
        other = (self.gold.line[inside] != line).any() or blank(text).any()
        if other or before != len(self.hashes):
            return None
        if len(text) == 0:
            return token, text
        fields, problems = _parsed(text, line, ours, source.path)
        raise_first(sorted(problems, key=lambda problem: problem.line or 0))
        alike = (fields["form"] == self.gold.form.gather(token)).all()
        return (token, fields["gold"]) if alike else None
