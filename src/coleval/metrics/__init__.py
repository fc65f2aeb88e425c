"""Scores: what each is called, which tasks have it, and how it is made of sums over units.

A metric is one declaration in a module of its family, and is in the registry here. This room
leaves counting by unit to ``counts``, tests and intervals to ``statistics``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from coleval.errors import unknown
from coleval.metrics import numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.corpus.corpus import Corpus
    from coleval.metrics.model import Metric

METRICS: Mapping[str, Metric] = {metric.name: metric for metric in (*numbers.METRICS,)}


def metrics_of(corpus: Corpus) -> dict[str, Metric]:
    """Return the metrics that a corpus has by their names."""
    there = (one for one in METRICS.values() if corpus.task in one.tasks and one.has(corpus))
    return {one.name: one for one in there}


def metric_named(name: str, corpus: Corpus) -> Metric:
    """Return a metric of a corpus; raise for one that it lacks, naming those it has."""
    known = metrics_of(corpus)
    if name not in known:
        raise unknown("metric", name, known, where="--metric")
    metric = known[name]
    # Which end of plain numbers is better, only their owner knows.
    return replace(metric, better="low") if corpus.scoring.lower and name == "mean" else metric
