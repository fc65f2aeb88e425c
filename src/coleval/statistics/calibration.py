"""How well confidences say what is right: calibration error, Brier score, risk by coverage.

``confidence`` is between 0 and 1, ``right`` is 1 or 0, one of each for an answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.statistics.measure import Floats

BINS = 10


def bin_of(confidence: Floats, bins: int = BINS) -> NDArray[np.intp]:
    """Return the bin of each confidence: of equal width, open below but for the first."""
    edges = np.arange(1, bins) / bins
    return np.searchsorted(edges, confidence, side="left")


def calibration_error(confidence: Floats, right: Floats, bins: int = BINS) -> float:
    """Return the expected calibration error (Guo et al. 2017): |accuracy - confidence| by bin."""
    place = bin_of(confidence, bins)
    gap = np.bincount(place, weights=right - confidence, minlength=bins)
    return float(np.abs(gap).sum() / len(right))


def brier(confidence: Floats, right: Floats) -> float:
    """Return the mean squared difference of confidence and right (Brier 1950)."""
    return float(((confidence - right) ** 2).mean())


def risks(confidence: Floats, right: Floats) -> Floats:
    """Return the share of wrong answers among the k most confident ones, k from 1 to all.

    Answers of one confidence are wrong as often as they are on the average, in whatever order.
    """
    distinct, group = np.unique(-confidence, return_inverse=True)
    size = np.bincount(group, minlength=len(distinct))
    wrong = np.bincount(group, weights=1 - right, minlength=len(distinct))
    each = np.repeat(wrong / size, size)
    found: Floats = np.cumsum(each) / np.arange(1, len(each) + 1)
    return found
