"""Ranked lists: average precision, reciprocal rank and nDCG of each query, all queries at once.

What has no score (NaN) was not returned and has no rank, as in trec_eval; measures that divide by
what is relevant know of it. Equal scores are in no order: what is returned is the mean over all
orders of the equal ones (McSherry & Najork 2008), so that the order of the input decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.statistics.classic import hits_at
from coleval.statistics.ratio import ratio_array, ratio_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]
    Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RankedLists:
    """Rows in the order of their ranks, query after query, and the ties that they are in.

    Of each row: its query, its place in its tie (from 1); of its tie: how many rows it has, how
    many of them are relevant, how many rows and relevant ones of the query are before it.
    ``relevant`` is how many each query has, returned or not; queries without any are not here.
    """

    query: Whole
    place: Whole
    tied: Whole
    tied_relevant: Whole
    before: Whole
    relevant_before: Whole
    relevant: Whole


def ranked_lists(query: NDArray[np.integer], score: Floats, relevant: Flags) -> RankedLists:
    """Return the lists of all queries that have anything relevant, the highest score first."""
    known, wanted = np.unique(query[relevant], return_counts=True)
    there = np.flatnonzero(np.isin(query, known) & ~np.isnan(score))
    own = np.searchsorted(known, query[there]).astype(np.int64)
    order = np.lexsort((-score[there], own))
    own, scores, hit = own[order], score[there][order], relevant[there][order].astype(np.int64)
    first = np.ones(len(own), np.bool_)
    first[1:] = (own[1:] != own[:-1]) | (scores[1:] != scores[:-1])
    start, tie = np.flatnonzero(first), np.cumsum(first) - 1
    begin = np.searchsorted(own, np.arange(len(known)))
    rows, so_far = np.arange(len(own)), np.cumsum(hit) - hit
    return RankedLists(
        own,
        rows - start[tie] + 1,
        np.bincount(tie, minlength=len(start))[tie],
        np.bincount(tie, hit, len(start)).astype(np.int64)[tie],
        start[tie] - begin[own],
        so_far[start][tie] - so_far[begin[own]],
        wanted.astype(np.int64),
    )


def hits(lists: RankedLists, k: int) -> Floats:
    """Return how many of the first k rows of each query are relevant."""
    counted = lists.before + lists.place <= k
    return _by_query(lists, np.where(counted, lists.tied_relevant / lists.tied, 0.0))


def average_precision(lists: RankedLists) -> Floats:
    """Return of each query the mean of the precision at the rank of each relevant row."""
    share = lists.tied_relevant / lists.tied
    others = (lists.tied_relevant - 1) / np.maximum(lists.tied - 1, 1)
    found = lists.relevant_before + 1 + (lists.place - 1) * others
    at_rank = share * found / (lists.before + lists.place)
    return _by_query(lists, at_rank) / lists.relevant


def reciprocal_rank(lists: RankedLists) -> Floats:
    """Return of each query one divided by the rank of its first relevant row."""
    from scipy.special import gammaln

    def log_choices(n: Whole, k: Whole) -> Floats:
        chosen: Floats = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        return chosen

    n, hits, place = lists.tied, lists.tied_relevant, lists.place
    able = (lists.relevant_before == 0) & (hits > 0) & (place <= n - hits + 1)
    n, hits, place = n[able], hits[able], place[able]
    chance = np.exp(log_choices(n - place, hits - 1) - log_choices(n, hits))
    first = np.zeros(len(able))
    first[able] = chance / (lists.before[able] + place)
    return _by_query(lists, first)


def ndcg(lists: RankedLists, k: int | None = None) -> Floats:
    """Return of each query the gain of its first k rows divided by that of the best order.

    A relevant row at rank i gains 1 / log2(i + 1) (Järvelin & Kekäläinen 2002, as it is used now).
    """
    rank = lists.before + lists.place
    most = lists.relevant if k is None else np.minimum(lists.relevant, k)
    longest = max(rank.max(initial=0), most.max(initial=0))
    discount = 1 / np.log2(np.arange(2, longest + 2))
    counted = rank <= (longest if k is None else k)
    gain = np.where(counted, lists.tied_relevant / lists.tied * discount[rank - 1], 0.0)
    best = np.concatenate([[0.0], np.cumsum(discount)])
    return _by_query(lists, gain) / best[most]


def _by_query(lists: RankedLists, values: Floats) -> Floats:
    sums: Floats = np.bincount(lists.query, values, len(lists.relevant)).astype(np.float64)
    return sums


# The levels of recall at which precision is interpolated, in tenths.
LEVELS = 11


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Each score that occurs, from the highest, and what is at or above it.

    ``selected`` counts the items, ``hits`` the relevant ones; all items are ``items``, all
    relevant ones ``relevant``.
    """

    score: Floats
    selected: Whole
    hits: Whole
    items: int
    relevant: int

    def precision(self) -> Floats:
        """Return the share of what is selected that is relevant."""
        return ratio_array(self.hits, self.selected)

    def recall(self) -> Floats:
        """Return the share of what is relevant that is selected."""
        return ratio_array(self.hits, np.array(self.relevant))

    def false_alarms(self) -> Floats:
        """Return the share of what is not relevant that is selected."""
        return ratio_array(self.selected - self.hits, np.array(self.items - self.relevant))


def thresholds(score: Floats, relevant: Flags) -> Thresholds:
    """Return the counts above every score that occurs."""
    order = np.argsort(-score, kind="stable")
    scores, hits = score[order], np.cumsum(relevant[order])
    last = np.flatnonzero(np.append(scores[1:] != scores[:-1], [True] * (len(scores) > 0)))
    found = hits[last].astype(np.int64)
    return Thresholds(scores[last], last + 1, found, len(score), int(relevant.sum()))


def average_precision_of(curve: Thresholds) -> float | None:
    """Return the precision of each threshold, weighted by the recall that it adds."""
    added = np.diff(curve.hits, prepend=0)
    return ratio_of(float((curve.precision() * added).sum()), curve.relevant)


def roc_auc(curve: Thresholds) -> float | None:
    """Return how often a relevant item scores higher than another one; equal counts as half."""
    other = curve.selected - curve.hits
    before = np.concatenate([[0], curve.hits[:-1]]) if len(curve.hits) else curve.hits
    doubled = int((np.diff(other, prepend=0) * (curve.hits + before)).sum())
    return ratio_of(doubled, 2 * curve.relevant * (curve.items - curve.relevant))


def break_even(score: Floats, relevant: Flags) -> float | None:
    """Return precision where it is recall: after as many items as are relevant."""
    n = int(relevant.sum())
    return ratio_of(hits_at(score, relevant, n), n) if n else None


def interpolated(curve: Thresholds) -> Floats:
    """Return the highest precision at a recall of 0, .1 … 1 or more."""
    if not curve.relevant:
        return np.full(LEVELS, np.nan)
    highest = np.maximum.accumulate(curve.precision()[::-1])[::-1]
    return highest[np.searchsorted(curve.hits * (LEVELS - 1), np.arange(LEVELS) * curve.relevant)]
