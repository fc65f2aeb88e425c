"""Bins as columns of a screen: each its own while they fit, then the middle ones in ranges.

Bin 0 (nobody), 1 (one system alone) and the last (everybody) are never folded.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from coleval.render.fitting import fits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from coleval.render.sheet import Sheet

Range = tuple[int, int]

NARROWEST = 3
FEWEST = 5


def fitted_ranges(last: int, width: int, draw: Callable[[Sequence[Range]], Sheet]) -> Sheet:
    """Return the drawing with as many columns as ``width`` takes."""
    most = min(last + 1, max(FEWEST, width // NARROWEST))
    for columns in range(most, FEWEST, -1):
        sheet = draw(ranges(last, columns))
        if fits(sheet, width):
            return sheet
    return draw(ranges(last, FEWEST))


def ranges(last: int, columns: int) -> list[Range]:
    """Return the first and the last bin of at most ``columns`` columns, from 0 to ``last``."""
    if last + 1 <= columns or last < FEWEST:
        return [(k, k) for k in range(last + 1)]
    middle = last - 2
    size = -(-middle // max(1, columns - 3))
    inner = [(low, min(low + size, last) - 1) for low in range(2, last, size)]
    return [(0, 0), (1, 1), *inner, (last, last)]


def title(column: Range) -> str:
    """Return what stands above a column: ``7`` or ``2–6``."""
    low, high = column
    return str(low) if low == high else f"{low}–{high}"


def folded(counts: Mapping[int, int], columns: Sequence[Range]) -> list[int]:
    """Return the sums of counts by bin over each column."""
    known = Counter(counts)
    return [sum(known[k] for k in range(low, high + 1)) for low, high in columns]


def note(columns: Sequence[Range], table: str) -> tuple[str, ...]:
    """Return the sentence that says bins are summed, none where each stands alone."""
    if all(low == high for low, high in columns):
        return ()
    return (f"bins are merged into ranges to fit the width; single bins: --as csv --table {table}",)
