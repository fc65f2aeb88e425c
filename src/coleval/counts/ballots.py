"""Votes about gold: what systems answer to items where some system differs from gold.

Systems that are near copies of each other have one vote. All counts are of items where some system
errs; on all others there is nothing to vote on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coleval.counts.active_rows import active_rows, error_rows, gathered
from coleval.counts.patterns import patterns
from coleval.counts.span_slots import SpanReaches, overlapping_pairs
from coleval.counts.systems import answer_counts as answers_by_label
from coleval.counts.systems import commonest, label_counts, pays
from coleval.statistics.pairwise import together

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items

Counts = NDArray[np.int64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Ballots:
    """The items where some system errs: gold, a row of answers for each system, who votes as one.

    ``voter`` is the number of the vote that each system has a part in, ``voters`` how many there
    are. ``order`` is that of the systems, the best first: it decides between equal answers.
    """

    rows: Rows
    gold: Codes
    answers: Codes
    voter: Rows
    voters: int
    order: tuple[int, ...]

    def votes(self, given: NDArray[np.bool_]) -> Counts:
        """Return how many votes those systems have together that ``given`` names for each item."""
        size = np.bincount(self.voter, minlength=self.voters)
        # Most systems have a vote of their own; a byte counts them where they are few.
        alone = given[size[self.voter] == 1].view(np.uint8)
        kind = np.uint8 if len(alone) < 256 else np.int64
        total: Counts = np.add.reduce(alone, axis=0, dtype=kind).astype(np.int64)
        for one in np.flatnonzero(size > 1):
            total += given[self.voter == one].any(axis=0)
        return total

    def winners(self, *, empty: bool) -> tuple[Codes, Counts]:
        """Return the most frequent answer to each item that is not gold's, and its votes.

        No answer is one only if it may be ``empty``. Between equal ones that of the better system
        is taken; with no vote it is 0.
        """
        if pays(self.answers):
            barred = [self.gold, *([] if empty else [np.zeros_like(self.gold)])]
            return commonest(self.answers, self.order, self.voter, barred)
        best = np.zeros(len(self.rows), np.int64)
        winner = np.zeros_like(self.gold)
        for system in self.order:
            own = self.answers[system]
            votes = self.votes(self.answers == own)
            votes[(own == self.gold) | ((own == 0) & (not empty))] = 0
            better = votes > best
            winner[better], best[better] = own[better], votes[better]
        return winner, best


def ballots(items: Items, alike: float) -> Ballots:
    """Return the votes; systems that answer alike in more than this share of errors are one."""
    rows, names = active_rows(items), items.systems
    wrong = [len(error_rows(items, name)) for name in names]
    order = sorted(range(len(names)), key=lambda s: (wrong[s], names[s]))
    voter = copies(items, alike)
    voters = int(voter.max(initial=-1)) + 1
    return Ballots(rows, items.gold[rows], gathered(items, rows), voter, voters, tuple(order))


def copies(items: Items, alike: float) -> Rows:
    """Return the number of each system's vote: one for those that hardly ever differ.

    Of the items where either of two systems errs, they answer alike in more than this share.
    """
    return items.memo.get(("copies", alike), partial(_copies, items, alike))


def _copies(items: Items, alike: float) -> Rows:
    voter = np.arange(len(items.answers))
    close = _close(items, alike)
    for a, b in zip(*np.nonzero(np.tril(close, -1)), strict=True):
        voter[voter == voter[a]] = voter[b]
    return np.unique(voter, return_inverse=True)[1].astype(np.intp)


def _close(items: Items, alike: float) -> NDArray[np.bool_]:
    """Return which two systems answer alike in more than a share of the items where one errs.

    Compared are only those that may be as close as that: where one of two systems is right and the
    other is not, they differ.
    """
    found = patterns(items)
    both = together(found.right, found.n)
    right = both.diagonal()
    either = int(found.n.sum()) - both
    differ = right[:, None] + right - 2 * both
    close: NDArray[np.bool_] = (either > 0) & (either - differ > alike * either)
    for a, b in zip(*np.nonzero(close), strict=True):
        n = found.total(found.answers[a] != found.answers[b])
        close[a, b] = either[a, b] - n > alike * either[a, b]
    return close


def answer_counts(items: Items) -> tuple[Counts, Counts, Counts]:
    """Return by code how often gold has it, and each system gives it, in all and rightly."""
    found, size = patterns(items), len(items.labels)
    labels = label_counts(found, size)
    return labels.items, answers_by_label(found, size), labels.right


def overlapping(
    items: Items, proposed: Rows, present: Rows
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of places in two lists of spans that share words of one sentence.

    The first is in ``proposed``, the second in ``present``.
    """
    if "sentence" not in items.context.columns:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    one, other = (SpanReaches.of(items.context, rows) for rows in (proposed, present))
    a, b = overlapping_pairs(one, other)
    shared = np.minimum(one.end[a], other.end[b]) - np.maximum(one.start[a], other.start[b])
    order = np.lexsort((b, -shared, a))
    return a[order], b[order]


def proposals(found: Ballots) -> tuple[NDArray[np.int64], Sequence[int] | Counts, Counts]:
    """Return the answers that gold does not have, each once: place, code, how many systems."""
    size = int(max(found.answers.max(initial=0), found.gold.max(initial=0))) + 1
    wrong = (found.answers != found.gold) & (found.answers != 0)
    place = np.broadcast_to(np.arange(len(found.rows)), wrong.shape)[wrong]
    key, n = np.unique(place * size + found.answers[wrong].astype(np.int64), return_counts=True)
    return key // size, key % size, n.astype(np.int64)
