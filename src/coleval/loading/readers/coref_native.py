"""Coreference text read by loops in C, where they are there and nothing in the text is in doubt."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.loading.readers.coded_texts import CodedTexts
from coleval.loading.readers.held_memory import HeldMemory
from coleval.loading.readers.lines import one_line_end
from coleval.loading.readers.text_blocks import KeptText, large_text
from coleval.native.dictionary import Dictionary
from coleval.native.library import library

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from ctypes import CDLL

    from numpy.typing import NDArray

    from coleval.loading.readers.asked_columns import AskedColumns, KnownColumns
    from coleval.loading.readers.source import Source

    Numbers = NDArray[np.integer]

# The arrays of ``coref.c``: what they hold, and how many of which.
_ARRAYS = {
    "chain": ("<i8", "mentions"),
    "document": ("<i4", "mentions"),
    "start": ("<i4", "mentions"),
    "end": ("<i4", "mentions"),
    "line": ("<u4", "mentions"),
    "unit": ("<i8", "documents"),
    "header_line": ("<i8", "documents"),
    "block_place": ("<i8", "places"),
    "block_unit": ("<i8", "blocks"),
    "names": ("|u1", "names_size"),
    "headers": ("|u1", "headers_size"),
}
_SIZES = ("mentions", "documents", "blocks", "places", "chains", "names_size", "headers_size",
          "units", "lines")  # fmt: skip


class _Coref(ctypes.Structure):
    """What ``coref.c`` finds."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in _ARRAYS),
        *((name, ctypes.c_int64) for name in _SIZES),
    )


class _CutColumn(ctypes.Structure):
    """A column that ``coref_columns.c`` cuts out."""

    _fields_ = (("strings", ctypes.c_void_p), ("code", ctypes.c_void_p))


@dataclass(frozen=True, slots=True)
class ChainNames:
    """The names of chains, of which seldom one is asked for."""

    lines: NDArray[np.uint8]

    def __getitem__(self, chain: int) -> str:
        """Return the name of a chain."""
        return self.to_list()[chain]

    def to_list(self) -> list[str]:
        """Return all names, as a column does."""
        return self.lines.tobytes().decode("utf-8").split("\n")


@dataclass(frozen=True, slots=True)
class NativeCoref:
    """What a text says: mentions, and documents by first line, its number, and first unit.

    ``chain`` is a number that no other document has, a place in ``names``.
    """

    document: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    chain: NDArray[np.int64]
    line: NDArray[np.uint32]
    names: ChainNames
    headers: str
    header_line: NDArray[np.int64]
    offset: NDArray[np.int64]
    units: int
    kept: NativeLines | None


def native_coref(
    source: Source, *, keep: bool, ask: Callable[[CDLL], AskedColumns | None] | None = None
) -> NativeCoref | None:
    """Return what a source says; None where it has to be looked at by other means.

    While a large file is read columns are cut out of its lines that are asked for then.
    """
    loops = library()
    asked = ask(loops) if ask and loops and large_text(source) else None
    said = _read(source, asked)
    if said is None:
        return None
    found = _arrays(said)
    headers = found["headers"].tobytes().decode("utf-8")
    kept = None
    if keep:
        kept = NativeLines(
            source.path, KeptText(source), said.units,
            # Not to hold all that was found.
            found["block_place"].copy(), found["block_unit"].copy(),
            None if asked is None else asked.known(),
        )  # fmt: skip
    return NativeCoref(
        found["document"], found["start"], found["end"], found["chain"], found["line"],
        ChainNames(found["names"]), headers, found["header_line"], found["unit"], said.units, kept,
    )  # fmt: skip


def _read(source: Source, asked: AskedColumns | None) -> _Coref | None:
    found = library()
    if found is None:
        return None
    said = _Coref()
    more = asked and asked.place
    file = source.opened()
    if file is not None:
        with file:
            size = ctypes.c_int64(source.state.st_size)
            sure = found.coleval_coref(ctypes.byref(said), file.fileno(), None, size, more)
    else:
        text = one_line_end(source.text)
        sure = found.coleval_coref(ctypes.byref(said), -1, text, ctypes.c_int64(len(text)), None)
    return said if sure else None


def _arrays(said: _Coref) -> dict[str, NDArray[Any]]:
    """Return the arrays, which share their memory with C."""
    loops = library()
    assert loops is not None  # noqa: S101  - they have found it
    memory = HeldMemory(loops.coleval_coref_free, said)
    return {
        name: memory.array(getattr(said, name), kind, getattr(said, count))
        for name, (kind, count) in _ARRAYS.items()
    }


@dataclass(frozen=True)
class NativeLines:
    """The lines of a text that are units, in blocks: the ``place`` of each, and its first unit."""

    path: str
    text: KeptText
    units: int
    place: Numbers
    first: Numbers
    known: KnownColumns | None = None

    def __len__(self) -> int:
        """Return the number of units."""
        return self.units

    def columns(self, units: Numbers, columns: Sequence[int]) -> list[CodedTexts]:
        """Return some columns of the lines of units, null where a line is shorter.

        Columns count from 1, or from the end below 0; ``0`` is the whole line. They end at TABs
        if the first of the lines has one, else at runs of spaces.
        """
        known, at = units, None
        if (units[1:] < units[:-1]).any():
            known, at = np.unique(units, return_inverse=True)
        said = self._said(known, columns)
        if said is not None:
            return said if at is None else [CodedTexts(x.code[at], x.values) for x in said]
        code = np.full((len(columns), len(known)), -1, np.int32)
        values = self._cut(np.ascontiguousarray(known, np.int64), columns, code)
        for own, texts in zip(code, values, strict=True):
            # Behind the texts there is a null, for lines that are too short.
            own[own < 0] = len(texts) - 1
        found = zip(code, values, strict=True)
        return [CodedTexts(own if at is None else own[at], texts) for own, texts in found]

    def _said(self, units: Numbers, columns: Sequence[int]) -> list[CodedTexts] | None:
        """Return columns that were cut out of a large file before, if it is what it was then."""
        if self.known is None:
            return None
        with self.text.unchanged() as (descriptor, _):
            return self.known.of(units, columns) if descriptor >= 0 else None

    def _cut(
        self, units: NDArray[np.int64], columns: Sequence[int], code: NDArray[np.int32]
    ) -> list[pl.Series]:
        """Return the distinct fields of some columns and a null, and enter which each unit has."""
        loops = library()
        assert loops is not None  # noqa: S101  - they have read the text
        texts = [Dictionary(loops) for _ in columns]
        found = (_CutColumn * len(columns))()
        for column, own, one in zip(found, code, texts, strict=True):
            column.code, column.strings = own.ctypes.data, one.handle
        number = np.array(columns, np.int64)
        with self.text.unchanged() as (descriptor, text):
            done = loops.coleval_coref_columns(
                descriptor, text, ctypes.c_int64(len(text)), _pointer(self.place),
                _pointer(self.first), ctypes.c_int64(len(self.first)), _pointer(units),
                ctypes.c_int64(len(units)), _pointer(number), found, ctypes.c_int64(len(columns)),
            )  # fmt: skip
        if not done:
            raise self.text.changed
        return [pl.Series([*one.texts, None], dtype=pl.String) for one in texts]


def _pointer(array: NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
