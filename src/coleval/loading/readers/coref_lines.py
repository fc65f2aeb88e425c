"""Which lines of a coreference file say something: headers, and units with brackets.

Of most lines only the last two bytes and the first are looked at. What stands in the last column
of the others is kept: as a number, with the texts that there are, which are few.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from coleval.loading.readers.cut_lines import (
    CutLines,
    bare_ends,
    last_fields,
    texts_of,
    windows,
)
from coleval.loading.readers.distinct import distinct_numbers
from coleval.loading.readers.source import check_not_empty
from coleval.loading.readers.text_blocks import PAD, KeptText, blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.loading.readers.source import Source
    from coleval.loading.readers.text_blocks import Bytes, LineBlock

    Places = NDArray[np.int64]
    Integers = NDArray[np.integer]
    Flags = NDArray[np.bool_]

BEGIN, END = "#begin document", "#end document"
NOTHING = ("-", "_", "*")
_TAB, _NEWLINE, _RETURN, _SPACE, _HASH = b"\t\n\r #"
# Numbers of two bytes, the second last of a line below the last one.
_PAIRS = np.arange(1 << 16)
# A column of one byte that has no bracket: the whole line, or the last column of it.
_SILENT = np.isin(_PAIRS >> 8, list("".join(NOTHING).encode())) & np.isin(
    _PAIRS & 255, list(b" \t\n")
)
# So many lines tell how most of a block end.
_SAMPLE = 64
# How many bytes stand behind the last gap of ``PAD``, by the bits of those that are gaps.
_SIZE = (PAD - np.frexp(_PAIRS)[1]).astype(np.uint8)
# So many bytes make a number; what keeps the last of them, by how many.
_SHORT = 8
_KEEP = np.array([(1 << 64) - (1 << (64 - 8 * size)) for size in range(_SHORT + 1)], np.uint64)


class CorefHeader(NamedTuple):
    """A line that begins or ends a document, and how many units are before it."""

    line: int
    unit: int
    begins: bool
    text: str


@dataclass(frozen=True, slots=True)
class CorefLines:
    """What the lines of a file say: ``fields`` are last columns that say something.

    ``field`` is the place there of what each ``unit`` has that says something, on which ``line``.
    """

    headers: list[CorefHeader]
    units: int
    fields: pl.Series
    field: Integers
    unit: Integers
    line: Integers
    kept: CutLines | None


@dataclass(slots=True)
class _LinesSeen:
    """What is found so far, block by block; ``wide`` are fields too long for a number."""

    lines: int = 0
    units: int = 0
    mask: Flags = field(default_factory=lambda: np.zeros(0, np.bool_))
    headers: list[CorefHeader] = field(default_factory=list)
    key: list[NDArray[np.uint64]] = field(default_factory=list)
    short: list[Flags] = field(default_factory=list)
    wide: list[pl.Series] = field(default_factory=list)
    unit: list[Integers] = field(default_factory=list)
    line: list[Integers] = field(default_factory=list)
    ends: list[Integers] = field(default_factory=list)
    others: list[Places] = field(default_factory=list)


def _small(rising: Places) -> Integers:
    """Return rising numbers in half the memory, if they have room there."""
    fits = not len(rising) or int(rising[-1]) < np.iinfo(np.int32).max
    return rising.astype(np.int32) if fits else rising


def coref_lines(source: Source, *, keep: bool) -> CorefLines:
    """Return what the lines of a source say; raise when it is empty or no text."""
    found = _LinesSeen()
    first = 0
    for block in blocks(source):
        first = first if found.lines else block.place
        _look(found, block, source.path, keep=keep)
    if not found.units and not found.headers:
        check_not_empty(source.text, source.path)
    kept = None
    if keep:
        ends, others = np.concatenate(found.ends), np.concatenate(found.others)
        kept = CutLines(source.path, KeptText(source), first, ends, others)
    fields, place = _fields(found, source.path)
    unit, line = np.concatenate(found.unit), np.concatenate(found.line)
    return CorefLines(found.headers, found.units, fields, place, unit, line, kept)


def _look(found: _LinesSeen, block: LineBlock, path: str, *, keep: bool) -> None:
    """Add what the lines of a block say."""
    data = block.data
    if len(found.mask) < len(block.lines):
        found.mask = np.empty(len(data), np.bool_)
    # The same memory for all blocks: new memory costs more than the comparison.
    mask = np.equal(block.lines, _NEWLINE, out=found.mask[: len(block.lines)])
    end = np.flatnonzero(mask) + block.low
    # The last two bytes of a line, its end, and the first byte of the next one.
    four = windows(data, 4)[end - 2].view(np.uint32)
    rows, headers = _odd(data, block.low, end, four)
    start = np.where(rows > 0, end[rows - 1] + 1, block.low)
    bare = bare_ends(data, start, end[rows])
    tail = windows(data, 2)[bare - 2].view(np.uint16)
    unit = bare > start
    places = np.searchsorted(rows, [row for row, _ in headers]).tolist()
    unit[places] = False
    # Units up to each of these lines, for the others are units.
    number = found.units + rows + 1 - np.cumsum(~unit)
    for at, (row, begins) in zip(places, headers, strict=True):
        text = data[start[at] : bare[at]].tobytes().decode("utf-8")
        found.headers.append(CorefHeader(found.lines + row + 1, int(number[at]), begins, text))
    said = np.flatnonzero(unit & ~_SILENT[tail])
    _add_fields(found, data, start[said], bare[said], path)
    found.unit.append(_small(number[said] - 1))
    found.line.append(_small(rows[said] + (found.lines + 1)))
    if keep:
        found.ends.append(_small(end + (block.place - block.low)))
        found.others.append(rows[~unit] + found.lines)
    found.lines += len(end)
    found.units += len(end) - int((~unit).sum())


def _odd(
    data: Bytes, low: int, end: Places, four: NDArray[np.uint32]
) -> tuple[Places, list[tuple[int, bool]]]:
    """Return all lines but those units that end as most do, and say nothing; and the headers."""
    tail = four & 0xFFFF
    silent = tail[:_SAMPLE][_SILENT[tail[:_SAMPLE]]]
    rows = np.flatnonzero(tail != (silent[0] if len(silent) else 0))
    marked = np.flatnonzero((four[:-1] >> 24) == _HASH)
    headers = _headers(data, np.append(low, end[marked] + 1), np.append(0, marked + 1))
    named = np.array([row for row, _ in headers], np.int64)
    known = np.searchsorted(rows, named) < np.searchsorted(rows, named, side="right")
    if not known.all():
        rows = np.union1d(rows, named)
    return rows, headers


def _headers(data: Bytes, start: Places, rows: Places) -> list[tuple[int, bool]]:
    """Return those lines among some that begin or end a document, and which of both."""
    found: list[tuple[int, bool]] = []
    for prefix, begins in ((BEGIN, True), (END, False)):
        # Behind the last line there may be fewer bytes than that: the prefix is not there then.
        there = start + len(prefix) <= len(data)
        some = windows(data, len(prefix))[start[there]].view(f"S{len(prefix)}")
        found += [(int(row), begins) for row in rows[there][some == prefix.encode()]]
    return sorted(found)


def _add_fields(found: _LinesSeen, data: Bytes, start: Places, end: Integers, path: str) -> None:
    """Add the last fields of some lines: short ones as numbers, others as text."""
    tails = windows(data, PAD)[end - PAD].view(np.uint8).reshape(-1, PAD)
    gap = (tails == _SPACE) | (tails == _TAB) | (tails == _NEWLINE) | (tails == _RETURN)
    size = _SIZE[np.packbits(gap, axis=1, bitorder="little").view(np.uint16)[:, 0]]
    short = size <= _SHORT
    found.short.append(short)
    found.key.append(tails.view(np.uint64)[short, 1] & _KEEP[size[short]])
    rows = np.flatnonzero(~short)
    if len(rows):
        begin = end[rows] - size[rows]
        far = np.flatnonzero(size[rows] == PAD)
        begin[far] = last_fields(data, start[rows[far]], end[rows[far]])
        found.wide.append(texts_of(data, begin, end[rows], path))


def _fields(found: _LinesSeen, path: str) -> tuple[pl.Series, NDArray[np.int32]]:
    """Return the texts of fields, and which of them each unit has."""
    known, number = distinct_numbers(np.concatenate(found.key))
    bytes_ = known.view(np.uint8)
    end = np.arange(1, len(known) + 1) * _SHORT
    size = (bytes_.reshape(-1, _SHORT) != 0).sum(axis=1)
    texts = pl.concat([texts_of(bytes_, end - size, end, path), *found.wide])
    short = np.concatenate(found.short)
    place = np.empty(len(short), np.int32)
    place[short] = number
    place[~short] = np.arange(len(known), len(texts))
    return texts, place
