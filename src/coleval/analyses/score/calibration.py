"""``score`` with confidences: whether systems are right as often as they are sure.

A confidence is the probability that a system gives to its answer: columns ``confidence_SYSTEM`` or
``probability_SYSTEM`` of a table, or a column ``confidence`` of a long table or a log.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.counted import scored_items
from coleval.analyses.running import resulting
from coleval.corpus.statuses import score_column
from coleval.statistics.calibration import BINS, bin_of, brier, calibration_error, risks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.declare.analysis import Result
    from coleval.statistics.measure import Floats

NAMES = ("confidence", "probability")
# Shares of the answers, the most confident ones, whose accuracy is listed.
COVERAGES = (0.5, 0.8, 0.9, 0.95, 1.0)
_CALIBRATION: dict[str, Any] = {
    "system": pl.String, "items": pl.Int64, "accuracy": pl.Float64, "confidence": pl.Float64,
    "ece": pl.Float64, "brier": pl.Float64, "aurc": pl.Float64,
}  # fmt: skip
_RELIABILITY: dict[str, Any] = {
    "system": pl.String, "bin": pl.Int64, "low": pl.Float64, "high": pl.Float64,
    "items": pl.Int64, "confidence": pl.Float64, "accuracy": pl.Float64,
}  # fmt: skip
_SELECTIVE: dict[str, Any] = {
    "system": pl.String, "coverage": pl.Float64, "items": pl.Int64, "threshold": pl.Float64,
    "accuracy": pl.Float64,
}  # fmt: skip


def with_calibration(
    corpus: Corpus, made: Mapping[str, pl.DataFrame] | Result
) -> Mapping[str, pl.DataFrame] | Result:
    """Return a leaderboard with tables of calibration, if some system has confidences."""
    items = scored_items(corpus)
    columns = {name: column for name in items.systems
               if (column := confidence_column(items, name)) is not None}  # fmt: skip
    if not columns:
        return made
    result = resulting(made)
    known = {name: _both(items, name, items.context[column]) for name, column in columns.items()}
    odd = [columns[name] for name, (sure, _) in known.items() if _outside(sure)]
    fine = {name: both for name, both in known.items() if len(both[0]) and not _outside(both[0])}
    said = tuple(f"{column} is not between 0 and 1: no calibration" for column in odd)
    if not fine:
        return replace(result, warnings=(*result.warnings, *said))
    tables = {
        "calibration": pl.DataFrame(list(_calibration(fine)), schema=_CALIBRATION, orient="row"),
        "reliability": pl.DataFrame(list(_reliability(fine)), schema=_RELIABILITY, orient="row"),
        "selective": pl.DataFrame(list(_selective(fine)), schema=_SELECTIVE, orient="row"),
    }
    best = tables["calibration"].sort("ece", "system")
    tables = {**result.tables, **tables, "calibration": best}
    return replace(result, tables=tables, warnings=(*result.warnings, *said))


def confidence_column(items: Items, system: str) -> str | None:
    """Return the column of a system's confidences, None if there is none of numbers."""
    names = (score_column(system, name) for name in NAMES)
    there = (name for name in names if name in items.context.columns)
    return next((name for name in there if items.context[name].dtype.is_numeric()), None)


def _both(items: Items, system: str, column: pl.Series) -> tuple[Floats, Floats]:
    """Return confidence and right of the answers that have both."""
    codes, sure = items.answers[system], column.cast(pl.Float64).to_numpy()
    there = ~np.isnan(sure) & (codes != 0)
    return sure[there], (codes == items.gold)[there].astype(np.float64)


def _outside(sure: Floats) -> bool:
    return bool(((sure < 0) | (sure > 1)).any())


_Known = dict[str, "tuple[Floats, Floats]"]


def _calibration(known: _Known) -> Iterator[tuple[Any, ...]]:
    for name, (sure, right) in known.items():
        scores = (calibration_error(sure, right), brier(sure, right), risks(sure, right).mean())
        yield (name, len(sure), right.mean(), sure.mean(), *scores)


def _reliability(known: _Known) -> Iterator[tuple[Any, ...]]:
    for name, (sure, right) in known.items():
        place = bin_of(sure)
        for at in np.unique(place).tolist():
            here = place == at
            ends = (at / BINS, (at + 1) / BINS)
            yield (name, at + 1, *ends, int(here.sum()), sure[here].mean(), right[here].mean())


def _selective(known: _Known) -> Iterator[tuple[Any, ...]]:
    for name, (sure, right) in known.items():
        risk, falling = risks(sure, right), np.sort(sure)[::-1]
        for share in COVERAGES:
            n = max(1, ceil(share * len(sure) - 1e-9))
            yield name, share, n, falling[n - 1], 1 - risk[n - 1]
