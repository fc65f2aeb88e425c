"""``score`` of trees: how many words have the right head, the right relation, and both.

Gold and systems have the same words here, so precision, recall and accuracy are one number; what
differs where words must be aligned first is the affair of the CoNLL 2018 metrics.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.counted import limited_base
from coleval.engines import local
from coleval.engines.active import active
from coleval.engines.combining import LabelCounts, label_counts
from coleval.scores.change import ratio
from coleval.scores.prf import ratios
from coleval.tasks.trees import METRICS, by_metric

if TYPE_CHECKING:
    from coleval.corpus import Corpus
    from coleval.items import Items

OVERALL = (
    "system", "metric", "correct", "gold", "predicted", "aligned", "precision", "recall", "f1",
    "aligned_accuracy", "sentences", "sentences_correct",
)  # fmt: skip
LABELS = ("system", "metric", "label", "tp", "fp", "fn", "precision", "recall", "f1", "support")


@dataclass(frozen=True, slots=True)
class _Counted:
    """The counts of one metric: by gold relation and system, and the sentences without an error."""

    metric: str
    labels: LabelCounts
    sentences: list[int | None]


def attachment(corpus: Corpus) -> dict[str, pl.DataFrame]:
    """Return ``overall`` for all metrics, best system first, and ``labels`` for the one asked."""
    base = limited_base(corpus)
    relations = by_metric(base, "ls")
    counted = {metric: _counted(base, relations, metric) for metric in METRICS}
    asked = counted[corpus.scoring.metric]
    right = asked.labels.right[:, 1:].sum(axis=1)
    order = sorted(range(len(right)), key=lambda system: (-right[system], base.systems[system]))
    overall = [_overall(base, counted[m], s) for s in order for m in ("uas", "ls", "las")]
    table = pl.DataFrame(overall, infer_schema_length=None).with_columns(
        pl.col("sentences", "sentences_correct").cast(pl.Int64)
    )
    return {
        "overall": _scored(table, corpus.scoring.filler),
        "labels": _labels(relations, asked, order, corpus.scoring.filler),
    }


def _counted(base: Items, relations: Items, metric: str) -> _Counted:
    items = by_metric(base, metric)
    wrong = local().wrong_groups(items) if items.group_count else {}
    whole = [
        items.group_count - wrong.get(n, 0) if items.group_count else None for n in items.systems
    ]
    return _Counted(metric, label_counts(items, relations, active(items)), whole)


def _overall(base: Items, counted: _Counted, system: int) -> dict[str, object]:
    gold = int(counted.labels.items[1:].sum())
    answers = base.answers[base.systems[system]]
    return {
        "system": base.systems[system],
        "metric": counted.metric.upper(),
        "correct": int(counted.labels.right[system, 1:].sum()),
        "gold": gold,
        "predicted": int(np.count_nonzero(answers)),
        "aligned": gold,
        "sentences": base.group_count or None,
        "sentences_correct": counted.sentences[system],
    }


def _scored(table: pl.DataFrame, undefined: float | None) -> pl.DataFrame:
    correct, gold = pl.col("correct"), pl.col("gold")
    shares = {
        "precision": ratio(correct, pl.col("predicted"), undefined),
        "recall": ratio(correct, gold, undefined),
        "f1": ratio(2 * correct, gold + pl.col("predicted"), undefined),
        "aligned_accuracy": ratio(correct, pl.col("aligned"), undefined),
    }
    return table.with_columns(**shares).select(OVERALL)


def _labels(
    relations: Items, counted: _Counted, order: list[int], undefined: float | None
) -> pl.DataFrame:
    """Return each relation's counts; by heads alone nothing is predicted of a relation."""
    frames = [_of_system(relations, counted, system) for system in order]
    table = ratios(pl.concat(frames), undefined)
    if counted.metric == "uas":
        table = table.with_columns(
            pl.lit(None, pl.Int64).alias("fp"),
            *(pl.lit(None, pl.Float64).alias(name) for name in ("precision", "f1")),
        )
    return table.select(LABELS)


def _of_system(relations: Items, counted: _Counted, system: int) -> pl.DataFrame:
    name, counts = relations.systems[system], counted.labels
    predicted = np.bincount(relations.answers[name], minlength=len(counts.items))
    tp = counts.right[system]
    frame = pl.DataFrame(
        {
            "label": pl.Series(relations.labels, dtype=pl.String),
            "tp": tp[1:],
            "fp": (predicted - tp)[1:],
            "fn": (counts.items - tp)[1:],
            "support": counts.items[1:],
        }
    )
    there = frame.filter((pl.col("support") > 0) | (pl.col("fp") > 0))
    return there.select(
        pl.lit(name).alias("system"), pl.lit(counted.metric.upper()).alias("metric"), pl.all()
    )
