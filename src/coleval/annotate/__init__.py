"""Columns that are worked out for items: a registry, by the names they have in the item table.

Each is made when it is asked for, from the items as they are then: with fewer systems, difficulty
counts fewer. This room leaves counting over its columns to ``counts`` and ``query``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.annotate.difficulty import difficulty, mean_score, spurious
from coleval.annotate.span_errors import error_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import polars as pl

    from coleval.corpus.items import Items

ANNOTATIONS: Mapping[str, Callable[[Items], pl.Series]] = {
    "difficulty": difficulty,
    "spurious": spurious,
}


MEAN_SCORE = "mean_score"


def annotations_of(items: Items) -> Mapping[str, Callable[[Items], pl.Series]]:
    """Return what is worked out for items; numbers have a mean, and are not right or wrong."""
    return {**ANNOTATIONS, MEAN_SCORE: mean_score} if items.numeric else ANNOTATIONS


def annotated(items: Items, names: Iterable[str] | None = None) -> list[pl.Series]:
    """Return the named annotations of items as columns, all of them by default."""
    known = annotations_of(items)
    wanted = known if names is None else names
    return [
        known[name](items).rename(name) if name in known else error_column(items, name)
        for name in wanted
    ]
