"""Distinct texts by number, as the functions in C give them out; they only grow."""

from __future__ import annotations

import ctypes
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import finalize

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PLACE = ctypes.c_void_p
_NUMBER = ctypes.c_int64


class Dictionary:
    """A dictionary of the library, that threads may use at once."""

    def __init__(self, library: ctypes.CDLL) -> None:
        """Make one that is empty."""
        library.coleval_strings.restype = _PLACE
        self._library = library
        self.handle = _PLACE(library.coleval_strings())
        self._texts: list[str] = []
        self._column = pl.Series([], dtype=pl.String)
        self._lock = Lock()
        finalize(self, library.coleval_strings_free, self.handle)

    @property
    def texts(self) -> list[str]:
        """Return the texts by their numbers."""
        with self._lock:
            self._texts += self._fetched(len(self._texts))
            return self._texts

    def column(self, number: NDArray[np.integer]) -> pl.Series:
        """Return the texts of some numbers."""
        texts = self.texts
        with self._lock:
            if len(self._column) < len(texts):
                fresh = pl.Series(texts[len(self._column) :], dtype=pl.String)
                self._column = pl.concat([self._column, fresh], rechunk=True)
            column = self._column
        return column.gather(pl.Series(number))

    def numbers(self, column: pl.Series) -> NDArray[np.int32] | None:
        """Return the numbers of some texts; None where one has a line feed or is not there."""
        if not len(column):
            return np.empty(0, np.int32)
        if column.null_count():
            return None
        data = (column.str.join("\n")[0] + "\n").encode()
        found = np.empty(len(column), np.int32)
        count = self._library.coleval_strings_numbers
        count.restype = _NUMBER
        size = count(self.handle, data, _NUMBER(len(data)), _place(found))
        return found if size == len(column) else None

    def _fetched(self, first: int) -> list[str]:
        """Return the texts from a number on."""
        count, texts = self._library.coleval_strings_count, self._library.coleval_strings_texts
        count.restype = texts.restype = _NUMBER
        last = count(self.handle)
        if last == first:
            return []
        between = (self.handle, _NUMBER(first), _NUMBER(last))
        room = ctypes.create_string_buffer(texts(*between, None))
        texts(*between, room)
        return room.raw[:-1].decode().split("\n")


def _place(array: NDArray[Any]) -> ctypes.c_void_p:
    return _PLACE(array.ctypes.data)
