"""Scores of generated text as metrics that systems are compared by, of sums over segments."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from coleval.counts.segments import UNIT, statistics_of
from coleval.counts.units import ITEM
from coleval.metrics import text
from coleval.metrics.model import Metric, no_sums
from coleval.statistics.measure import Measure, Ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.counts.units import Units
    from coleval.metrics.model import UnitCounting
    from coleval.statistics.measure import Counts, Floats


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
    metric = text.text_metric(name)
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


METRICS = tuple(
    Metric(
        one.name, one.title, no_sums, ("text",), made=text_measure,
        better="low" if one.better == "low" else "high",
    )
    for one in text.METRICS.values()
)  # fmt: skip
