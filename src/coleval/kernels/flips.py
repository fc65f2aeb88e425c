"""Negative flips: items that every earlier system has right and this one breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coleval.kernels.active_rows import ActiveBlocks, ActiveRows, Counts, active_rows
from coleval.kernels.combining import held

if TYPE_CHECKING:
    from coleval.corpus.items import Items


def flips(items: Items, found: ActiveBlocks | None = None) -> list[dict[str, int | str]]:
    """Return a row for each system but the first, in the order they are given.

    ``held`` is how many items all earlier ones have right, ``flips`` how many of these it breaks;
    ``firsts`` are those that none of the earlier has right and it has. Among spans and the like
    the items are gold's.
    """
    parts = (_flips(active) for active in (active_rows(items) if found is None else found))
    counts = np.sum(list(parts), axis=0).tolist()
    return [
        {"system": system, "earlier": at, "held": held_, "flips": broken, "firsts": first}
        for at, (system, (held_, broken, first)) in enumerate(
            zip(items.systems[1:], counts, strict=True), 1
        )
    ]


def _flips(active: ActiveRows) -> Counts:
    """Return held, flips and firsts of each system but the first, a row a system."""
    there, others = held(active)
    found = np.zeros((len(active.right) - 1, 3), np.int64)
    every, some = active.right[0] & there, active.right[0].copy()
    for row, own in zip(found, active.right[1:], strict=True):
        row[0] = np.count_nonzero(every) + others
        row[1] = np.count_nonzero(every & ~own)
        row[2] = np.count_nonzero(own & ~some & there)
        every &= own
        some |= own
    return found
