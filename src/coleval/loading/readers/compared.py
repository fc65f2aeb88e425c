"""Which lines of a file are not, byte for byte, the lines of another.

Nine in ten lines of a system's file are gold's; finding the others without parsing any is three
times as fast as parsing all. A loop in C passes over what is alike; without it large files are
compared by Arrow, over the bytes as they are, whose import would cost more than it saves for
small ones.
"""

from __future__ import annotations

from ctypes import Structure, byref, c_char, c_int32, c_int64, c_void_p
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, count
from operator import itemgetter, ne
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.loading.readers.lines import one_line_end
from coleval.loading.readers.source import check_utf8
from coleval.native.library import library

if TYPE_CHECKING:
    from ctypes import CDLL

    from numpy.typing import NDArray

    from coleval.loading.readers.source import Source
    from coleval.native.dictionary import Dictionary

_SMALL = 1 << 21
_WIDE = 1 << 31
_BLOCK = 1 << 18
# Of fewer lines the import of Arrow takes longer than a slice each.
_FEW = 20_000


class Columns(Structure):
    """How lines are laid out: how many columns, that of the token and of the label, from 0."""

    _fields_ = (("width", c_int32), ("form", c_int32), ("label", c_int32), ("separator", c_char))


@dataclass(frozen=True)
class Lines:
    """The lines of a file as bytes, each with its line end."""

    data: bytes
    path: str

    @classmethod
    def of(cls, source: Source) -> Lines:
        """Return the lines of a source, the last one with a line end too."""
        data = one_line_end(source.text)
        return cls(data if data.endswith(b"\n") else data + b"\n", source.path)

    @cached_property
    def begins(self) -> NDArray[np.int64]:
        """Return where each line begins, and the end."""
        loops = library()
        if loops is None:
            return _begins(self.data, np.int64)
        return _begins_by_loops(loops, self.data)

    @cached_property
    def split(self) -> list[bytes]:
        """Return each line without its end."""
        return self.data.split(b"\n")[:-1]

    @cached_property
    def arrow(self) -> Any:
        """Return the lines as an Arrow array that shares their bytes."""
        import pyarrow as pa

        wide = len(self.data) >= _WIDE
        offsets = _begins(self.data, np.int64 if wide else np.int32)
        kind = pa.LargeBinaryArray if wide else pa.BinaryArray
        type_ = pa.large_binary() if wide else pa.binary()
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(self.data)]
        return kind.from_buffers(type_, len(offsets) - 1, buffers)

    def unlike(self, other: Lines, most: int) -> Unlike | None:
        """Return the lines that differ from another's, None if there are more or fewer lines.

        None also if more differ than ``most``.
        """
        loops = library()
        if loops is not None:
            return _unlike_by_loops(loops, self, other, most)
        small = min(len(self.data), len(other.data)) < _SMALL
        rows = _unlike(self.split, other.split) if small else self._unlike_by_arrow(other)
        return None if rows is None or len(rows) > most else Unlike(self, rows)

    def unlike_labels(
        self, other: Lines, columns: Columns, line: NDArray[np.uint32], known: Dictionary, most: int
    ) -> tuple[NDArray[np.intp], pl.Series] | None:
        """Return the tokens, of those on each ``line``, whose lines differ, with their labels.

        None where a line is anything but columns with the other's token and a label.
        """
        loops = library()
        if loops is None:
            return None
        line = np.ascontiguousarray(line, np.uint32)
        token, number = np.empty(most, np.int64), np.empty(most, np.uint32)
        loops.coleval_unlike_labels.restype = c_int64
        found = loops.coleval_unlike_labels(
            known.handle, other.data, c_int64(len(other.data)), self.data,
            c_int64(len(self.data)), byref(columns), _pointer(line),
            c_int64(len(line)), c_int64(most), _pointer(token), _pointer(number),
        )  # fmt: skip
        return None if found < 0 else (token[:found], known.column(number[:found]))

    def _unlike_by_arrow(self, other: Lines) -> NDArray[np.uint32] | None:
        import pyarrow.compute as pc

        ours, theirs = self.arrow, other.arrow
        if len(ours) != len(theirs) or ours.type != theirs.type:
            return None
        # As bits, for Arrow's own way to numpy imports pandas where there is one.
        bits = np.frombuffer(pc.not_equal(ours, theirs).buffers()[1], np.uint8)
        differ = np.unpackbits(bits, count=len(ours), bitorder="little")
        return np.flatnonzero(differ.view(np.bool_)).astype(np.uint32)


@dataclass(frozen=True, slots=True)
class Unlike:
    """The lines of a file that differ from those of another: their numbers, from 0.

    Their places, where loops in C have found them, are where they begin and end.
    """

    lines: Lines
    rows: NDArray[np.uint32]
    place: NDArray[np.int64] | None = None

    def text(self) -> pl.Series:
        """Return the lines as text, without their ends; raise where one is not UTF-8."""
        lines = self.lines
        if self.place is not None:
            column = _cut_out(lines.data, self.place)
        elif len(lines.data) < _SMALL:
            column = pl.Series(_chosen(lines.split, self.rows), dtype=pl.Binary)
        else:
            column = pl.Series(_taken(lines.arrow, self.rows), dtype=pl.Binary)
        try:
            return column.cast(pl.String).str.strip_chars_end("\r\n")
        except pl.exceptions.PolarsError:
            check_utf8(lines.data, lines.path)
            raise


def _unlike_by_loops(loops: CDLL, lines: Lines, other: Lines, most: int) -> Unlike | None:
    rows, place = np.empty(most, np.uint32), np.empty((most, 2), np.int64)
    loops.coleval_unlike_lines.restype = c_int64
    found = loops.coleval_unlike_lines(
        other.data, c_int64(len(other.data)), lines.data, c_int64(len(lines.data)),
        c_int64(most), _pointer(rows), _pointer(place),
    )  # fmt: skip
    return None if found < 0 else Unlike(lines, rows[:found], place[:found])


def _cut_out(data: bytes, place: NDArray[np.int64]) -> pl.Series:
    """Return some lines; Arrow is worth its import where they are many."""
    if len(place) < _FEW:
        cut = [data[low:high] for low, high in place.tolist()]
        return pl.Series(cut, dtype=pl.Binary)
    import pyarrow as pa

    loops = library()
    assert loops is not None  # noqa: S101  - a loop has found the places
    room = np.empty(int((place[:, 1] - place[:, 0]).sum()), np.uint8)
    begins = np.empty(len(place) + 1, np.int64)
    loops.coleval_taken_lines(
        data, _pointer(place), c_int64(len(place)), _pointer(begins), _pointer(room)
    )
    buffers = [None, pa.py_buffer(begins), pa.py_buffer(room)]
    taken = pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(place), buffers)
    return pl.Series(taken, dtype=pl.Binary)


def _pointer(array: NDArray[Any]) -> c_void_p:
    return c_void_p(array.ctypes.data)


def _chosen(lines: list[bytes], rows: NDArray[np.uint32]) -> list[bytes]:
    if len(rows) < 2:
        return [lines[row] for row in rows]
    return list(itemgetter(*rows.tolist())(lines))


def _taken(lines: Any, rows: NDArray[np.uint32]) -> Any:
    """Return some lines; rows are handed over as bytes, for arrays would bring pandas along."""
    import pyarrow as pa

    buffers = [None, pa.py_buffer(np.ascontiguousarray(rows, np.uint32))]
    return lines.take(pa.Array.from_buffers(pa.uint32(), len(rows), buffers))


def _begins(data: bytes, kind: type[np.signedinteger]) -> NDArray[Any]:
    """Return where each line begins, and the end; block by block, as masks of all cost memory."""
    buffer = np.frombuffer(data, np.uint8)
    parts = [
        np.flatnonzero(buffer[at : at + _BLOCK] == ord("\n")).astype(kind) + kind(at + 1)
        for at in range(0, len(buffer), _BLOCK)
    ]
    return np.concatenate([np.zeros(1, kind), *parts])


def _begins_by_loops(loops: CDLL, data: bytes) -> NDArray[np.int64]:
    size = c_int64(len(data))
    loops.coleval_line_ends.restype = c_int64
    found = np.empty(loops.coleval_line_ends(data, size) + 2, np.int64)
    loops.coleval_line_begins(data, size, _pointer(found))
    return found[:-1]


def _unlike(ours: list[bytes], theirs: list[bytes]) -> NDArray[np.uint32] | None:
    if len(ours) != len(theirs):
        return None
    rows = compress(count(), map(ne, ours, theirs))
    return np.fromiter(rows, dtype=np.uint32)
