"""Where a system is not right: a tenth of the items or so, and all that tells systems apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coleval.corpus.disk import DiskCodes

if TYPE_CHECKING:
    from coleval.corpus.items import Items

Rows = NDArray[np.intp]


def mistakes(items: Items, system: str) -> Rows:
    """Return the items on which a system's answer is not gold's, in order; looked for once."""
    if isinstance(items.answers, DiskCodes):
        return _mistakes(items, system)
    return items.memo.get(("mistakes", system), lambda: _mistakes(items, system))


def _mistakes(items: Items, system: str) -> Rows:
    return np.flatnonzero(items.answers[system] != items.gold)
