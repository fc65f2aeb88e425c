"""How often systems agree with gold where several layers must agree at once, system by system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items


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
