"""Tests of the best bucket against the worst: whether the gap in recall is one of chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.statistics.blocks import DealtUnits, gap_p
from coleval.statistics.paired import adjusted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.analyses.buckets.cuts import AttributeCut
    from coleval.analyses.buckets.plan import BucketPlan

_COLUMNS = {
    "corpus": pl.String, "system": pl.String, "attribute": pl.String, "best_bucket": pl.String,
    "best_recall": pl.Float64, "best_n": pl.Int64, "worst_bucket": pl.String,
    "worst_recall": pl.Float64, "worst_n": pl.Int64, "gap": pl.Float64, "dealt": pl.String,
    "units": pl.Int64, "p": pl.Float64, "note": pl.String,
}  # fmt: skip
_ITEM = "item"


def gap_tests(cuts: Mapping[str, Sequence[AttributeCut]], chosen: BucketPlan) -> pl.DataFrame:
    """Return a row for each system and attribute; p is adjusted over all of them."""
    rows = [row for corpus, found in cuts.items() for cut in found
            for row in _of_cut(corpus, cut, chosen)]  # fmt: skip
    table = pl.DataFrame(rows, schema=_COLUMNS)
    p = table["p"].fill_null(float("nan")).to_numpy().astype(np.float64)
    corrected = pl.Series("p_adjusted", adjusted(p, chosen.correct)).fill_nan(None)
    return table.insert_column(table.columns.index("p") + 1, corrected)


def _of_cut(corpus: str, cut: AttributeCut, chosen: BucketPlan) -> Iterator[dict[str, Any]]:
    """Yield the test of each system over the regular buckets of one attribute."""
    items = cut.facts.items
    there = np.flatnonzero((items.gold != 0) & (cut.placed.gold < len(cut.buckets)))
    bucket = cut.placed.gold[there].astype(np.intp)
    right = np.stack([(items.answers[name][there] == items.gold[there]) for name in items.systems])
    named = {"corpus": corpus, "attribute": cut.attribute.name}
    held = np.unique(bucket)
    if len(held) < 2:
        for name in items.systems:
            yield {**named, "system": name, "note": "fewer than two buckets have gold items"}
        return
    dealt, unit = _units(cut, there, bucket)
    units = _dealt(unit, bucket, right)
    p, shares = gap_p(units, chosen.replicates, chosen.seed), units.shares()
    sizes = np.bincount(bucket)[held]
    names = [cut.buckets.each[k].name for k in held]
    for at, name in enumerate(items.systems):
        best, worst = int(shares[at].argmax()), int(shares[at].argmin())
        yield {
            **named, "system": name, "dealt": dealt, "units": len(units.bucket), "p": float(p[at]),
            "best_bucket": names[best], "best_recall": float(shares[at, best]),
            "best_n": int(sizes[best]), "worst_bucket": names[worst],
            "worst_recall": float(shares[at, worst]), "worst_n": int(sizes[worst]),
            "gap": float(shares[at, best] - shares[at, worst]),
        }  # fmt: skip


def _dealt(
    unit: NDArray[np.intp], bucket: NDArray[np.intp], right: NDArray[np.bool_]
) -> DealtUnits:
    _, first = np.unique(unit, return_index=True)
    summed = np.stack([np.bincount(unit, row).astype(np.int64) for row in right])
    return DealtUnits(bucket[first], np.bincount(unit), summed)


def _units(
    cut: AttributeCut, there: NDArray[np.intp], bucket: NDArray[np.intp]
) -> tuple[str, NDArray[np.intp]]:
    """Return what is dealt to buckets: the largest units that lie wholly in one, else items."""
    best = _ITEM, np.arange(len(there))
    for name, unit in _candidates(cut, there):
        if unit.max() < best[1].max() and _inside_one(unit, bucket):
            best = name, unit
    return best


def _candidates(
    cut: AttributeCut, there: NDArray[np.intp]
) -> Iterator[tuple[str, NDArray[np.intp]]]:
    context = cut.facts.items.context
    for name in ("document", "sentence"):
        if name in context.columns:
            yield name, _numbered(context[name].cast(pl.String).to_numpy()[there])
    if cut.facts.form is not None:
        string = cut.facts.strings[1][there]
        yield "string", _numbered(string)
        labels = len(cut.facts.items.labels) + 1
        yield (
            "string and label",
            _numbered(string.astype(np.int64) * labels + cut.facts.items.gold[there]),
        )


def _numbered(values: NDArray[Any]) -> NDArray[np.intp]:
    """Return the number of each value among the distinct ones, in the order of their first rows."""
    _, first, number = np.unique(values, return_index=True, return_inverse=True)
    # Codes of strings are in no order, and units that are drawn have to be.
    return np.argsort(np.argsort(first))[number]


def _inside_one(unit: NDArray[np.intp], bucket: NDArray[np.intp]) -> bool:
    """Tell whether no unit has items of two buckets."""
    pairs = np.unique(np.stack([unit, bucket]), axis=1)
    return pairs.shape[1] == int(unit.max()) + 1
