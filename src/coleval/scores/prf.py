"""Accuracy, precision, recall and F1 from confusion counts; undefined is null, never 0 or NaN.

Everything here takes the table ``system, gold, answer, n`` (null = nothing there) and returns
tables of counts and ratios. Ratios are taken once, from sums.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

RATIOS = ("precision", "recall", "f1")


def restricted(
    confusion: pl.DataFrame, labels: Sequence[str], exclude: Sequence[str]
) -> pl.DataFrame:
    """Return the counts with every label outside the list read as nothing."""
    if not labels and not exclude:
        return confusion
    wanted = pl.lit(value=True)
    frame = confusion
    for column in ("gold", "answer"):
        kept = pl.col(column).is_in(list(labels)) if labels else wanted
        kept &= ~pl.col(column).is_in(list(exclude))
        frame = frame.with_columns(pl.when(kept).then(column).alias(column))
    return frame.group_by("system", "gold", "answer", maintain_order=True).agg(pl.col("n").sum())


def label_counts(confusion: pl.DataFrame) -> pl.DataFrame:
    """Return tp, fp, fn of every label that gold or any system has, for every system."""
    systems = confusion.select("system").unique(maintain_order=True)
    both = pl.concat([confusion["gold"], confusion["answer"]]).drop_nulls().unique().sort()
    grid = systems.join(both.rename("label").to_frame(), how="cross")
    right = confusion.filter(pl.col("gold") == pl.col("answer"))
    return (
        grid.join(_sums(right, "gold", "tp"), on=["system", "label"], how="left")
        .join(_sums(confusion, "answer", "predicted"), on=["system", "label"], how="left")
        .join(_sums(confusion, "gold", "support"), on=["system", "label"], how="left")
        .with_columns(pl.col("tp", "predicted", "support").fill_null(0))
        .with_columns(fp=pl.col("predicted") - pl.col("tp"), fn=pl.col("support") - pl.col("tp"))
        .select("system", "label", "tp", "fp", "fn", "support")
    )


def _sums(counts: pl.DataFrame, column: str, name: str) -> pl.DataFrame:
    there = counts.filter(pl.col(column).is_not_null())
    return there.group_by("system", pl.col(column).alias("label")).agg(
        pl.col("n").sum().alias(name)
    )


def ratios(counts: pl.DataFrame, undefined: float | None = None) -> pl.DataFrame:
    """Return counts with precision, recall and F1 = 2tp / (2tp + fp + fn) beside them."""
    tp, fp, fn = pl.col("tp"), pl.col("fp"), pl.col("fn")
    return counts.with_columns(
        _ratio(tp, tp + fp, undefined).alias("precision"),
        _ratio(tp, tp + fn, undefined).alias("recall"),
        _ratio(2 * tp, 2 * tp + fp + fn, undefined).alias("f1"),
    )


def _ratio(above: pl.Expr, below: pl.Expr, undefined: float | None) -> pl.Expr:
    return pl.when(below > 0).then(above / below).otherwise(pl.lit(undefined, dtype=pl.Float64))


def micro(labels: pl.DataFrame, undefined: float | None = None) -> pl.DataFrame:
    """Return the sums over labels with their ratios, one row a system."""
    sums = labels.group_by("system", maintain_order=True).agg(pl.col("tp", "fp", "fn").sum())
    return ratios(sums, undefined)


def averages(labels: pl.DataFrame, over: str) -> pl.DataFrame:
    """Return macro and weighted averages; a label whose score is undefined is in no average.

    ``over`` says which labels the macro average has: ``gold`` (those gold has), ``union``
    (gold's and the system's own), ``all`` (gold's and those of all systems).
    """
    there = {
        "gold": pl.col("support") > 0,
        "union": pl.col("tp") + pl.col("fp") + pl.col("fn") > 0,
        "all": pl.lit(value=True),
    }[over]
    macro = [pl.col(r).filter(there).mean().alias(f"macro_{r}") for r in RATIOS]
    return labels.group_by("system", maintain_order=True).agg(*macro, *map(_weighted, RATIOS))


def _weighted(ratio: str) -> pl.Expr:
    weight = pl.col("support").filter(pl.col(ratio).is_not_null())
    total = weight.sum()
    mean = (pl.col(ratio).drop_nulls() * weight).sum() / total
    return pl.when(total > 0).then(mean).alias(f"weighted_{ratio}")


def accuracy(
    confusion: pl.DataFrame, *, everything: bool, share: bool, undefined: float | None
) -> pl.DataFrame:
    """Return items and how many are correct; ``everything`` counts items without gold label too.

    Their share is accuracy, null where it would only be recall by another name.
    """
    counted = pl.lit(value=True) if everything else pl.col("gold").is_not_null()
    right = pl.col("gold").eq_missing(pl.col("answer")) & counted
    sums = confusion.group_by("system", maintain_order=True).agg(
        items=pl.col("n").filter(counted).sum(), correct=pl.col("n").filter(right).sum()
    )
    ratio = _ratio(pl.col("correct"), pl.col("items"), undefined)
    return sums.with_columns(accuracy=ratio if share else pl.lit(None, dtype=pl.Float64))
