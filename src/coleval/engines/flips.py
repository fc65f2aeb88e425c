"""Negative flips: items that every earlier system has right and this one breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coleval.engines.active import Active, active
from coleval.engines.combining import held

if TYPE_CHECKING:
    from coleval.items import Items


def flips(items: Items, found: Active | None = None) -> list[dict[str, int | str]]:
    """Return a row for each system but the first, in the order they are given.

    ``held`` is how many items all earlier ones have right, ``flips`` how many of these it breaks;
    ``firsts`` are those that none of the earlier has right and it has. Among spans and the like
    the items are gold's.
    """
    news = active(items) if found is None else found
    there, others = held(items, news)
    rows: list[dict[str, int | str]] = []
    every, some = news.right[0] & there, news.right[0].copy()
    for at, system in enumerate(items.systems[1:], 1):
        own = news.right[at]
        rows.append(
            {
                "system": system,
                "earlier": at,
                "held": int(np.count_nonzero(every)) + others,
                "flips": int(np.count_nonzero(every & ~own)),
                "firsts": int(np.count_nonzero(own & ~some & there)),
            }
        )
        every &= own
        some |= own
    return rows
