"""What a threshold on a score trades: precision against recall, hits against false alarms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.statistics.classic import hits_at
from coleval.statistics.ratio import ratio_array, ratio_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Whole = NDArray[np.int64]

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
