"""Changes as figures draw them: kinds of a pair, pairs of several, labels before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from coleval.corpus.report import Report

_PAIR = ("before", "after")
_KINDS = ("corrections", "new_errors", "changed_errors")
_SEVERAL, _CROWD = 3, 30


def kinds(report: Report) -> pl.DataFrame:
    """Return how many changes of each kind a pair has, a row a kind; nothing for a crowd."""
    frame = report.table("summary")
    if frame.height > _CROWD:
        return frame.clear()
    if not {*_KINDS} <= set(frame.columns):
        return frame.clear()
    one = frame["before"].n_unique() == 1
    pair = pl.col("after") if one else pl.concat_str(*_PAIR, separator=" → ")
    about = pl.concat_str(pl.lit("from "), "before") if one else pl.lit("between two systems")
    named = frame.with_columns(pair=pair, about=about)
    long = named.unpivot(
        list(_KINDS), index=["pair", "about"], variable_name="kind", value_name="n"
    )
    order = {pair: k for k, pair in enumerate(named["pair"])}
    place = pl.col("pair").replace_strict(order, return_dtype=pl.Int64)
    return long.sort(place, maintain_order=True)


def several(report: Report) -> pl.DataFrame:
    """Return the pairs where they are all pairs of three systems or more."""
    return _complete(report.table("summary"))


def every(report: Report) -> pl.DataFrame:
    """Return the pairs of a report on one pair, which has all others in a table of their own."""
    return _complete(report.table("pairs"))


def _complete(frame: pl.DataFrame) -> pl.DataFrame:
    systems = len({*frame["before"], *frame["after"]})
    every = systems >= _SEVERAL and frame.height == systems * (systems - 1) // 2
    return frame if every else frame.clear()


def moves(report: Report) -> pl.DataFrame:
    """Return how many items go from one label to another, whether they were right or wrong."""
    ends = ["label_before", "label_after"]
    frame = report.table("changes")
    summed = frame.group_by(*_PAIR, *ends, maintain_order=True).agg(pl.col("n").sum())
    weights = [pl.col("n").sum().over(*_PAIR, end) for end in ends]
    # Labels with most changes come first, what has no label last.
    return summed.with_columns(
        pl.when(pl.col(end).is_not_null()).then(weight).alias(f"_{end}")
        for end, weight in zip(ends, weights, strict=True)
    ).sort([f"_{end}" for end in ends], descending=True, nulls_last=True, maintain_order=True)
