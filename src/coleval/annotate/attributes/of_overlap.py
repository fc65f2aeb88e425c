"""Attributes that compare an item's sentence with those of the training data: seen before, or near.

Words are compared in lower case, by numbers that no two words share, so that nothing is equal by
the chance of a hash.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.annotate.attributes.model import Values, names, numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.annotate.attributes.facts import Facts
    from coleval.corpus.training import Training

# The number of what is before the first word of a sentence and behind its last.
_EDGE = 0


def overlap(facts: Facts) -> Values:
    """Return the share of the sentence's trigrams that a sentence of the training data has.

    A trigram is a word with the one before and the one behind it, or an edge of the sentence: a
    sentence has as many as words.
    """
    own, trained = _numbered(facts)
    grams = _trigrams(own, trained)
    size = len(own.word)
    seen = np.isin(grams[:size], grams[size:])
    there = np.zeros(len(facts.running), np.bool_)
    there[own.at] = seen
    return numbers(facts.per_sentence(there), facts.sentence)


def repeated(facts: Facts) -> Values:
    """Return whether the training data have the very sentence."""
    own, trained = _numbered(facts)
    here, known = _sentences(own), _sentences(trained)
    found = here.with_columns(same=pl.col("words").is_in(known["words"].implode()))
    every = pl.DataFrame({"sentence": np.arange(len(facts.running.first) - 1)})
    same = every.join(found, on="sentence", how="left", maintain_order="left")["same"]
    return names(same.replace_strict({True: "yes", False: "no"}, return_dtype=pl.String),
                 facts.sentence)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Numbered:
    """The words of sentences as numbers from 1, the sentence of each, and its place in the text."""

    word: NDArray[np.int64]
    sentence: NDArray[np.int64]
    at: NDArray[np.intp]


def _numbered(facts: Facts) -> tuple[_Numbered, _Numbered]:
    """Return the sentences of gold and those of the training data, equal words by one number."""
    running = facts.running
    sentence = running.sentence.astype(np.int64)
    place = np.arange(len(sentence)) - running.first[sentence]
    at = np.flatnonzero(place < running.size[sentence])
    text = _text(facts.training)
    forms = pl.concat([running.form.cast(pl.String).gather(pl.Series(at)).rename("form"),
                       text["form"].cast(pl.String)]).str.to_lowercase()  # fmt: skip
    codes = forms.cast(pl.Enum(forms.unique())).to_physical().to_numpy().astype(np.int64) + 1
    theirs = text["sentence"].to_numpy().astype(np.int64)
    n = len(at)
    return (
        _Numbered(codes[:n], sentence[at], at),
        _Numbered(codes[n:], theirs, np.arange(len(theirs))),
    )


def _text(training: Training | None) -> pl.DataFrame:
    if training is None:
        raise ValueError("no training data")
    return training.tables["text"]


def _trigrams(*texts: _Numbered) -> NDArray[np.int64]:
    """Return the number of the trigram around each word, of one text after the other."""
    word = np.concatenate([text.word for text in texts])
    before = np.concatenate([_shifted(text, 1) for text in texts])
    behind = np.concatenate([_shifted(text, -1) for text in texts])
    most = int(word.max(initial=0)) + 1
    pair = np.unique(before * most + word, return_inverse=True)[1]
    return pair.astype(np.int64) * most + behind


def _shifted(text: _Numbered, by: int) -> NDArray[np.int64]:
    """Return the word next to each in its sentence, on the left for 1 and on the right for -1."""
    same = np.roll(text.sentence, by) == text.sentence
    if len(same):
        same[0 if by > 0 else -1] = False
    return np.where(same, np.roll(text.word, by), _EDGE)


def _sentences(text: _Numbered) -> pl.DataFrame:
    """Return sentence and words of each, its words' numbers in one string."""
    frame = pl.DataFrame({"sentence": text.sentence, "word": text.word})
    joined = pl.col("word").cast(pl.String).str.join(" ").alias("words")
    return frame.group_by("sentence", maintain_order=True).agg(joined)
