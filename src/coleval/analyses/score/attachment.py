"""``score`` of trees: the metrics of the CoNLL 2018 evaluation, and relations by themselves.

Words are aligned first, so that precision, recall and accuracy on aligned words are three numbers.
What a metric compares is said in ``corpus.tree_metrics``; tokens and sentences are compared by
where they begin and end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.counted import compared, selected_items
from coleval.corpus.tree_metrics import compared_and_shown, parts_of, words_of
from coleval.engines import Engine, engine_of
from coleval.statistics.prf import ratios
from coleval.statistics.ratio import ratio_expr, ratio_of

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.kernels.active_rows import Counts
    from coleval.kernels.agreeing import Agreed
    from coleval.kernels.combining import LabelCounts

OVERALL = (
    "system", "metric", "correct", "gold", "predicted", "aligned", "precision", "recall", "f1",
    "aligned_accuracy", "sentences", "sentences_correct",
)  # fmt: skip
LABELS = ("system", "metric", "label", "tp", "fp", "fn", "precision", "recall", "f1", "support")
# As the CoNLL 2018 evaluation calls and orders them; LS (relations by themselves) is ours.
NAMES = {
    "tokens": "Tokens", "sentences": "Sentences", "words": "Words", "upos": "UPOS", "xpos": "XPOS",
    "ufeats": "UFeats", "alltags": "AllTags", "lemmas": "Lemmas", "uas": "UAS", "ls": "LS",
    "las": "LAS", "clas": "CLAS", "mlas": "MLAS", "blex": "BLEX",
    "eulas": "EULAS", "elas": "ELAS",
}  # fmt: skip
# What is no word: it has no answer but that it is there.
_APART = ("tokens", "sentences", "elas", "eulas")
_NEEDS = {
    "upos": ("upos",), "xpos": ("xpos",), "ufeats": ("feats",), "lemmas": ("lemma",),
    "alltags": ("upos", "xpos", "feats"), "mlas": ("upos", "feats"), "blex": ("lemma",),
}  # fmt: skip
_ATTACHED = ("uas", "ls", "las")


def attachment(corpus: Corpus) -> dict[str, pl.DataFrame]:
    """Return ``overall`` for all metrics, best system first, and ``labels`` for the one asked."""
    base = selected_items(corpus)
    # What was asked for comes first: without its columns there is nothing to be ranked by.
    asked = corpus.scoring.metric
    first = {asked: _agreed(corpus, base, asked)}
    counted = {m: first[m] if m == asked else _agreed(corpus, base, m) for m in _there(corpus)}
    zero_division = corpus.scoring.zero_division
    order = _ranked(first[asked])
    engine = engine_of(corpus)
    whole = {m: _whole(compared(_by(corpus, m), base), engine) for m in _ATTACHED}
    rows = [
        _row(system, metric, counted[metric][system], whole.get(metric, {}).get(system, {}))
        for system in order
        for metric in counted
    ]
    table = pl.DataFrame(rows, schema=_SCHEMA, orient="row")
    return {
        "overall": _scored(table, zero_division),
        "labels": _labels(corpus, base, order, zero_division),
    }


def _there(corpus: Corpus) -> list[str]:
    """Return the metrics that the files have the columns for."""
    have = set(corpus.layers)
    whole = not corpus.scoring.where
    return [
        name
        for name in NAMES
        if (name in have and whole if name in _APART else have.issuperset(_NEEDS.get(name, ())))
    ]


def _by(corpus: Corpus, metric: str) -> Corpus:
    return corpus.scored_by({"metric": metric})


def _agreed(corpus: Corpus, base: Items, metric: str) -> dict[str, Agreed]:
    if metric in _APART:
        return engine_of(corpus).agreed((corpus.layer(metric),), None)
    parts = parts_of(corpus, base, metric)
    return engine_of(corpus).agreed(parts, words_of(corpus, base))


def _ranked(counts: dict[str, Agreed]) -> list[str]:
    """Return the systems by F1, best first."""

    def f1(name: str) -> float:
        found = counts[name]
        return ratio_of(2 * found.correct, found.gold + found.predicted, 0.0)

    return sorted(counts, key=lambda name: (-f1(name), name))


def _whole(items: Items, engine: Engine) -> dict[str, dict[str, int]]:
    """Return how many sentences there are and how many have nothing wrong, nothing if unknown."""
    total = items.group_count
    wrong = engine.wrong_groups(items) if total else {}
    return {
        name: {"sentences": total, "sentences_correct": total - wrong.get(name, 0)}
        for name in items.systems
        if total
    }


_SCHEMA = {
    "system": pl.String, "metric": pl.String, "correct": pl.Int64, "gold": pl.Int64,
    "predicted": pl.Int64, "aligned": pl.Int64, "sentences": pl.Int64,
    "sentences_correct": pl.Int64, "apart": pl.Boolean,
}  # fmt: skip


def _row(system: str, metric: str, found: Agreed, whole: dict[str, int]) -> dict[str, object]:
    apart = metric in _APART
    return {
        "system": system, "metric": NAMES[metric], "correct": found.correct, "gold": found.gold,
        "predicted": found.predicted, "aligned": None if apart else found.aligned,
        "apart": apart, **whole,
    }  # fmt: skip


def _scored(table: pl.DataFrame, zero_division: float | None) -> pl.DataFrame:
    """Return counts with their ratios; what is only there or not has no accuracy."""
    correct, gold = pl.col("correct"), pl.col("gold")
    existing = pl.col("apart") | (pl.col("metric") == NAMES["words"])
    aligned = ratio_expr(correct, pl.col("aligned"), zero_division)
    shares = {
        "precision": ratio_expr(correct, pl.col("predicted"), zero_division),
        "recall": ratio_expr(correct, gold, zero_division),
        "f1": ratio_expr(2 * correct, gold + pl.col("predicted"), zero_division),
        "aligned_accuracy": pl.when(~existing).then(aligned),
    }
    return table.with_columns(**shares).select(OVERALL)


def _labels(
    corpus: Corpus, base: Items, order: list[str], zero_division: float | None
) -> pl.DataFrame:
    """Return each label's counts for the metric asked; heads alone predict nothing of a label."""
    metric = corpus.scoring.metric
    items, shown = compared_and_shown(corpus, base, metric)
    engine = engine_of(corpus)
    counts, said = engine.labels(items, shown), engine.said(shown)
    frames = [_of_system(shown, counts, said, name) for name in order]
    known = (pl.col("support") + pl.col("tp") + pl.col("fp")).sum().over("label") > 0
    table = ratios(pl.concat(frames).filter(known), zero_division).with_columns(
        metric=pl.lit(NAMES[metric])
    )
    if metric == "uas":
        table = table.with_columns(
            pl.lit(None, pl.Int64).alias("fp"),
            *(pl.lit(None, pl.Float64).alias(name) for name in ("precision", "f1")),
        )
    return table.select(LABELS)


def _of_system(shown: Items, counts: LabelCounts, said: Counts, name: str) -> pl.DataFrame:
    at = shown.systems.index(name)
    predicted, tp = said[at], counts.right[at]
    frame = pl.DataFrame(
        {
            "label": pl.Series(shown.labels, dtype=pl.String),
            "tp": tp[1:],
            "fp": (predicted - tp)[1:],
            "fn": (counts.items - tp)[1:],
            "support": counts.items[1:],
        }
    )
    return frame.select(pl.lit(name).alias("system"), pl.all())
