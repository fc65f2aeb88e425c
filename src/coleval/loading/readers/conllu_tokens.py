"""The tokens of CoNLL-U that are several words: lines ``3-4``, checked against the words below."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import unreadable
from coleval.loading.readers.model import Multiwords

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.corpus.problems import Problem


_RANGE = r"^([0-9]+)-([0-9]+)$"


def ranges(parts: pl.DataFrame) -> pl.DataFrame:
    """Return line, id, form, low and high of the multiword tokens among other lines.

    Ends that are too large for any sentence are -1.
    """
    ends = pl.col("id").str.extract_groups(_RANGE).struct.unnest()
    tokens = parts.filter(pl.col("id").str.contains(_RANGE))
    found = tokens.select("line", "id", "form", ends)
    found.columns = ["line", "id", "form", "low", "high"]
    number = pl.col("low", "high").cast(pl.Int32, strict=False).cast(pl.Int64)
    return found.with_columns(number.fill_null(-1))


def multiwords(found: pl.DataFrame, line: NDArray[np.uint32]) -> Multiwords | None:
    """Return the tokens with the words they hold, None if there is none; words stand in order."""
    if not len(found):
        return None
    first = np.searchsorted(line, found["line"].to_numpy())
    size = (found["high"] - found["low"] + 1).to_numpy()
    return Multiwords(found["form"], first, first + size)


def range_problems(
    found: pl.DataFrame,
    line: NDArray[np.uint32],
    number: NDArray[np.int64],
    sentence: NDArray[np.int32],
) -> Iterator[Problem]:
    """Yield the first token whose words are not the ones that follow it, or are another's."""
    if not len(found):
        return
    low, high = found["low"].to_numpy(), found["high"].to_numpy()
    first = np.searchsorted(line, found["line"].to_numpy())
    last = first + high - low
    # There may be no words at all: then what both ends look at is one that is none.
    sentence, number = np.append(sentence, -1), np.append(number, -1)
    inside = np.clip(np.stack([first, last]), 0, max(len(line) - 1, 0))
    there = (last < len(line)) & (high >= low) & (sentence[inside[0]] == sentence[inside[1]])
    wrong = ~there | (number[inside[0]] != low)
    wrong[1:] |= first[1:] <= last[:-1]
    for at in np.flatnonzero(wrong)[:1]:
        yield unreadable(
            int(found["line"][int(at)]),
            f"the token {found['id'][int(at)]} is not directly before its words",
            "a line 3-4 comes right before word 3, has at least one word, and shares none",
        )
    for at in found["form"].is_null().arg_true()[:1]:
        yield unreadable(
            int(found["line"][int(at)]), "the FORM is empty", "write `_` where there is none"
        )
