"""Counts of parts added up: what is whole numbers sums, what is named by keys is joined by them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.kernels.blocks import added, merged
from coleval.kernels.transitions import TransitionCounts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.kernels.agreeing import Agreed

    Counts = NDArray[np.int64]

__all__ = ["added", "arrays", "frames", "merged", "named", "numbers", "rows"]


def numbers(parts: list[int]) -> int:
    """Return the sum of whole numbers."""
    return sum(parts)


def arrays(parts: list[Any]) -> Any:
    """Return the sum of tables of numbers, or of several that stand together."""
    if isinstance(parts[0], tuple):
        return tuple(arrays(list(same)) for same in zip(*parts, strict=True))
    return sum(parts[1:], parts[0])


def named(parts: list[dict[str, int]]) -> dict[str, int]:
    """Return the sums of numbers by name."""
    total: Counter[str] = Counter(dict.fromkeys(parts[0], 0))
    for part in parts:
        total.update(part)
    return dict(total)


def agreed_by_name(parts: list[dict[str, Agreed]]) -> dict[str, Agreed]:
    """Return the counts of agreement summed by system."""
    return {name: added(part[name] for part in parts) for name in parts[0]}


def rows(parts: list[list[dict[str, Any]]], keys: Sequence[str]) -> list[dict[str, Any]]:
    """Return rows that all parts have, the numbers in them summed but for those of ``keys``."""
    return [
        {name: value if name in keys else sum(row[name] for row in same)
         for name, value in same[0].items()}
        for same in zip(*parts, strict=True)
    ]  # fmt: skip


def frames(parts: list[pl.DataFrame], sums: Sequence[str] = ("n",)) -> pl.DataFrame:
    """Return the rows of all parts, those of equal keys as one; the first part's come first."""
    if len(parts) == 1:
        return parts[0]
    whole = pl.concat(parts)
    keys = [name for name in whole.columns if name not in sums]
    return whole.group_by(keys, maintain_order=True).agg(pl.col(sums).sum()).select(whole.columns)


def cells(
    parts: list[pl.DataFrame], systems: Sequence[str], labels: Sequence[str], column: str = "n"
) -> pl.DataFrame:
    """Return system, gold, answer and their sums in the order in which they are counted here."""
    found = frames(parts, (column,))
    place: Mapping[str, int] = {label: code for code, label in enumerate(labels, 1)}
    order = {name: k for k, name in enumerate(systems)}
    by = [
        pl.col("system").replace_strict(order, return_dtype=pl.Int64),
        *(pl.col(side).replace_strict(place, default=0, return_dtype=pl.Int64)
          for side in ("gold", "answer")),
    ]  # fmt: skip
    return found.sort(by)


def transition_lists(parts: list[list[TransitionCounts]]) -> list[TransitionCounts]:
    """Return the cells of each pair of systems, summed."""
    return [_transitions(list(same)) for same in zip(*parts, strict=True)]


def _transitions(parts: list[TransitionCounts]) -> TransitionCounts:
    if len(parts) == 1:
        return parts[0]
    names = ("kind", "gold", "before", "after")
    frame = pl.concat(
        [pl.DataFrame({name: getattr(p, name).astype(np.int64) for name in (*names, "n")})
         for p in parts]
    )  # fmt: skip
    summed = frame.group_by(names).agg(pl.col("n").sum())
    return TransitionCounts(*(summed[name].to_numpy() for name in (*names, "n")))
