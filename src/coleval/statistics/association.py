"""How far a count departs from what its row and its column alone make one expect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coleval.statistics.ratio import ratio_array

if TYPE_CHECKING:
    from coleval.statistics.measure import Floats

# What is left of a spread of 0 by rounding.
_ROUNDED = 1e-12


def expected(row: Floats, column: Floats, whole: Floats) -> Floats:
    """Return what is expected in cells of these totals if rows and columns do not depend."""
    return ratio_array(row * column, whole)


def residual(n: Floats, row: Floats, column: Floats, whole: Floats) -> Floats:
    """Return adjusted standardised residuals (Haberman 1973), NaN where nothing can vary."""
    awaited = expected(row, column, whole)
    spread = awaited * (1 - ratio_array(row, whole)) * (1 - ratio_array(column, whole))
    return ratio_array(n - awaited, np.sqrt(np.maximum(spread, 0)), least=_ROUNDED)


def slice_z(total: Floats, n: Floats, mean: float, variance: float, whole: int) -> Floats:
    """Return how far the mean of a slice is from that of all, in standard errors of such a slice.

    A slice is drawn without return from all items, hence the factor 1 - n / whole.
    """
    spread = np.sqrt(np.maximum(variance / np.maximum(n, 1) * (1 - n / max(whole, 1)), 0))
    return ratio_array(ratio_array(total, n) - mean, spread, least=_ROUNDED)
