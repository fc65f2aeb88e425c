"""The text of the made-up corpus: documents, sentences, entity spans, and a word for each token."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from coleval.demo.chance import TEXT, Codes, Flags, Places, pick, pick_by_row, stream, zipf
from coleval.demo.language import TYPES

if TYPE_CHECKING:
    from coleval.demo.words import Vocabulary

_LONGEST = 8
# The share of tokens that are marks within a sentence, numbers, or capitals that name nothing.
_UNLIKE_WORDS = {"inside": 0.06, "number": 0.025, "outside": 0.03}


@dataclass(frozen=True, slots=True)
class DemoText:
    """Columns by token, and the entity spans in reading order; ``end`` is the token after."""

    vocabulary: Vocabulary
    word: Places
    sentence: Places
    document: Places
    start: Places
    end: Places
    kind: Codes

    @property
    def opens(self) -> Flags:
        """Return which tokens stand first in their sentence."""
        return _opens(self.sentence)


def text(vocabulary: Vocabulary, tokens: int, seed: int) -> DemoText:
    """Return a text of exactly so many tokens; its last sentence may be cut short."""
    rng = stream(seed, TEXT)
    sentence, document = _layout(rng, tokens)
    start, end = _places(rng, sentence)
    kind = _kinds(rng, start, end, document)
    word = _plain_words(rng, vocabulary, sentence)
    _name(rng, vocabulary, word, (start, end, kind), document)
    return DemoText(vocabulary, word, sentence, document, start, end, kind)


def inside(start: Places, end: Places) -> Places:
    """Return the numbers of all tokens within the spans, span after span."""
    size = end - start
    ahead = np.cumsum(size, dtype=np.int32) - size
    every: Places = np.arange(int(size.sum()), dtype=np.int32)
    return every + np.repeat(start - ahead, size)


def _layout(rng: np.random.Generator, tokens: int) -> tuple[Places, Places]:
    """Return the sentence and document of each token: log-normal lengths, 10-40 sentences."""
    many = tokens // 10 + 16
    size = np.clip(np.rint(rng.lognormal(2.88, 0.5, many)), 3, 120).astype(np.int64)
    sentence: Places = np.repeat(np.arange(many, dtype=np.int32), size)[:tokens]
    sentences = rng.integers(10, 41, many // 10 + 1)
    document: Places = np.repeat(np.arange(len(sentences), dtype=np.int32), sentences)
    return sentence, document.take(sentence)


def _opens(sentence: Places) -> Flags:
    return np.append(True, sentence[1:] != sentence[:-1])


def _closes(sentence: Places) -> Flags:
    return np.append(sentence[1:] != sentence[:-1], True)


def _places(rng: np.random.Generator, sentence: Places) -> tuple[Places, Places]:
    """Return where spans begin and end; none holds or passes the last token of its sentence."""
    many = len(sentence) // 8 + 8
    size = np.minimum(rng.geometric(0.54, many), _LONGEST)
    gap = rng.geometric(1 / 10.1, many)
    gap[rng.random(many) < 0.02] = 0
    end = np.cumsum(gap + size)
    start = end - size
    start, end = start[start < len(sentence)], end[start < len(sentence)]
    last = np.flatnonzero(_closes(sentence))[sentence[start]]
    end = np.minimum(end, last)
    real = end > start
    return start[real].astype(np.int32), end[real].astype(np.int32)


def _kinds(rng: np.random.Generator, start: Places, end: Places, document: Places) -> Codes:
    """Return a type per span; each document has two it speaks of more than others do."""
    weight = np.array([[kind.weight * many for many in kind.lengths] for kind in TYPES]).T
    by_length = np.digitize(end - start, [2, 4])
    kind = pick_by_row(weight, by_length, rng.random(len(start)))
    topics = rng.integers(0, 6, (int(document[-1]) + 1, 2))
    topic = topics[document[start], rng.integers(0, 2, len(start))]
    on_topic = (rng.random(len(start)) < 0.3) & (weight[by_length, topic] > 1)
    return np.where(on_topic, topic, kind).astype(np.uint8)


def _plain_words(rng: np.random.Generator, vocabulary: Vocabulary, sentence: Places) -> Places:
    """Return a word for every token as if there were no entities."""
    pools = vocabulary.pools
    word = zipf(rng, pools["word"], len(sentence))
    word[_opens(sentence)] += np.int32(vocabulary.capital)
    sort = pick([0.885, *_UNLIKE_WORDS.values()], rng.random(len(sentence)))
    for number, name in enumerate(_UNLIKE_WORDS, start=1):
        here = np.flatnonzero(sort == number)
        word[here] = zipf(rng, pools[name], len(here))
    closing = np.flatnonzero(_closes(sentence))
    word[closing] = rng.choice(pools["end"], len(closing), p=[0.6, 0.2, 0.12, 0.04, 0.03, 0.01])
    return word


def _name(
    rng: np.random.Generator,
    vocabulary: Vocabulary,
    word: Places,
    spans: tuple[Places, Places, Codes],
    document: Places,
) -> None:
    """Put names into the spans: one pool for each type and place in the span."""
    start, end, kind = spans
    token = inside(start, end)
    first, last = np.repeat(start, end - start), np.repeat(end, end - start) - 1
    place = np.where(first == last, 0, np.where(token == first, 1, np.where(token == last, 3, 2)))
    slot = np.repeat(kind, end - start) * np.intp(4) + place
    order = np.argsort(slot, kind="stable")
    bounds = np.searchsorted(slot[order], np.arange(4 * len(TYPES) + 1))
    for number, (low, high) in enumerate(pairwise(bounds.tolist())):
        at = token[order[low:high]]
        name = ("single", "first", "inner", "last")[number % 4]
        pool = vocabulary.pools[f"{TYPES[number // 4].name}.{name}"]
        favour = 0.1 if name == "inner" else 0.4
        word[at] = _favoured(rng, pool, document[at], favour)


def _favoured(rng: np.random.Generator, pool: Places, document: Places, favour: float) -> Places:
    """Return names of which a share are the document's own, whatever is frequent elsewhere."""
    rank = zipf(rng, np.arange(len(pool), dtype=np.int32), len(document))
    own = np.where(rng.random(len(document)) < favour, document.astype(np.int64) * 7919, 0)
    return pool[(rank + own) % len(pool)]
