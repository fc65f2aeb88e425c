"""How many answers differ between any two systems, and which of the two is right.

Only active items are compared. How often both are right and how often they differ is counted;
corrections, new errors and changed errors follow by subtraction. (Of few systems, a matrix product
in single precision counts the first as fast on an idle machine, three times slower on a busy one.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from coleval.kernels.active_rows import ActiveBlocks, ActiveRows, Counts, active_rows
from coleval.kernels.blocks import added

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.items import Items

# From so many systems on, a matrix product counts faster than comparisons of any two.
_MANY = 128
# Answers in a product: single precision counts them exactly, in some megabytes.
_CELLS = 1 << 22


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


def together(rows: NDArray[np.bool_]) -> Counts:
    """Return for any two rows in how many places both are true, a matrix."""
    if len(rows) < _MANY:
        return compared(rows, np.logical_and)
    total = np.zeros((len(rows), len(rows)))
    step = max(1, _CELLS // len(rows))
    for low in range(0, rows.shape[1], step):
        part = rows[:, low : low + step].astype(np.float32)
        total += part @ part.T
    return total.astype(np.int64)


def compared(rows: NDArray[Any], compare: np.ufunc) -> Counts:
    """Return for any two rows in how many places the comparison holds, a matrix."""
    systems, n = rows.shape
    total = np.zeros((systems, systems), np.int64)
    holds = np.empty(n, np.bool_)
    for a in range(systems):
        for b in range(a, systems):
            compare(rows[a], rows[b], out=holds)
            total[a, b] = total[b, a] = np.count_nonzero(holds)
    return total
