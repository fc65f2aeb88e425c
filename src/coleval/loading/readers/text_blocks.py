"""A text file in blocks of whole lines, for readers that look at each byte once.

What is read into one small buffer stays in the cache and costs no new memory, which is dear: of a
file of many million lines more time goes into memory for its bytes than into reading them.
"""

from __future__ import annotations

import os
import weakref
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from coleval.errors import DataError
from coleval.loading.readers.lines import one_line_end
from coleval.loading.readers.source import check_not_empty, check_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import FileIO

    from numpy.typing import NDArray

    from coleval.loading.readers.source import Source

    Bytes = NDArray[np.uint8]

# So many line ends stand before the first byte, and so many bytes may be read behind the last.
PAD = 16
_STEP = 1 << 20
# A smaller text is kept in memory.
_SMALL = 1 << 24
_NEWLINE, _RETURN, _ASCII = 10, 13, 127
_MARK = (0xEF, 0xBB, 0xBF)


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Whole lines: ``data`` from ``low`` to ``high``, with ``PAD`` bytes more on both sides.

    ``place`` is where they begin in the text.
    """

    data: Bytes
    low: int
    high: int
    place: int

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
    place = 0
    begun = False
    while read := file.readinto(buffer[fill:-PAD].data):
        high = _last_line_end(buffer, fill, fill + read)
        fill += read
        if high:
            yield LineBlock(buffer, low, high, place)
            place, begun = place + high - low, True
            # The rest goes to the front.
            fill = PAD + fill - high
            buffer[PAD:fill] = buffer[high : high + fill - PAD].copy()
        if len(buffer) - PAD - fill < _STEP:
            buffer = np.concatenate([buffer, _room(len(buffer))])
    if low < fill and (begun or not (buffer[low:fill] == _RETURN).any()):
        buffer[fill] = _NEWLINE
        yield LineBlock(buffer, low, fill + 1, place)


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
        yield LineBlock(buffer, PAD, end, low)
        low = high


def _unmarked(block: LineBlock) -> LineBlock:
    """Return the first block without the marks of UTF-8 that it begins with."""
    low = block.low
    while tuple(block.data[low : low + 3].tolist()) == _MARK:
        block.data[low : low + 3] = _NEWLINE
        low += 3
    return LineBlock(block.data, low, block.high, block.place + low - block.low)


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


def large_text(source: Source) -> bool:
    """Tell whether a source is a file that is kept open, not in memory, if it can be read so."""
    file = source.opened()
    if file is None:
        return False
    file.close()
    return source.state.st_size >= _SMALL


class KeptText:
    """The text of a source of which ``blocks`` were read, for who needs parts of it again.

    Small text is in memory. Of a large file, which may be moved or deleted, an open file is kept.
    """

    def __init__(self, source: Source) -> None:
        """Keep the text of a source, which must not have been let go."""
        self._path = source.path
        self._lock = Lock()
        self._state = (0, 0)
        self._text = b""
        self._file = source.opened(again=True)
        if self._file is None:
            self._text = one_line_end(source.text)
        elif source.state.st_size < _SMALL:
            with self._file as file:
                self._text = file.readall()
            self._file = None
        else:
            self._state = (source.state.st_size, source.state.st_mtime_ns)
            weakref.finalize(self, self._file.close)

    def part(self, low: int, high: int, room: Bytes) -> Bytes:
        """Return some bytes, read into ``room`` for them; raise if the file is not what it was."""
        if self._file is None:
            return np.frombuffer(self._text, np.uint8, min(high, len(self._text)) - low, low)
        with self._lock:
            self._check(self._file)
            self._file.seek(low)
            return room[: self._file.readinto(room[: high - low].data)]

    @contextmanager
    def unchanged(self) -> Iterator[tuple[int, bytes]]:
        """Give the descriptor of the file, or -1 and the text; raise if the file is another."""
        if self._file is None:
            yield -1, self._text
            return
        self._check(self._file)
        yield self._file.fileno(), b""
        self._check(self._file)

    def _check(self, file: FileIO) -> None:
        """Raise if the file is not what was read before."""
        state = os.fstat(file.fileno())
        if (state.st_size, state.st_mtime_ns) != self._state:
            raise self.changed

    @property
    def changed(self) -> DataError:
        """Return the error for a file that is not what was read before."""
        return DataError(
            "the file is being written to: it is not what was read before",
            where=self._path,
            remedy="load it again when it is finished",
        )
