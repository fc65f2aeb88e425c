"""Two systems: which kinds of error make the difference, and where gold's spans moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.errors.counts import in_fates
from coleval.annotate.span_errors import kind_of_gold
from coleval.statistics.fair import KINDS, Weights, explained

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.analyses.errors.counts import Fates

_COMPARED = {
    "before": pl.String, "after": pl.String, "error": pl.String,
    "n_before": pl.Int64, "n_after": pl.Int64, "delta": pl.Int64, "f1": pl.Float64,
}  # fmt: skip
_MOVED = {
    "before": pl.String, "after": pl.String,
    "error_before": pl.String, "error_after": pl.String, "n": pl.Int64,
}  # fmt: skip


def comparison(
    kinds: pl.DataFrame, pairs: Sequence[tuple[str, str]], weights: Weights
) -> pl.DataFrame:
    """Return each kind's counts in two systems and what it adds to the difference of their F1.

    ``f1`` sums up to that difference; it is null where an F1 is undefined or 0.
    """
    counts = {row["system"]: row for row in kinds.to_dicts()}
    rows = []
    for before, after in pairs:
        parts = explained(counts[before], counts[after], weights)
        for at, kind in enumerate(KINDS):
            a, b = counts[before][kind], counts[after][kind]
            rows.append((before, after, kind, a, b, b - a, parts[at] if parts else None))
    return pl.DataFrame(rows, schema=_COMPARED, orient="row")


def moves(fates: Fates, pairs: Sequence[tuple[str, str]]) -> pl.DataFrame:
    """Return what became of gold's spans in both systems, where it is not the same."""
    return pl.concat([_moves(fates, *pair) for pair in pairs])


def _moves(fates: Fates, before: str, after: str) -> pl.DataFrame:
    if fates.elsewhere is not None:
        found = in_fates(fates, _moves, before, after)
        place = {name: at for at, name in enumerate(KINDS)}
        order = [pl.col(f"error_{s}").replace_strict(place, return_dtype=pl.Int64)
                 for s in ("before", "after")]  # fmt: skip
        return found.sort(order).sort("n", descending=True, maintain_order=True)
    kept = (fates.items.gold != 0) if fates.kept is None else (fates.items.gold != 0) & fates.kept
    a, b = (kind_of_gold(fates.items, fates.found[name])[kept] for name in (before, after))
    size = len(KINDS) + 1
    n = np.bincount(a.astype(np.intp) * size + b, minlength=size * size)
    there = np.flatnonzero(n)
    there = there[there // size != there % size]
    rows = [
        (before, after, KINDS[code // size - 1], KINDS[code % size - 1], int(n[code]))
        for code in there.tolist()
    ]
    frame = pl.DataFrame(rows, schema=_MOVED, orient="row")
    return frame.sort("n", descending=True, maintain_order=True)
