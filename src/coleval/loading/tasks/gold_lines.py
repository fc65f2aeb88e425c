"""The short cut of line formats: a system's line that is gold's line is not parsed.

Nine in ten lines of a system's file are, byte for byte, gold's. Arrow finds the others over the
bytes as they are, three times as fast as parsing all; these go to the format's one parser.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.loading.readers.columns import parse
from coleval.loading.readers.layout import ColumnLayout, layout_of
from coleval.loading.readers.lines import blank, one_line_end
from coleval.loading.readers.source import check_utf8

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.model import TokenFile
    from coleval.loading.readers.source import Source

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
