"""Confusion counts and wrong sentences, straight from the code arrays.

`sql/analyses/confusion.sql` and `score-sentences.sql` say the same in SQL and a test holds the two
together; counting codes that are in memory takes a sixth of the time, and needs no database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.kernels.active_rows import active_rows
from coleval.kernels.blocks import merged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.corpus.items import Items
    from coleval.kernels.active_rows import ActiveRows

# Above so many pairs of labels only those that occur are counted; sorting takes thrice as long.
_DENSE = 1 << 20


def confusion_counts(items: Items) -> pl.DataFrame:
    """Return system, gold, answer (labels, null for nothing) and n, in a total order."""
    size = len(items.labels) + 1
    blocks = [
        list(_cells(active, np.bincount(items.gold[active.span], minlength=size), size))
        for active in active_rows(items)
    ]
    cells = [merged(parts) for parts in zip(*blocks, strict=True)]
    if not items.empty_is_answer:
        cells = [(cell[cell > 0], n[cell > 0]) for cell, n in cells]
    return _frame(items, cells, size)


def _cells(
    found: ActiveRows, whole: NDArray[np.int64], size: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield for each system the cells (gold × size + answer) that occur, and how often.

    Errors are counted; of what gold has of each label (``whole``) the rest is right.
    """
    diagonal = np.arange(size) * (size + 1)
    for answers, right in zip(found.answers, found.right, strict=True):
        wrong = np.flatnonzero(~right)
        gold = found.gold[wrong].astype(np.int64)
        agreed = whole - np.bincount(gold, minlength=size)
        key = gold * size + answers[wrong]
        if size * size <= _DENSE:
            n = np.bincount(key, minlength=size * size)
            n[diagonal] = agreed
            cells = np.flatnonzero(n)
            yield cells, n[cells]
        else:
            cells, n = np.unique(np.append(key, diagonal), return_counts=True)
            n[np.searchsorted(cells, diagonal)] = agreed
            yield cells[n > 0], n[n > 0]


def _frame(
    items: Items, parts: list[tuple[NDArray[np.int64], NDArray[np.int64]]], size: int
) -> pl.DataFrame:
    """Return the cells of all systems, one after the other, with labels."""
    nothing = [np.zeros(0, np.int64)]
    gold, answer = np.divmod(np.concatenate([*(cells for cells, _ in parts), *nothing]), size)
    owner = np.repeat(np.arange(len(parts)), [len(cells) for cells, _ in parts])
    label = pl.Series([None, *items.labels], dtype=pl.String)
    names = pl.Series(list(items.answers), dtype=pl.String)
    return pl.DataFrame(
        {
            "system": names.gather(pl.Series(owner)),
            "gold": label.gather(pl.Series(gold)),
            "answer": label.gather(pl.Series(answer)),
            "n": np.concatenate([*(n for _, n in parts), *nothing]),
        }
    )


def wrong_groups(items: Items) -> dict[str, int]:
    """Return how many sentences (or instances) each system has at least one wrong answer in."""
    return items.memo.get("wrong groups", lambda: _counted_groups(items))


def _counted_groups(items: Items) -> dict[str, int]:
    groups = items.groups
    if groups is None:
        return {}
    blocks = [_wrong_groups(active, groups[active.span]) for active in active_rows(items)]
    return {
        name: sum(parts)
        for name, parts in zip(items.answers, zip(*blocks, strict=True), strict=True)
    }


def _wrong_groups(found: ActiveRows, groups: NDArray[np.integer]) -> list[int]:
    group = groups[found.rows]
    # Items of a group stand together, and so do those of them that are wrong.
    wrong = (group[~right] for right in found.right)
    return [int(np.count_nonzero(own[1:] != own[:-1])) + bool(len(own)) for own in wrong]
