"""``confusion``: for every system, how often each answer stands where gold has each label."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.counted import counted_patterns, scored_items
from coleval.analyses.judging import judged
from coleval.counts.systems import confusion_counts, error_counts

if TYPE_CHECKING:
    from coleval.analyses.confusion.spec import Options
    from coleval.corpus.corpus import Corpus


def confusion(corpus: Corpus, _: Options) -> dict[str, pl.DataFrame]:
    """Return the table ``confusion``: system, gold, answer (null = nothing there), n.

    Trees show relations; ``errors`` is how many of the n are wrong, of which some by their head.
    """
    return {"confusion": corpus.task_kind.confusion(corpus)}


def of_labels(corpus: Corpus) -> pl.DataFrame:
    """Return the confusion of answers that are labels."""
    items = scored_items(corpus)
    return confusion_counts(counted_patterns(corpus, items), items.labels)


def of_relations(corpus: Corpus) -> pl.DataFrame:
    """Return the confusion of what tables show of answers, and which of it are errors."""
    parts = judged(corpus)
    counted, labels = counted_patterns(corpus, parts.items, parts.shown), parts.shown.labels
    every = confusion_counts(counted.as_shown, labels)
    wrong = error_counts(counted, labels)
    keys = ["system", "gold", "answer"]
    joined = every.join(wrong, on=keys, how="left", nulls_equal=True, maintain_order="left")
    return joined.with_columns(pl.col("errors").fill_null(0))
