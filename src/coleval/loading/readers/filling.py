"""Bytes filled where they are, in large pages where the system has some: new memory is dear.

To read 160 MB into memory that comes in pages of 4 KB takes 75 ms, of which 50 are for the pages.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from typing import Any

# As `mman.h` of Linux has it; pages of 2 MB on most machines.
_HUGE, _PAGE = 14, 1 << 21
# So much is read at a time, between which an interruption is noticed.
_PIECE = 1 << 26
# Makes bytes that are still to be written, which Python itself cannot.
_NEW = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_char_p, ctypes.c_ssize_t)(
    ("PyBytes_FromStringAndSize", ctypes.pythonapi)
)
# Where the bytes of an object begin; behind them there is one more.
_HEAD = bytes.__basicsize__ - 1


def new_bytes(size: int) -> tuple[bytes, int]:
    """Return bytes that nobody else has seen, and where they are to be filled."""
    made: bytes = _NEW(None, size)
    place = id(made) + _HEAD
    _in_large_pages(place, size)
    return made, place


def bytes_of(number: int, size: int) -> bytes:
    """Return so many bytes of an open file, fewer if it has no more."""
    made, place = new_bytes(size)
    room = memoryview((ctypes.c_char * size).from_address(place)).cast("B")
    at = 0
    while at < size and (more := os.readv(number, [room[at : at + _PIECE]])):
        at += more
    return made if at == size else made[:at]


def _in_large_pages(place: int, size: int) -> None:
    advise = _advise()
    low, high = -(-place // _PAGE) * _PAGE, (place + size) // _PAGE * _PAGE
    if advise is not None and high > low:
        advise(ctypes.c_void_p(low), ctypes.c_size_t(high - low), _HUGE)


@cache
def _advise() -> Any:
    """Return the C library's way to say how memory is used, None where there is none."""
    return getattr(ctypes.CDLL(None), "madvise", None) if sys.platform == "linux" else None
