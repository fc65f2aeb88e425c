"""Ranks and how sure they are: over replicates, and by which differences are real."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coleval.statistics.resampling import TIE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.statistics.measure import Floats


def ranks(values: Floats) -> NDArray[np.integer]:
    """Return 1 + how many systems are better, by column; equal values share a rank."""
    known = np.where(np.isnan(values), -np.inf, values)
    columns, found = np.sort(known, axis=0).T.copy(), np.empty(known.T.shape, np.intp)
    for at, (ordered, own) in enumerate(zip(columns, known.T + TIE, strict=True)):
        found[at] = 1 + len(own) - np.searchsorted(ordered, own, side="right")
    return found.T


def rank_interval(values: Floats, alpha: float) -> Floats:
    """Return the lowest and the highest rank of each system in the middle of its replicates.

    Replicates in which the system has no score are left out; NaN if it has none in any.
    """
    there = ~np.isnan(values)
    # Where there is no score, a rank behind all others sorts the replicate out of the way.
    found = ranks(values)
    placed = np.sort(np.where(there, found, found.dtype.type(len(values) + 1)), axis=1)
    last = there.sum(axis=1) - 1
    cut = np.rint(alpha / 2 * np.maximum(last, 0)).astype(np.intp)
    ends = np.stack([cut, np.maximum(last - cut, 0)], axis=1)
    low_high = np.take_along_axis(placed, ends, axis=1).astype(np.float64)
    return np.where(last[:, None] < 0, np.nan, low_high)


def share_best(values: Floats) -> Floats:
    """Return in what share of the replicates each system is best; several best ones share it."""
    unknown = np.isnan(values)
    there = values[:, ~unknown.all(axis=0)]
    if not there.shape[1]:
        return np.full(len(values), np.nan)
    best = there >= (np.nanmax if unknown.any() else np.max)(there, axis=0) - TIE
    return (best / best.sum(axis=0)).mean(axis=1)


def tie_groups(better: NDArray[np.bool_]) -> list[int]:
    """Return the group of each system, best first: all of a group beat all of those behind it.

    ``better[i, j]`` says that i, which stands before j, is really better (WMT's clusters).
    """
    groups, group = [], 1
    for at in range(len(better)):
        if at and better[:at, at:].all():
            group += 1
        groups.append(group)
    return groups
