"""The texts of items, which cost more than all else: made when asked for, and only those asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Forms:
    """What makes the texts of some rows, None for all; calling it makes those of its own."""

    make: Callable[[Rows | None], pl.Series]
    rows: Rows | None = None

    def __call__(self) -> pl.Series:
        """Return the texts."""
        return self.make(self.rows)


def chosen(forms: Callable[[], pl.Series], rows: Rows) -> Callable[[], pl.Series]:
    """Return what makes the texts of some rows of these."""
    if isinstance(forms, Forms):
        return Forms(forms.make, rows if forms.rows is None else forms.rows[rows])
    return lambda: forms().gather(pl.Series(rows))
