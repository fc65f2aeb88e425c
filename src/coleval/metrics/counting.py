"""Items as metrics count them: in which units, and those that are alike at once."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.counts import units as counting
from coleval.counts.patterns import patterns
from coleval.counts.units import Units
from coleval.declare.counting import METRICS as TREE_METRICS
from coleval.metrics.labels import accuracy, whole
from coleval.metrics.model import UnitCounting
from coleval.metrics.registry import METRICS
from coleval.statistics.draws import keys_of_names, mixed
from coleval.statistics.measure import FEW

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.counts.units import Counts


def units_with_gold(how: UnitCounting, name: str) -> int:
    """Return in how many units gold has anything that a metric is about."""
    base, colon, _ = name.partition(":")
    if base == "sentences" or how.items.numeric or (how.empty_is_answer and not colon):
        return how.units.total()
    return how.units.total((gold_of(how, name) > 0)[0])


def gold_of(how: UnitCounting, name: str) -> Counts:
    """Return how much gold has of what a metric needs in each unit, one row."""
    base, _, label = name.partition(":")
    if base == "sentences" or (base == "accuracy" and how.items.group == "instance"):
        return (whole if base == "sentences" else accuracy)(how)[0]().below
    numeric = how.items.numeric
    if numeric or (base in ("accuracy", *TREE_METRICS) and how.empty_is_answer):
        return counting.size_of(how.items, how.units, empty_is_answer=True)
    labels = how.items.labels
    code = labels.index(label) + 1 if label in labels else 0
    return counting.expected(how.items, how.units, code)


def counting_of(corpus: Corpus, items: Items, kind: str = "") -> UnitCounting:
    """Return items as they are counted, in units of ``kind``."""
    chosen = counting.unit_kind(items, kind)
    if not counting.are_single(items, chosen):
        # Units that items do not have are refused here.
        counting.units_of(items, chosen)
    return UnitCounting(corpus, items, chosen, items.empty_is_answer)


def by_pattern(how: UnitCounting, *metrics: str) -> UnitCounting:
    """Return what counts patterns of answers in place of many single items, if metrics allow it.

    Items with the same answers add the same to every count of single items, so that each pattern
    is a unit that stands for as many as have it.
    """
    items, kind = how.items, how.kind
    if len(items) <= FEW or not counting.are_single(items, kind):
        return how
    if not all(_of_items(metric, how) for metric in metrics):
        return how
    return replace(
        how, items=items.memo.get(("by pattern", kind), partial(_patterns_as_items, how))
    )


def _patterns_as_items(how: UnitCounting) -> Items:
    """Return a table with an item for each pattern, and units that know how many each is."""
    answered = patterns(how.items, engine=how.corpus.scoring.engine).grouped
    items = replace(
        how.items, context=pl.DataFrame(), gold=answered.gold, judges=None, rows=None, far=None,
        answers=dict(zip(answered.systems, answered.answers, strict=True)), group_count=0,
        lazy_form=None,
    )  # fmt: skip
    # Labels and systems by name, so that the order of neither decides what is drawn.
    label = keys_of_names(["", *items.labels])
    key = mixed(label[answered.gold])
    for name, codes in items.answers.items():
        key += mixed(label[codes] ^ keys_of_names([name]))
    units = Units(how.kind, mixed(key), np.arange(len(key)), n=answered.n)
    items.memo.get(("units", how.kind), lambda: units)
    return items


def _of_items(metric: str, how: UnitCounting) -> bool:
    """Return whether a metric is of sums over items, each counted by itself."""
    base, colon, _ = metric.partition(":")
    if how.items.numeric or not METRICS[base].additive:
        return False
    if base == "accuracy":
        return how.items.group != "instance"
    of_labels = colon or METRICS[base].average
    return not (of_labels and how.items.of_spans and how.corpus.scoring.taxonomy != "fair")
