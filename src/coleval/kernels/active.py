"""The items that some system has wrong: everything that differs between systems is among them.

They are a tenth to a quarter of a good corpus (PERFORMANCE §3). Of all others it is enough to
know how many there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coleval.corpus.disk import DiskCodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items

Counts = NDArray[np.int64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class News:
    """The active rows of a block of items: gold, a row of answers a system, which are right.

    ``span`` is where the block stands among all items, ``rows`` count from its first.
    ``others`` is how many of its items are not active, ``silent`` how many of those nobody answers.
    """

    span: slice
    rows: Rows
    gold: Codes
    answers: Codes
    right: NDArray[np.bool_]
    others: int
    silent: int
    everything: bool

    def __len__(self) -> int:
        """Return the number of active items."""
        return len(self.rows)

    @property
    def size(self) -> int:
        """Return the number of all items of the block."""
        return len(self.rows) + self.others

    def told(self, shown: Items) -> tuple[Codes, Codes]:
        """Return gold and the answers as ``shown`` has them, the same items by other labels."""
        low, high = self.span.start, self.span.stop
        part = shown if len(shown) == high - low else shown.between(low, high)
        return part.gold[self.rows], gathered(part, self.rows)


@dataclass(frozen=True, slots=True)
class Active:
    """The active items, block by block; looked for once where a single block holds all."""

    items: Items
    held: News | None = None

    def __iter__(self) -> Iterator[News]:
        """Yield what is active in each block."""
        if self.held is not None:
            yield self.held
            return
        first = 0
        for block in self.items.blocks():
            yield _news(block, first)
            first += len(block)


def active(items: Items) -> Active:
    """Return the items on which some system's answer is not gold's."""
    if isinstance(items.answers, DiskCodes):
        return Active(items)
    return Active(items, items.memo.get("active", lambda: _news(items)))


def _news(items: Items, first: int = 0) -> News:
    agreed = np.ones(len(items), np.bool_)
    same = np.empty(len(items), np.bool_)
    for codes in items.answers.values():
        agreed &= np.equal(codes, items.gold, out=same)
    rows = np.flatnonzero(~agreed)
    gold = items.gold[rows]
    answers = gathered(items, rows)
    silent = int(np.count_nonzero(agreed & (items.gold == 0))) if not items.empty_is_answer else 0
    others = len(items) - len(rows)
    span = slice(first, first + len(items))
    right = answers == gold
    return News(span, rows, gold, answers, right, others, silent, items.empty_is_answer)


def gathered(items: Items, rows: Rows) -> Codes:
    """Return the answers of some items, a row for each system."""
    found = np.empty((len(items.answers), len(rows)), items.gold.dtype)
    for at, codes in enumerate(items.answers.values()):
        found[at] = codes[rows]
    return found
