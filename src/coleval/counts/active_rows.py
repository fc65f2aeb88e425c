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
from coleval.corpus.far import additive
from coleval.counts.blocks import added

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def _added_by_name(parts: list[dict[str, Agreed]]) -> dict[str, Agreed]:
    return {name: added(part[name] for part in parts) for name in parts[0]}


@additive(_added_by_name)
def agreed_words(parts: tuple[Items, ...], present: Items | None) -> dict[str, Agreed]:
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
        met = correct
        if present is not None:
            met = int(np.count_nonzero(there & (present.answers[name] > 0)))
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


def active_rows(items: Items) -> Rows:
    """Return the items on which some system's answer is not gold's, in order."""
    agreeing = np.ones(len(items), np.bool_)
    same = np.empty(len(items), np.bool_)
    for codes in items.answers.values():
        agreeing &= np.equal(codes, items.gold, out=same)
    return np.flatnonzero(~agreeing)


def error_rows(items: Items, system: str) -> Rows:
    """Return the items on which one system's answer is not gold's, in order; looked for once."""
    if isinstance(items.answers, DiskCodes):
        return _error_rows(items, system)
    return items.memo.get(("error rows", system), lambda: _error_rows(items, system))


def _error_rows(items: Items, system: str) -> Rows:
    return np.flatnonzero(items.answers[system] != items.gold)


def gathered(items: Items, rows: Rows) -> Codes:
    """Return the answers of some items, a row for each system."""
    found = np.empty((len(items.answers), len(rows)), items.gold.dtype)
    for at, codes in enumerate(items.answers.values()):
        found[at] = codes[rows]
    return found
