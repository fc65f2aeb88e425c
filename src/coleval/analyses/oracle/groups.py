"""The items of an upper bound in groups, by any columns of the item table."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.grouping import group_names
from coleval.analyses.judging import judged
from coleval.corpus.spread import check_by_item, summed
from coleval.counts.patterns import patterns
from coleval.counts.systems import LabelCounts, label_counts
from coleval.kernels.blocks import added

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from coleval.analyses.judging import Judged
    from coleval.corpus.corpus import Corpus


def counts_by(corpus: Corpus, parts: Judged, by: Sequence[str]) -> tuple[pl.Series, LabelCounts]:
    """Return the groups of some columns as text, null for none, and the counts of their items.

    The first of the counts is that of no group, in which items are that need not be found.
    """
    if corpus.spread is not None:
        for column in by:
            check_by_item(column, "--by")
        return summed(corpus, partial(_of_part, tuple(by)), _added)
    items = parts.items
    there = np.ones(len(items), np.bool_) if items.empty_is_answer else items.gold != 0
    frame = pl.DataFrame({"group": group_names(corpus, by), "there": there})
    kept = frame.filter("there").select("group").unique(maintain_order=True)
    known = kept.with_row_index("at", offset=1)
    joined = frame.join(known, on="group", how="left", nulls_equal=True, maintain_order="left")
    found = joined.select(pl.when("there").then("at").otherwise(0)).to_series()
    # The items as they are shown by their group, which is the same for all systems.
    codes = found.to_numpy()
    grouped = replace(items, gold=codes, answers=dict.fromkeys(items.answers, codes), judges=None)
    counts = label_counts(patterns(items, grouped, engine=corpus.scoring.engine), len(known))
    return known["group"].cast(pl.String), counts


def _of_part(by: tuple[str, ...], corpus: Corpus) -> tuple[pl.Series, LabelCounts]:
    return counts_by(corpus, judged(corpus), by)


def _added(parts: list[tuple[pl.Series, LabelCounts]]) -> tuple[pl.Series, LabelCounts]:
    """Return the groups of all parts, the first part's first, and their counts."""
    known = pl.concat([names for names, _ in parts]).unique(maintain_order=True)
    numbered = known.to_frame("group").with_row_index("at", offset=1)
    placed = []
    for names, counts in parts:
        at = names.to_frame("group").join(
            numbered, on="group", how="left", nulls_equal=True, maintain_order="left"
        )["at"]
        place = np.append(0, at.to_numpy())
        placed.append(LabelCounts(*(
            _at(columns, place, len(known) + 1)
            for columns in (counts.items, counts.right, counts.anyone)
        )))  # fmt: skip
    return known, added(placed)


def _at(counts: NDArray[np.int64], place: NDArray[np.intp], size: int) -> NDArray[np.int64]:
    found = np.zeros((*counts.shape[:-1], size), np.int64)
    found[..., place] = counts
    return found
