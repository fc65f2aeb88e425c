"""Measures of numeric columns: correlation and perplexity."""

from __future__ import annotations

from dataclasses import asdict
from fnmatch import fnmatchcase
from math import log2
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.wording import number_of
from coleval.errors import DataError, UsageError, unknown
from coleval.metrics.counting import counting_of
from coleval.metrics.registry import measure as measured
from coleval.statistics.classic import correlated, correlation_tests, cross_entropy
from coleval.statistics.measure import by_unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.statistics.measure import Floats

_CORRELATION = {"x": pl.String, "y": pl.String, "of": pl.String, "n": pl.Int64,
                "pearson": pl.Float64, "spearman": pl.Float64, "note": pl.String,
                **dict.fromkeys(("kendall", "pearson_p", "spearman_p", "kendall_p"),
                                pl.Float64)}  # fmt: skip
_POINTS = {"x": pl.String, "y": pl.String, "of": pl.String, "value_x": pl.Float64,
           "value_y": pl.Float64, "n": pl.Int64}  # fmt: skip
_PERPLEXITY = {"column": pl.String, "items": pl.Int64, "lacking": pl.Int64,
               "cross_entropy": pl.Float64, "perplexity": pl.Float64,
               "note": pl.String}  # fmt: skip
_BASE = {"e": log2(np.e), "2": 1.0, "10": log2(10)}
# With the scores of more systems than this, all pairs are too many to ask for by saying nothing.
ALL_PAIRS = 60


def correlation(
    corpus: Corpus, items: Items, pairs: Sequence[tuple[str, str]]
) -> dict[str, pl.DataFrame]:
    """Return correlations of systems' scores by unit (all pairs), or of the columns named.

    Beside a column of the items a system is 1 where it is right and 0 where it is not. Of pairs
    that are named, ``points`` has the values.
    """
    systems = items.systems
    every = [(a, b) for at, a in enumerate(systems) for b in systems[at + 1 :]]
    if not pairs and len(systems) > ALL_PAIRS:
        every = []
    unit, values = _unit_scores(corpus, items) if systems else ("", np.empty((0, 0)))
    rows, points = [], [pl.DataFrame(schema=_POINTS)]
    for x, y in pairs or every:
        if x in systems and y in systems:
            of, a, b = unit, values[systems.index(x)], values[systems.index(y)]
        else:
            of, a, b = (
                items.unit,
                numeric_column(items, x, "--correlate"),
                numeric_column(items, y, "--correlate"),
            )
        found = correlated(a, b)
        more = correlation_tests(a, b, found)
        rows.append({"x": x, "y": y, "of": of, **asdict(found), **asdict(more)})
        if pairs:
            points.append(_points(x, y, of, a, b))
    table = pl.DataFrame(rows, schema=_CORRELATION)
    return {"correlation": table, **({"points": pl.concat(points)} if pairs else {})}


def _points(x: str, y: str, of: str, a: Floats, b: Floats) -> pl.DataFrame:
    """Return each pair of values that rows have, in their order, with how many rows have it."""
    both = np.isfinite(a) & np.isfinite(b)
    values = pl.DataFrame({"value_x": a[both], "value_y": b[both]})
    counted = values.group_by("value_x", "value_y").agg(pl.len().cast(pl.Int64).alias("n"))
    named = (pl.lit(name).alias(key) for key, name in (("x", x), ("y", y), ("of", of)))
    return counted.sort("value_x", "value_y").with_columns(named).select(list(_POINTS))


def _unit_scores(corpus: Corpus, items: Items) -> tuple[str, Floats]:
    counting = counting_of(corpus, items)
    return counting.kind, by_unit(measured(corpus.task_kind.headline(corpus, items), counting))


def matching_columns(items: Items, names: Sequence[str]) -> list[str]:
    """Return the columns that names and patterns (``score_*``) stand for, once each."""
    there = items.context.columns
    found = (
        [name] if name in there else [n for n in there if fnmatchcase(n, name)] or [name]
        for name in names
    )
    return list(dict.fromkeys(name for several in found for name in several))


def numeric_column(items: Items, name: str, where: str) -> Floats:
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
    values = numeric_column(items, name, "--perplexity")
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
