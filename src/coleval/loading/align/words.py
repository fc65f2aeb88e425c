"""Which gold word a system's word is: the one in the same place, by characters.

Inside tokens of several words there are no characters to go by: there words are matched by the
longest common subsequence of their forms, in lower case, as the CoNLL 2018 evaluation does it.
Text around such tokens is walked as that program walks it (``stretches``); all else is a join.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from coleval.loading.readers.steps import flat

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.loading.align.characters import Characters

    Numbers = NDArray[np.integer]


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
            # A word that begins before the token of the other side is stepped over.
            if ours.several:
                begin = g, s + (not theirs.several and theirs.start < ours.start)
            else:
                begin = g + (ours.start < theirs.start), s
            end = ours.end if ours.several else theirs.end
            g, s = _behind(gold, system, begin, end)
            stretches = gold[begin[0] : g], system[begin[1] : s]
            common = _common(*(tuple(word.lower for word in words) for words in stretches))
            pairs += [(begin[0] + a, begin[1] + b) for a, b in common]
        elif (ours.start, ours.end) == (theirs.start, theirs.end):
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif ours.start <= theirs.start:
            g += 1
        else:
            s += 1
    return pairs


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


@lru_cache(maxsize=10_000)
def _common(gold: tuple[str, ...], system: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Return the pairs of a longest common subsequence, the one the UD evaluation walks to."""
    if gold == system:
        return tuple((k, k) for k in range(len(gold)))
    # How long the longest common subsequence is from each pair of places on.
    length = [[0] * (len(system) + 1) for _ in range(len(gold) + 1)]
    for g in reversed(range(len(gold))):
        for s in reversed(range(len(system))):
            more = length[g + 1][s + 1] + 1 if gold[g] == system[s] else 0
            length[g][s] = max(more, length[g + 1][s], length[g][s + 1])
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


def matched(gold: Characters, system: Characters) -> Numbers:
    """Return the gold word of every system word, -1 for none; the two texts are the same."""
    plain, theirs = ~gold.several, ~system.several
    found = np.full(len(system.token), -1, np.int32)
    if plain.any():
        # Of words that are tokens by themselves, the one in the same place. A word of nothing but
        # spaces has no extent; it comes before the word that begins there.
        start, end = gold.start[plain], gold.end[plain]
        low, high = system.start[theirs], system.end[theirs]
        ours = 2 * start.astype(np.int64) + (end > start)
        key = 2 * low.astype(np.int64) + (high > low)
        again = np.arange(len(key)) - np.searchsorted(key, key)
        at = np.minimum(np.searchsorted(ours, key) + again, len(ours) - 1)
        same = (start[at] == low) & (end[at] == high)
        found[theirs] = np.where(same, np.flatnonzero(plain)[at], -1)
    if gold.several.any() or system.several.any():
        _around_multiwords(gold, system, found)
    return found


def _around_multiwords(gold: Characters, system: Characters, found: Numbers) -> None:
    """Match the words of zones that hold multiword tokens, in place.

    A zone ends where both sides have a token of one word: nothing is matched across that.
    """
    both = np.intersect1d(gold.start[~gold.several], system.start[~system.several])
    ours, theirs = (np.searchsorted(both, side.start, side="right") for side in (gold, system))
    number = np.union1d(ours[gold.several], theirs[system.several])
    first, last = np.searchsorted(ours, number), np.searchsorted(ours, number, side="right")
    begin, end = np.searchsorted(theirs, number), np.searchsorted(theirs, number, side="right")
    found[flat(begin, end)] = -1
    lower = gold.form.str.to_lowercase(), system.form.str.to_lowercase()
    same = last - first == end - begin
    at = np.flatnonzero(same)
    ours_at, theirs_at = flat(first[at], last[at]), flat(begin[at], end[at])
    # The same form in the same place of the same kind of token.
    alike = (lower[0].gather(ours_at) == lower[1].gather(theirs_at)).to_numpy()
    for name in ("start", "end", "several"):
        alike &= getattr(gold, name)[ours_at] == getattr(system, name)[theirs_at]
    unlike = ~alike
    same[np.repeat(at, (last - first)[at])[unlike]] = False
    found[flat(begin[same], end[same])] = flat(first[same], last[same])
    first, last, begin, end = (side[~same] for side in (first, last, begin, end))
    zones = _words(gold, lower[0], first, last), _words(system, lower[1], begin, end)
    for a, c, one, other in zip(first.tolist(), begin.tolist(), *zones, strict=True):
        for g, s in walked(one, other):
            found[c + s] = a + g


def _words(
    side: Characters, lower: pl.Series, first: Numbers, last: Numbers
) -> Iterator[tuple[Word, ...]]:
    """Yield the words of each zone."""
    at = flat(first, last)
    places = (side.start[at].tolist(), side.end[at].tolist(), side.several[at].tolist())
    words = map(Word, *places, lower.gather(pl.Series(at)).to_list())
    for size in (last - first).tolist():
        yield tuple(islice(words, size))
