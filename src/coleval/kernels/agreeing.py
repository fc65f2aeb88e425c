"""How many systems agree with gold on an item, and on how many items a system does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.coding import width

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

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
