"""Difficulty: by how many systems an item is solved (Gianola et al. 2021); and its mirror image.

Where gold has an answer, ``difficulty`` counts the systems that give it: 0 is hardest. Where gold
has none, ``spurious`` counts the systems that say something all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import values_of_labels
from coleval.counts.active_rows import agreement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items


def difficulty(items: Items) -> pl.Series:
    """Return how many systems are right, null where gold has no answer, and of numbers."""
    if items.numeric:
        return _nothing(items)
    return _where(pl.Series(_agreement(items)), items.gold != 0)


def spurious(items: Items) -> pl.Series:
    """Return how many systems answer something, null where gold does so too, and of numbers."""
    if items.numeric:
        return _nothing(items)
    silent = _agreement(items)
    answering = silent.dtype.type(len(items.judging)) - silent
    return _where(pl.Series(answering), items.gold == 0)


def _nothing(items: Items) -> pl.Series:
    return pl.repeat(None, len(items), dtype=pl.UInt8, eager=True)


def mean_score(items: Items) -> pl.Series:
    """Return the mean of the numbers that the judging systems have, null where none has any."""
    number = values_of_labels(items.labels)
    found = np.stack([number[codes] for codes in items.judging.values()])
    there = ~np.isnan(found)
    n = there.sum(axis=0)
    mean = np.where(there, found, 0.0).sum(axis=0) / np.maximum(n, 1)
    return pl.Series(np.where(n > 0, mean, np.nan), nan_to_null=True)


def _agreement(items: Items) -> Codes:
    parts = [agreement(part.gold, list(part.judging.values())) for part in items.blocks()]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _where(values: pl.Series, there: NDArray[np.bool_]) -> pl.Series:
    frame = pl.DataFrame({"there": there, "value": values})
    return frame.select(pl.when("there").then("value")).to_series()
