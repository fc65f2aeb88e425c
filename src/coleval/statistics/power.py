"""What a test can find: the smallest difference it would see, and how many units another needs."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from coleval.statistics.ratio import ratio_array
from coleval.statistics.resampling import TIE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.statistics.measure import Floats

POWER = 0.8


def detectable(error: Floats, alpha: float) -> Floats:
    """Return the difference that is found four times out of five, given its standard error."""
    return (_z(1 - alpha / 2) + _z(POWER)) * error


def detectable_by_mcnemar(discordant: NDArray[np.integer], items: int, alpha: float) -> Floats:
    """Return the same for McNemar's test, which takes items as independent (Connor 1987)."""
    share = ratio_array(discordant, np.array(items))
    a, b, n = _z(1 - alpha / 2), _z(POWER), items or 1
    # (a √ψ + b √(ψ - δ²))² = n δ², solved for δ.
    root = np.sqrt(share)
    top = a * root * np.sqrt(n) + b * np.sqrt(np.maximum(share * (n + b * b - a * a), 0.0))
    return np.minimum(top / (n + b * b), share)


def units_needed(units: int, delta: Floats, found: Floats) -> Floats:
    """Return how many units like these the difference seen would need, NaN where there is none."""
    # What is equal but for the last digits would need more units than there are numbers for.
    size = np.abs(delta)
    ratio = ratio_array(found, size, least=TIE)
    return np.ceil(units * ratio**2)


def _z(share: float) -> float:
    return NormalDist().inv_cdf(share)
