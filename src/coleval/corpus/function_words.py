"""The function words that hang on each word, as one number a word: equal sets, equal numbers."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.coding import width
from coleval.corpus.tree_answers import parsed_head, universal
from coleval.late_classes import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items

    Hashes = NDArray[np.uint64]

# Odd constants of splitmix64 and of the golden ratio: any would do.
_STIR = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93)


@dataclass(frozen=True, slots=True)
class Heads:
    """What the labels of words say of heads, and where each sentence begins."""

    number: NDArray[np.int64]
    away: NDArray[np.int64]
    sentence: NDArray[np.int64]
    first: NDArray[np.int64]

    @classmethod
    def of(cls, words: Items) -> Heads:
        """Return the heads of all words of a corpus, which stand sentence by sentence."""
        number, away = _head_numbers(words.labels)
        sentence = words.context["sentence"].to_numpy().astype(np.int64)
        first = np.searchsorted(sentence, np.arange(int(sentence.max(initial=-1)) + 2))
        return cls(number, away, sentence, first)

    def rows(self, codes: Codes, at: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the row of the head of some words, -1 for the root and words gold has not."""
        number = self.number[codes[at]]
        sentence = self.sentence[at] + self.away[codes[at]]
        there = (number > 0) & (sentence >= 0) & (sentence < len(self.first) - 1)
        return np.where(there, self.first[np.where(there, sentence, 0)] + number - 1, -1)


# The datasets of a task share labels, of which there may be a hundred thousand: read them once.
@lru_cache(maxsize=4)
def _head_numbers(labels: tuple[str, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the head that each code of a label says, and how many sentences away that is."""
    heads = [parsed_head(label) for label in labels]
    number = np.array([-1, *(head.number for head in heads)], np.int64)
    return number, np.array([0, *(head.away for head in heads)], np.int64)


@lru_cache(maxsize=4)
def _are_functional(labels: tuple[str, ...], functional: frozenset[str]) -> NDArray[np.bool_]:
    """Tell which codes of labels are those of function words."""
    return np.array([False, *(universal(label) in functional for label in labels)])


def below(words: Items, told: tuple[Items, ...], functional: frozenset[str]) -> Items:
    """Return for every word which function words hang on it and what is ``told`` of those.

    Sets are summed up in 64 bits: that two of a million different ones meet is one in 10^7.
    """
    heads = Heads.of(words)
    function = _are_functional(words.labels, functional)
    sums = {}
    for name in ("", *words.systems):
        codes = words.answers[name] if name else words.gold
        at = np.flatnonzero(function[codes])
        sides = [(part.answers[name] if name else part.gold)[at] for part in told]
        sums[name] = _summed(len(words), heads.rows(codes, at), _stirred(at, sides))
    return _coded(words, sums)


def _stirred(at: NDArray[np.intp], sides: list[Codes]) -> Hashes:
    """Return a number for each word and its relation, tag and features."""
    mixed = at.astype(np.uint64) * np.uint64(_STIR[0])
    for part, odd in zip(sides, _STIR[1:], strict=True):
        mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(odd) + part.astype(np.uint64)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(_STIR[1])
    return mixed ^ (mixed >> np.uint64(29))


def _summed(size: int, head: NDArray[np.int64], stirred: Hashes) -> Hashes:
    sums = np.zeros(size, np.uint64)
    np.add.at(sums, head[head >= 0], stirred[head >= 0])
    return sums


def _coded(words: Items, sums: dict[str, Hashes]) -> Items:
    some = [np.unique(found[found > 0]) for found in sums.values()]
    known = np.unique(np.concatenate(some))
    codes = {}
    for name, found in sums.items():
        at = np.flatnonzero(found)
        codes[name] = np.zeros(len(found), width(len(known)))
        codes[name][at] = np.searchsorted(known, found[at]) + 1
    labels = tuple(f"{{{k}}}" for k in range(1, len(known) + 1))
    return replace(words, labels=labels, gold=codes.pop(""), answers=codes, judges=None)
