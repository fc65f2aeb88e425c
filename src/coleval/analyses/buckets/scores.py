"""From cuts to tables: scores by bucket, and what a row of buckets says about a system."""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.score.intervals import FEWEST
from coleval.annotate.buckets import Bucket
from coleval.counts.buckets import ByUnit, bucket_units, differences
from coleval.counts.coref_classes import CRITERIA
from coleval.counts.units import units_of
from coleval.statistics.blocks import DealtUnits, gap_p
from coleval.statistics.breakdown import average, deviation, ends, spearman, spread, steepest
from coleval.statistics.measure import Measure, Ratio, informed, of_rows
from coleval.statistics.paired import adjusted, score_interval
from coleval.statistics.prf import sided_ratios
from coleval.statistics.ratio import ratio_of
from coleval.statistics.resampling import Replicates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.analyses.buckets.cuts import AttributeCut
    from coleval.analyses.buckets.tables import BucketPlan


SIZES = ("XS", "S", "L", "XL")
# Only in trees and chains may an answer that is right stand in another bucket than gold's.
TWO_SIDED = ("word", *CRITERIA)
BUCKETS = {
    "attribute": pl.String, "bucket": pl.String, "low": pl.Float64, "high": pl.Float64,
    "items": pl.Int64, "system": pl.String, "tp": pl.Int64, "predicted": pl.Int64,
    "gold": pl.Int64, "tp_predicted": pl.Int64,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One system's scores over the regular buckets of one attribute, None where undefined."""

    corpus: str
    system: str
    cut: AttributeCut
    scores: tuple[float | None, ...]

    @property
    def names(self) -> list[str]:
        """Return the names of the buckets."""
        return [bucket.name for bucket in self.cut.buckets.each]

    def size(self, at: int) -> str | None:
        """Return XS, S, L or XL where there are four buckets in an order, else None."""
        buckets = self.cut.buckets
        return SIZES[at] if buckets.ordered and len(buckets) == len(SIZES) else None


def bucket_table(cut: AttributeCut, zero_division: float | None) -> pl.DataFrame:
    """Return every bucket of an attribute for every system; those outside if they hold any."""
    rows = list(_rows(cut))
    counted = pl.DataFrame(rows, schema=BUCKETS, orient="row")
    scored = sided_ratios(counted, zero_division)
    if cut.facts.items.of_spans:
        return scored.drop("tp_predicted")
    if cut.facts.items.unit not in CRITERIA:
        scored = scored.with_columns(accuracy=pl.col("recall"))
    if cut.facts.items.unit not in TWO_SIDED:
        return scored.drop("tp_predicted")
    return scored.select(pl.exclude("tp_predicted"), "tp_predicted")


def _rows(cut: AttributeCut) -> Iterator[tuple[Any, ...]]:
    counts = cut.counts
    outside = [Bucket(name) for name in cut.buckets.outside]
    ranked = _ranked(cut)
    for k, bucket in enumerate((*cut.buckets.each, *outside)):
        held = int(counts.gold[k]), counts.predicted[:, k]
        if k >= len(cut.buckets) and not (held[0] or held[1].any()):
            continue
        for s, system in ranked:
            numbers = (int(counts.tp[s, k]), int(counts.predicted[s, k]), held[0],
                       int(counts.right[s, k]))  # fmt: skip
            place = (cut.attribute.name, bucket.name, _end(bucket.low), _end(bucket.high))
            yield (*place, held[0], system, *numbers)


def _end(value: float | None) -> float | None:
    """Return where a bucket ends, None where it does not."""
    return None if value is None or isinf(value) else value


def _ranked(cut: AttributeCut) -> list[tuple[int, str]]:
    """Return the systems with their numbers, best first by F1 over all buckets."""
    counts = cut.counts
    tp, below = counts.tp.sum(axis=1), counts.predicted.sum(axis=1) + counts.gold.sum()
    score = [ratio_of(2 * int(a), int(b), 0.0) for a, b in zip(tp, below, strict=True)]
    names = cut.facts.items.systems
    return sorted(enumerate(names), key=lambda pair: (-score[pair[0]], pair[1]))


def score_rows(corpus: str, cut: AttributeCut, table: pl.DataFrame, metric: str) -> list[Row]:
    """Return what each system reaches in each regular bucket."""
    inside = table.head(len(cut.buckets) * len(cut.facts.items.systems))
    found = dict(inside.group_by("system").agg(pl.col(metric)).iter_rows())
    return [Row(corpus, system, cut, tuple(found.get(system, ()))) for _, system in _ranked(cut)]


def systems_table(rows: Sequence[Row]) -> pl.DataFrame:
    """Return how scores follow the order of buckets, and how they spread."""
    return _table(
        {
            "corpus": row.corpus,
            "system": row.system,
            "attribute": row.cut.attribute.name,
            "spearman": spearman_of(row),
            "std": deviation(row.scores),
        }
        for row in rows
    )


def spearman_of(row: Row) -> float | None:
    """Return how scores follow the order of buckets, None where there is no order."""
    return spearman(row.scores) if row.cut.buckets.ordered else None


def attributes_table(rows: Sequence[Row], metric: str) -> pl.DataFrame:
    """Return each attribute's mean over gold, its mean |rho|, and its ends on the average.

    ``gap`` is what systems reach on the average in the worst bucket less what they do in the best;
    ``spread`` is the deviation over buckets weighted by their gold items, so that a handful of
    items makes no attribute important, and ``from`` and ``to`` are the two buckets that make most
    of it.
    """
    found = [_attribute(part, metric) for part in _by_cut(rows)]
    if len({row["corpus"] for row in found}) < 2:
        return _table(found)
    largest: dict[str, float] = {}
    for row in found:
        name, zeta = row["attribute"], abs(row["zeta"] or 0.0)
        largest[name] = max(zeta, largest.get(name, 0.0))
    return _table(row | {"zeta_scaled": _scaled(row["zeta"], largest[row["attribute"]])}
                  for row in found)  # fmt: skip


def _scaled(zeta: float | None, largest: float) -> float | None:
    """Return ζ as a share of its largest value over corpora (Fu et al. 2020, Figure 4)."""
    return None if zeta is None else ratio_of(zeta, largest)


def _attribute(rows: Sequence[Row], metric: str) -> dict[str, Any]:
    cut = rows[0].cut
    means = [average(column) for column in zip(*(row.scores for row in rows), strict=True)]
    found = ends(means)
    known = [abs(rho) for rho in map(spearman_of, rows) if rho is not None]
    sizes = cut.counts.gold[: len(cut.buckets)].tolist()
    return {
        "corpus": rows[0].corpus,
        "attribute": cut.attribute.name,
        "unit": cut.facts.items.unit,
        "zeta": cut.mean,
        "rho": average(known),
        "best_bucket": rows[0].names[found.best] if found else None,
        f"best_{metric}": found.high if found else None,
        "worst_bucket": rows[0].names[found.worst] if found else None,
        f"worst_{metric}": found.low if found else None,
        "gap": found.low - found.high if found else None,
        "best_n": sizes[found.best] if found else None,
        "worst_n": sizes[found.worst] if found else None,
        "spread": spread(means, sizes),
        **_fall(rows[0].names, means, sizes, metric),
    }


def _fall(
    names: Sequence[str], means: Sequence[float | None], sizes: Sequence[int], metric: str
) -> dict[str, Any]:
    """Return the two buckets that make most of the spread: name, mean score and gold items."""
    places = steepest(means, sizes) or (None, None)
    return {
        f"{end}_{key}": None if at is None else values[at]
        for end, at in zip(("from", "to"), places, strict=True)
        for key, values in (("bucket", names), (metric, means), ("n", sizes))
    }


def _by_cut(rows: Sequence[Row]) -> list[list[Row]]:
    parts: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        parts.setdefault((row.corpus, row.cut.attribute.name), []).append(row)
    return list(parts.values())


def self_table(rows: Sequence[Row], metric: str) -> pl.DataFrame:
    """Return the best and the worst bucket of every system and attribute, the first of equals."""
    return _table(_self(row, metric) for row in rows)


def _self(row: Row, metric: str) -> dict[str, Any]:
    found = ends(row.scores)
    sizes = row.cut.counts.gold.tolist()
    return {
        "corpus": row.corpus,
        "system": row.system,
        "attribute": row.cut.attribute.name,
        "best_bucket": row.names[found.best] if found else None,
        f"best_{metric}": found.high if found else None,
        "worst_bucket": row.names[found.worst] if found else None,
        f"worst_{metric}": found.low if found else None,
        "gap": found.high - found.low if found else None,
        "best_n": sizes[found.best] if found else None,
        "worst_n": sizes[found.worst] if found else None,
        "best_size": row.size(found.best) if found else None,
        "worst_size": row.size(found.worst) if found else None,
    }


_TEXT = (
    "corpus", "system", "attribute", "unit", "best_bucket", "worst_bucket", "best_size",
    "worst_size", "from_bucket", "to_bucket", "before", "after", "bucket",
    "test", "systems", "sample", "note",
)  # fmt: skip


def _table(rows: Iterable[dict[str, Any]]) -> pl.DataFrame:
    found = list(rows)
    names = list(found[0]) if found else []
    kinds = {name: _kind(name) for name in names}
    return pl.DataFrame(found, schema=kinds, orient="row")


def _kind(name: str) -> pl.DataType:
    if name in _TEXT:
        return pl.String()
    return pl.Int64() if name.endswith("_n") else pl.Float64()


def table_of(rows: Iterable[dict[str, Any]], columns: Sequence[str]) -> pl.DataFrame:
    """Return rows as a table with all its columns, also where there are no rows."""
    kinds = {n: pl.String if n in _TEXT else pl.Float64 for n in columns}
    return pl.DataFrame(list(rows), schema=kinds, orient="row")


def with_intervals(
    cut: AttributeCut, table: pl.DataFrame, plan: BucketPlan, zero_division: float | None = None
) -> pl.DataFrame:
    """Return the table of buckets with ``low`` and ``high`` ends of the score's interval."""
    ends = pl.DataFrame(
        list(_ends(cut, plan, zero_division)),
        schema={
            "bucket": pl.String, "system": pl.String,
            f"{plan.by}_low": pl.Float64, f"{plan.by}_high": pl.Float64,
        },
        orient="row",
    )  # fmt: skip
    return table.join(ends, on=["bucket", "system"], how="left", maintain_order="left")


def _ends(
    cut: AttributeCut, plan: BucketPlan, zero_division: float | None
) -> Iterator[tuple[Any, ...]]:
    items = cut.facts.items
    units = units_of(items, plan.unit_of_resampling)
    found = differences(items)
    for k, bucket in enumerate((*cut.buckets.each, *map(Bucket, cut.buckets.outside))):
        held = bucket_units(found, cut.placed, k, units.of, len(units))
        (score,), key = of_rows([_measure(plan.by, held, zero_division)], units.key)
        how = Replicates(key, plan.seed, plan.replicates)
        filled = informed(score)
        if filled < FEWEST:
            continue
        low, high = score_interval(score, how, plan.alpha, filled)
        yield from zip(
            [bucket.name] * len(items.systems),
            items.systems,
            _plain(low),
            _plain(high),
            strict=True,
        )


def _measure(metric: str, held: ByUnit, zero_division: float | None) -> Measure:
    below = {
        "f1": held.predicted + held.gold,
        "precision": held.predicted,
        "recall": np.broadcast_to(held.gold, held.tp.shape),
        "accuracy": np.broadcast_to(held.gold, held.tp.shape),
    }[metric]
    above = {"f1": held.tp + held.right, "precision": held.right}.get(metric, held.tp)
    return Measure(metric, [lambda: Ratio(above, below)], zero_division=zero_division)


def _plain(values: np.ndarray) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


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
