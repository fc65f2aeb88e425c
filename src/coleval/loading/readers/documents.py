"""Documents by a column of names: each goes on until another name comes, and comes once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coleval.errors import DataError
from coleval.loading.readers.frames import texts
from coleval.loading.readers.names import unique

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl
    from numpy.typing import NDArray


def documents_of(
    column: pl.Series, where: Callable[[int], str]
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Return the number of each row's document, and the names of all; ``where`` places a row."""
    changes = column.ne_missing(column.shift(1)).to_numpy() & (np.arange(len(column)) > 0)
    first = np.concatenate([[0], np.flatnonzero(changes)])
    names = texts(column).fill_null("").gather(first)
    for again in names.is_first_distinct().not_().arg_true()[:1]:
        raise DataError(
            f"the document `{names[int(again)]}` continues after another one",
            where=where(int(first[int(again)])),
            remedy="sort the rows by document",
        )
    return np.cumsum(changes, dtype=np.int32), unique(names.to_list())
