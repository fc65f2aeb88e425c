"""``pivot`` of numbers: counts as of any items, and means of numbers in each cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.asking import wide_table
from coleval.analyses.pivot import tables
from coleval.annotate import MEAN_SCORE
from coleval.declare.analysis import Result
from coleval.declare.tables import BETTER
from coleval.errors import UsageError, unknown
from coleval.query.expressions import expression_values

if TYPE_CHECKING:
    from coleval.analyses.pivot.spec import Options
    from coleval.corpus.corpus import Corpus

VALUES = ("n", "share", "mean")


def pivot(corpus: Corpus, options: Options) -> Result:
    """Return ``pivot`` and ``totals``: items, or the mean of one system or of all, in each cell."""
    if options.find:
        raise UsageError(
            "slices are found by right and wrong", where="--find",
            remedy="say which numbers are right (--above X), or see `coleval buckets`",
        )  # fmt: skip
    kind, _, system = options.value.partition(":")
    if kind not in VALUES:
        raise unknown("value", kind, VALUES, where="--value")
    if kind != "mean":
        return tables.pivot(corpus, options)
    if system and system not in corpus.systems:
        raise unknown("system", system, corpus.systems, where="--value")
    wide, keys = wide_table(corpus), tables.keys_of(options.rows, options.cols, options.third)
    columns = [
        expression_values(wide, text, f"--{name}").alias(name) for name, text in keys.items()
    ]
    number = wide.column(wide.columns[system] if system else MEAN_SCORE).alias("score")
    frame = pl.DataFrame([*columns, number])
    sums = [pl.len().cast(pl.Int64).alias("n"), pl.col("score").mean()]
    cells = frame.group_by(list(keys), maintain_order=True).agg(sums)
    end = pl.lit("low" if corpus.scoring.lower else "high").alias(BETTER)
    totals = [
        frame.group_by(pl.col(key).cast(pl.String).alias("value"), maintain_order=True).agg(sums)
        .select(pl.lit(key).alias("axis"), "value", "n", "score")
        for key in keys
    ]  # fmt: skip
    whole = frame.select(pl.lit("all").alias("axis"), pl.lit(None, pl.String).alias("value"), *sums)
    falling = cells.sort("score", descending=corpus.scoring.lower, nulls_last=True)
    found = falling.select(*keys, "n", "score", end)
    shown = tables.spread(found, "score") if options.wide else found
    return Result({"pivot": shown, "totals": pl.concat([*totals, whole])})
