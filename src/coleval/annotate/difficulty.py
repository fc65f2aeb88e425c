"""Difficulty: by how many systems an item is solved (Gianola et al. 2021); and its mirror image.

Where gold has an answer, ``difficulty`` counts the systems that give it: 0 is hardest. Where gold
has none, ``spurious`` counts the systems that say something all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items

# Rows at a time: gold and the counter stay in the processor's cache while all systems go by.
_BLOCK = 1 << 17


def difficulty(items: Items) -> pl.Series:
    """Return how many systems are right, null where gold has no answer."""
    return _where(pl.Series(_agreement(items)), items.gold != 0)


def spurious(items: Items) -> pl.Series:
    """Return how many systems answer something, null where gold does so too."""
    silent = _agreement(items)
    answering = silent.dtype.type(len(items.judging)) - silent
    return _where(pl.Series(answering), items.gold == 0)


def _agreement(items: Items) -> Codes:
    parts = [agreement(part.gold, list(part.judging.values())) for part in items.blocks()]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def agreement(gold: Codes, layers: Sequence[Codes]) -> Codes:
    """Return for each item how many layers say what gold says, nothing included."""
    counter = np.zeros(len(gold), width(len(layers)))
    same = np.empty(min(_BLOCK, len(gold)), np.bool_)
    for low in range(0, len(gold), _BLOCK):
        rows = slice(low, low + _BLOCK)
        block = counter[rows]
        _add_up(block, gold[rows], [codes[rows] for codes in layers], same[: len(block)])
    return counter


def _add_up(counter: Codes, gold: Codes, layers: Sequence[Codes], same: NDArray[np.bool_]) -> None:
    """Count into ``counter``; 0 and 1 are added as numbers, for booleans would be slower."""
    for codes in layers:
        np.equal(codes, gold, out=same)
        np.add(counter, same.view(np.uint8), out=counter)


def _where(values: pl.Series, there: NDArray[np.bool_]) -> pl.Series:
    frame = pl.DataFrame({"there": there, "value": values})
    return frame.select(pl.when("there").then("value")).to_series()
