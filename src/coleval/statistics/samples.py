"""Scores of multi-label instances: averaged over instances, or right as a whole.

From counts of (g gold labels, a answered, b in both). An instance without labels on either side
has an undefined score; it is in no average unless a value stands for undefined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.statistics.change import ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

_MEANS = {
    "samples_precision": ("b", "a"),
    "samples_recall": ("b", "g"),
    "samples_f1": ("2b", "g+a"),
    "samples_jaccard": ("b", "g+a-b"),
}


def samples(
    overlaps: pl.DataFrame, systems: Sequence[str], labels: int, undefined: float | None = None
) -> pl.DataFrame:
    """Return subset accuracy, Hamming loss and the instance averages, one row a system."""
    g, a, b, n = (pl.col(c) for c in "gabn")
    wrong = ((g + a - 2 * b) * n).sum()
    exact = pl.when((g == b) & (a == b)).then(n).otherwise(0).sum()
    sums = overlaps.group_by("system").agg(
        items=n.sum(),
        correct=exact,
        wrong=wrong,
        **{name: _mean(above, below, undefined) for name, (above, below) in _MEANS.items()},
    )
    named = pl.DataFrame({"system": systems}, schema={"system": pl.String})
    every = named.join(sums, on="system", how="left", maintain_order="left")
    every = every.with_columns(
        pl.col("items", "correct", "wrong").fill_null(0),
        pl.col(*_MEANS).fill_null(pl.lit(undefined, dtype=pl.Float64)),
    )
    items = pl.col("items")
    return every.with_columns(
        accuracy=ratio(pl.col("correct"), items, undefined),
        hamming_loss=ratio(pl.col("wrong"), items * labels),
    ).drop("wrong")


def _mean(above: str, below: str, undefined: float | None) -> pl.Expr:
    top, bottom, n = _term(above), _term(below), pl.col("n")
    score = pl.when(bottom > 0).then(top / bottom).otherwise(pl.lit(undefined, dtype=pl.Float64))
    weight = n.filter(score.is_not_null())
    return pl.when(weight.sum() > 0).then((score * n).sum() / weight.sum())


def _term(name: str) -> pl.Expr:
    g, a, b = (pl.col(c) for c in "gab")
    return {"a": a, "b": b, "g": g, "2b": 2 * b, "g+a": g + a, "g+a-b": g + a - b}[name]
