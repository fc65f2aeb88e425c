"""Changes as figures draw them: kinds of a pair, pairs of several, labels before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from coleval.corpus.report import Report

_PAIR = ("before", "after")
_KINDS = ("corrections", "new_errors", "changed_errors")
_SEVERAL = 3


def kinds(report: Report) -> pl.DataFrame:
    """Return how many changes of each kind a pair has, a row a kind."""
    frame = _pairs(report)
    if not {*_KINDS} <= set(frame.columns):
        return frame.clear()
    named = frame.with_columns(pair=pl.concat_str(*_PAIR, separator=" → "))
    return named.unpivot(list(_KINDS), index="pair", variable_name="kind", value_name="n").sort(
        pl.col("pair").replace_strict(
            {pair: k for k, pair in enumerate(named["pair"])}, return_dtype=pl.Int64
        ),
        maintain_order=True,
    )


def several(report: Report) -> pl.DataFrame:
    """Return the pairs where they are all pairs of three systems or more."""
    frame = _pairs(report)
    systems = len({*frame["before"], *frame["after"]})
    every = systems >= _SEVERAL and frame.height == systems * (systems - 1) // 2
    return frame if every else frame.clear()


def moves(report: Report) -> pl.DataFrame:
    """Return how many items go from one label to another, whether they were right or wrong."""
    keys = [*_PAIR, "label_before", "label_after"]
    frame = report.table("changes")
    return frame.group_by(keys, maintain_order=True).agg(pl.col("n").sum())


def _pairs(report: Report) -> pl.DataFrame:
    return report.table("pairs" if "pairs" in report else "summary")
