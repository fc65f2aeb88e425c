"""Columns of coreference text that will be asked for, cut out by C while it reads the text.

To read a large text a second time for what it says of mentions costs as much as to read it. Which
units that will be is a guess: those that are a mention here, and those that are one elsewhere.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from coleval.loading.readers.coded_texts import CodedTexts
from coleval.loading.readers.held_memory import HeldMemory
from coleval.native.dictionary import Dictionary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Units = NDArray[np.int64]


class _AskedFields(ctypes.Structure):
    """What is asked of ``coref_asked.c``, and what it finds."""

    _fields_ = (
        ("hint", ctypes.c_void_p),
        ("hints", ctypes.c_int64),
        ("number", ctypes.c_void_p),
        ("strings", ctypes.c_void_p),
        ("columns", ctypes.c_int64),
        ("unit", ctypes.c_void_p),
        ("code", ctypes.c_void_p),
        ("units", ctypes.c_int64),
    )


class KnownColumns(NamedTuple):
    """Columns of some rising units by number: the place of each text, or of the null behind all."""

    units: Units
    code: dict[int, NDArray[np.int32]]
    values: dict[int, pl.Series]

    def of(self, units: NDArray[np.integer], columns: Sequence[int]) -> list[CodedTexts] | None:
        """Return columns of units; None where some are not known."""
        if not self.code.keys() >= {*columns}:
            return None
        if np.array_equal(units, self.units):
            return [CodedTexts(self.code[k], self.values[k]) for k in columns]
        at = np.searchsorted(self.units, units)
        if not len(units) or at.max() == len(self.units) or (self.units[at] != units).any():
            return None
        return [CodedTexts(self.code[k][at], self.values[k]) for k in columns]


class AskedColumns:
    """What is asked for while a text is read; ``hint`` are rising numbers of units."""

    def __init__(self, loops: ctypes.CDLL, columns: Sequence[int], hint: Units) -> None:
        """Ask for some columns, which count from 1."""
        self._loops = loops
        self._columns = columns
        self._texts = [Dictionary(loops) for _ in columns]
        self._hint, self._number = np.ascontiguousarray(hint), np.array(columns, np.int64)
        self._strings = (ctypes.c_void_p * len(columns))(*(x.handle.value for x in self._texts))
        self._code = (ctypes.c_void_p * len(columns))()
        self._said = _AskedFields(
            hint=self._hint.ctypes.data, hints=len(hint), number=self._number.ctypes.data,
            strings=ctypes.addressof(self._strings), columns=len(columns),
            code=ctypes.addressof(self._code),
        )  # fmt: skip

    @property
    def place(self) -> ctypes._Pointer[_AskedFields]:
        """Return where C finds what is asked for, and puts what it finds."""
        return ctypes.pointer(self._said)

    def known(self) -> KnownColumns | None:
        """Return what was found, None if there is nothing; what asks is not needed any more."""
        said = self._said
        if not said.units:
            return None
        memory = HeldMemory(self._loops.coleval_asked_free, said, self._code)
        code, values = {}, {}
        for column, address, texts in zip(self._columns, self._code, self._texts, strict=True):
            own = memory.array(address or 0, "<i4", said.units)
            own[own < 0] = len(texts.texts)
            code[column], values[column] = own, pl.Series([*texts.texts, None], dtype=pl.String)
        return KnownColumns(memory.array(said.unit, "<i8", said.units), code, values)
