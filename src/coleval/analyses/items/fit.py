"""Bins and abilities: what each system solves of each bin, and what Rasch's model expects."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.items.found import placed
from coleval.counts.responses import rows_of
from coleval.errors import UsageError
from coleval.statistics.ratio import null_for_nan, ratio_array
from coleval.statistics.subset import chosen, tried

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.analyses.items.found import ItemFindings

    Floats = NDArray[np.float64]

# What is left of a variance of 0 by rounding.
_LEAST = 1e-9


def fit_table(known: ItemFindings) -> pl.DataFrame:
    """Return bin, system, items, tp, expected, residual; the hardest bin, the best system first."""
    items, solved = known.bins
    awaited, residual = expected(known)
    order, n = known.best, len(items)
    return pl.DataFrame(
        {
            "bin": np.repeat(np.arange(n), len(order)),
            "system": pl.Series([known.systems[s] for s in order] * n, dtype=pl.String),
            "items": np.repeat(items, len(order)),
            "tp": solved[order].T.reshape(-1),
            "share": null_for_nan(ratio_array(solved[order], items).T.reshape(-1)),
            "expected": null_for_nan(awaited[order].T.reshape(-1)),
            "expected_share": null_for_nan(ratio_array(awaited[order], items).T.reshape(-1)),
            "residual": null_for_nan(residual[order].T.reshape(-1)),
        }
    )


def expected(known: ItemFindings) -> tuple[Floats, Floats]:
    """Return how many items of each bin each system is expected to solve, and the residuals.

    These are in standard deviations; NaN where nothing can vary, and where there is no model.
    """
    items, solved = known.bins
    if known.rasch is None:
        nothing = np.full(solved.shape, np.nan)
        return nothing, nothing
    share = known.rasch.share
    spread = np.sqrt(items * share * (1 - share))
    return share * items, ratio_array(solved - share * items, spread, least=_LEAST)


def systems_table(known: ItemFindings) -> pl.DataFrame:
    """Return the systems by what they solve, each with the bins in which it surprises most."""
    _, residual = expected(known)
    order = known.best
    ability = np.full(len(order), np.nan) if known.rasch is None else known.rasch.ability
    finite = np.where(np.isfinite(ability), ability, np.nan)
    high = _extreme(residual[order], 1)
    low = _extreme(residual[order], -1)
    return pl.DataFrame(
        {
            "system": pl.Series([known.systems[s] for s in order], dtype=pl.String),
            "tp": known.totals[order],
            "items": np.full(len(order), known.patterns.items, np.int64),
            "ability": null_for_nan(finite[order]),
            "above_bin": high[0],
            "above": high[1],
            "below_bin": low[0],
            "below": low[1],
        }
    )


def _extreme(residual: Floats, sign: int) -> tuple[pl.Series, pl.Series]:
    """Return the bin in which each system is farthest to one side, and how far; null if in none."""
    side = np.where(np.isnan(residual), 0.0, residual * sign)
    at = side.argmax(axis=1)
    value = side[np.arange(len(side)), at]
    frame = pl.DataFrame({"bin": at.astype(np.int64), "value": value * sign, "is": value > 0})
    picked = frame.select(pl.when("is").then(name) for name in ("bin", "value"))
    return picked["bin"], picked["value"]


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
