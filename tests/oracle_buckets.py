# ruff: noqa: ARG005  - every value is a function of the same three
"""Attributes and buckets again, in plain loops: slow, short and obviously right.

A corpus is a list of sentences; a sentence is (words, spans by layer), gold's layer being "".
A span is (start, end, label). Training data are sentences of the same form with one layer "".
"""

from __future__ import annotations

import math
from collections import Counter


def attributes(sentences, training=None):
    """Return name → function(words, gold spans, span) → value, for the spans of some sentences."""
    told = {
        "eLen": lambda words, gold, span: span[1] - span[0],
        "sLen": lambda words, gold, span: len(words),
        "eDen": lambda words, gold, span: density(words, gold),
        "label": lambda words, gold, span: span[2],
        "position": lambda words, gold, span: span[0] + 1,
        "characters": lambda words, gold, span: len(" ".join(words[span[0] : span[1]])),
    }
    if training is None:
        return told
    strings = [(text(w, s), s[2]) for w, layers in training for s in layers[""]]
    seen = {word for words, _ in training for word in words}
    return told | {
        "eFre": lambda words, gold, span: sum(t == text(words, span) for t, _ in strings),
        "eFre_share": lambda words, gold, span: (
            sum(t == text(words, span) for t, _ in strings) / len(strings) if strings else None
        ),
        "eCon": lambda words, gold, span: share(strings, text(words, span), span[2]),
        "oDen": lambda words, gold, span: sum(w not in seen for w in words) / len(words),
    }


def text(words, span):
    return " ".join(words[span[0] : span[1]]).lower()


def share(strings, string, label):
    """Return which share of a string's occurrences has the label, 0 for a string never seen."""
    labels = [y for t, y in strings if t == string]
    return labels.count(label) / len(labels) if labels else 0.0


def density(words, gold):
    """Return the share of words inside some gold span."""
    return len({k for start, end, _ in gold for k in range(start, end)}) / len(words)


def quantiles(values, m, apart=()):
    """Return a list of (low, high, closed): what is set apart, and quantiles of the rest."""
    rest = sorted(v for v in values if v not in apart)
    points = [(p, p, True) for p in apart]
    if not rest:
        return points
    below = [p for p in apart if p < rest[0]]
    low, closed = (max(below), False) if below else (rest[0], True)
    out, n = [], 0
    for value in sorted(set(rest)):
        n += rest.count(value)
        if n > len(rest) / m or value == rest[-1]:
            out.append((low, value, closed))
            low, closed, n = value, False, 0
    return sorted(points + out, key=lambda r: (r[1], r[0]))


def place(ranges, value):
    """Return the number of the range a value is in, "outside" if in none; points go first."""
    if value is None:
        return "null"
    for k, (low, high, _) in enumerate(ranges):
        if low == high == value:
            return k
    for k, (low, high, closed) in enumerate(ranges):
        if low != high and (low < value or (closed and value == low)) and value <= high:
            return k
    return "outside"


def counts(sentences, value, where, systems):
    """Return gold's items by bucket, and by (system, bucket) the predictions and the right ones.

    ``where`` turns a value into a bucket.
    """
    gold, predicted, tp = Counter(), Counter(), Counter()
    for words, layers in sentences:
        for span in layers[""]:
            gold[where(value(words, layers[""], span))] += 1
        for name in systems:
            for span in layers[name]:
                bucket = where(value(words, layers[""], span))
                predicted[name, bucket] += 1
                tp[name, bucket] += span in layers[""]
    return gold, predicted, tp


def f1(tp, predicted, gold):
    """Return F1 by its textbook definition, None for 0/0."""
    return 2 * tp / (predicted + gold) if predicted + gold else None


def spearman(values):
    """Return the rank correlation of some values with their order, None if they are constant."""
    if len(set(values)) < 2:
        return None
    ranks = [sum(w < v for w in values) + (values.count(v) + 1) / 2 for v in values]
    return pearson([k + 1 for k in range(len(values))], ranks)


def pearson(xs, ys):
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    cov = sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True))
    return cov / math.sqrt(sum((x - mx) ** 2 for x in xs) * sum((y - my) ** 2 for y in ys))
