"""The pairs of ``compare`` as figures draw them: all of some systems, or one against the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.compare.matrix import LEVELS, NAME
from coleval.analyses.compare.ranks import NAME as RANKS
from coleval.metrics.registry import titled_in

if TYPE_CHECKING:
    from coleval.corpus.report import Report

_LEAST = 3
_ALPHA = max(level for level, _ in LEVELS)


def ranked(report: Report) -> pl.DataFrame:
    """Return the ranks with which systems are ``tied`` with the best, all where none is tested.

    Those tested have a band: what a mark calls significantly worse is never on it.
    """
    frame = _titled(report.table(RANKS))
    if "behind_best" not in frame.columns:
        return frame.with_columns(tied=pl.lit(value=True))
    behind = pl.col("behind_best")
    return frame.with_columns(
        tied=~behind.fill_null(value=False), band=pl.when(~behind).then(pl.lit("tied"))
    )


def _titled(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table with its metric as people write it."""
    return frame.with_columns(metric=pl.lit(titled_in(frame))) if frame.height else frame


def all_pairs(report: Report) -> pl.DataFrame:
    """Return every pair with whether it is significant; nothing where pairs are missing."""
    frame = _titled(report.table(NAME)).with_columns(
        significant=(pl.col("p_adjusted") < _ALPHA).fill_null(value=False)
    )
    return frame if _complete(frame) else frame.clear()


def from_one(report: Report) -> pl.DataFrame:
    """Return how far systems are ahead of the one that is in all pairs; nothing without one."""
    frame = _titled(report.table(NAME)).with_columns(reference=pl.lit(None, pl.String))
    ends = [{*row} for row in frame.select("b", "a").iter_rows()]
    common = set.intersection(*ends) if ends else set()
    if not common or _complete(frame):
        return frame.clear()
    own = min(common, key=lambda name: name != frame["b"][0])
    ahead = pl.col("b") == own
    return frame.with_columns(
        reference=pl.lit(own),
        system=pl.when(ahead).then("a").otherwise("b"),
        delta=pl.when(ahead).then("delta").otherwise(-pl.col("delta")),
        low=pl.when(ahead).then("low").otherwise(-pl.col("high")),
        high=pl.when(ahead).then("high").otherwise(-pl.col("low")),
    )


def _complete(frame: pl.DataFrame) -> bool:
    systems = len({*frame["a"], *frame["b"]})
    return systems >= _LEAST and frame.height == systems * (systems - 1) // 2
