"""How far apart the vectors of two items are: what representational similarity correlates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.statistics.measure import Floats

    Places = NDArray[np.intp]

DISTANCES = ("cosine", "correlation", "euclidean")
# Numbers of vectors in memory at a time.
_LARGEST = 1 << 21
# Equal vectors have a distance of 0, and equal distances are ties, but for the last digits.
_DIGITS = 12


def distances(vectors: Floats, first: Places, second: Places, how: str) -> Floats:
    """Return the distance of two vectors, a row each, for every pair of places.

    ``cosine`` is 1 - cos, ``correlation`` 1 - Pearson's r of the two, ``euclidean`` the length of
    their difference. NaN where it is undefined: a vector of zeros has no direction, a constant
    one no correlation.
    """
    ready = vectors if how == "euclidean" else _directions(vectors, how)
    found = np.empty(len(first))
    step = max(1, _LARGEST // max(1, vectors.shape[1]))
    for low in range(0, len(first), step):
        part = slice(low, low + step)
        a, b = ready[first[part]], ready[second[part]]
        found[part] = _lengths(a - b) if how == "euclidean" else 1 - (a * b).sum(axis=1)
    return np.round(found, _DIGITS)


def _directions(vectors: Floats, how: str) -> Floats:
    """Return vectors of length 1, NaN for those that have no direction."""
    if how == "correlation":
        vectors = vectors - vectors.mean(axis=1, keepdims=True)
    length = _lengths(vectors)[:, None]
    flat = length <= 1e-12 * np.maximum(1.0, np.abs(vectors).max(axis=1, initial=0)[:, None])
    return vectors / np.where(flat, np.nan, length)


def _lengths(vectors: Floats) -> Floats:
    return np.sqrt((vectors * vectors).sum(axis=1))
