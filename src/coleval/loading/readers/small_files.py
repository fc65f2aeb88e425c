"""Very many small files read as one text by a loop in C, where it is there and they are plain.

In Python to open and read a file takes five times as long as the system needs for it, and one
thread waits for the other.
"""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from coleval.late_classes import dataclass
from coleval.loading.readers.filling import new_bytes
from coleval.loading.readers.source import names_utf8
from coleval.native.library import library

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from coleval.loading.readers.source import Source

# What ``small_files.c`` says of each file: its state first, as ``os.stat_result`` has it.
_STATE, _NANOSECONDS, _LENGTH, _ENDS, _FIRST = 10, 10, 11, 12, slice(13, 15)
_FIELDS = 15
_NO_ROOM = -2


@dataclass(frozen=True, slots=True)
class SmallFiles:
    """The text of some files, a blank line between them; of each how long it is, and its lines.

    ``first_lines`` are their distinct first lines that are neither blank nor marks of documents.
    """

    text: bytes
    lengths: list[int]
    line_ends: list[int]
    first_lines: set[bytes]


def read_small_files(files: Sequence[Source]) -> SmallFiles | None:
    """Return files as one text and keep their states, None where anything about one is odd."""
    loops = library()
    if not hasattr(loops, "coleval_small_files_read") or not all(map(_unread, files)):
        return None
    paths = [os.fsencode(file.path) for file in files]
    if any(b"\0" in path for path in paths):
        return None
    about = np.empty((len(files), _FIELDS), np.int64)
    text = _text(loops, b"\0".join(paths), about)
    if text is None:
        return None
    for file, state in zip(files, about[:, : _NANOSECONDS + 1].tolist(), strict=True):
        precise = {"st_mtime_ns": state[8] * 1_000_000_000 + state[_NANOSECONDS]}
        file.__dict__["state"] = os.stat_result(state[:_STATE], precise)
    lengths = about[:, _LENGTH].tolist()
    begins = np.cumsum([0, *lengths[:-1]]) + np.arange(len(files))
    spans = (about[:, _FIRST] + begins[:, None]).tolist()
    first_lines = {text[low:high] for low, high in spans}
    return SmallFiles(text, lengths, about[:, _ENDS].tolist(), first_lines)


def _unread(file: Source) -> bool:
    return "raw" not in file.__dict__ and file.frame is None and names_utf8(file.encoding)


def _text(loops: Any, paths: bytes, about: NDArray[np.int64]) -> bytes | None:
    number = ctypes.c_int64
    size, read = loops.coleval_small_files_size, loops.coleval_small_files_read
    size.restype = read.restype = number
    files = number(len(about))
    sizes = size(paths, files)
    # Just enough where each file ends with one line end; else there are more or fewer bytes.
    for room in (sizes + len(about) - 1, sizes + 2 * len(about)):
        if room <= 0:
            return None
        # A new object that nobody else has seen may be filled in place: a copy takes as long.
        text, place = new_bytes(room)
        about_them = ctypes.c_void_p(about.ctypes.data)
        # Behind the bytes of an object there is one more.
        filled = read(paths, files, ctypes.c_void_p(place), number(room + 1), about_them)
        if filled != _NO_ROOM and filled <= room:
            break
    if filled < 0 or filled > room:
        return None
    return text if filled == room else text[:filled]
