"""The pairs of ``compare`` as figures draw them: all of some systems, or one against the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.compare.matrix import LEVELS, NAME

if TYPE_CHECKING:
    from coleval.corpus.report import Report

_LEAST = 3
_ALPHA = max(level for level, _ in LEVELS)


def all_pairs(report: Report) -> pl.DataFrame:
    """Return every pair with whether it is significant; nothing where pairs are missing."""
    frame = report.table(NAME).with_columns(
        significant=(pl.col("p_adjusted") < _ALPHA).fill_null(value=False)
    )
    return frame if _complete(frame) else frame.clear()


def from_one(report: Report) -> pl.DataFrame:
    """Return the pairs where they are not all pairs of three systems or more."""
    frame = report.table(NAME)
    return frame.clear() if _complete(frame) else frame


def _complete(frame: pl.DataFrame) -> bool:
    systems = len({*frame["a"], *frame["b"]})
    return systems >= _LEAST and frame.height == systems * (systems - 1) // 2
