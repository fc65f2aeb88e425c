"""The metrics of generated text: each a function of whole numbers that are summed over segments.

Which numbers, and by which library, is for ``extraction``; here they become scores from 0 to 1,
those of the libraries but for rounding. Arrays of sums have a row for each number of a statistic.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coleval.counts.extraction import EXTRACTORS, PARTS
from coleval.counts.segments import REFERENCE, UNIT
from coleval.errors import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from coleval.corpus.corpus import Corpus

Floats = NDArray[np.float64]

# Orders of n-grams (Papineni et al. 2002); beta of chrF (Popović 2015).
_ORDERS, _BETA = 4, 2


@dataclass(frozen=True, slots=True)
class TextMetric:
    """A metric: its statistic, and its score of sums, ``(numbers, ...) -> (...)``.

    ``better`` is ``high`` or ``low``, or nothing where a score is neither. A ``sentence`` score is
    that of a single segment, where it is not that of all.
    """

    name: str
    title: str
    statistic: str
    score: Callable[[Floats], Floats]
    better: str = "high"
    sentence: Callable[[Floats], Floats] | None = None

    def of_segments(self, numbers: Floats) -> Floats:
        """Return the scores of single segments."""
        return (self.sentence or self.score)(numbers)


def _divided(above: Floats, below: Floats) -> Floats:
    """Return ratios, NaN where nothing is divided by."""
    return np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below > 0)


def _bleu(sums: Floats, *, effective: bool = False) -> Floats:
    """Return BLEU with the brevity penalty and the exponential smoothing of mteval-v13a.

    Of single segments the orders of n-grams are those that it is long enough for.
    """
    hypothesis, reference = sums[0], sums[1]
    correct, total = sums[2 : 2 + _ORDERS], sums[2 + _ORDERS : 2 + 2 * _ORDERS]
    logs, orders = np.zeros(hypothesis.shape), np.zeros(hypothesis.shape)
    halved, there = np.ones(hypothesis.shape), np.ones(hypothesis.shape, np.bool_)
    for right, n in zip(correct, total, strict=True):
        there &= n > 0
        halved = np.where(there & (right == 0), 2 * halved, halved)
        precision = np.where(right > 0, right, 1 / halved) / np.maximum(n, 1)
        logs += np.where(there, np.log(precision), 0.0 if effective else -np.inf)
        orders += there
    short = np.minimum(0.0, 1 - reference / np.maximum(hypothesis, 1))
    mean = logs / (np.maximum(orders, 1) if effective else _ORDERS)
    return np.where(correct.any(axis=0), np.exp(short + mean), 0.0)


def _chrf(sums: Floats) -> Floats:
    """Return F2 of the mean precision and recall of the orders that both texts have."""
    hypothesis, reference, match = sums[0::3], sums[1::3], sums[2::3]
    there = (hypothesis > 0) & (reference > 0)
    orders = np.maximum(there.sum(axis=0), 1)
    precision, recall = (
        np.where(there, match / np.maximum(n, 1), 0.0).sum(axis=0) / orders
        for n in (hypothesis, reference)
    )
    weighed = _BETA**2 * precision + recall
    return np.where(
        weighed > 0, (1 + _BETA**2) * precision * recall / np.where(weighed, weighed, 1), 0
    )


def _edit_rate(sums: Floats) -> Floats:
    """Return edits per word of the reference; an empty one costs all if there are any edits."""
    return np.where(sums[1] > 0, sums[0] / np.maximum(sums[1], 1), (sums[0] > 0).astype(float))


def _mean(sums: Floats, *, at: int) -> Floats:
    return _divided(sums[at] / PARTS, sums[-1])


def _length_ratio(sums: Floats) -> Floats:
    return _divided(sums[0], sums[1])


METRICS: Mapping[str, TextMetric] = {
    metric.name: metric
    for metric in (
        TextMetric("bleu", "BLEU", "bleu", _bleu, sentence=partial(_bleu, effective=True)),
        TextMetric("chrf", "chrF", "chrf", _chrf),
        TextMetric("chrf++", "chrF++", "chrf++", _chrf),
        TextMetric("ter", "TER", "ter", _edit_rate, better="low"),
        TextMetric("rouge1", "ROUGE-1", "rouge", partial(_mean, at=0)),
        TextMetric("rouge2", "ROUGE-2", "rouge", partial(_mean, at=1)),
        TextMetric("rougeL", "ROUGE-L", "rouge", partial(_mean, at=2)),
        TextMetric("meteor", "METEOR", "meteor", partial(_mean, at=0)),
        TextMetric("wer", "WER", "wer", _edit_rate, better="low"),
        TextMetric("cer", "CER", "cer", _edit_rate, better="low"),
        TextMetric("exact_match", "exact match", "answer", partial(_mean, at=0)),
        TextMetric("token_f1", "token F1", "answer", partial(_mean, at=1)),
        TextMetric("length_ratio", "length ratio", "bleu", _length_ratio, better=""),
    )
}


def text_metric(name: str) -> TextMetric:
    """Return a metric by its name; raise with near misses."""
    if name not in METRICS:
        raise unknown("metric", name, METRICS, where="--metric")
    return METRICS[name]


def reading_signature(corpus: Corpus) -> dict[str, str]:
    """Return how many references there are, and the signature of the library that counts."""
    columns = corpus.units[UNIT].context.columns
    name = corpus.task_kind.headline(corpus, corpus.units[UNIT])
    counted = METRICS[name].statistic if name in METRICS else ""
    library = {counted: EXTRACTORS[counted](corpus.reading.tokenize).signature} if counted else {}
    beside = {"source-text": corpus.reading.source_text, "documents": corpus.reading.documents}
    return {
        "references": str(1 + sum(name.startswith(REFERENCE) for name in columns)),
        **{name: "yes" for name, path in beside.items() if path},
    } | library
