"""The number of each system on each item that analyses of numbers compare: that of the metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from coleval.analyses.counted import scored_items
from coleval.errors import UsageError
from coleval.metrics.registry import metric_named, metrics_of

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.metrics.model import Metric
    from coleval.statistics.measure import Floats


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Items with what each system has on them, a row a system, NaN where it has nothing."""

    items: Items
    values: Floats
    metric: Metric

    @property
    def sign(self) -> int:
        """Return what makes more of an outcome better."""
        return -1 if self.metric.better == "low" else 1


def outcomes_of(corpus: Corpus) -> Outcomes:
    """Return the outcomes of a corpus of numbers by its metric; raise if that has none of items."""
    items = scored_items(corpus)
    name = corpus.task_kind.headline(corpus, corpus.at(corpus.scoring.unit))
    metric = metric_named(name, corpus)
    if metric.outcomes is None:
        able = [one.name for one in metrics_of(corpus).values() if one.outcomes is not None]
        raise UsageError(
            f"{metric.title} is a score of all items together, and single ones have none",
            where=f"--metric {name}",
            remedy=f"use one that items have: {', '.join(able)}",
        )
    return Outcomes(items, metric.outcomes(items), metric)
