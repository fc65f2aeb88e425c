"""Sentences and instances: how many a system has wholly right, how many labels they share."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.far import additive
from coleval.counts.active_rows import error_rows
from coleval.counts.blocks import frames, named

if TYPE_CHECKING:
    from coleval.corpus.items import Items


def wrong_groups(items: Items) -> dict[str, int]:
    """Return how many sentences (or instances) each system has at least one wrong answer in."""
    return items.memo.get("wrong groups", partial(_wrong_groups, items))


@additive(named)
def _wrong_groups(items: Items) -> dict[str, int]:
    groups = items.groups
    if groups is None:
        return {}
    wrong = {name: groups[error_rows(items, name)] for name in items.answers}
    # Items of a group stand together, and so do those of them that are wrong.
    return {name: int(np.count_nonzero(np.diff(own))) + bool(len(own))
            for name, own in wrong.items()}  # fmt: skip


@additive(sum)
def unsolved_groups(items: Items) -> int:
    """Return how many sentences (or instances) have an item that no system has right."""
    groups = items.groups
    if groups is None:
        return 0
    unsolved = np.ones(len(items), np.bool_) if items.empty_is_answer else items.gold != 0
    for codes in items.answers.values():
        unsolved &= codes != items.gold
    return len(np.unique(groups[unsolved]))


@additive(frames)
def label_overlaps(items: Items) -> pl.DataFrame:
    """Return how many instances have g gold labels, a answers and b of both: system, …, n.

    ``sql/analyses/score-overlaps.sql`` is the definition.
    """
    groups = np.arange(len(items)) if items.groups is None else items.groups
    size = items.group_count
    if not size:
        # Of some items chosen, those instances count that have one of them.
        known, groups = np.unique(groups, return_inverse=True)
        size = len(known)
    there = items.gold != 0
    gold = np.bincount(groups[there], minlength=size)
    tables = [
        pl.DataFrame(
            {
                "system": pl.repeat(name, size, dtype=pl.String, eager=True),
                "g": gold,
                "a": np.bincount(groups[codes != 0], minlength=size),
                "b": np.bincount(groups[there & (codes == items.gold)], minlength=size),
            }
        )
        for name, codes in items.answers.items()
    ]
    kinds = {"system": pl.String, "g": pl.Int64, "a": pl.Int64, "b": pl.Int64}
    every = pl.concat([pl.DataFrame(schema=kinds), *tables])
    return every.group_by(*kinds).agg(n=pl.len().cast(pl.Int64)).sort(*kinds)
