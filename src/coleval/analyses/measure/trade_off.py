"""Precision against recall of systems that give scores: the curve, and its one-number summaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.measure.columns import numeric_column
from coleval.analyses.measure.ranking import relevant_items
from coleval.statistics.ratio import null_for_nan
from coleval.statistics.retrieval import (
    LEVELS,
    average_precision_of,
    break_even,
    interpolated,
    roc_auc,
    thresholds,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.analyses.measure.spec import Options
    from coleval.corpus.items import Items
    from coleval.statistics.measure import Floats
    from coleval.statistics.retrieval import Thresholds

_SCORES = {"column": pl.String, "items": pl.Int64, "lacking": pl.Int64, "relevant": pl.Int64,
           "average_precision": pl.Float64, "break_even": pl.Float64, "roc_auc": pl.Float64,
           "note": pl.String}  # fmt: skip
_LEVELS = {"column": pl.String, "recall": pl.Float64, "precision": pl.Float64}
_CURVE = {"column": pl.String, "threshold": pl.Float64, "selected": pl.Int64, "tp": pl.Int64,
          "fp": pl.Int64, "precision": pl.Float64, "recall": pl.Float64,
          "fpr": pl.Float64}  # fmt: skip


def trade_off(items: Items, options: Options) -> dict[str, pl.DataFrame]:
    """Return ``scores`` (a row a column), ``pr_levels`` (eleven points) and ``pr_curve`` (all).

    Items without a score are selected last; their threshold is null.
    """
    wanted = relevant_items(items, options.relevant, "--scores")
    rows, levels, curves = [], [pl.DataFrame(schema=_LEVELS)], [pl.DataFrame(schema=_CURVE)]
    for name in options.scores:
        given = numeric_column(items, name, "--scores")
        score = np.nan_to_num(given, nan=-np.inf)
        curve = thresholds(score, wanted)
        lacking = int(np.isnan(given).sum())
        rows.append({"column": name, "lacking": lacking, **_summary(curve, score, wanted)})
        levels.append(_levels(name, curve))
        curves.append(_points(name, curve))
    return {
        "scores": pl.DataFrame(rows, schema=_SCORES),
        "pr_levels": pl.concat(levels),
        "pr_curve": pl.concat(curves),
    }


def _summary(curve: Thresholds, score: Floats, wanted: NDArray[np.bool_]) -> dict[str, Any]:
    return {
        "items": curve.items,
        "relevant": curve.relevant,
        "average_precision": average_precision_of(curve),
        "break_even": break_even(score, wanted),
        "roc_auc": roc_auc(curve),
        "note": _note(curve),
    }


def _note(curve: Thresholds) -> str | None:
    if not curve.relevant:
        return "no item is relevant"
    all_of_them = curve.relevant == curve.items
    return "all items are relevant: ROC AUC is undefined" if all_of_them else None


def _levels(name: str, curve: Thresholds) -> pl.DataFrame:
    columns = {
        "column": [name] * LEVELS,
        "recall": np.arange(LEVELS) / (LEVELS - 1),
        "precision": null_for_nan(interpolated(curve)),
    }
    return pl.DataFrame(columns, schema=_LEVELS)


def _points(name: str, curve: Thresholds) -> pl.DataFrame:
    score = np.where(np.isneginf(curve.score), np.nan, curve.score)
    columns = {
        "column": [name] * len(score),
        "threshold": null_for_nan(score),
        "selected": curve.selected,
        "tp": curve.hits,
        "fp": curve.selected - curve.hits,
        "precision": null_for_nan(curve.precision()),
        "recall": null_for_nan(curve.recall()),
        "fpr": null_for_nan(curve.false_alarms()),
    }
    return pl.DataFrame(columns, schema=_CURVE)
