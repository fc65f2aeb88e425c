"""Item scores that other programs gave: the mean of each column, and the difference of any two."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.measure.columns import matching_columns, numeric_column
from coleval.errors import UsageError
from coleval.kernels.units import ITEM, units_of
from coleval.statistics.item_means import exchanged_p, item_mean
from coleval.statistics.paired import adjusted
from coleval.statistics.ratio import null_for_nan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.corpus.items import Items
    from coleval.statistics.measure import Floats

_NUMBERS = dict.fromkeys(("mean", "sd", "low", "high"), pl.Float64)
_MEANS = {"column": pl.String, "items": pl.Int64, "lacking": pl.Int64, **_NUMBERS,
          "note": pl.String}  # fmt: skip
_PAIRS = {"a": pl.String, "b": pl.String, "items": pl.Int64,
          **dict.fromkeys(("mean_a", "mean_b", "delta", "low", "high", "p"), pl.Float64),
          "p_from": pl.String, "a_better": pl.Int64, "b_better": pl.Int64,
          "note": pl.String}  # fmt: skip
_WHERE = "--means"


def means(items: Items, names: Sequence[str], seed: int) -> dict[str, pl.DataFrame]:
    """Return ``means``, a row a column, highest first, and ``mean_pairs``, a row any two."""
    _check(items)
    values = {n: numeric_column(items, n, _WHERE) for n in matching_columns(items, names)}
    rows = [_row(name, column) for name, column in values.items()]
    table = pl.DataFrame(rows, schema=_MEANS)
    table = table.sort("mean", "column", descending=[True, False], nulls_last=True)
    ordered = {name: values[name] for name in table["column"]}
    return {"means": table, "mean_pairs": _pairs(items, ordered, seed)}


def _check(items: Items) -> None:
    """Raise where a row is not what a score is of: one of several labels."""
    if items.group == "instance":
        raise UsageError(
            "an instance of several labels is several items, and its score would count as often",
            where=_WHERE,
            remedy="use it where each item has one label",
        )


def _row(name: str, column: Floats) -> dict[str, Any]:
    found = item_mean(column)
    note = {0: "the column is empty", 1: "one item has no spread"}.get(found.items)
    return {
        "column": name, "lacking": len(column) - found.items, "note": note, **asdict(found)
    }  # fmt: skip


def _pairs(items: Items, values: Mapping[str, Floats], seed: int) -> pl.DataFrame:
    key, names = units_of(items, ITEM).key, list(values)
    rows = []
    for at, a in enumerate(names):
        for b in names[at + 1 :]:
            apart = values[a] - values[b]
            p, exact = exchanged_p(apart, key, seed)
            rows.append({"a": a, "b": b, "p": p, "p_from": "exact" if exact else "replicates",
                         **_differing(apart, values[a], values[b])})  # fmt: skip
    table = pl.DataFrame(rows, schema=_PAIRS)
    every = table["p"].to_numpy().astype(np.float64)
    corrected = null_for_nan(adjusted(every, "holm")).alias("p_adjusted")
    table = table.with_columns(pl.col("p").fill_nan(None))
    return table.insert_column(table.columns.index("p") + 1, corrected)


def _differing(apart: Floats, a: Floats, b: Floats) -> dict[str, Any]:
    """Return what two columns differ by on the items that have both."""
    found, both = item_mean(apart), ~np.isnan(apart)
    return {
        "items": found.items,
        "mean_a": item_mean(a[both]).mean,
        "mean_b": item_mean(b[both]).mean,
        "delta": found.mean,
        "low": found.low,
        "high": found.high,
        "a_better": int((apart > 0).sum()),
        "b_better": int((apart < 0).sum()),
        "note": None if found.items else "no item has both",
    }
