"""Measures of numeric columns: correlation, perplexity, precision and recall at k."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.compare.metrics import counting_of
from coleval.analyses.compare.metrics import measure as measured
from coleval.analyses.wording import number_of
from coleval.errors import DataError, UsageError, unknown
from coleval.statistics.classic import correlated, cross_entropy, hits_at
from coleval.statistics.measure import by_unit
from coleval.statistics.ratio import ratio_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from coleval.analyses.measure.spec import Options
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.statistics.measure import Floats

_CORRELATION = {"x": pl.String, "y": pl.String, "of": pl.String, "n": pl.Int64,
                "pearson": pl.Float64, "spearman": pl.Float64, "note": pl.String}  # fmt: skip
_PERPLEXITY = {"column": pl.String, "items": pl.Int64, "lacking": pl.Int64,
               "cross_entropy": pl.Float64, "perplexity": pl.Float64,
               "note": pl.String}  # fmt: skip
_RANKING = {"column": pl.String, "k": pl.Int64, "queries": pl.Int64, "hits": pl.Float64,
            "precision": pl.Float64, "recall": pl.Float64, "note": pl.String}  # fmt: skip
_BASE = {"e": log2(np.e), "2": 1.0, "10": log2(10)}
# With the scores of more systems than this, all pairs are too many to ask for by saying nothing.
ALL_PAIRS = 60


def correlation(corpus: Corpus, items: Items, pairs: Sequence[tuple[str, str]]) -> pl.DataFrame:
    """Return Pearson and Spearman of systems' scores by unit (all pairs), or of the columns named.

    Beside a column of the items a system is 1 where it is right and 0 where it is not.
    """
    systems = items.systems
    every = [(a, b) for at, a in enumerate(systems) for b in systems[at + 1 :]]
    if not pairs and len(systems) > ALL_PAIRS:
        every = []
    unit, values = _unit_scores(corpus, items)
    rows = []
    for x, y in pairs or every:
        if x in systems and y in systems:
            of, a, b = unit, values[systems.index(x)], values[systems.index(y)]
        else:
            of, a, b = (
                items.unit,
                _column(items, x, "--correlate"),
                _column(items, y, "--correlate"),
            )
        found = correlated(a, b)
        rows.append({"x": x, "y": y, "of": of, "n": found.n, "pearson": found.pearson,
                     "spearman": found.spearman, "note": found.note})  # fmt: skip
    return pl.DataFrame(rows, schema=_CORRELATION)


def _unit_scores(corpus: Corpus, items: Items) -> tuple[str, Floats]:
    counting = counting_of(corpus, items)
    return counting.units.kind, by_unit(
        measured(corpus.task_kind.headline(corpus, items), counting)
    )


def _column(items: Items, name: str, where: str) -> Floats:
    """Return a numeric column of the items, or 1 and 0 for what a system has right and wrong."""
    if name in items.answers:
        return (items.answers[name] == items.gold).astype(np.float64)
    if name not in items.context.columns:
        known = [*items.context.columns, *items.systems]
        raise unknown("column", name, known, where=where)
    column = items.context[name]
    numbers = column.cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
    bad = column.filter(numbers.is_null() & column.is_not_null())
    if len(bad):
        raise DataError(
            f"`{bad[0]}` is not a number ({number_of(len(bad), 'time')})",
            where=f"{where} {name}",
            remedy="choose a numeric column, or leave unknown values empty",
        )
    return numbers.fill_null(float("nan")).to_numpy().astype(np.float64)


def perplexity(items: Items, name: str, base: str) -> pl.DataFrame:
    """Return 2 to the cross-entropy of a column of probabilities, or of logarithms to a base."""
    values = _column(items, name, "--perplexity")
    known = values[~np.isnan(values)]
    logs = known * _BASE[base] if base else _logs(known, name)
    bits = cross_entropy(logs)
    large = bits is not None and bits > 1000
    note = None
    if bits is None:
        note = "a probability is 0" if len(known) else "the column is empty"
    row = {
        "column": name,
        "items": len(known),
        "lacking": len(values) - len(known),
        "cross_entropy": bits,
        "perplexity": None if bits is None or large else 2.0**bits,
        "note": "too large for a number" if large else note,
    }
    return pl.DataFrame([row], schema=_PERPLEXITY)


def _logs(known: Floats, name: str) -> Floats:
    if len(known) and (known.min() < 0 or known.max() > 1):
        raise UsageError(
            f"`{name}` has values from {known.min():g} to {known.max():g}, which are not "
            "probabilities",
            where="--perplexity",
            remedy="if these are logarithms, give their base: --log-base e",
        )
    with np.errstate(divide="ignore"):
        return np.log2(known)


def ranking(items: Items, options: Options, zero_division: float | None = None) -> pl.DataFrame:
    """Return precision and recall of the k highest, the mean over queries that have any relevant.

    What is relevant is gold's label; a column sets the lists of queries apart.
    """
    wanted = _relevant(items, options.relevant)
    lists = _lists(items, options.query)
    rows = []
    for name in options.rank:
        score = np.nan_to_num(_column(items, name, "--rank"), nan=-np.inf)
        rows += [_at(name, int(k), score, wanted, lists, zero_division) for k in options.at]
    return pl.DataFrame(rows, schema=_RANKING)


def _relevant(items: Items, label: str) -> NDArray[np.bool_]:
    if items.unit == "row" or not label:
        raise UsageError(
            "no label is named as relevant",
            where="--rank",
            remedy=f"--relevant LABEL; gold has {', '.join(items.labels[:8])}",
        )
    if label not in items.labels:
        raise unknown("label", label, items.labels, where="--relevant")
    return items.gold == items.labels.index(label) + 1


def _lists(items: Items, query: str) -> list[NDArray[np.intp]]:
    """Return the items of each query."""
    if not query:
        return [np.arange(len(items))]
    if query not in items.context.columns:
        raise unknown("column", query, items.context.columns, where="--query")
    place = items.context[query].rank("dense").fill_null(0).to_numpy().astype(np.intp)
    order = np.argsort(place, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(place[order])) + 1)


def _at(
    name: str,
    k: int,
    score: Floats,
    wanted: NDArray[np.bool_],
    lists: list[NDArray[np.intp]],
    zero_division: float | None,
) -> dict[str, object]:
    there = [rows for rows in lists if wanted[rows].any()]
    hits = [hits_at(score[rows], wanted[rows], k) for rows in there]
    recall = [h / int(wanted[rows].sum()) for h, rows in zip(hits, there, strict=True)]
    n = len(there)
    return {
        "column": name,
        "k": k,
        "queries": n,
        "hits": sum(hits),
        "precision": ratio_of(sum(hits) / k, n, zero_division),
        "recall": ratio_of(sum(recall), n, zero_division),
        "note": None if n else "no item is relevant",
    }
