"""A text file in blocks of whole lines, and stretches of bytes in it that are cut out as text.

What is read into one small buffer stays in the cache and costs no new memory, which is dear: of a
file of many million lines more time goes into memory for its bytes than into reading them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.loading.readers.lines import one_line_end, series_of, split
from coleval.loading.readers.source import check_not_empty, check_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from io import FileIO

    from numpy.typing import NDArray

    from coleval.loading.readers.source import Source

    Bytes = NDArray[np.uint8]
    Places = NDArray[np.integer]

# So many line ends stand before the first byte, and so many bytes may be read behind the last.
PAD = 16
_STEP = 1 << 20
# So many bytes are cut out together.
_CUT = 1 << 18
_NEWLINE, _RETURN, _SPACE, _TAB = b"\n\r \t"
_ASCII = 127
_MARK = (0xEF, 0xBB, 0xBF)


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Whole lines: ``data`` from ``low`` to ``high``, with ``PAD`` bytes more on both sides."""

    data: Bytes
    low: int
    high: int

    @property
    def lines(self) -> Bytes:
        """Return the bytes of the lines, the last of which is a line end."""
        return self.data[self.low : self.high]


def blocks(source: Source) -> Iterator[LineBlock]:
    """Yield the lines of a source; raise when it is empty, binary, or not UTF-8.

    The bytes of a block are others when the next is there.
    """
    file = source.opened()
    first = True
    if file is not None:
        with file:
            for block in _streamed(file):
                yield _checked(source, _unmarked(block) if first else block)
                first = False
    for block in _whole(source) if first else ():
        yield _checked(source, block)


def _streamed(file: FileIO) -> Iterator[LineBlock]:
    """Yield blocks of a file as it is read; nothing where old Macs ended its lines."""
    buffer = _room(2 * _STEP)
    low = fill = PAD
    begun = False
    while read := file.readinto(buffer[fill:-PAD].data):
        high = _last_line_end(buffer, fill, fill + read)
        fill += read
        if high:
            yield LineBlock(buffer, low, high)
            begun = True
            # The rest goes to the front.
            fill = PAD + fill - high
            buffer[PAD:fill] = buffer[high : high + fill - PAD].copy()
        if len(buffer) - PAD - fill < _STEP:
            buffer = np.concatenate([buffer, _room(len(buffer))])
    if low < fill and (begun or not (buffer[low:fill] == _RETURN).any()):
        buffer[fill] = _NEWLINE
        yield LineBlock(buffer, low, fill + 1)


def _room(size: int) -> Bytes:
    """Return a buffer for so many bytes, padded."""
    buffer = np.empty(size + 2 * PAD, np.uint8)
    buffer[:PAD] = _NEWLINE
    buffer[-PAD:] = _NEWLINE
    return buffer


def _last_line_end(buffer: Bytes, low: int, high: int) -> int:
    """Return the place behind the last line end, 0 if there is none."""
    for start in (max(low, high - 4096), low):
        found = np.flatnonzero(buffer[start:high] == _NEWLINE)
        if len(found):
            return start + int(found[-1]) + 1
    return 0


def _whole(source: Source) -> Iterator[LineBlock]:
    """Yield blocks of text that has to be unpacked, recoded or given new line ends first."""
    text = one_line_end(source.text)
    check_not_empty(text, source.path)
    low = 0
    while low < len(text):
        high = text.rfind(b"\n", low, low + _STEP) + 1 or text.find(b"\n", low) + 1 or len(text)
        buffer = _room(high - low + 1)
        end = PAD + high - low
        buffer[PAD:end] = np.frombuffer(text, np.uint8, high - low, low)
        if buffer[end - 1] != _NEWLINE:
            buffer[end] = _NEWLINE
            end += 1
        yield LineBlock(buffer, PAD, end)
        low = high


def _unmarked(block: LineBlock) -> LineBlock:
    """Return the first block without the marks of UTF-8 that it begins with."""
    low = block.low
    while tuple(block.data[low : low + 3].tolist()) == _MARK:
        block.data[low : low + 3] = _NEWLINE
        low += 3
    return LineBlock(block.data, low, block.high)


def _checked(source: Source, block: LineBlock) -> LineBlock:
    """Return a block; raise if it is no text, or not in UTF-8."""
    lines = block.lines
    sound = bool(lines.min())
    if sound and lines.max() > _ASCII:
        try:
            lines.tobytes().decode("utf-8")
        except UnicodeDecodeError:
            sound = False
    if not sound:
        # With the whole text at hand, one of these says where it goes wrong.
        check_utf8(one_line_end(source.text), source.path)
    return block


def bare_ends(data: Bytes, start: Places, end: Places) -> Places:
    """Return the ends of stretches before the white space that they end with."""
    found = end.copy()
    rows = np.flatnonzero((found > start) & _gaps(data[found - 1]))
    while len(rows):
        found[rows] -= 1
        rows = rows[found[rows] > start[rows]]
        rows = rows[_gaps(data[found[rows] - 1])]
    return found


def last_fields(data: Bytes, start: Places, end: Places) -> Places:
    """Return where the last field of each line begins: from its end back to the next gap."""
    found = end - 1
    rows = np.arange(len(found))
    while len(rows):
        rows = rows[found[rows] > start[rows]]
        rows = rows[~_gaps(data[found[rows] - 1])]
        found[rows] -= 1
    return found


def texts_of(data: Bytes, start: Places, end: Places, path: str) -> pl.Series:
    """Return stretches of bytes as text."""
    if not len(start):
        return pl.Series(dtype=pl.String)
    return series_of(cut(data, start, end).tobytes(), path).fill_null("")


def cut(data: Bytes, start: Places, end: Places) -> Bytes:
    """Return some stretches of bytes, each with a line end behind it."""
    size = (end - start + 1).astype(np.int64)
    parts = []
    for block in _blocks(len(size), max(1, _CUT // max(1, int(size.max(initial=1))))):
        length = size[block]
        last = np.cumsum(length)
        place = np.arange(int(last[-1])) + np.repeat(start[block] - last + length, length)
        piece = data[np.minimum(place, len(data) - 1)]
        piece[last - 1] = _NEWLINE
        parts.append(piece)
    return np.concatenate(parts) if parts else np.zeros(0, np.uint8)


def _gaps(found: Bytes) -> NDArray[np.bool_]:
    return (found == _SPACE) | (found == _TAB) | (found == _RETURN)


def _blocks(size: int, step: int) -> Iterator[slice]:
    """Yield what is worked on at a time: small arrays stay in the cache and cost no new memory."""
    for at in range(0, size, step):
        yield slice(at, at + step)


@dataclass(frozen=True)
class CutLines:
    """Where each line of a text ends, and which are no units."""

    path: str
    text: bytearray
    ends: Places
    others: Places

    def __len__(self) -> int:
        """Return the number of units."""
        return len(self.ends) - len(self.others)

    def line(self, unit: int) -> int:
        """Return the line of a unit, from 1."""
        return int(self._rows(np.array([unit]))[0]) + 1

    def _rows(self, units: Places) -> Places:
        """Return the lines of rising units, from 0."""
        # So many units are before each line that is none.
        before = self.others - np.arange(len(self.others))
        return units + np.searchsorted(before, units, side="right")

    def columns(self, units: Places, columns: Sequence[int]) -> list[pl.Series]:
        """Return some columns of the lines of units, null where a line is shorter.

        Columns count from 1, or from the end below 0. They end at TABs if a line has one, else at
        runs of spaces.
        """
        known, at = np.unique(units, return_inverse=True)
        fields = split(self.lines(known))
        places = [column - 1 if column > 0 else column for column in columns]
        return [fields.list.get(place, null_on_oob=True).gather(at) for place in places]

    def lines(self, units: Places) -> pl.Series:
        """Return the lines of rising units, without the white space that they end with."""
        data, row = np.frombuffer(self.text, np.uint8), self._rows(units)
        end = self.ends[row]
        start = np.where(row > 0, self.ends[row - 1] + 1, 0)
        return texts_of(data, start, bare_ends(data, start, end), self.path)
