"""Many tests at once: p values adjusted for how many there are. NaN is no test and stays NaN."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from coleval.statistics.measure import Floats

CORRECTIONS = ("holm", "bh", "none")


def adjusted(p: Floats, how: str) -> Floats:
    """Return p values by Holm (1979), Benjamini & Hochberg (1995), or as they are."""
    out = p.copy()
    known = np.flatnonzero(~np.isnan(p))
    if how == "none" or not len(known):
        return out
    order = known[np.argsort(p[known], kind="stable")]
    out[order] = (_holm if how == "holm" else _benjamini_hochberg)(p[order])
    return out


def _holm(p: Floats) -> Floats:
    scaled = p * np.arange(len(p), 0, -1)
    return np.minimum(np.maximum.accumulate(scaled), 1.0)


def _benjamini_hochberg(p: Floats) -> Floats:
    # The factor first: it is 1 or more, so that no p becomes smaller by a rounding.
    scaled = p * (len(p) / np.arange(1, len(p) + 1))
    return np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
