"""Lines as places in the bytes of a file, for files of which only few lines are looked at.

Most lines of a coreference file say nothing. Where each begins and ends is found without making
text of any; those that matter are cut out together.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.loading.readers.lines import one_line_end, series_of
from coleval.loading.readers.source import check_not_empty, check_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.loading.readers.source import Source

    Places = NDArray[np.signedinteger]
    Bytes = NDArray[np.uint8]

_BLOCK = 1 << 18
_NEWLINE = 10
_GAPS = np.zeros(256, np.bool_)
_GAPS[list(b" \t\r")] = True


@dataclass(frozen=True, slots=True)
class LineBytes:
    """The bytes of a file and where each line begins and ends, without white space at its end."""

    path: str
    data: Bytes
    start: Places
    end: Places

    def __len__(self) -> int:
        """Return the number of lines."""
        return len(self.start)

    def at(self, rows: NDArray[np.integer]) -> LineBytes:
        """Return some of the lines."""
        return LineBytes(self.path, self.data, self.start[rows], self.end[rows])

    def last(self, back: int) -> Bytes:
        """Return the byte ``back`` places before the end of each line, else a space."""
        found = np.empty(len(self), np.uint8)
        for block in _blocks(len(self), _BLOCK):
            place = self.end[block] - back
            there = place >= self.start[block]
            found[block] = np.where(there, self.data[np.maximum(place, 0)], ord(" "))
        return found

    def begins(self, prefix: bytes) -> NDArray[np.bool_]:
        """Tell which lines begin with some bytes."""
        last = len(self.data) - 1
        parts = [
            np.flatnonzero(self.data[np.minimum(self.start[block], last)] == prefix[0])
            + block.start
            for block in _blocks(len(self), _BLOCK)
        ]
        found = np.concatenate(parts)
        found = found[self.end[found] - self.start[found] >= len(prefix)]
        for at, byte in enumerate(prefix[1:], start=1):
            found = found[self.data[self.start[found] + at] == byte]
        mask = np.zeros(len(self), np.bool_)
        mask[found] = True
        return mask

    def last_fields(self) -> LineBytes:
        """Return what stands behind the last space or TAB of each line."""
        parts = [_walked(self.data, self.start[block], self.end[block])
                 for block in _blocks(len(self), _BLOCK)]  # fmt: skip
        start = np.concatenate(parts) if parts else self.start
        return LineBytes(self.path, self.data, start, self.end)

    def text(self) -> pl.Series:
        """Return the lines as text."""
        if not len(self):
            return pl.Series(dtype=pl.String)
        return series_of(_cut(self.data, self.start, self.end), self.path).fill_null("")


def line_bytes(source: Source) -> LineBytes:
    """Return the lines of a file; raise when it is empty."""
    data = one_line_end(source.text)
    check_not_empty(data, source.path)
    _all_utf8(data, source.path)
    buffer = np.frombuffer(data, np.uint8)
    ends = [
        np.flatnonzero(buffer[block] == _NEWLINE) + block.start
        for block in _blocks(len(buffer), _BLOCK)
    ]
    rest = [np.array([len(buffer)])] if buffer[-1] != _NEWLINE else []
    every = np.concatenate([*ends, *rest])
    small = len(buffer) < np.iinfo(np.int32).max
    end: Places = every.astype(np.int32) if small else every.astype(np.int64)
    start = np.zeros_like(end)
    np.add(end[:-1], 1, out=start[1:])
    return LineBytes(source.path, buffer, start, _bare(buffer, start, end))


def _all_utf8(data: bytes, path: str) -> None:
    """Raise if anything is not UTF-8, also in lines that nobody looks at."""
    if data.isascii():
        return
    decoder = getincrementaldecoder("utf-8")()
    try:
        for block in _blocks(len(data), _BLOCK):
            decoder.decode(data[block])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        check_utf8(data, path)


def _walked(data: Bytes, low: Places, end: Places) -> Places:
    """Return where the last field of each line begins: from its end back to the next gap."""
    start = end - 1
    rows = np.arange(len(start))
    while len(rows):
        rows = rows[start[rows] > low[rows]]
        rows = rows[~_GAPS[data[start[rows] - 1]]]
        start[rows] -= 1
    return start


def _bare(data: Bytes, start: Places, end: Places) -> Places:
    """Return the ends of lines before the white space that they end with."""
    parts = [
        np.flatnonzero(_GAPS[data[np.maximum(end[block] - 1, 0)]]) + block.start
        for block in _blocks(len(end), _BLOCK)
    ]
    rows = np.concatenate(parts)
    rows = rows[end[rows] > start[rows]]
    while len(rows):
        end[rows] -= 1
        rows = rows[end[rows] > start[rows]]
        rows = rows[_GAPS[data[end[rows] - 1]]]
    return end


def _blocks(size: int, step: int) -> Iterator[slice]:
    """Yield what is worked on at a time: small arrays stay in the cache and cost no new memory."""
    for at in range(0, size, step):
        yield slice(at, at + step)


def _cut(data: Bytes, start: Places, end: Places) -> bytes:
    """Return some stretches of bytes, each with a line end behind it."""
    size = end - start + 1
    parts = []
    for block in _blocks(len(size), max(1, _BLOCK // max(1, int(size.max())))):
        length = size[block]
        last = np.cumsum(length)
        place = np.arange(int(last[-1])) + np.repeat(start[block] - last + length, length)
        piece = data[np.minimum(place, len(data) - 1)]
        piece[last - 1] = _NEWLINE
        parts.append(piece)
    return np.concatenate(parts).tobytes()
