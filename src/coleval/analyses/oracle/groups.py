"""The items of an upper bound in groups, by any column of the item table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.asking import wide_table
from coleval.corpus.disk import DiskCodes
from coleval.errors import unknown
from coleval.kernels.combining import LabelCounts, group_counts

if TYPE_CHECKING:
    from coleval.analyses.judging import Judged
    from coleval.corpus.corpus import Corpus
    from coleval.kernels.active_rows import ActiveBlocks


def counts_by(
    corpus: Corpus, parts: Judged, active: ActiveBlocks, name: str
) -> tuple[pl.Series, LabelCounts]:
    """Return the values of a column as text, null for none, and the counts of their items.

    The first of the counts is that of no group, in which items are that need not be found.
    """
    items = parts.items
    there = np.ones(len(items), np.bool_) if items.empty_is_answer else items.gold != 0
    frame = pl.DataFrame({"value": _column(corpus, name), "there": there})
    kept = frame.filter("there").select("value").unique(maintain_order=True)
    known = kept.with_row_index("group", offset=1)
    joined = frame.join(known, on="value", how="left", nulls_equal=True, maintain_order="left")
    found = joined.select(pl.when("there").then("group").otherwise(0)).to_series()
    counts = group_counts(active, found.to_numpy(), len(known))
    return known["value"].cast(pl.String), counts


def _column(corpus: Corpus, name: str) -> pl.Series:
    """Return a column, which is kept for others only where answers are: in memory."""
    wide = wide_table(corpus)
    if name not in wide.names:
        raise unknown("column", name, wide.names, where="--by")
    limited = isinstance(wide.items.answers, DiskCodes)
    return wide.makers[name]() if limited else wide.column(name)
