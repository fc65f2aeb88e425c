"""Keys of mentions: where each is in the corpus, as one number that rises with the text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from coleval.loading.readers.model import MentionFile

    Numbers = NDArray[np.int64]


def single_units(file: MentionFile) -> Numbers:
    """Return the units that are a mention of one, rising, as the file counts them."""
    begin = np.cumsum(file.units) - file.units
    at = np.flatnonzero(file.start == file.end)
    return np.sort(begin[file.document[at]] + file.start[at])


def union(keys: Sequence[Numbers]) -> Numbers:
    """Return the distinct keys of several that rise."""
    every = np.sort(np.concatenate(keys), kind="stable")
    fresh = np.ones(len(every), np.bool_)
    np.not_equal(every[1:], every[:-1], out=fresh[1:])
    return every[fresh]


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
    first, words = key >> bits, key & ((1 << bits) - 1)
    # Keys rise: there are fewer documents to look up than mentions.
    begins = np.searchsorted(first, offset)
    document = np.repeat(np.arange(len(begins)), np.diff(begins, append=len(key)))
    start = first - offset[document]
    home, low, high, size = (
        array.astype(np.uint32) for array in (document, start, start + words, words)
    )
    return KeysApart(home, low, high, size, first)


class SingleKeys(NamedTuple):
    """The document of each mention, which mentions have one unit, and what that is."""

    document: NDArray[np.uint32]
    rows: Numbers
    units: Numbers


def single_keys(key: Numbers, offset: Numbers, bits: int) -> SingleKeys:
    """Return the documents of rising keys, and those of one unit."""
    apart = keys_apart(key, offset, bits)
    rows = np.flatnonzero(apart.words == 1)
    return SingleKeys(apart.document, rows, apart.first[rows])
