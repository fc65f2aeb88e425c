"""A smaller test set: which items, and how wrong its scores are for systems held out."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.items.listed import placed
from coleval.counts.responses import rows_of
from coleval.errors import UsageError
from coleval.statistics.subset import chosen, tried

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.analyses.items.found import ItemFindings

_KINDS = {"method": pl.String, "n": pl.Int64, "seed": pl.Int64, "rounds": pl.Int64,
          "held_out": pl.Int64, "mean_error": pl.Float64, "error_sd": pl.Float64,
          "rank_correlation": pl.Float64}  # fmt: skip


def check_size(known: ItemFindings) -> None:
    """Raise if there are not more items than are to be chosen."""
    size, there = known.options.subset, known.patterns.items
    if size >= there:
        raise UsageError(
            f"{size:,} of {there:,} items: that is not a smaller test set",
            where="--subset",
            remedy=f"use a number below {there:,}",
        )


def subset_table(known: ItemFindings) -> pl.DataFrame:
    """Return the mean error of each way of choosing, on systems that had no part in it."""
    options = known.options
    found = tried(known.right, known.patterns.n, options.subset, options.seed)
    rows = [{"n": options.subset, "seed": options.seed, **asdict(one)} for one in found]
    return pl.DataFrame(rows, schema=_KINDS)


def chosen_table(known: ItemFindings) -> pl.DataFrame:
    """Return the items chosen by what all systems solve, in the order of the text."""
    options, n = known.options, known.patterns.n
    random = np.random.default_rng(options.seed)
    kept = chosen(options.subset_by, known.right, n, options.subset, random)
    wanted, first, size = np.unique(kept.pattern, return_index=True, return_counts=True)
    rows, pattern = rows_of(known.parts.items, known.patterns, wanted)
    order = np.lexsort((random.random(len(rows)), pattern))
    at = _first_of_each(pattern[order], dict(zip(wanted.tolist(), size.tolist(), strict=True)))
    picked = np.sort(order[at])
    weight = dict(zip(wanted.tolist(), kept.weight[first].tolist(), strict=True))
    table = placed(known, rows[picked])
    return table.with_columns(
        pl.Series("solved_by", known.solved_by[pattern[picked]]),
        pl.Series("weight", [weight[k] for k in pattern[picked].tolist()], dtype=pl.Float64),
    )


def _first_of_each(pattern: NDArray[np.int64], sizes: dict[int, int]) -> NDArray[np.intp]:
    """Return the places of the first so many items of each pattern, which are sorted by it."""
    start = np.searchsorted(pattern, pattern)
    most = np.array([sizes[k] for k in pattern.tolist()], np.int64)
    return np.flatnonzero(np.arange(len(pattern)) - start < most)
