"""Very many small files read as one text by a loop in C, where it is there and they are plain.

In Python to open and read a file takes five times as long as the system needs for it, and one
thread waits for the other.
"""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from coleval.loading.readers.filling import new_bytes
from coleval.loading.readers.source import names_utf8
from coleval.native.library import library

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from coleval.loading.readers.source import Source

# What ``small_files.c`` says of each file: its state first, as ``os.stat_result`` has it.
_STATE, _SECONDS = 10, slice(7, 10)
_NANOSECONDS, _LENGTH, _ENDS, _FIRST = 10, 11, 12, slice(13, 15)
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
    if not hasattr(loops, "coleval_small_files_read") or not _all_unread(files):
        return None
    paths = "\0".join([file.path for file in files])
    if paths.count("\0") != len(files) - 1:
        return None
    about = np.empty((len(files), _FIELDS), np.int64)
    text = _text(loops, os.fsencode(paths), about)
    if text is None:
        return None
    for file, state in zip(files, map(os.stat_result, _states(about)), strict=True):
        file.__dict__["state"] = state
    lengths = about[:, _LENGTH].tolist()
    begins = np.cumsum([0, *lengths[:-1]]) + np.arange(len(files))
    spans = (about[:, _FIRST] + begins[:, None]).tolist()
    first_lines = {text[low:high] for low, high in spans}
    return SmallFiles(text, lengths, about[:, _ENDS].tolist(), first_lines)


def _all_unread(files: Sequence[Source]) -> bool:
    if not all(map(names_utf8, {file.encoding for file in files})):
        return False
    return not any("raw" in file.__dict__ or file.frame is not None for file in files)


def _states(about: NDArray[np.int64]) -> list[list[int]]:
    """Return the fields of ``os.stat_result``, ten and then times in seconds and nanoseconds."""
    fields = np.zeros((len(about), _STATE + 6), np.int64)
    fields[:, :_STATE] = about[:, :_STATE]
    fields[:, _STATE : _STATE + 3] = about[:, _SECONDS]
    fields[:, _STATE + 3 :] = about[:, _SECONDS] * 1_000_000_000
    fields[:, _STATE + 4] += about[:, _NANOSECONDS]
    found: list[list[int]] = fields.tolist()
    return found


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
