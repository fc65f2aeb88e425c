"""Spans whose boundaries change from one system to another: shorter, longer, moved."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.far import in_parts
from coleval.kernels.blocks import frames
from coleval.kernels.span_slots import SpanReaches, overlapping_pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.items import Items

_COUNTED = ("change", "label_before", "label_after")


def boundaries(items: Items, before: int, after: int) -> pl.DataFrame:
    """Return change (``shorter``, ``longer``, ``moved``), both labels, n, corrected, broken."""
    if items.far is not None:
        add = partial(frames, sums=("n", "corrected", "broken"))
        return in_parts(add, boundaries, items, before, after)
    old, new = (items.answers[items.systems[at]] for at in (before, after))
    gone = _spans(items, np.flatnonzero((old != 0) & (new == 0)), old)
    come = _spans(items, np.flatnonzero((old == 0) & (new != 0)), new)
    matched = _matched(_overlapping(gone, come))
    label = pl.Series([None, *items.labels], dtype=pl.String)
    return (
        matched.group_by(_COUNTED)
        .agg(
            n=pl.len().cast(pl.Int64),
            corrected=pl.col("right_after").sum().cast(pl.Int64),
            broken=pl.col("right").sum().cast(pl.Int64),
        )
        .pipe(_named, label)
    )


def _named(counts: pl.DataFrame, label: pl.Series) -> pl.DataFrame:
    return counts.with_columns(
        label.gather(counts[side]).alias(side) for side in ("label_before", "label_after")
    )


def _spans(
    items: Items, rows: NDArray[np.intp], answers: NDArray[np.unsignedinteger]
) -> pl.DataFrame:
    place = items.context[pl.Series(rows)].select("sentence", "start", "end")
    return place.with_columns(
        pl.col("start", "end").cast(pl.Int64),
        label=pl.Series(answers[rows], dtype=pl.UInt32),
        right=pl.Series(answers[rows] == items.gold[rows]),
        row=pl.Series(rows, dtype=pl.Int64),
    )


def _overlapping(gone: pl.DataFrame, come: pl.DataFrame) -> pl.DataFrame:
    """Return every pair of a vanished and an appeared span that share tokens, best pair first."""
    start, end = pl.col("start"), pl.col("end")
    first, second = overlapping_pairs(SpanReaches.of(gone), SpanReaches.of(come))
    after = come[pl.Series(second)].drop("sentence").rename(lambda name: f"{name}_after")
    pairs = pl.concat([gone[pl.Series(first)], after], how="horizontal")
    shared = pl.min_horizontal("end", "end_after") - pl.max_horizontal("start", "start_after")
    inside = (pl.col("start_after") >= start) & (pl.col("end_after") <= end)
    around = (pl.col("start_after") <= start) & (pl.col("end_after") >= end)
    change = pl.when(inside).then(pl.lit("shorter")).when(around).then(pl.lit("longer"))
    return pairs.with_columns(
        shared=shared,
        other=pl.col("label") != pl.col("label_after"),
        change=change.otherwise(pl.lit("moved")),
    ).sort("other", "shared", "row", "row_after", descending=[False, True, False, False])


def _matched(pairs: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs that are left when each span is taken once, in the order of the pairs."""
    used: tuple[set[int], set[int]] = (set(), set())
    kept = []
    for at, (row, row_after) in enumerate(pairs.select("row", "row_after").iter_rows()):
        if row not in used[0] and row_after not in used[1]:
            used[0].add(row)
            used[1].add(row_after)
            kept.append(at)
    chosen = pairs[kept] if kept else pairs.clear()
    return chosen.rename({"label": "label_before"})
