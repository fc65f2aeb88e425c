"""``score`` of generated text: every metric that is kept, and the one that ranks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.counted import selected_items
from coleval.counts.segments import UNIT, statistics_of
from coleval.counts.units import ITEM, units_of
from coleval.metrics.text import METRICS, TextMetric, text_metric
from coleval.statistics.measure import Measure, Ratio, UnitSums
from coleval.statistics.ratio import null_for_nan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coleval.analyses.compare.metrics import UnitCounting
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.counts.units import Units
    from coleval.statistics.measure import Counts, Floats

OVERALL = ("system", "metric", "value", "segments", "lower")


def shown_metrics(corpus: Corpus, items: Items) -> list[TextMetric]:
    """Return the metric that ranks, then those whose counts are kept."""
    first = text_metric(corpus.task_kind.headline(corpus, items))
    kept = (one for one in METRICS.values() if one.statistic in corpus.layers)
    return list(dict.fromkeys([first, *kept]))


def generated(corpus: Corpus) -> dict[str, pl.DataFrame]:
    """Return ``overall``: the metrics of each system, the best one first."""
    items = selected_items(corpus)
    frames = []
    for metric in shown_metrics(corpus, items):
        counts = statistics_of(corpus, items, metric.statistic)
        value = metric.score(counts.sum(axis=2).T.astype(np.float64))
        columns = {"system": list(items.systems), "value": null_for_nan(value)}
        frames.append(
            pl.DataFrame(columns, schema_overrides={"system": pl.String}).with_columns(
                metric=pl.lit(metric.name),
                segments=pl.lit(len(items), pl.Int64),
                lower=pl.lit(metric.better == "low"),
            )
        )
    falling = [not frames[0]["lower"][0], False]
    first = frames[0].sort("value", "system", descending=falling, nulls_last=True)
    order = first.select("system").with_row_index("place")
    overall = pl.concat(frames).join(order, on="system", how="left", maintain_order="left")
    return {"overall": overall.sort("place", maintain_order=True).select(OVERALL)}


def unit_sums(corpus: Corpus, kind: str) -> Iterator[UnitSums]:
    """Yield the counts of each metric by unit, and its score of their sums."""
    items = selected_items(corpus)
    units = units_of(items, kind)
    for metric in shown_metrics(corpus, items):
        rows = by_unit(statistics_of(corpus, items, metric.statistic), units)
        yield UnitSums(
            units.key, rows.reshape(-1, len(units)), partial(_of_sums, metric, len(items.systems))
        )


def _of_sums(
    metric: TextMetric, systems: int, sums: Floats, _: float | None
) -> dict[tuple[str, str], Floats]:
    counts = sums.reshape(systems, -1, sums.shape[1]).swapaxes(0, 1)
    return {(metric.name, "value"): metric.score(counts)}


def by_unit(counts: Counts, units: Units) -> Counts:
    """Return counts of segments (systems, numbers, segments) summed by unit."""
    if np.array_equal(units.of, np.arange(len(units))):
        return counts
    order = np.argsort(units.of, kind="stable")
    there, first = np.unique(units.of[order], return_index=True)
    summed = np.zeros((*counts.shape[:2], len(units)), counts.dtype)
    summed[:, :, there] = np.add.reduceat(counts[:, :, order], first, axis=2)
    return summed


def text_measure(name: str, how: UnitCounting) -> Measure:
    """Return a metric as a measure, of single segments by its sentence scores."""
    metric = text_metric(name)
    counts = by_unit(statistics_of(how.corpus, how.items, metric.statistic), how.units)
    below = np.ones((1, len(how.units)), np.int64)

    def score(sums: Sequence[Floats]) -> Floats:
        return metric.score(np.stack(list(sums)))

    def alone(sums: Sequence[Floats]) -> Floats:
        return metric.of_segments(np.stack(list(sums)))

    classes = [partial(Ratio, counts[:, at], below) for at in range(counts.shape[1])]
    segments = how.units.kind in (UNIT, ITEM)
    return Measure(
        name, classes, combined=score, combined_alone=alone if segments else None,
        lower=metric.better == "low",
    )  # fmt: skip
