"""Would another half of the data put systems in the same order? Random halves of sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.statistics.draws import streams, words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.statistics.measure import Floats

SPLITS = 200
# More units than this are put together at random: halves of so many blocks are as even.
BLOCKS = 20_000
_PURPOSE = 11


@dataclass(frozen=True, slots=True)
class Stability:
    """Mean and standard deviation of rank correlations, over so many that are defined."""

    mean: float | None
    sd: float | None
    n: int


def block_of(keys: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Return the block of each unit: its own, or of very many units one that its key draws."""
    if len(keys) <= BLOCKS:
        return np.arange(len(keys))
    return (keys % np.uint64(BLOCKS)).astype(np.intp)


def split_half(
    right: NDArray[np.integer], keys: NDArray[np.uint64], seed: int, splits: int = SPLITS
) -> Stability:
    """Return how alike both halves of the units order the systems, a row of ``right`` each.

    ``right`` counts what a system has right in each unit; which half a unit is in depends on the
    seed and its key alone. Spearman's correlation of the totals; undefined where a half ties all.
    """
    systems, units = right.shape
    if systems < 2 or units < 2:
        return Stability(None, None, 0)
    drawn = words(streams(keys, seed, _PURPOSE), 0, splits)
    first = np.argpartition(drawn, units // 2, axis=0)[: units // 2]
    inside = np.zeros((units, splits))
    np.put_along_axis(inside, first, values=1.0, axis=0)
    half = (right.astype(np.float64) @ inside).T
    found = spearman_rows(half, right.sum(axis=1, dtype=np.int64) - half)
    known = found[~np.isnan(found)]
    if not len(known):
        return Stability(None, None, 0)
    sd = float(known.std(ddof=1)) if len(known) > 1 else None
    return Stability(float(known.mean()), sd, len(known))


def spearman_rows(x: Floats, y: Floats) -> Floats:
    """Return Spearman's correlation of each row of x and of y, NaN where either is constant."""
    a, b = _centred_ranks(x), _centred_ranks(y)
    spread = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    out = np.full(len(a), np.nan)
    there = spread > 0
    out[there] = (a * b).sum(axis=1)[there] / spread[there]
    return np.clip(out, -1.0, 1.0)


def _centred_ranks(values: Floats) -> Floats:
    """Return ranks about their mean, twice: how many are lower less how many are higher."""
    ranks = np.empty(values.shape)
    for rank, row in zip(ranks, values, strict=True):
        ordered = np.sort(row)
        lower = np.searchsorted(ordered, row, side="left")
        rank[:] = lower + np.searchsorted(ordered, row, side="right") - len(row)
    return ranks
