"""Scores of multi-label instances: averaged over instances, or right as a whole.

From counts of (g gold labels, a answered, b in both). An instance without labels on either side
has an undefined score; it is in no average unless a value stands for undefined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.statistics.ratio import ratio_expr

if TYPE_CHECKING:
    from collections.abc import Sequence

_MEANS = {
    "samples_precision": ("b", "a"),
    "samples_recall": ("b", "g"),
    "samples_f1": ("2b", "g+a"),
    "samples_jaccard": ("b", "g+a-b"),
}


def samples(
    overlaps: pl.DataFrame, systems: Sequence[str], labels: int, zero_division: float | None = None
) -> pl.DataFrame:
    """Return subset accuracy, Hamming loss and the instance averages, one row a system."""
    g, a, b, n = (pl.col(c) for c in "gabn")
    wrong = ((g + a - 2 * b) * n).sum()
    exact = pl.when((g == b) & (a == b)).then(n).otherwise(0).sum()
    sums = overlaps.group_by("system").agg(
        items=n.sum(),
        correct=exact,
        wrong=wrong,
        **{name: _mean(above, below, zero_division) for name, (above, below) in _MEANS.items()},
    )
    named = pl.DataFrame({"system": systems}, schema={"system": pl.String})
    every = named.join(sums, on="system", how="left", maintain_order="left")
    every = every.with_columns(
        pl.col("items", "correct", "wrong").fill_null(0),
        pl.col(*_MEANS).fill_null(pl.lit(zero_division, dtype=pl.Float64)),
    )
    items = pl.col("items")
    return every.with_columns(
        accuracy=ratio_expr(pl.col("correct"), items, zero_division),
        hamming_loss=ratio_expr(pl.col("wrong"), items * labels),
    ).drop("wrong")


def _mean(above: str, below: str, zero_division: float | None) -> pl.Expr:
    top, bottom, n = _term(above), _term(below), pl.col("n")
    score = ratio_expr(top, bottom, zero_division)
    weight = n.filter(score.is_not_null())
    return ratio_expr((score * n).sum(), weight.sum())


def _term(name: str) -> pl.Expr:
    g, a, b = (pl.col(c) for c in "gab")
    return {"a": a, "b": b, "g": g, "2b": 2 * b, "g+a": g + a, "g+a-b": g + a - b}[name]
