"""Bins as columns of a screen: each its own while they fit, then the middle ones in ranges.

Bin 0 (nobody), 1 (one system alone) and the last (everybody) are never folded.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, cast

import numpy as np

from coleval.render.fitting import fits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import polars as pl

    from coleval.render.sheet import Sheet

Range = tuple[int, int]

# More bins than can be read are folded into so many ranges, however wide the paper.
FOLDED = 30
NARROWEST = 3
FEWEST = 5


def fitted_ranges(
    last: int, width: int, draw: Callable[[Sequence[Range]], Sheet], *, crowd: bool = False
) -> Sheet:
    """Return the drawing with as many columns as ``width`` takes, of a crowd as can be read."""
    most = min(last + 1, max(FEWEST, width // NARROWEST))
    drawn: list[Range] = []
    for columns in range(min(most, FOLDED) if crowd else most, FEWEST, -1):
        chosen = ranges(last, columns)
        if chosen == drawn:
            continue
        sheet, drawn = draw(chosen), chosen
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


def readable(last: int) -> list[Range]:
    """Return the bins of a crowd, in so many ranges as can be read."""
    return ranges(last, FOLDED)


def in_ranges(frame: pl.DataFrame, name: str, *sums: str, by: Sequence[str] = ()) -> pl.DataFrame:
    """Return rows on bins, summed over ranges of them if these are fewer.

    The column of bins becomes one of names; other columns than ``sums`` and ``by`` go.
    """
    import polars as pl

    columns = readable(int(cast("int", frame[name].max() or 0)))
    at = np.searchsorted([low for low, _ in columns], frame[name].to_numpy(), side="right") - 1
    called = pl.Series(map(title, columns), dtype=pl.String).gather(at).alias(name)
    return (
        frame.with_columns(called)
        .group_by(name, *by, maintain_order=True)
        .agg(pl.col(column).sum() for column in sums)
    )


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
