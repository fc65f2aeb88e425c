"""The training attributes as InterpretEval's program has them, where it departs from the paper.

A string is searched for in the running text as a regular expression, so that a full stop is any
character; consistency is that of token labels at the places found; frequency is divided by the
fifth largest of the test data, known only for strings that gold has there, and cut to three
decimals; a token unknown to training takes the value of the token before it in its span.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.annotate.attributes.model import GOLD, Values, numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from coleval.annotate.attributes.facts import Facts
    from coleval.corpus.training import Training

_FIFTH = 4
_SPECIAL = frozenset("\\.^$*+?{}[]|()")


@dataclass(frozen=True)
class _ProgramText:
    """The training text as one string in lower case, and the label of every token."""

    training: Training

    @cached_property
    def words(self) -> list[str]:
        return self.training.tables["text"]["form"].cast(pl.String).to_list()

    @cached_property
    def labels(self) -> list[str]:
        return [_training_label(tag) for tag in self.training.tables["text"]["tag"].to_list()]

    @cached_property
    def joined(self) -> str:
        return " ".join(self.words).lower()

    @cached_property
    def starts(self) -> list[int]:
        ends = np.cumsum([len(word.lower()) + 1 for word in self.words])
        return [0, *ends[:-1].tolist()]

    def found(self, string: str, without: str) -> list[int]:
        """Return where a string stands between spaces, some characters of it left out."""
        bare = string.translate(str.maketrans("", "", without))
        pattern = f" {bare} "
        if not _SPECIAL.intersection(bare):
            return _places(self.joined, pattern)
        try:
            return [match.start() for match in re.finditer(pattern, self.joined)]
        except re.error:
            return _places(self.joined, pattern)

    def labels_at(self, string: str) -> Counter[str]:
        """Return the labels of all tokens at the places of a string."""
        size, counts = len(string.split()), Counter[str]()
        for place in self.found(string, "()*+"):
            first = bisect_right(self.starts, place)
            counts.update(self.labels[first : first + size])
        return counts


def _places(text: str, part: str) -> list[int]:
    """Return where a part begins in a text, those that overlap one before left out."""
    found, at = [], text.find(part)
    while at >= 0:
        found.append(at)
        at = text.find(part, at + len(part))
    return found


def _training_label(tag: str | None) -> str:
    """Return what the program reads of a tag in training: the part behind the first hyphen."""
    parts = (tag or "O").split("-")
    return parts[1].lower() if len(tag or "O") > 1 and len(parts) > 1 else parts[0].lower()


def _test_label(label: str) -> str:
    """Return what it reads of a label in the test data: the part behind the last hyphen."""
    return label.rpartition("-")[2].lower()


def entity_consistency(facts: Facts) -> Values:
    """Return the share of tokens at the string's places in training that have the label."""
    text, (strings, row) = _text(facts), facts.strings
    trained = set(text.training.strings("span")["string"].to_list())
    shares = {s: _shares(text.labels_at(s)) for s in strings.to_list() if s in trained}
    return Values(_by_label(facts, strings, shares), row)


def token_consistency(facts: Facts) -> Values:
    """Return the share of the token's occurrences in training that have the label."""
    text, (strings, row) = _text(facts), facts.strings
    wanted, counts = set(strings.to_list()), dict[str, Counter[str]]()
    for word, label in zip(text.words, text.labels, strict=True):
        if (lower := word.lower()) in wanted:
            counts.setdefault(lower, Counter())[label] += 1
    shares = {s: _shares(n) for s, n in counts.items()}
    table = np.vstack([_by_label(facts, strings, shares), np.zeros(len(facts.items.labels) + 1)])
    known = np.array([s in counts for s in strings.to_list()], np.bool_)[row]
    rows = {name: _inherited(facts, name, known, row, len(strings)) for name in facts.begin}
    return Values(table, rows[GOLD], rows=rows)


def _inherited(
    facts: Facts, layer: str, known: NDArray[np.bool_], row: NDArray[np.integer], nothing: int
) -> NDArray[np.int64]:
    """Return the row of the last known token of the span up to each token, ``nothing`` if none."""
    token, begin = facts.items.numbers, facts.begin[layer]
    place = np.maximum.accumulate(np.where(known, np.arange(len(token)), -1))
    inside = (place >= 0) & (token[place] >= begin) & (begin >= 0)
    return np.where(inside, row[place], nothing).astype(np.int64)


def entity_frequency(facts: Facts) -> Values:
    """Return how often gold's string stands in the training text, 0 for the four most frequent."""
    text, (strings, row) = _text(facts), facts.strings
    gold = np.zeros(len(strings), np.bool_)
    gold[row[facts.items.gold != 0]] = True
    counts = {s: len(text.found(s, "()*")) for s in strings.filter(pl.Series(gold)).to_list()}
    return _frequencies(strings, row, counts, counts.values(), above=0.0)


def token_frequency(facts: Facts) -> Values:
    """Return how often the token stands in training, 1 for the four most frequent."""
    strings, row = facts.strings
    counts = Counter(word.lower() for word in _text(facts).words)
    every = facts.running.form.cast(pl.String).str.to_lowercase().unique().to_list()
    return _frequencies(strings, row, counts, [counts[word] for word in every], above=1.0)


def _frequencies(
    strings: pl.Series,
    row: NDArray[np.integer],
    counts: Mapping[str, int],
    rivals: Iterable[int],
    *,
    above: float,
) -> Values:
    ranked = sorted(rivals, reverse=True)
    most = max(1, ranked[min(_FIFTH, len(ranked) - 1)]) if ranked else 1
    found = [counts.get(s, 0) for s in strings.to_list()]
    shares = [above if n > most else _cut(n / most) for n in found]
    return numbers(np.array(shares, np.float64), row)


def _shares(counts: Counter[str]) -> dict[str, float]:
    total = sum(counts.values())
    return {label: _cut(n / total) for label, n in counts.items()}


def _cut(share: float) -> float:
    return float(f"{share:.3f}")


def _by_label(
    facts: Facts, strings: pl.Series, shares: Mapping[str, Mapping[str, float]]
) -> NDArray[np.float64]:
    labels = [_test_label(label) for label in facts.items.labels]
    rows = [[0.0, *(shares.get(s, {}).get(label, 0.0) for label in labels)] for s in strings]
    return np.array(rows, np.float64).reshape(len(strings), len(labels) + 1)


def _text(facts: Facts) -> _ProgramText:
    if facts.training is None:
        raise ValueError("no training data")
    return _ProgramText(facts.training)


VALUES: Mapping[str, Callable[[Facts], Values]] = {
    "eCon": entity_consistency,
    "tCon": token_consistency,
    "eFre": entity_frequency,
    "tFre": token_frequency,
}
BUCKETS: Mapping[str, str] = {
    "eFre": "quantile 4 apart 0",
    "tFre": "quantile 4 apart 0",
    "oDen": "quantile 4 apart 0",
    "eLen": "quantile 4 apart 1,2,3",
    "label": "discrete 6",
}
