"""Words of two tokenisations around tokens of several words, matched one after the other.

A stretch begins with such a token on either side and takes in whatever tokens of several words
reach over its end, and the words within. The CoNLL 2018 evaluation steps over one word, not all,
that begins before the stretch; its numbers are what people publish, so that is kept.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple


class Word(NamedTuple):
    """Where the token of a word is, whether it holds several, and the word in lower case."""

    start: int
    end: int
    several: bool
    lower: str


Words = tuple[Word, ...]
Pairs = list[tuple[int, int]]


def walked(gold: Words, system: Words) -> Pairs:
    """Return the pairs of words that are the same, in their order."""
    pairs: Pairs = []
    g = s = 0
    while g < len(gold) and s < len(system):
        ours, theirs = gold[g], system[s]
        if ours.several or theirs.several:
            begin = _begin(ours, theirs, g, s)
            end = ours.end if ours.several else theirs.end
            g, s = _behind(gold, system, begin, end)
            pairs += _by_form(gold[begin[0] : g], system[begin[1] : s], begin)
        elif (ours.start, ours.end) == (theirs.start, theirs.end):
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif ours.start <= theirs.start:
            g += 1
        else:
            s += 1
    return pairs


def _begin(ours: Word, theirs: Word, g: int, s: int) -> tuple[int, int]:
    """Return the first words of a stretch: a word that begins before its token is stepped over."""
    if ours.several:
        return g, s + (not theirs.several and theirs.start < ours.start)
    return g + (ours.start < theirs.start), s


def _behind(gold: Words, system: Words, begin: tuple[int, int], end: int) -> tuple[int, int]:
    """Return the first words behind the stretch, whose first token ends at ``end``."""
    g, s = begin
    while _inside(gold, g, end) or _inside(system, s, end):
        ours = g < len(gold) and (s >= len(system) or gold[g].start <= system[s].start)
        word = gold[g] if ours else system[s]
        end = max(end, word.end) if word.several else end
        g, s = g + ours, s + (not ours)
    return g, s


def _inside(words: Words, at: int, end: int) -> bool:
    if at >= len(words):
        return False
    word = words[at]
    return word.start < end if word.several else word.end <= end


def _by_form(gold: Words, system: Words, begin: tuple[int, int]) -> Pairs:
    found = _common(tuple(w.lower for w in gold), tuple(w.lower for w in system))
    return [(begin[0] + g, begin[1] + s) for g, s in found]


@lru_cache(maxsize=10_000)
def _common(gold: tuple[str, ...], system: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Return the pairs of a longest common subsequence, the one the UD evaluation walks to."""
    if gold == system:
        return tuple((k, k) for k in range(len(gold)))
    length = _lengths(gold, system)
    g = s = 0
    pairs = []
    while g < len(gold) and s < len(system):
        if gold[g] == system[s]:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif length[g][s] == length[g + 1][s]:
            g += 1
        else:
            s += 1
    return tuple(pairs)


def _lengths(gold: tuple[str, ...], system: tuple[str, ...]) -> list[list[int]]:
    """Return how long the longest common subsequence is from each pair of places on."""
    length = [[0] * (len(system) + 1) for _ in range(len(gold) + 1)]
    for g in reversed(range(len(gold))):
        for s in reversed(range(len(system))):
            more = length[g + 1][s + 1] + 1 if gold[g] == system[s] else 0
            length[g][s] = max(more, length[g + 1][s], length[g][s + 1])
    return length
