"""Which lines of a file are not, byte for byte, the lines of another.

Nine in ten lines of a system's file are gold's; finding the others without parsing any is three
times as fast as parsing all. Large files are compared by Arrow, over the bytes as they are; for
small ones its import would cost more than it saves.
"""

from __future__ import annotations

from ctypes import c_int64, c_void_p
from functools import cached_property
from itertools import compress, count
from operator import itemgetter, ne
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.late_classes import dataclass
from coleval.loading.readers.lines import one_line_end
from coleval.loading.readers.source import check_utf8
from coleval.native.library import library

if TYPE_CHECKING:
    from ctypes import CDLL

    from numpy.typing import NDArray

    from coleval.loading.readers.source import Source

_SMALL = 1 << 21
_WIDE = 1 << 31
_BLOCK = 1 << 18


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
        return _begins(self.data, np.int64)

    @cached_property
    def _split(self) -> list[bytes]:
        return self.data.split(b"\n")[:-1]

    @cached_property
    def _arrow(self) -> Any:
        """Return the lines as an Arrow array that shares their bytes."""
        import pyarrow as pa

        wide = len(self.data) >= _WIDE
        offsets = _begins(self.data, np.int64 if wide else np.int32)
        kind = pa.LargeBinaryArray if wide else pa.BinaryArray
        type_ = pa.large_binary() if wide else pa.binary()
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(self.data)]
        return kind.from_buffers(type_, len(offsets) - 1, buffers)

    def unlike(self, other: Lines) -> NDArray[np.uint32] | None:
        """Return the numbers (from 0) of the lines that differ, None if there are more or fewer."""
        if min(len(self.data), len(other.data)) < _SMALL:
            return _unlike(self._split, other._split)
        import pyarrow.compute as pc

        ours, theirs = self._arrow, other._arrow
        if len(ours) != len(theirs) or ours.type != theirs.type:
            return None
        # As bits, for Arrow's own way to numpy imports pandas where there is one.
        bits = np.frombuffer(pc.not_equal(ours, theirs).buffers()[1], np.uint8)
        differ = np.unpackbits(bits, count=len(ours), bitorder="little")
        return np.flatnonzero(differ.view(np.bool_)).astype(np.uint32)

    def text(self, rows: NDArray[np.uint32]) -> pl.Series:
        """Return some lines as text, without their ends; raise where one is not UTF-8."""
        if len(self.data) < _SMALL:
            column = pl.Series(_chosen(self._split, rows), dtype=pl.Binary)
        else:
            column = pl.Series(_taken(self._arrow, rows), dtype=pl.Binary)
        try:
            return column.cast(pl.String).str.strip_chars_end("\r\n")
        except pl.exceptions.PolarsError:
            check_utf8(self.data, self.path)
            raise


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
    loops = library()
    if loops is not None:
        return _begins_by_loops(loops, data, kind)
    buffer = np.frombuffer(data, np.uint8)
    parts = [
        np.flatnonzero(buffer[at : at + _BLOCK] == ord("\n")).astype(kind) + kind(at + 1)
        for at in range(0, len(buffer), _BLOCK)
    ]
    return np.concatenate([np.zeros(1, kind), *parts])


def _begins_by_loops(loops: CDLL, data: bytes, kind: type[np.signedinteger]) -> NDArray[Any]:
    size = c_int64(len(data))
    loops.coleval_line_ends.restype = c_int64
    found = np.empty(loops.coleval_line_ends(data, size) + 2, kind)
    far = kind is not np.int32
    begins = loops.coleval_line_begins_far if far else loops.coleval_line_begins
    begins(data, size, c_void_p(found.ctypes.data))
    return found[:-1]


def _unlike(ours: list[bytes], theirs: list[bytes]) -> NDArray[np.uint32] | None:
    if len(ours) != len(theirs):
        return None
    rows = compress(count(), map(ne, ours, theirs))
    return np.fromiter(rows, dtype=np.uint32)
