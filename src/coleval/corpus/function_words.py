"""The function words that hang on each word, as one number a word: equal sets, equal numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.coding import width
from coleval.corpus.lazy import LazyMapping
from coleval.corpus.tree_answers import parts_of_answers, told_head, without_subtype

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    parts = parts_of_answers(labels)
    heads = [told_head(head) for head in parts.heads]
    number = np.array([head.number for head in heads], np.int64)[parts.head]
    away = np.array([head.away for head in heads], np.int64)[parts.head]
    return np.append(np.int64(-1), number), np.append(np.int64(0), away)


@lru_cache(maxsize=4)
def _are_functional(labels: tuple[str, ...], functional: frozenset[str]) -> NDArray[np.bool_]:
    """Tell which codes of labels are those of function words."""
    parts = parts_of_answers(labels)
    there = np.array([without_subtype(one) in functional for one in parts.relations], np.bool_)
    return np.append(np.False_, there[parts.relation])


def below(words: Items, layers: Sequence[tuple[Items, Codes]], functional: frozenset[str]) -> Items:
    """Return for every word which function words hang on it, with their codes in some ``layers``.

    Each layer comes with a table from its codes to those that are compared. Sets are summed up in
    64 bits: that two of a million different ones meet is one in 10^7.
    """
    heads = Heads.of(words)
    function = _are_functional(words.labels, functional)
    sums = {}
    for name in ("", *words.systems):
        codes = words.answers[name] if name else words.gold
        at = np.flatnonzero(function[codes])
        sides = [by[(part.answers[name] if name else part.gold)[at]] for part, by in layers]
        sums[name] = _summed(len(words), heads.rows(codes, at), _stirred(at, sides))
    return _coded(words, sums)


@dataclass(frozen=True, slots=True)
class SummedBelow:
    """The words on which function words hang, and what these sum up to: one word in five."""

    row: NDArray[np.uint32]
    sums: Hashes


def _stirred(at: NDArray[np.intp], sides: list[Codes]) -> Hashes:
    """Return a number for each word and its relation, tag and features."""
    mixed = at.astype(np.uint64) * np.uint64(_STIR[0])
    for part, odd in zip(sides, _STIR[1:], strict=True):
        mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(odd) + part.astype(np.uint64)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(_STIR[1])
    return mixed ^ (mixed >> np.uint64(29))


def _summed(size: int, head: NDArray[np.int64], stirred: Hashes) -> SummedBelow:
    sums = np.zeros(size, np.uint64)
    np.add.at(sums, head[head >= 0], stirred[head >= 0])
    row = np.flatnonzero(sums)
    return SummedBelow(row.astype(np.uint32), sums[row])


def _coded(words: Items, sums: dict[str, SummedBelow]) -> Items:
    known = np.unique(np.concatenate([np.unique(found.sums) for found in sums.values()]))
    kind = width(len(known))
    makers = {}
    for name in list(sums):
        found = sums.pop(name)
        codes = np.searchsorted(known, found.sums).astype(kind) + kind(1)
        makers[name] = partial(_spread, len(words), found.row, codes)
    labels = tuple(f"{{{k}}}" for k in range(1, len(known) + 1))
    gold = makers.pop("")()
    return replace(words, labels=labels, gold=gold, answers=LazyMapping(makers, keep=False),
                   judges=None)  # fmt: skip


def _spread(size: int, row: NDArray[np.uint32], codes: Codes) -> Codes:
    """Return codes of a few words among all of them: most words have no function words."""
    found = np.zeros(size, codes.dtype)
    found[row] = codes
    return found
