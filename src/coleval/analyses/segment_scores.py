"""Texts as numbers: what a metric says of each segment, for analyses that count scores of items."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.counted import selected_items
from coleval.corpus.numbers import coded_numbers, right_or_wrong
from coleval.counts.extraction import EXTRACTORS
from coleval.counts.segments import UNIT, statistics_of
from coleval.counts.text_words import words_of
from coleval.metrics.text import text_metric

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items


def segment_scores(corpus: Corpus) -> Corpus:
    """Return a corpus of texts as one of numbers: the sentence scores of the metric that ranks.

    Texts are columns of it, and what buckets of segments go by: their lengths and rarest words.
    """
    items = selected_items(corpus)
    metric = text_metric(corpus.task_kind.headline(corpus, items))
    counts = statistics_of(corpus, items, metric.statistic).swapaxes(0, 1)
    scores = metric.of_segments(counts.astype(np.float64))
    labels, codes = coded_numbers(
        {name: pl.Series(row) for name, row in zip(items.systems, scores, strict=True)}
    )
    numbers = replace(
        items, context=_described(corpus, items), labels=(), answers=codes,
        gold=np.zeros(len(items), np.uint8), judges=None, numeric=True, rows=None,
    )  # fmt: skip
    signature = EXTRACTORS[metric.statistic](corpus.reading.tokenize).signature
    scored = replace(
        corpus, task="score", layers={}, grid=None,
        units={UNIT: numbers.sorted_labels(labels)},
        reading=replace(
            corpus.reading, task="score", score=f"{metric.name}/{signature}", references=(),
            source_text="", documents="",
        ),
        scoring=replace(
            corpus.scoring, lower=metric.better == "low", metric="las", where="", unit=None
        ),
    )  # fmt: skip
    return scored if scored.scoring.above is None else right_or_wrong(scored)


def _described(corpus: Corpus, items: Items) -> pl.DataFrame:
    """Return the context of segments with their texts, lengths and the rarest word of each."""
    texts = pl.Series(["", *items.labels], dtype=pl.String)
    reference = texts.gather(pl.Series(items.gold.astype(np.int64)))
    words = words_of(reference)
    size = words.list.len().cast(pl.Int64)
    lengths = words_of(texts).list.len().to_numpy().astype(np.int64)
    outputs = [lengths[codes] for codes in items.answers.values()]
    longer = np.mean(outputs, axis=0) - size.to_numpy() if outputs else np.zeros(len(items))
    columns = [
        reference.alias("reference"), size.alias("reference_words"),
        pl.Series("length_difference", longer), _rarest(words, corpus),
    ]  # fmt: skip
    source = items.form()
    if source is not None:
        columns.append(words_of(source.cast(pl.String)).list.len().cast(pl.Int64)
                       .alias("source_words"))  # fmt: skip
    columns += [
        texts.gather(pl.Series(codes.astype(np.int64))).alias(f"output_{name}")
        for name, codes in items.answers.items()
    ]
    own = items.context.drop([one.name for one in columns], strict=False)
    return pl.DataFrame([*columns, *own.get_columns()])


def _rarest(words: pl.Series, corpus: Corpus) -> pl.Series:
    """Return how often the rarest word of each reference is in training, else in all references.

    A reference without words has null.
    """
    whole = words.alias("form").to_frame().with_row_index("at")
    long = whole.explode("form").drop_nulls()
    known = long if corpus.training is None else corpus.training.tables["token"]
    n = pl.col("n").sum() if "n" in known.columns else pl.len()
    counts = known.group_by("form").agg(n.cast(pl.Int64).alias("times"))
    times = long.join(counts, on="form", how="left").with_columns(pl.col("times").fill_null(0))
    found = times.group_by("at").agg(pl.col("times").min())
    rarest = whole.join(found, on="at", how="left", maintain_order="left")["times"]
    return rarest.alias("rarest_word")
