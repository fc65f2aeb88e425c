"""Bins and who solves them, in numpy: one pass over the code arrays, where SQL takes five times it.

Most items are solved by every system. They are only counted; what is looked at twice are the
disputed ones, which some system or judge has wrong (PERFORMANCE §3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coleval.kernels.active_rows import agreement, disputed_rows
from coleval.kernels.blocks import added

if TYPE_CHECKING:
    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BinCounts:
    """Whole numbers that add up over disjoint documents.

    ``items[b]`` have gold and are solved by b judges; ``solved[s, b]`` of them by system s.
    ``spurious[k]`` have no gold, and k judges answer something; ``invented[s, k]`` of them
    system s answers.
    """

    items: Counts
    solved: Counts
    spurious: Counts
    invented: Counts


def bin_counts(items: Items) -> BinCounts:
    """Return the counts of all bins; those of a bin that nothing is in are 0."""
    return added(_bin_counts(block) for block in items.blocks())


def _bin_counts(items: Items) -> BinCounts:
    judges = list(items.judging.values())
    last = len(judges)
    agreeing = agreement(items.gold, judges)
    disputed = disputed_rows(items, agreeing)
    gold, bin_ = items.gold.take(disputed), agreeing.take(disputed)
    there, void = np.flatnonzero(gold), np.flatnonzero(gold == 0)
    shared = last - bin_.take(void).astype(np.int64)
    with_gold = int(np.count_nonzero(items.gold))
    easy, quiet = with_gold - len(there), len(items) - with_gold - len(void)
    solved = _solved(items, disputed.take(there), bin_.take(there), last)
    solved[:, last] += easy
    return BinCounts(
        _tally(bin_.take(there), last, at=last, more=easy),
        solved,
        _tally(shared, last, at=0, more=quiet),
        _invented(items, disputed.take(void), shared, last),
    )


def _tally(bins: NDArray[np.integer], last: int, *, at: int, more: int) -> Counts:
    counts = np.bincount(bins, minlength=last + 1).astype(np.int64)
    counts[at] += more
    return counts


def _invented(items: Items, rows: NDArray[np.intp], shared: Counts, last: int) -> Counts:
    """Return how many of some items without gold, by bin, each system answers: mostly few."""
    counts = np.zeros((len(items.answers), last + 1), np.int64)
    for at, codes in enumerate(items.answers.values()):
        said = np.flatnonzero(codes.take(rows) != 0)
        counts[at] = np.bincount(shared.take(said), minlength=last + 1)
    return counts


def _solved(items: Items, rows: NDArray[np.intp], bin_: Codes, last: int) -> Counts:
    """Return how many of some items, by bin, each system solves."""
    gold = items.gold[rows]
    solved = [
        np.bincount(bin_[codes.take(rows) == gold], minlength=last + 1)
        for codes in items.answers.values()
    ]
    return np.array(solved, np.int64).reshape(len(solved), last + 1)
