"""``score`` of trees: the metrics of the CoNLL 2018 evaluation, and relations by themselves.

Words are aligned first, so that precision, recall and accuracy on aligned words are three numbers.
What a metric compares is said in ``corpus.tree_metrics``; tokens and sentences are compared by
where they begin and end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.counted import (
    compared,
    counted_patterns,
    scored_items,
    selected_items,
)
from coleval.corpus.far import elsewhere
from coleval.corpus.grid import added
from coleval.corpus.spread import check_by_item
from coleval.corpus.tree_metrics import OF_EDGES, compared_and_shown, parts_of, words_of
from coleval.counts.active_rows import Agreed, agreed_words
from coleval.counts.groups import wrong_groups
from coleval.counts.systems import answer_counts, label_counts
from coleval.counts.units import agreed_answered, expected, units_of
from coleval.errors import UsageError
from coleval.statistics.measure import UnitSums
from coleval.statistics.prf import ratios
from coleval.statistics.ratio import ratio_array, ratio_expr, ratio_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.statistics.measure import Floats

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
_APART = ("tokens", "sentences", *OF_EDGES)
_NEEDS = {
    "upos": ("upos",), "xpos": ("xpos",), "ufeats": ("feats",), "lemmas": ("lemma",),
    "alltags": ("upos", "xpos", "feats"), "mlas": ("upos", "feats"), "blex": ("lemma",),
}  # fmt: skip
_ATTACHED = ("uas", "ls", "las")


@dataclass(frozen=True, slots=True)
class AttachmentCounts:
    """What is counted of some files: by metric and system, whole sentences, and by label."""

    agreed: dict[str, dict[str, Agreed]]
    whole: dict[str, dict[str, dict[str, int]]]
    labels: pl.DataFrame


def attachment(corpus: Corpus) -> dict[str, pl.DataFrame]:
    """Return ``overall`` for all metrics, best system first, and ``labels`` for the one asked."""
    counts = _counted(corpus)
    asked, zero_division = corpus.scoring.metric, corpus.scoring.zero_division
    # Edges that gold has not are in no order of systems.
    order = _ranked(counts.agreed.get(asked, counts.agreed["las"]))
    rows = [
        _row(system, metric, found[system], counts.whole.get(metric, {}).get(system, {}))
        for system in order
        for metric, found in counts.agreed.items()
    ]
    table = pl.DataFrame(rows, schema=_SCHEMA, orient="row")
    labels = _labels(counts.labels, asked, order, zero_division)
    return {"overall": _scored(table, zero_division), "labels": labels}


def _counted(corpus: Corpus) -> AttachmentCounts:
    """Return the counts of a corpus: the sums of those of its files, if all have the same columns.

    A filter may compare an item with those of other files.
    """
    if corpus.spread is not None:
        check_by_item(corpus.scoring.where, "--where")
    elif corpus.scoring.where:
        return _counts(corpus)
    key = ("attachment", corpus.scoring, corpus.systems)
    parts = added(corpus, key, _counts)
    if parts is None or any(_tags(part) != _tags(parts[0]) for part in parts):
        if corpus.spread is not None:
            raise UsageError(
                "some files have columns of tags that others lack, and parts cannot be added up",
                where="--engine spark",
                remedy="count with --engine polars, or those files by themselves (--where)",
            )
        return _counts(corpus)
    return parts[0] if len(parts) == 1 else _sum(parts)


def _tags(counts: AttachmentCounts) -> set[str]:
    """Return the metrics of words; a file without edges or tokens of its own has none to add."""
    return counts.agreed.keys() - set(_APART)


def _sum(parts: Sequence[AttachmentCounts]) -> AttachmentCounts:
    there = [metric for metric in NAMES if any(metric in part.agreed for part in parts)]
    found = {metric: _all([p.agreed[metric] for p in parts if metric in p.agreed])
             for metric in there}  # fmt: skip
    whole: dict[str, dict[str, dict[str, int]]] = {metric: {} for metric in parts[0].whole}
    for part in parts:
        # A file without sentences has no counts of them.
        for metric, by in part.whole.items():
            for name, one in by.items():
                known = whole[metric].get(name, {})
                whole[metric][name] = {key: known.get(key, 0) + n for key, n in one.items()}
    labels = pl.concat([part.labels for part in parts])
    summed = labels.group_by("system", "label", maintain_order=True).sum()
    return AttachmentCounts(found, whole, summed.sort("label", maintain_order=True))


def _all(parts: Sequence[dict[str, Agreed]]) -> dict[str, Agreed]:
    return {name: _added([part[name] for part in parts]) for name in parts[0]}


def _added(parts: Sequence[Agreed]) -> Agreed:
    return Agreed(
        sum(part.gold for part in parts),
        sum(part.predicted for part in parts),
        sum(part.correct for part in parts),
        sum(part.aligned for part in parts),
    )


def _counts(corpus: Corpus) -> AttachmentCounts:
    base = selected_items(corpus)
    # What was asked for comes first: without its columns there is nothing to be ranked by.
    asked = corpus.scoring.metric
    first = {asked: _agreed(corpus, base, asked)}
    found = {m: first[m] if m == asked else _agreed(corpus, base, m) for m in _there(corpus)}
    whole = {m: _whole(compared(_by(corpus, m), base)) for m in _ATTACHED}
    return AttachmentCounts(found, whole, _label_counts(corpus, base))


def _there(corpus: Corpus) -> list[str]:
    """Return the metrics that the files have the columns for."""
    have, scoring = set(corpus.layers), corpus.scoring
    # What is no word is not filtered, and edges have relations of their own.
    there = set() if scoring.where else have.intersection(_APART)
    if scoring.labels or scoring.exclude:
        there -= set(OF_EDGES)
    return [
        name
        for name in NAMES
        if (name in there if name in _APART else have.issuperset(_NEEDS.get(name, ())))
    ]


def unit_sums(corpus: Corpus, kind: str) -> Iterator[UnitSums]:
    """Yield what each metric is made of by unit; tokens and edges may lack the column of that."""
    for metric in _there(corpus):
        apart = metric in _APART
        own = corpus if apart else _by(corpus, metric)
        items = corpus.layer(metric) if apart else scored_items(own)
        if apart and kind not in items.context.columns:
            continue
        units = units_of(items, kind)
        met = [] if apart else [agreed_answered(_met(own), units)[0]]
        correct, predicted = agreed_answered(items, units)
        rows = [correct, expected(items, units), predicted, *met]
        yield UnitSums(
            units.key, np.concatenate(rows), partial(_of_sums, NAMES[metric], len(items.systems))
        )


def _of_sums(
    metric: str, systems: int, sums: Floats, zero_division: float | None
) -> dict[tuple[str, str], Floats]:
    ends = [systems, systems + 1, 2 * systems + 1]
    correct, gold, predicted, aligned = np.split(sums, ends)
    named = {"precision": predicted, "recall": gold, "f1": (gold + predicted) / 2}
    if len(aligned):
        named["aligned_accuracy"] = aligned
    return {(metric, n): ratio_array(correct, b, zero_division) for n, b in named.items()}


def _met(corpus: Corpus) -> Items:
    """Return whether each side has a word, of those words that gold answers."""
    if corpus.spread is not None:
        return elsewhere(corpus, _met)
    there = scored_items(corpus).gold > 0
    words = words_of(corpus, selected_items(corpus))
    return replace(words, gold=there.astype(words.gold.dtype), judges=None)


def _by(corpus: Corpus, metric: str) -> Corpus:
    return corpus.scored_by({"metric": metric})


def _agreed(corpus: Corpus, base: Items, metric: str) -> dict[str, Agreed]:
    if metric in _APART:
        edges = metric in OF_EDGES
        items = parts_of(corpus, base, metric) if edges else (corpus.layer(metric),)
        return agreed_words(items, None)
    parts = parts_of(corpus, base, metric)
    return agreed_words(parts, words_of(corpus, base))


def _ranked(counts: dict[str, Agreed]) -> list[str]:
    """Return the systems by F1, best first."""

    def f1(name: str) -> float:
        found = counts[name]
        return ratio_of(2 * found.correct, found.gold + found.predicted, 0.0)

    return sorted(counts, key=lambda name: (-f1(name), name))


def _whole(items: Items) -> dict[str, dict[str, int]]:
    """Return how many sentences there are and how many have nothing wrong, nothing if unknown."""
    total = items.group_count
    wrong = wrong_groups(items) if total else {}
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


def _label_counts(corpus: Corpus, base: Items) -> pl.DataFrame:
    """Return the counts of each label for the metric that was asked for."""
    items, shown = compared_and_shown(corpus, base, corpus.scoring.metric)
    counted, size = counted_patterns(corpus, items, shown), len(shown.labels)
    del items
    counts, said = label_counts(counted, size), answer_counts(counted, size)
    size, tp = len(shown.labels), counts.right[:, 1:]
    support = np.tile(counts.items[1:], len(shown.systems))
    return pl.DataFrame(
        {
            "system": np.repeat(np.array(shown.systems, object), size).tolist(),
            "label": [*shown.labels] * len(shown.systems),
            "tp": tp.ravel(),
            "fp": (said[:, 1:] - tp).ravel(),
            "fn": support - tp.ravel(),
            "support": support,
        },
        schema_overrides={"system": pl.String, "label": pl.String},
    )


def _labels(
    counted: pl.DataFrame, metric: str, order: list[str], zero_division: float | None
) -> pl.DataFrame:
    """Return each label's scores; heads alone predict nothing of a label."""
    place = pl.col("system").replace_strict({n: k for k, n in enumerate(order)}, default=None)
    known = (pl.col("support") + pl.col("tp") + pl.col("fp")).sum().over("label") > 0
    ordered = counted.sort(place, maintain_order=True).filter(known)
    table = ratios(ordered, zero_division).with_columns(metric=pl.lit(NAMES[metric]))
    if metric == "uas":
        table = table.with_columns(
            pl.lit(None, pl.Int64).alias("fp"),
            *(pl.lit(None, pl.Float64).alias(name) for name in ("precision", "f1")),
        )
    return table.select(LABELS)
