"""The confusion matrix as a figure draws it: the same labels down and across."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from coleval.corpus.report import Report


def square(report: Report) -> pl.DataFrame:
    """Return the cells, labels with most items first and what has no label last."""
    frame = report.table("confusion")
    ends = [frame.select(pl.col(name).alias("label"), "n") for name in ("gold", "answer")]
    sums = pl.concat(ends).group_by("label").agg(pl.col("n").sum()).drop_nulls("label")
    ranked = sums.sort("n", "label", descending=[True, False])["label"].to_list()
    places = {label: k for k, label in enumerate(ranked)}
    gold, answer = (
        pl.col(name).replace_strict(places, default=None, return_dtype=pl.Int64)
        for name in ("gold", "answer")
    )
    return frame.sort(gold, answer, nulls_last=True, maintain_order=True)
