"""The commonest answer to each item from a tally of all answers: for many systems and few labels.

Comparing each system with every other takes the square of their number; a tally takes room for
each label.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes

    Counts = NDArray[np.int64]

# Of so many systems, and of no more codes than so many, answers are tallied. A tally has so many
# cells.
MANY, CODES, CELLS = 64, 5000, 1 << 23


def pays(answers: Codes) -> bool:
    """Return whether answers, a row a system, are counted faster by a tally."""
    return len(answers) > MANY and answers.max(initial=0) < CODES


def commonest(
    answers: Codes,
    order: Sequence[int],
    voter: NDArray[np.intp] | None = None,
    barred: Sequence[Codes] = (),
) -> tuple[Codes, Counts]:
    """Return the commonest answer to each item, and its votes; 0 and none where there is none.

    The first system of ``order`` breaks ties. Systems of one ``voter`` give an answer one vote
    together. What is ``barred`` gets none.
    """
    codes = 1 + max(int(rows.max(initial=0)) for rows in (answers, *barred))
    winner = np.zeros(answers.shape[1], answers.dtype)
    best = np.zeros(answers.shape[1], np.int64)
    step = max(1, CELLS // codes)
    for low in range(0, len(winner), step):
        some = slice(low, low + step)
        part, place = answers[:, some], np.arange(len(best[some]))
        tally = _tally(part, codes, np.arange(len(answers)) if voter is None else voter)
        for rows in barred:
            tally[rows[some], place] = 0
        best[some] = tally.max(axis=0)
        # From the last to the first of the order, so that the first has the last word.
        for own in part[list(order)[::-1]]:
            won = (tally[own, place] == best[some]) & (best[some] > 0)
            winner[some][won] = own[won]
    return winner, best


def _tally(answers: Codes, codes: int, voter: NDArray[np.intp]) -> NDArray[np.int32]:
    """Return how many votes each code has for each item."""
    place = np.arange(answers.shape[1])
    tally = np.zeros((codes, len(place)), np.int32)
    members = np.bincount(voter)
    for own, one in zip(answers, voter.tolist(), strict=True):
        if members[one] == 1:
            tally[own, place] += 1
    for one in np.flatnonzero(members > 1).tolist():
        given = np.zeros(tally.shape, np.bool_)
        for own in answers[voter == one]:
            given[own, place] = True
        tally += given
    return tally
