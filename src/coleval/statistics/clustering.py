"""Clusters against classes by what each says of the other: homogeneity, completeness, V, NMI."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.statistics.ratio import ratio_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


# What is left of no information by rounding.
_ROUNDED = 1e-12


@dataclass(frozen=True, slots=True)
class Clustered:
    """Homogeneity, completeness, their harmonic mean, and normalised mutual information."""

    homogeneity: float | None = None
    completeness: float | None = None
    v_measure: float | None = None
    nmi: float | None = None


def clustered(cells: NDArray[np.int64]) -> Clustered:
    """Return how clusters (rows) and classes (columns) go together, nothing for no items.

    A single class is homogeneous and a single cluster complete (Rosenberg & Hirschberg 2007). NMI
    is divided by the mean of the two entropies (Manning et al. 2008, ch. 16), undefined if both
    are 0; else it is the V-measure.
    """
    n = int(cells.sum())
    if not n:
        return Clustered()
    clusters, classes = cells.sum(axis=1) / n, cells.sum(axis=0) / n
    own, gold = _entropy(clusters), _entropy(classes)
    shared = own + gold - _entropy(cells.ravel() / n)
    shared = shared if shared > _ROUNDED else 0.0
    homogeneity = min(1.0, ratio_of(shared, gold, 1.0))
    completeness = min(1.0, ratio_of(shared, own, 1.0))
    v = ratio_of(2 * homogeneity * completeness, homogeneity + completeness, 0.0)
    nmi = ratio_of(2 * shared, own + gold)
    return Clustered(homogeneity, completeness, v, None if nmi is None else min(1.0, nmi))


def _entropy(shares: NDArray[np.float64]) -> float:
    """Return the entropy of shares that add up to 1, 0 of one share alone."""
    some = shares[shares > 0]
    return float(-(some * np.log2(some)).sum()) if len(some) > 1 else 0.0
