"""Confusion counts and wrong sentences, straight from the code arrays.

`sql/counts/confusion.sql` and `wrong_groups.sql` say the same in SQL and a test holds the two
together; counting codes that are in memory takes a sixth of the time, and needs no database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.engines.active import active

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.engines.active import Active
    from coleval.items import Items

# Above so many pairs of labels only those that occur are counted.
_DENSE = 1 << 20


def confusion_counts(items: Items) -> pl.DataFrame:
    """Return system, gold, answer (labels, null for nothing) and n, in a total order."""
    found = active(items)
    size = len(items.labels) + 1
    agreed = _agreed(items, found, size)
    frames = [
        _frame(name, cells, counts, size)
        for name, (cells, counts) in zip(items.answers, _cells(found, agreed, size), strict=True)
    ]
    counted = pl.concat(frames) if frames else _frame("", agreed[:0], agreed[:0], size)
    if not items.everything:
        counted = counted.filter((pl.col("gold") != 0) | (pl.col("answer") != 0))
    label = pl.Series([None, *items.labels], dtype=pl.String)
    return counted.with_columns(
        label.gather(counted["gold"]).alias("gold"), label.gather(counted["answer"]).alias("answer")
    )


def _agreed(items: Items, found: Active, size: int) -> NDArray[np.int64]:
    """Return for each label how many items all systems have right."""
    whole = np.bincount(items.gold, minlength=size)
    return whole - np.bincount(found.gold, minlength=size)


def _cells(
    found: Active, agreed: NDArray[np.int64], size: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield for each system the cells (gold × size + answer) that occur, and how often."""
    gold = found.gold.astype(np.int64) * size
    diagonal = np.arange(size) * (size + 1)
    for answers in found.answers:
        if size * size <= _DENSE:
            n = np.bincount(gold + answers, minlength=size * size)
            n[diagonal] += agreed
            cells = np.flatnonzero(n)
            yield cells, n[cells]
        else:
            cells, n = np.unique(np.append(gold + answers, diagonal), return_counts=True)
            n[np.searchsorted(cells, diagonal)] += agreed - 1
            yield cells[n > 0], n[n > 0]


def _frame(name: str, cells: NDArray[np.int64], n: NDArray[np.int64], size: int) -> pl.DataFrame:
    gold, answer = np.divmod(cells, size)
    system = pl.repeat(name, len(cells), dtype=pl.String, eager=True).alias("system")
    kinds = {"gold": pl.UInt32, "answer": pl.UInt32, "n": pl.Int64}
    counts = pl.DataFrame({"gold": gold, "answer": answer, "n": n}).cast(kinds)  # type: ignore[arg-type]
    return counts.insert_column(0, system)


def wrong_groups(items: Items) -> dict[str, int]:
    """Return how many sentences (or instances) each system has at least one wrong answer in."""
    if items.groups is None:
        return {}
    found = active(items)
    group = items.groups[found.rows]
    starts = np.flatnonzero(np.diff(group, prepend=group[:1]) != 0)
    first = np.append(0, starts).astype(np.intp) if len(group) else starts
    return {
        name: int(np.logical_or.reduceat(~right, first).sum()) if len(first) else 0
        for name, right in zip(items.answers, found.right, strict=True)
    }
