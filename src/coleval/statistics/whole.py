"""Numbers as whole multiples of a small part, so that sums of them are exact, as those of counts.

What is drawn, exchanged and added up is whole numbers everywhere (``resampling``); scores that are
numbers become such here, and are nothing else from then on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coleval.statistics.draws import HEAVIEST
from coleval.statistics.measure import Ratio

if TYPE_CHECKING:
    from coleval.statistics.measure import Counts, Floats

# Up to here floats hold every whole number, so that their sums are exact.
_EXACT = 2**53
_DECIMALS = 6
# A float is so near to the decimal number that it stands for, in parts of itself.
_NEAR = 2.0**-51


def whole_numbers(values: Floats) -> tuple[Counts, int]:
    """Return numbers, 0 for NaN, as multiples of 1 / scale, and the scale.

    Numbers of few decimals are exact; others are to some ten digits, as far as weighted sums of all
    of them are still exact.
    """
    known = np.nan_to_num(values, nan=0.0)
    most = max(1.0, float(np.abs(known).max(initial=0.0)))
    room = _EXACT / HEAVIEST / most / max(1, values.shape[-1])
    for scale in (10**digits for digits in range(_DECIMALS + 1)):
        large = known * scale
        if scale <= room and (np.abs(large - np.rint(large)) <= np.abs(large) * _NEAR).all():
            return np.rint(large).astype(np.int64), scale
    scale = 2 ** max(0, int(np.log2(max(room, 1.0))))
    return np.rint(known * scale).astype(np.int64), scale


def mean_ratio(values: Floats, unit: Counts, units: int) -> Ratio:
    """Return the mean of numbers, a row a system, as a ratio of sums by ``unit``; NaN is in none.

    Where all systems have all numbers one row says how many there are.
    """
    above, scale = whole_numbers(values)
    there = ~np.isnan(values)
    if there.all():
        there = there[:1]
    return Ratio(_by_unit(above, unit, units), _by_unit(there, unit, units) * scale)


def _by_unit(rows: Counts, unit: Counts, units: int) -> Counts:
    """Return sums of rows by unit: whole numbers, which floats add up exactly."""
    sums = [np.bincount(unit, weights=row, minlength=units) for row in rows]
    return np.stack(sums).astype(np.int64) if sums else np.zeros((0, units), np.int64)
