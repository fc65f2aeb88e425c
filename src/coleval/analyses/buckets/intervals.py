"""Bootstrap intervals of the score in every bucket: documents or sentences drawn again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.score.intervals import FEWEST
from coleval.annotate.buckets import Bucket
from coleval.kernels.buckets import ByUnit, bucket_units, differences
from coleval.kernels.units import units_of
from coleval.statistics.measure import Measure, Ratio, informed, of_rows
from coleval.statistics.paired import score_interval
from coleval.statistics.resampling import Replicates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coleval.analyses.buckets.cuts import AttributeCut
    from coleval.analyses.buckets.plan import BucketPlan


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
