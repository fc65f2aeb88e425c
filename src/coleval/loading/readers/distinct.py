"""Which numbers there are among many, by a table of places: no sort, no inverse permutation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Keys = NDArray[np.uint64]

# Fewer keys than this are sorted.
_FEW = 1 << 12
# Odd factors that spread keys over the table; a key that meets another there takes the next one.
_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)


def distinct_numbers(keys: Keys) -> tuple[Keys, NDArray[np.int32]]:
    """Return the distinct keys, in no order, and the place of each key among them."""
    place = np.empty(len(keys), np.int32)
    known: list[Keys] = []
    rows, count = np.arange(len(keys), dtype=np.int32), 0
    for factor in _FACTORS:
        if len(rows) < _FEW:
            break
        slot, table, met = _tabled(keys[rows] if count else keys, np.uint64(factor))
        used = np.zeros(len(table), np.bool_)
        used[slot] = True
        place[rows if count else ...] = (np.cumsum(used, dtype=np.int32) + (count - 1))[slot]
        known.append(table[used])
        count += len(known[-1])
        rows = rows[~met]
    rest, number = np.unique(keys[rows], return_inverse=True)
    place[rows] = number + count
    return np.concatenate([*known, rest]), place


def _tabled(keys: Keys, factor: np.uint64) -> tuple[NDArray[np.int64], Keys, NDArray[np.bool_]]:
    """Return the slot of each key in a table, the table, and which keys it has."""
    bits = max(int(len(keys) - 1).bit_length() - 2, 12)
    slot = ((keys * factor) >> np.uint64(64 - bits)).astype(np.int64)
    table = np.zeros(1 << bits, np.uint64)
    table[slot] = keys
    return slot, table, table[slot] == keys
