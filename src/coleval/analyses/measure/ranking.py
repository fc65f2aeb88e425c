"""Measures of ranked lists: precision and recall at k, nDCG, mean average precision, MRR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.measure.columns import matching_columns, numeric_column
from coleval.errors import UsageError, unknown
from coleval.statistics.ratio import null_for_nan, ratio_of
from coleval.statistics.retrieval import (
    LEVELS,
    average_precision,
    average_precision_of,
    break_even,
    hits,
    interpolated,
    ndcg,
    ranked_lists,
    reciprocal_rank,
    roc_auc,
    thresholds,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.analyses.measure.spec import Options
    from coleval.corpus.items import Items
    from coleval.statistics.measure import Floats
    from coleval.statistics.retrieval import RankedLists, Thresholds


_RANKING = {"column": pl.String, "k": pl.Int64, "queries": pl.Int64, "hits": pl.Float64,
            "precision": pl.Float64, "recall": pl.Float64, "note": pl.String,
            "ndcg": pl.Float64}  # fmt: skip
_RANKED = {"column": pl.String, "queries": pl.Int64, "items": pl.Int64, "relevant": pl.Int64,
           "relevant_returned": pl.Int64, "map": pl.Float64, "mrr": pl.Float64,
           "ndcg": pl.Float64, "note": pl.String}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _RankedColumn:
    """A column of scores with the items of its queries by their ranks, and which queries count."""

    name: str
    ranked: RankedLists
    counted: NDArray[np.bool_]
    queries: int
    zero_division: float | None

    @property
    def note(self) -> str | None:
        """Return why there is no mean."""
        return None if self.queries else "no query has a relevant item and a returned one"

    def mean(self, values: Floats) -> float | None:
        """Return the mean of a value of each query."""
        return ratio_of(float(values[self.counted].sum()), self.queries, self.zero_division)


def ranking_tables(
    items: Items, options: Options, zero_division: float | None = None
) -> dict[str, pl.DataFrame]:
    """Return ``ranking``, at each k, and ``ranked_lists``, over the whole length of the lists.

    As trec_eval counts, unless options say otherwise: items without a score are not ranked, and
    means are over queries that have something relevant and something returned. What is relevant
    is gold's label; a column sets the lists of queries apart.
    """
    wanted = relevant_items(items, options.relevant, "--rank")
    query = _queries(items, options.query)
    columns = []
    for name in matching_columns(items, options.rank):
        score = _ordered(items, numeric_column(items, name, "--rank"), options)
        ranked = ranked_lists(query, score, wanted)
        counted = np.isin(np.unique(query[wanted]), query[~np.isnan(score)])
        queries = int(counted.sum())
        if options.empty_queries == "zero":
            # Sums over queries without a relevant or a returned item are 0.
            queries = len(np.unique(query))
        columns.append(_RankedColumn(name, ranked, counted, queries, zero_division))
    return {
        "ranking": pl.DataFrame(
            [_at(column, int(k)) for column in columns for k in options.at], schema=_RANKING
        ),
        "ranked_lists": pl.DataFrame([_whole(column) for column in columns], schema=_RANKED),
    }


def _ordered(items: Items, score: Floats, options: Options) -> Floats:
    """Return scores by which items are ranked, NaN for what is not; ties as options order them."""
    if options.unreturned == "last":
        score = np.nan_to_num(score, nan=-np.inf)
    ties, there = options.ties or "id", items.context.columns
    if options.ties == "mean" or (not options.ties and ties not in there):
        return score
    if ties not in there:
        raise unknown("column", ties, there, where="--ties")
    # Of equal scores the higher name comes first (``comp_sim_docno`` of trec_eval).
    frame = pl.DataFrame({"score": score, "name": items.context[ties].cast(pl.String)})
    order = frame.with_row_index("at").sort("score", "name", nulls_last=False)["at"].to_numpy()
    place = np.empty(len(score))
    place[order] = np.arange(len(score))
    return np.where(np.isnan(score), np.nan, place)


def relevant_items(items: Items, label: str, where: str) -> NDArray[np.bool_]:
    """Return which items are relevant: those that gold gives the label."""
    if items.unit == "row" or not label:
        raise UsageError(
            "no label is named as relevant",
            where=where,
            remedy=f"--relevant LABEL; gold has {', '.join(items.labels[:8])}",
        )
    if label not in items.labels:
        raise unknown("label", label, items.labels, where="--relevant")
    return items.gold == items.labels.index(label) + 1


def _queries(items: Items, query: str) -> NDArray[np.intp]:
    """Return the number of each item's query; items without one are a list of their own."""
    if not query:
        return np.zeros(len(items), np.intp)
    if query not in items.context.columns:
        raise unknown("column", query, items.context.columns, where="--query")
    return items.context[query].rank("dense").fill_null(0).to_numpy().astype(np.intp)


def _at(column: _RankedColumn, k: int) -> dict[str, object]:
    found = hits(column.ranked, k)
    return {
        "column": column.name,
        "k": k,
        "queries": column.queries,
        "hits": float(found.sum()),
        "precision": column.mean(found / k),
        "recall": column.mean(found / column.ranked.relevant),
        "note": column.note,
        "ndcg": column.mean(ndcg(column.ranked, k)),
    }


def _whole(column: _RankedColumn) -> dict[str, object]:
    ranked = column.ranked
    return {
        "column": column.name,
        "queries": column.queries,
        "items": len(ranked.query),
        "relevant": int(ranked.relevant[column.counted].sum()),
        "relevant_returned": round(float(hits(ranked, len(ranked.query)).sum())),
        "map": column.mean(average_precision(ranked)),
        "mrr": column.mean(reciprocal_rank(ranked)),
        "ndcg": column.mean(ndcg(ranked)),
        "note": column.note,
    }


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
