"""How many answers differ between any two systems, and which of the two is right.

Only active items are compared. How often both are right and how often they differ is counted;
corrections, new errors and changed errors follow by subtraction. (Of few systems, a matrix product
in single precision counts the first as fast on an idle machine, three times slower on a busy one.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.kernels.active_rows import ActiveBlocks, ActiveRows, Counts, active_rows
from coleval.kernels.blocks import added
from coleval.statistics.pairwise import compared, together

if TYPE_CHECKING:
    from coleval.corpus.items import Items


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Counts of items for systems (``right``) and pairs of them; they add up over documents.

    ``absent`` are those that neither gold nor either of the two answers: they are no items for
    the pair, though each of the three agrees with the others.
    """

    total: int
    right: Counts
    both: Counts
    different: Counts
    absent: Counts


def pair_counts(items: Items, found: ActiveBlocks | None = None) -> PairCounts:
    """Return the counts of all pairs of systems."""
    return added(
        _pair_counts(active) for active in (active_rows(items) if found is None else found)
    )


def _pair_counts(active: ActiveRows) -> PairCounts:
    right = np.count_nonzero(active.right, axis=1)
    absent = np.zeros((len(right), len(right)), np.int64)
    if not active.everything:
        absent = together((active.answers == 0) & (active.gold == 0)) + active.agreed_empty
    return PairCounts(
        active.size,
        right + active.agreed,
        together(active.right) + active.agreed,
        compared(active.answers, np.not_equal),
        absent,
    )
