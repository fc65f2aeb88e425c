"""A column of texts that says each text once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class CodedTexts(NamedTuple):
    """A column of texts: of each row its place among ``values``, which may be few, or null."""

    code: NDArray[np.integer]
    values: pl.Series

    @property
    def series(self) -> pl.Series:
        """Return the text of each row."""
        # Of one chunk: from several, rows are taken one by one.
        return self.values.rechunk().gather(pl.Series(self.code))
