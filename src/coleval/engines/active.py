"""The items that some system has wrong: everything that differs between systems is among them.

They are a tenth to a quarter of a good corpus (PERFORMANCE §3). Of all others it is enough to
know how many there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from coleval.coding import Codes
    from coleval.items import Items

Counts = NDArray[np.int64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Active:
    """The active rows of some items: gold, a row of answers for each system, which are right.

    ``others`` is how many items are not active, ``silent`` how many of those nobody answers.
    """

    rows: Rows
    gold: Codes
    answers: Codes
    right: NDArray[np.bool_]
    others: int
    silent: int

    def __len__(self) -> int:
        """Return the number of active items."""
        return len(self.rows)


def active(items: Items) -> Active:
    """Return the items on which some system's answer is not gold's."""
    agreed = np.ones(len(items), np.bool_)
    same = np.empty(len(items), np.bool_)
    for codes in items.answers.values():
        agreed &= np.equal(codes, items.gold, out=same)
    rows = np.flatnonzero(~agreed)
    gold = items.gold[rows]
    answers = gathered(items, rows)
    silent = int(np.count_nonzero(agreed & (items.gold == 0))) if not items.everything else 0
    return Active(rows, gold, answers, answers == gold, len(items) - len(rows), silent)


def gathered(items: Items, rows: Rows) -> Codes:
    """Return the answers of some items, a row for each system."""
    found = np.empty((len(items.answers), len(rows)), items.gold.dtype)
    for at, codes in enumerate(items.answers.values()):
        found[at] = codes[rows]
    return found
