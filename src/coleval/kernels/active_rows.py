"""The one finder of items where systems err: those that some system has wrong, or that one has.

Everything that differs between systems is among the items that some system has wrong, a tenth to
a quarter of a good corpus (PERFORMANCE §3). Of all others it is enough to know how many there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coleval.corpus.disk import DiskCodes
from coleval.kernels.agreeing import agreement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items

Counts = NDArray[np.int64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class ActiveRows:
    """The active rows of a block of items: gold, a row of answers a system, which are right.

    ``span`` is the place of the block among all items, ``rows`` count from its first. All systems
    agree with gold on the other items: ``agreed`` is how many those are, ``agreed_empty`` how many
    of those are no items, as neither gold nor any system answers them.
    """

    span: slice
    rows: Rows
    gold: Codes
    answers: Codes
    right: NDArray[np.bool_]
    agreed: int
    agreed_empty: int
    everything: bool

    def __len__(self) -> int:
        """Return the number of active items."""
        return len(self.rows)

    @property
    def size(self) -> int:
        """Return the number of all items of the block."""
        return len(self.rows) + self.agreed

    def as_shown(self, shown: Items) -> tuple[Codes, Codes]:
        """Return gold and the answers as ``shown`` has them, the same items by other labels."""
        low, high = self.span.start, self.span.stop
        part = shown if len(shown) == high - low else shown.between(low, high)
        return part.gold[self.rows], gathered(part, self.rows)


@dataclass(frozen=True, slots=True)
class ActiveBlocks:
    """The active items, block by block; looked for once where a single block holds all."""

    items: Items
    held: ActiveRows | None = None

    def __iter__(self) -> Iterator[ActiveRows]:
        """Yield what is active in each block."""
        if self.held is not None:
            yield self.held
            return
        first = 0
        for block in self.items.blocks():
            yield _active_in(block, first)
            first += len(block)


def active_rows(items: Items) -> ActiveBlocks:
    """Return the items on which some system's answer is not gold's."""
    if isinstance(items.answers, DiskCodes):
        return ActiveBlocks(items)
    return ActiveBlocks(items, items.memo.get("active", lambda: _active_in(items)))


def error_rows(items: Items, system: str) -> Rows:
    """Return the items on which one system's answer is not gold's, in order; looked for once."""
    if isinstance(items.answers, DiskCodes):
        return _error_rows(items, system)
    return items.memo.get(("error rows", system), lambda: _error_rows(items, system))


def disputed_rows(items: Items, agreeing: Codes) -> Rows:
    """Return the items on which some judge or some system errs; so many judges are ``agreeing``.

    Where the systems are the judges themselves, these are the active rows, without a second look
    at the answers.
    """
    wrong = agreeing != len(items.judging)
    if items.judges is not None:
        answers = list(items.answers.values())
        wrong |= agreement(items.gold, answers) != len(answers)
    return np.flatnonzero(wrong)


def _error_rows(items: Items, system: str) -> Rows:
    return np.flatnonzero(items.answers[system] != items.gold)


def _active_in(items: Items, first: int = 0) -> ActiveRows:
    agreed = np.ones(len(items), np.bool_)
    same = np.empty(len(items), np.bool_)
    for codes in items.answers.values():
        agreed &= np.equal(codes, items.gold, out=same)
    rows = np.flatnonzero(~agreed)
    gold = items.gold[rows]
    answers = gathered(items, rows)
    empty = 0 if items.empty_is_answer else int(np.count_nonzero(agreed & (items.gold == 0)))
    span = slice(first, first + len(items))
    right = answers == gold
    return ActiveRows(
        span, rows, gold, answers, right, len(items) - len(rows), empty, items.empty_is_answer
    )


def gathered(items: Items, rows: Rows) -> Codes:
    """Return the answers of some items, a row for each system."""
    found = np.empty((len(items.answers), len(rows)), items.gold.dtype)
    for at, codes in enumerate(items.answers.values()):
        found[at] = codes[rows]
    return found
