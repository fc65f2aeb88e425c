"""Measures of ranked lists: precision and recall at k, nDCG, mean average precision, MRR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.measure.columns import numeric_column
from coleval.errors import UsageError, unknown
from coleval.statistics.classic import hits_at
from coleval.statistics.ratio import ratio_of
from coleval.statistics.retrieval import average_precision, ndcg, ranked_lists, reciprocal_rank

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.analyses.measure.spec import Options
    from coleval.corpus.items import Items
    from coleval.statistics.measure import Floats
    from coleval.statistics.retrieval import RankedLists

_RANKING = {"column": pl.String, "k": pl.Int64, "queries": pl.Int64, "hits": pl.Float64,
            "precision": pl.Float64, "recall": pl.Float64, "note": pl.String,
            "ndcg": pl.Float64}  # fmt: skip
_RANKED = {"column": pl.String, "queries": pl.Int64, "items": pl.Int64, "relevant": pl.Int64,
           "map": pl.Float64, "mrr": pl.Float64, "ndcg": pl.Float64,
           "note": pl.String}  # fmt: skip
_NOTHING = "no item is relevant"


@dataclass(frozen=True, slots=True)
class _RankedColumn:
    """A column of scores with its lists: each query's items, and all of them by their ranks."""

    name: str
    score: Floats
    wanted: NDArray[np.bool_]
    lists: list[NDArray[np.intp]]
    ranked: RankedLists
    zero_division: float | None


def ranking_tables(
    items: Items, options: Options, zero_division: float | None = None
) -> dict[str, pl.DataFrame]:
    """Return ``ranking``, at each k, and ``ranked_lists``, over the whole length of the lists.

    Means are over queries that have any relevant. What is relevant is gold's label; a column sets
    the lists of queries apart. Items without a score come last.
    """
    wanted = relevant_items(items, options.relevant, "--rank")
    query = _queries(items, options.query)
    lists = _rows_of(query)
    columns = []
    for name in options.rank:
        score = np.nan_to_num(numeric_column(items, name, "--rank"), nan=-np.inf)
        ranked = ranked_lists(query, score, wanted)
        columns.append(_RankedColumn(name, score, wanted, lists, ranked, zero_division))
    at = [_at(column, int(k)) for column in columns for k in options.at]
    whole = [_whole(column) for column in columns]
    return {
        "ranking": pl.DataFrame(at, schema=_RANKING),
        "ranked_lists": pl.DataFrame(whole, schema=_RANKED),
    }


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


def _rows_of(query: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Return the items of each query."""
    order = np.argsort(query, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(query[order])) + 1)


def _at(column: _RankedColumn, k: int) -> dict[str, object]:
    wanted = column.wanted
    there = [rows for rows in column.lists if wanted[rows].any()]
    hits = [hits_at(column.score[rows], wanted[rows], k) for rows in there]
    recall = [h / int(wanted[rows].sum()) for h, rows in zip(hits, there, strict=True)]
    n = len(there)
    return {
        "column": column.name,
        "k": k,
        "queries": n,
        "hits": sum(hits),
        "precision": ratio_of(sum(hits) / k, n, column.zero_division),
        "recall": ratio_of(sum(recall), n, column.zero_division),
        "note": None if n else _NOTHING,
        "ndcg": _mean(column, ndcg(column.ranked, k)),
    }


def _whole(column: _RankedColumn) -> dict[str, object]:
    ranked = column.ranked
    return {
        "column": column.name,
        "queries": len(ranked.relevant),
        "items": len(ranked.query),
        "relevant": int(ranked.relevant.sum()),
        "map": _mean(column, average_precision(ranked)),
        "mrr": _mean(column, reciprocal_rank(ranked)),
        "ndcg": _mean(column, ndcg(ranked)),
        "note": None if len(ranked.relevant) else _NOTHING,
    }


def _mean(column: _RankedColumn, values: Floats) -> float | None:
    return ratio_of(float(values.sum()), len(values), column.zero_division)
