"""Pairs of spans that share tokens, out of two lists: as many steps as there are such pairs.

Of two spans that overlap one begins in the other, so that each pair is found by a place in the
sorted beginnings of one list or of the other, however many spans a sentence has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.errors import DataError

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

# More pairs than so many a span, on the average, are not listed: a thousand spans in each other
# are a million pairs, and those of a hundred thousand are more than any memory holds.
_DEEP, _MANY = 64, 1 << 17


@dataclass(frozen=True, slots=True)
class SpanReaches:
    """Where spans begin and end: the sentence, and the places in it."""

    sentence: Numbers
    start: Numbers
    end: Numbers

    @staticmethod
    def of(frame: pl.DataFrame, rows: NDArray[np.integer] | None = None) -> SpanReaches:
        """Return the extents of a frame with these columns, or of some of its rows."""
        columns = (frame[name].to_numpy() for name in ("sentence", "start", "end"))
        chosen = (column if rows is None else column[rows] for column in columns)
        return SpanReaches(*(column.astype(np.int64) for column in chosen))


def overlapping_pairs(one: SpanReaches, other: SpanReaches) -> tuple[Numbers, Numbers]:
    """Return the numbers of spans of both lists that share tokens of one sentence, in no order."""
    size = int(max(one.end.max(initial=0), other.end.max(initial=0))) + 1
    a, b = _begun_inside(one, other, size, "left")
    # Those that begin together were found already.
    d, c = _begun_inside(other, one, size, "right")
    a, b = np.concatenate([a, c]), np.concatenate([b, d])
    shared = (one.start[a] < other.end[b]) & (other.start[b] < one.end[a])
    return (a, b) if shared.all() else (a[shared], b[shared])


def _begun_inside(
    outer: SpanReaches, inner: SpanReaches, size: int, side: str
) -> tuple[Numbers, Numbers]:
    """Return the pairs of which the inner one begins in the outer; ``right``: behind its start."""
    begun = inner.sentence * size + inner.start
    order = np.argsort(begun, kind="stable")
    begun = begun[order]
    base = outer.sentence * size
    low = np.searchsorted(begun, base + outer.start, side=side)  # type: ignore[call-overload]
    high = np.maximum(np.searchsorted(begun, base + outer.end), low)
    n = high - low
    if n.sum() > _DEEP * max(_MANY, len(low) + len(begun)):
        raise DataError(
            f"{len(low):,} spans overlap {len(begun):,} others {n.sum():,} times: too often to "
            "look at each pair",
            remedy="leave out the longest spans; `score` and `bins` need no pairs",
        )
    owner = np.repeat(np.arange(len(low)), n)
    place = np.arange(len(owner)) - np.repeat(np.cumsum(n) - n, n) + low[owner]
    return owner, order[place]
