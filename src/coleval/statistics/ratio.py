"""Quotients of counts and of their sums: undefined where there is nothing to divide by.

Undefined is null in a column, None as a number and NaN in an array, unless ``zero_division`` (the
user's ``--undefined``) stands for it. What is divided by is a count, or a sum that is never below
0, so it must be above 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Numbers = NDArray[Any]


@overload
def ratio_of(above: float, below: float, zero_division: float) -> float: ...
@overload
def ratio_of(above: float, below: float, zero_division: float | None = None) -> float | None: ...
def ratio_of(above: float, below: float, zero_division: float | None = None) -> float | None:
    """Return the quotient of two numbers."""
    return above / below if below > 0 else zero_division


def ratio_expr(above: pl.Expr, below: pl.Expr, zero_division: float | None = None) -> pl.Expr:
    """Return the quotient of two columns."""
    undefined = pl.lit(zero_division, dtype=pl.Float64)
    return pl.when(below > 0).then(above / below).otherwise(undefined)


def ratio_array(
    above: Numbers, below: Numbers, zero_division: float | None = None, *, least: float = 0.0
) -> Floats:
    """Return the quotients of two arrays; rounded sums of ``least`` or below count as 0."""
    shape = np.broadcast_shapes(above.shape, below.shape)
    there = below > least
    if there.all():
        # To divide only where there is something takes four times as long.
        return np.divide(above, below, out=np.empty(shape))
    undefined = np.full(shape, np.nan if zero_division is None else zero_division)
    return np.divide(above, below, out=undefined, where=np.broadcast_to(there, shape))


def null_for_nan(values: Numbers) -> pl.Series:
    """Return numbers as a column, null where they are undefined."""
    return pl.Series(np.asarray(values, np.float64), nan_to_null=True)
