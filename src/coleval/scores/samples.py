"""Scores of multi-label instances: averaged over instances, or right as a whole.

From counts of (g gold labels, a answered, b in both). An instance without labels on either side
has an undefined score; it is in no average unless a value stands for undefined.
"""

from __future__ import annotations

import polars as pl

_MEANS = {
    "samples_precision": ("b", "a"),
    "samples_recall": ("b", "g"),
    "samples_f1": ("2b", "g+a"),
    "samples_jaccard": ("b", "g+a-b"),
}


def samples(overlaps: pl.DataFrame, labels: int, undefined: float | None = None) -> pl.DataFrame:
    """Return subset accuracy, Hamming loss and the instance averages, one row a system."""
    g, a, b, n = (pl.col(c) for c in "gabn")
    wrong = ((g + a - 2 * b) * n).sum()
    exact = pl.when((g == b) & (a == b)).then(n).otherwise(0).sum()
    cells = n.sum() * labels
    loss = pl.when(cells > 0).then(wrong / cells).otherwise(pl.lit(undefined, dtype=pl.Float64))
    return overlaps.group_by("system", maintain_order=True).agg(
        items=n.sum(),
        correct=exact,
        accuracy=exact / n.sum(),
        hamming_loss=loss,
        **{name: _mean(above, below, undefined) for name, (above, below) in _MEANS.items()},
    )


def _mean(above: str, below: str, undefined: float | None) -> pl.Expr:
    top, bottom, n = _term(above), _term(below), pl.col("n")
    score = pl.when(bottom > 0).then(top / bottom).otherwise(pl.lit(undefined, dtype=pl.Float64))
    weight = n.filter(score.is_not_null())
    return pl.when(weight.sum() > 0).then((score * n).sum() / weight.sum())


def _term(name: str) -> pl.Expr:
    g, a, b = (pl.col(c) for c in "gab")
    return {"a": a, "b": b, "g": g, "2b": 2 * b, "g+a": g + a, "g+a-b": g + a - b}[name]
