"""Keys of mentions, sorted and merged: by loops in C that go over them once, or by sorting them."""

from __future__ import annotations

import ctypes
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from coleval.native.library import library

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from coleval.loading.readers.model import MentionFile

    Numbers = NDArray[np.int64]


def keys_and_chains(
    file: MentionFile, home: Numbers, offset: Numbers, bits: int
) -> tuple[Numbers, Numbers] | None:
    """Return keys that rise, and chains numbered from 1 within their documents.

    ``home`` is the place in gold of each document of the file, ``offset`` the first unit of each of
    gold's. None where a mention is given twice or the loops are not there, or of no use.
    """
    loops = library()
    if loops is None or not len(file):
        return None
    key, chain = np.empty(len(file), np.int64), np.empty(len(file), np.int64)
    ends = [np.ascontiguousarray(x, np.int32) for x in (file.document, file.start, file.end)]
    of = np.ascontiguousarray(file.chain, np.int64)
    done = loops.coleval_mention_keys(
        *map(_pointer, (*ends, of)), _size(len(file)), _pointer(home), _pointer(offset),
        _size(len(offset)), _size(bits), _size(int(of.max()) + 1), _pointer(key), _pointer(chain),
    )  # fmt: skip
    return (key, chain) if done else None


def single_units(file: MentionFile) -> Numbers:
    """Return the units that are a mention of one, rising, as the file counts them."""
    loops = library()
    begin = np.cumsum(file.units) - file.units
    if loops is None:
        at = np.flatnonzero(file.start == file.end)
        return np.sort(begin[file.document[at]] + file.start[at])
    unit = np.empty(len(file) + 1, np.int64)
    ends = [np.ascontiguousarray(x, np.int32) for x in (file.document, file.start, file.end)]
    loops.coleval_single_units.restype = ctypes.c_int64
    places = map(_pointer, ends)
    found = loops.coleval_single_units(*places, _size(len(file)), _pointer(begin), _pointer(unit))
    some = unit[:found]
    return some if (some[1:] >= some[:-1]).all() else np.sort(some)


def union(keys: Sequence[Numbers]) -> Numbers:
    """Return the distinct keys of several that rise."""
    loops = library()
    if loops is not None:
        return reduce(_merged, keys)
    every = np.sort(np.concatenate(keys), kind="stable")
    fresh = np.ones(len(every), np.bool_)
    np.not_equal(every[1:], every[:-1], out=fresh[1:])
    return every[fresh]


def _merged(one: Numbers, other: Numbers) -> Numbers:
    loops = library()
    assert loops is not None  # noqa: S101  - the caller has looked
    loops.coleval_union.restype = ctypes.c_int64
    every = np.empty(len(one) + len(other), np.int64)
    sides = (_pointer(one), _size(len(one)), _pointer(other), _size(len(other)))
    return every[: loops.coleval_union(*sides, _pointer(every))]


def rows_of(every: Numbers, some: Numbers) -> NDArray[np.intp]:
    """Return the places of rising keys among all of them, which rise too.

    Both are sorted together, which is faster than looking up as many.
    """
    loops = library()
    if loops is not None:
        place = np.empty(len(some), np.int64)
        loops.coleval_places(_pointer(every), _pointer(some), _size(len(some)), _pointer(place))
        return place
    both = np.sort(np.concatenate([every << 1, some << 1 | 1]))
    asked = np.flatnonzero(both & 1)
    return asked - np.arange(1, len(asked) + 1)


class KeysApart(NamedTuple):
    """Where mentions are: document, first unit and the one behind the last, how many units.

    ``first`` is the number of the first unit in the corpus.
    """

    document: NDArray[np.uint32]
    start: NDArray[np.uint32]
    end: NDArray[np.uint32]
    words: NDArray[np.uint32]
    first: Numbers


def keys_apart(key: Numbers, offset: Numbers, bits: int) -> KeysApart:
    """Return what rising keys say; ``offset`` is the first unit of each document."""
    loops = library()
    if loops is None:
        return _apart(key, offset, bits)
    document, start, end, words = np.empty((4, len(key)), np.uint32)
    found = KeysApart(document, start, end, words, np.empty(len(key), np.int64))
    loops.coleval_keys_apart(
        _pointer(key), _size(len(key)), _size(bits), _pointer(offset), _size(len(offset)),
        *map(_pointer, found),
    )  # fmt: skip
    return found


class SingleKeys(NamedTuple):
    """The document of each mention, which mentions have one unit, and what that is."""

    document: NDArray[np.uint32]
    rows: Numbers
    units: Numbers


def single_keys(key: Numbers, offset: Numbers, bits: int) -> SingleKeys:
    """Return the documents of rising keys, and those of one unit."""
    loops = library()
    if loops is None:
        apart = _apart(key, offset, bits)
        rows = np.flatnonzero(apart.words == 1)
        return SingleKeys(apart.document, rows, apart.first[rows])
    document = np.empty(len(key), np.uint32)
    rows, units = (np.empty(len(key) + 1, np.int64) for _ in range(2))
    loops.coleval_single_keys.restype = ctypes.c_int64
    found = loops.coleval_single_keys(
        _pointer(key), _size(len(key)), _size(bits), _pointer(offset), _size(len(offset)),
        *map(_pointer, (document, rows, units)),
    )  # fmt: skip
    return SingleKeys(document, rows[:found], units[:found])


def _apart(key: Numbers, offset: Numbers, bits: int) -> KeysApart:
    first, words = key >> bits, key & ((1 << bits) - 1)
    # Keys rise: there are fewer documents to look up than mentions.
    begins = np.searchsorted(first, offset)
    document = np.repeat(np.arange(len(begins)), np.diff(begins, append=len(key)))
    start = first - offset[document]
    home, low, high, size = (
        array.astype(np.uint32) for array in (document, start, start + words, words)
    )
    return KeysApart(home, low, high, size, first)


def _pointer(array: Any) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _size(value: int) -> ctypes.c_int64:
    return ctypes.c_int64(value)
