"""From cuts to tables: scores by bucket, and what a row of buckets says about a system."""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.annotate.buckets import Bucket
from coleval.kernels.coref_classes import CRITERIA
from coleval.statistics.breakdown import average, deviation, ends, spearman, spread, steepest
from coleval.statistics.prf import sided_ratios
from coleval.statistics.ratio import ratio_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from coleval.analyses.buckets.cuts import AttributeCut

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
