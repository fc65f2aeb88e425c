"""Tests of the gap between the best and the worst bucket.

The two are chosen because they are the best and the worst, so that a test of these two would find
too much. Here all buckets are dealt out again, their sizes kept: the gap of every new deal is that
of its own best and worst bucket. What is dealt are units that share their bucket (a sentence, a
string), not items: items of one unit are right and wrong together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.statistics.measure import Floats

    Counts = NDArray[np.int64]

_TIE = 1e-12


@dataclass(frozen=True, slots=True)
class DealtUnits:
    """The bucket of each unit, its items, and how many of them each system has right (rows)."""

    bucket: NDArray[np.intp]
    items: Counts
    right: Counts

    def shares(self) -> Floats:
        """Return the share right of each system (rows) in each bucket that is not empty."""
        return _shares(self, np.argsort(self.bucket, kind="stable"))

    def gaps(self) -> Floats:
        """Return each system's share in its best bucket less that in its worst."""
        return _gaps(self.shares())


def gap_p(units: DealtUnits, replicates: int, seed: int) -> Floats:
    """Return p of each system's gap: (c + 1) / (R + 1), c being deals with as large a gap."""
    rng = np.random.default_rng(seed)
    seen, found = units.gaps(), np.zeros(len(units.right), np.int64)
    for _ in range(replicates):
        dealt = _gaps(_shares(units, rng.permutation(len(units.bucket))))
        found += dealt >= seen - _TIE
    return (found + 1) / (replicates + 1)


def _shares(units: DealtUnits, order: NDArray[np.intp]) -> Floats:
    """Return shares where the first units of an order are in the first bucket, and so on."""
    size = np.bincount(units.bucket)
    size = size[size > 0]
    start = np.cumsum(size) - size
    right = np.add.reduceat(units.right[:, order], start, axis=1)
    items = np.add.reduceat(units.items[order], start)
    found: Floats = right / items
    return found


def _gaps(shares: Floats) -> Floats:
    found: Floats = shares.max(axis=1) - shares.min(axis=1)
    return found
