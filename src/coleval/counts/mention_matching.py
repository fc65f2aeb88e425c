"""Which mention of a response is which of the key, as the CorefUD scorer pairs them.

First zeros by their dependencies, then mentions that are the same, then what is left by its head
or by a part of its words; each is paired once. Where pairs compete, those are taken that have the
most in common together; between equals the assignment decides as it does in the scorer (README of
the scorer 1.2, "Mention Matching" and "Matching of Zero Mentions").
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from coleval.counts.chains import best, full_assignment

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Flags = NDArray[np.bool_]
    Scores = NDArray[np.float64]

EXACT, HEAD, PARTIAL = "exact", "head", "partial"
MATCHES = (EXACT, HEAD, PARTIAL)
DEPENDENT, LINEAR = "dependent", "linear"
ZEROS = (DEPENDENT, LINEAR)
# A relation with its head weighs so many times what a head alone does.
_WEIGHT = 10
# A document with so many pairs of mentions left is assigned part by part.
_LARGEST = 4_000_000


@dataclass(frozen=True, slots=True)
class Sets:
    """A set of numbers for each of some things: those of thing k are ``value[begin[k]:…]``."""

    begin: Numbers
    value: Numbers

    @property
    def size(self) -> Numbers:
        """Return how many numbers each thing has."""
        return np.diff(self.begin)

    def of(self, rows: Numbers) -> Sets:
        """Return the sets of some things."""
        size = self.size[rows]
        begin = np.append(0, np.cumsum(size))
        at = np.arange(int(begin[-1])) - np.repeat(begin[:-1] - self.begin[rows], size)
        return Sets(begin, self.value[at])

    @property
    def owner(self) -> Numbers:
        """Return the thing that each number belongs to."""
        return np.repeat(np.arange(len(self.begin) - 1), self.size)


@dataclass(frozen=True, slots=True)
class MatchedSide:
    """The mentions of one side in text order: equal ``same`` is the same mention.

    ``words`` are places in the corpus, ``head`` is one of them. ``sentence`` tells those of zeros
    apart; ``edges`` and ``heads`` are the relations and the heads above the head of each zero.
    """

    same: Numbers
    document: Numbers
    words: Sets
    head: Numbers
    zero: Flags
    sentence: Numbers
    edges: Sets
    heads: Sets

    def __len__(self) -> int:
        """Return the number of mentions."""
        return len(self.same)

    def of(self, rows: Numbers) -> MatchedSide:
        """Return some of the mentions."""
        return replace(
            self,
            same=self.same[rows],
            document=self.document[rows],
            words=self.words.of(rows),
            head=self.head[rows],
            zero=self.zero[rows],
            sentence=self.sentence[rows],
            edges=self.edges.of(rows),
            heads=self.heads.of(rows),
        )


def words_in_common(key: MatchedSide, response: MatchedSide) -> int:
    """Return how many words mentions of both sides share at most, each being in one pair (MOR).

    Which mentions are the same by any other rule makes no difference here.
    """
    at, other = _joined(key.words.value, response.words.value)
    k, r = key.words.owner[at], response.words.owner[other]
    wide = len(response) + 1
    pairs, n = np.unique(k * wide + r, return_counts=True)
    if not len(pairs):
        return 0
    return int(n[best(pairs // wide, pairs % wide, n.astype(np.float64))].sum())


@dataclass(frozen=True, slots=True)
class _MentionPairs:
    key: Numbers
    response: Numbers
    score: Scores


def partners(key: MatchedSide, response: MatchedSide, *, match: str, zeros: str) -> Numbers:
    """Return for each mention of the response the mention of the key that it is, -1 for none."""
    found = np.full(len(response), -1, np.int64)
    taken = np.zeros(len(key), np.bool_)
    if zeros == DEPENDENT:
        k, r = np.flatnonzero(key.zero), np.flatnonzero(response.zero)
        _paired(found, taken, _Rivals(key, response, k, r), _zeros)
    _same(found, taken, key, response)
    if match != EXACT:
        k, r = np.flatnonzero(~taken), np.flatnonzero(found < 0)
        pairs = _by_head if match == HEAD else _by_words
        _paired(found, taken, _Rivals(key, response, k, r), pairs)
    return found


@dataclass(frozen=True, slots=True)
class _Rivals:
    """The mentions of both sides that are left, by their places, which rise."""

    key: MatchedSide
    response: MatchedSide
    k: Numbers
    r: Numbers

    def in_document(self, document: int) -> tuple[slice, slice]:
        """Return which of them are in a document."""
        sides = ((self.key.document, self.k), (self.response.document, self.r))
        edges = [np.searchsorted(own[rows], [document, document + 1]) for own, rows in sides]
        return slice(*edges[0].tolist()), slice(*edges[1].tolist())


def _paired(
    found: Numbers,
    taken: Flags,
    left: _Rivals,
    rule: Callable[[MatchedSide, MatchedSide], _MentionPairs],
) -> None:
    """Enter the best of the pairs that a rule finds, each mention being in one of them.

    Where there is a choice, all that is left of a document is assigned at once, in text order: so
    does the scorer, and of equally good pairs that decides.
    """
    pairs = rule(left.key.of(left.k), left.response.of(left.r))
    if not len(pairs.key):
        return
    choice = (np.bincount(pairs.key)[pairs.key] > 1) | (
        np.bincount(pairs.response)[pairs.response] > 1
    )
    document = left.key.document[left.k[pairs.key]]
    several = np.unique(document[choice])
    chosen = [np.flatnonzero(~np.isin(document, several))]
    for one in several.tolist():
        own = np.flatnonzero(document == one)
        chosen.append(own[_assigned(pairs, own, *left.in_document(one))])
    rows = np.concatenate(chosen)
    found[left.r[pairs.response[rows]]] = left.k[pairs.key[rows]]
    taken[left.k[pairs.key[rows]]] = True


def _assigned(pairs: _MentionPairs, own: Numbers, keys: slice, responses: slice) -> Numbers:
    """Return which pairs of a document the best assignment has."""
    key, response, score = pairs.key[own], pairs.response[own], pairs.score[own]
    shape = (keys.stop - keys.start, responses.stop - responses.start)
    if shape[0] * shape[1] <= _LARGEST:
        return full_assignment(key - keys.start, response - responses.start, score, shape)
    # Of equals the last is taken: what comes first in the text.
    order = np.lexsort((response, key))[::-1]
    return order[best(key[order], response[order], score[order])]


def _same(found: Numbers, taken: Flags, key: MatchedSide, response: MatchedSide) -> None:
    k, r = np.flatnonzero(~taken), np.flatnonzero(found < 0)
    _, own, other = np.intersect1d(
        key.same[k], response.same[r], assume_unique=True, return_indices=True
    )
    found[r[other]] = k[own]
    taken[k[own]] = True


def _by_head(key: MatchedSide, response: MatchedSide) -> _MentionPairs:
    """Return the pairs of one head, with the share of the key's words that they have in common."""
    k, r = _joined(key.head, response.head)
    score = _common(key.words, response.words, k, r) / key.words.size[k]
    return _MentionPairs(k, r, score)


def _by_words(key: MatchedSide, response: MatchedSide) -> _MentionPairs:
    """Return the pairs of which the response is a part of the key that has the key's head."""
    k, at = _joined(key.head, response.words.value)
    r = response.words.owner[at]
    common = _common(key.words, response.words, k, r)
    inside = common == response.words.size[r]
    return _MentionPairs(k[inside], r[inside], (common / key.words.size[k])[inside])


def _zeros(key: MatchedSide, response: MatchedSide) -> _MentionPairs:
    """Return the zeros of one sentence that have relations or heads in common."""
    k, r = _joined(key.sentence, response.sentence)
    score = _WEIGHT * _f1(key.edges, response.edges, k, r) + _f1(key.heads, response.heads, k, r)
    some = score > 0
    return _MentionPairs(k[some], r[some], score[some])


def _f1(key: Sets, response: Sets, k: Numbers, r: Numbers) -> Scores:
    """Return F1 of what pairs have in common, as the scorer divides; 0 where there is nothing."""
    common = _common(key, response, k, r).astype(np.float64)
    # Nothing in common is 0 of anything.
    precision = common / np.maximum(key.size[k], 1)
    recall = common / np.maximum(response.size[r], 1)
    return 2 * precision * recall / np.where(common > 0, precision + recall, 1.0)


def _joined(key: Numbers, response: Numbers) -> tuple[Numbers, Numbers]:
    """Return all pairs of places with equal numbers; -1 is equal to nothing."""
    order = np.argsort(response, kind="stable")
    low = np.searchsorted(response[order], key, side="left")
    high = np.searchsorted(response[order], key, side="right")
    n = np.where(key >= 0, high - low, 0)
    k = np.repeat(np.arange(len(key)), n)
    at = np.arange(len(k)) - np.repeat(np.cumsum(n) - n - low, n)
    return k, order[at]


def _common(key: Sets, response: Sets, k: Numbers, r: Numbers) -> Numbers:
    """Return how many numbers the two sets of each pair have in common."""
    if not len(k) or not len(response.value):
        return np.zeros(len(k), np.int64)
    mine = key.of(k)
    values, codes = np.unique(np.concatenate([mine.value, response.value]), return_inverse=True)
    wide = len(values)
    there = np.sort(response.owner * wide + codes[len(mine.value) :])
    wanted = r[mine.owner] * wide + codes[: len(mine.value)]
    at = np.minimum(np.searchsorted(there, wanted), len(there) - 1)
    hit = (there[at] == wanted).astype(np.int64)
    return np.bincount(mine.owner, hit, minlength=len(k)).astype(np.int64)
