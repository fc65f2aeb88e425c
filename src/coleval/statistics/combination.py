"""Upper bounds and overlaps as shares of counts; undefined is null."""

from __future__ import annotations

import polars as pl

from coleval.statistics.ratio import ratio_expr

_BOUNDS = (
    "label", "by", "items", "oracle_correct", "oracle", "best_system", "best_correct", "best",
    "gain", "majority_correct", "majority", "majority_invented", "sentences", "sentences_correct",
)  # fmt: skip

_CORRECT = ("correct_a", "correct_b", "correct_both", "correct_either")


def bounds(counts: pl.DataFrame, zero_division: float | None = None) -> pl.DataFrame:
    """Return the upper bound, the best system's share, and the gain of the one over the other."""
    parts = ("oracle", "best", "majority")
    shares = [
        ratio_expr(pl.col(f"{part}_correct"), pl.col("items"), zero_division).alias(part)
        for part in parts
        if f"{part}_correct" in counts.columns
    ]
    table = counts.with_columns(shares).with_columns(gain=pl.col("oracle") - pl.col("best"))
    return table.select(name for name in _BOUNDS if name in table.columns)


def overlaps(counts: pl.DataFrame) -> pl.DataFrame:
    """Return pairs with the Jaccard overlap of their errors, the most alike first.

    Two systems without errors have no overlap to speak of; ``identical`` is about all answers.
    What both have right comes last, as a share of what either has, of what can be found, and of
    what each of them has (the overlap of Tuggener 2017, Table 1).
    """
    table = counts.select(
        pl.exclude("items", "findable", *_CORRECT),
        jaccard=ratio_expr(pl.col("both"), pl.col("either")),
        share=ratio_expr(pl.col("both"), pl.col("items")),
        identical=pl.col("different") == 0,
        **{name: pl.col(name) for name in _CORRECT},
        correct_jaccard=ratio_expr(pl.col("correct_both"), pl.col("correct_either")),
        correct_share=ratio_expr(pl.col("correct_both"), pl.col("findable")),
        correct_of_a=ratio_expr(pl.col("correct_both"), pl.col("correct_a")),
        correct_of_b=ratio_expr(pl.col("correct_both"), pl.col("correct_b")),
    )
    return table.sort(
        "identical", "jaccard", "a", "b", descending=[True, True, False, False], nulls_last=True
    )
