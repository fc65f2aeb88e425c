"""The one finder of items where systems err: those that some system has wrong, or that one has.

Everything that differs between systems is among the items that some system has wrong, a tenth to
a quarter of a good corpus (PERFORMANCE §3). Of all others it is enough to know how many there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coleval.corpus.coding import width
from coleval.corpus.disk import DiskCodes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items


# Rows at a time: gold and the counter stay in the processor's cache while all systems go by.
_BLOCK = 1 << 17


@dataclass(frozen=True, slots=True)
class Agreed:
    """How many answers gold has, a system has, both have alike; ``aligned``: gold's that it met."""

    gold: int
    predicted: int
    correct: int
    aligned: int


def agreed(parts: tuple[Items, ...], present: Mapping[str, Codes] | None) -> dict[str, Agreed]:
    """Return the counts of every system; the first part says who has an answer at all.

    ``present`` tells which words a system has, with or without an answer; None says that what is
    aligned is what is right.
    """
    first = parts[0]
    there = first.gold > 0
    gold = int(np.count_nonzero(there))
    found = {}
    for name in first.systems:
        answer = first.answers[name]
        right = there & (answer == first.gold)
        for part in parts[1:]:
            right &= part.gold == part.answers[name]
        correct = int(np.count_nonzero(right))
        met = correct if present is None else int(np.count_nonzero(there & (present[name] > 0)))
        found[name] = Agreed(gold, int(np.count_nonzero(answer)), correct, met)
    return found


def agreement(gold: Codes, layers: Sequence[Codes]) -> Codes:
    """Return for each item how many layers say what gold says, nothing included."""
    counter = np.zeros(len(gold), width(len(layers)))
    same = np.empty(min(_BLOCK, len(gold)), np.bool_)
    for low in range(0, len(gold), _BLOCK):
        rows = slice(low, low + _BLOCK)
        block = counter[rows]
        _add_up(block, gold[rows], [codes[rows] for codes in layers], same[: len(block)])
    return counter


def _add_up(counter: Codes, gold: Codes, layers: Sequence[Codes], same: NDArray[np.bool_]) -> None:
    """Count into ``counter``; 0 and 1 are added as numbers, for booleans would be slower."""
    for codes in layers:
        np.equal(codes, gold, out=same)
        np.add(counter, same.view(np.uint8), out=counter)


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
