"""The items of an upper bound in groups, by any columns of the item table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.grouping import group_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.analyses.judging import Judged
    from coleval.corpus.corpus import Corpus
    from coleval.engines import Engine
    from coleval.kernels.combining import LabelCounts


def counts_by(
    corpus: Corpus, parts: Judged, engine: Engine, by: Sequence[str]
) -> tuple[pl.Series, LabelCounts]:
    """Return the groups of some columns as text, null for none, and the counts of their items.

    The first of the counts is that of no group, in which items are that need not be found.
    """
    items = parts.items
    there = np.ones(len(items), np.bool_) if items.empty_is_answer else items.gold != 0
    frame = pl.DataFrame({"group": group_names(corpus, by), "there": there})
    kept = frame.filter("there").select("group").unique(maintain_order=True)
    known = kept.with_row_index("at", offset=1)
    joined = frame.join(known, on="group", how="left", nulls_equal=True, maintain_order="left")
    found = joined.select(pl.when("there").then("at").otherwise(0)).to_series()
    counts = engine.groups(items, found.to_numpy(), len(known))
    return known["group"].cast(pl.String), counts
