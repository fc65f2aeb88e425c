"""Spans without their punctuation: tokens that a part-of-speech column calls so do not count."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.annotate.extents import Extents, extents
from coleval.counts.span_slots import Proposed, proposed, slots
from coleval.errors import UsageError, unknown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

# STTS, UPOS, Penn, and words that corpora use: the list of FairEval, its straight quotes closed.
TAGS = (
    "$.", "$,", "$(", "PUNCT", "PUNKT", "KOMMA", "COMMA", "KLAMMER",
    ".", ",", ":", "(", ")", '"', "''", "``", "-LRB-", "-RRB-", "‘", "“", "’", "”",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _WordsOnly:
    """The tokens that are words: how many come before each token, and where each one stands."""

    before: NDArray[np.int64]
    token: NDArray[np.intp]
    context: pl.DataFrame


def without_punctuation(corpus: Corpus, column: str) -> tuple[Items, Extents]:
    """Return the spans between their first and last word, counted in words.

    What is then one span is one item, so that two that differ in a comma are equal.
    """
    tokens = _tokens(corpus, column)
    items = corpus.at("span")
    word = ~tokens[column].cast(pl.String).is_in(TAGS).to_numpy()
    words = _WordsOnly(np.append(0, np.cumsum(word)), np.flatnonzero(word), tokens)
    first = np.flatnonzero(np.diff(tokens["sentence"].to_numpy().astype(np.int64), prepend=-1))
    place = extents(items, first.astype(np.int64), whole=True)
    begin, end = words.before[place.begin], words.before[place.end]
    return _rebuilt(items, words, begin, end, multiset=corpus.reading.multiset)


def _tokens(corpus: Corpus, column: str) -> pl.DataFrame:
    where = "--ignore-punct"
    if "token" not in corpus.units:
        raise UsageError(
            "span files have no tokens, so parts of speech cannot be looked up",
            where=where,
            remedy="leave out --ignore-punct, or use tagged text with a column of parts of speech",
        )
    context = corpus.at("token").context
    if column not in context.columns:
        more = [c for c in context.columns if c not in ("sentence", "position", "document")]
        error = unknown("column", column, more, where=where)
        raise UsageError(
            error.problem, where=where,
            remedy=f"read it as a context column: --columns {column}=2 (here: {', '.join(more)})",
        )  # fmt: skip
    return context


def _rebuilt(
    items: Items,
    words: _WordsOnly,
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    *,
    multiset: bool,
) -> tuple[Items, Extents]:
    bits = int((end - begin).max(initial=0)).bit_length() + 1
    key = (begin << bits) | (end - begin)
    there = end > begin
    layers = {
        name: _layer(key, np.where(there, codes, 0), multiset=multiset)
        for name, codes in {"": items.gold, **items.answers}.items()
    }
    gold = layers.pop("")
    found = slots(gold, layers, items.labels, bits=bits)
    start = found.key >> bits
    codes = dict(found.codes)
    context = _context(words, start, start + (found.key & ((1 << bits) - 1)))
    answered = replace(items, gold=codes.pop(""), answers=codes, judges=None)
    rebuilt = replace(answered, context=context, lazy_form=None, rows=None)
    places = extents(replace(rebuilt, context=_places(found.key, bits)), np.zeros(1, np.int64))
    return rebuilt, places


def _layer(key: NDArray[np.int64], codes: Codes, *, multiset: bool) -> Proposed:
    rows = np.flatnonzero(codes)
    return proposed(key[rows], codes[rows].astype(np.int32), multiset=multiset)


def _context(words: _WordsOnly, begin: NDArray[np.int64], end: NDArray[np.int64]) -> pl.DataFrame:
    first, last = words.token[begin], words.token[end - 1]
    there = words.context[pl.Series(first)]
    place = [c for c in ("document", "sentence") if c in there.columns]
    start = there["position"].to_numpy()
    behind = start + (last - first + 1).astype(np.uint32)
    return there.select(place).with_columns(start=pl.Series(start), end=pl.Series(behind))


def _places(key: NDArray[np.int64], bits: int) -> pl.DataFrame:
    begin = key >> bits
    end = begin + (key & ((1 << bits) - 1))
    return pl.DataFrame({"sentence": np.zeros(len(key), np.int64), "start": begin, "end": end})
