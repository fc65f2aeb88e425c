"""Means of systems that answered different items, adjusted for how hard those are.

A number is taken as the sum of a system's and an item's share (two-way layout without
interaction), fitted by least squares over the cells that are there. The adjusted mean of a system
is what it would have on the average of all items; it is the plain mean where no cell is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coleval.statistics.draws import BLOCK, poisson, streams

if TYPE_CHECKING:
    from coleval.statistics.draws import Words
    from coleval.statistics.measure import Floats

# Items at a time: each has a matrix of systems.
_ITEMS = 2048
# What is left of 0 by rounding.
_ROUNDING = 1e-12


def adjusted_means(rows: Floats) -> Floats:
    """Return the adjusted mean of each system, a row each; cells may be NaN."""
    return _weighted(rows, np.ones((rows.shape[1], 1)))[:, 0]


def drawn_means(rows: Floats, key: Words, seed: int, replicates: int) -> Floats:
    """Return the adjusted means in bootstrap replicates of items, a column a replicate."""
    start = streams(key, seed, purpose=0)
    blocks = range(-(-replicates // BLOCK))
    parts = [_weighted(rows, poisson(start, block).astype(np.float64)) for block in blocks]
    return np.concatenate(parts, axis=1)[:, :replicates]


def _weighted(rows: Floats, weights: Floats) -> Floats:
    """Return the adjusted means where items weigh so much, a column a set of weights.

    An item's own share is eliminated: within an item only differences from its mean count.
    """
    systems, columns = len(rows), weights.shape[1]
    left, right = np.zeros((columns, systems, systems)), np.zeros((columns, systems))
    mean, share, n = np.zeros(columns), np.zeros((columns, systems)), np.zeros(columns)
    at = np.arange(systems)
    for low in range(0, rows.shape[1], _ITEMS):
        part, w = rows[:, low : low + _ITEMS], weights[low : low + _ITEMS]
        there = (~np.isnan(part)).astype(np.float64)
        size = np.maximum(there.sum(axis=0), 1)
        of_item = np.nan_to_num(part).sum(axis=0) / size
        apart = np.where(there > 0, np.nan_to_num(part) - of_item, 0.0)
        own = -there[:, None, :] * there[None, :, :] / size
        own[at, at] += there
        left += (own.reshape(systems * systems, -1) @ w).T.reshape(columns, systems, systems)
        right += (apart @ w).T
        mean += of_item @ w
        share += ((there / size) @ w).T
        n += there.any(axis=0) @ w
    found = (np.linalg.pinv(left, hermitian=True) @ right[:, :, None])[:, :, 0]
    n = np.where(n > 0, n, np.nan)
    whole = (mean - (share * found).sum(axis=1)) / n
    # A system without any number has none here either.
    known = np.diagonal(left, axis1=1, axis2=2) > 0
    adjusted: Floats = np.where(known | (share > 0), found + whole[:, None], np.nan).T
    return np.where(np.abs(adjusted) < _ROUNDING, 0.0, adjusted)
