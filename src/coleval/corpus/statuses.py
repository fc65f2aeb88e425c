"""What became of each answer: it is there, or it is not for one of five reasons.

They are context columns of the items, ``status_SYSTEM``: whatever filters and groups items takes
them along. An answer whose status is not ``ok`` is none, and its code is 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

OK, EMPTY, UNPARSED, REFUSED, FAILED, NOT_RUN = STATUSES = (
    "ok", "empty", "unparsed", "refused", "failed", "not run",
)  # fmt: skip
KIND = pl.Enum(STATUSES)


def status_column(system: str) -> str:
    """Return the name of the column with the statuses of a system."""
    return f"status_{system}"


def score_column(system: str, score: str = "score") -> str:
    """Return the name of the column with what a system was given on each item."""
    return f"{score}_{system}"


def statuses_of(items: Items, system: str) -> pl.Series | None:
    """Return the status of each answer of a system, None where nobody said any.

    Where a system has not run on a whole file, nothing was said of it there.
    """
    name = status_column(system)
    if name not in items.context.columns:
        return None
    column = items.context[name]
    if not isinstance(column.dtype, (pl.Enum, pl.Categorical)):
        # A column of the user's own that happens to be called so.
        return None
    if not set(column.drop_nulls().unique().to_list()) <= set(STATUSES):
        return None
    return column.cast(pl.String).fill_null(NOT_RUN)


def has_statuses(corpus: Corpus) -> bool:
    """Tell whether anything is said of the answers of some system."""
    if not corpus.task_kind.of_tables:
        return False
    items = corpus.units[next(iter(corpus.units))]
    return any(statuses_of(items, name) is not None for name in corpus.systems)


def of_answers(items: Items) -> set[str]:
    """Return the context columns that are of one system's answers: scores, statuses and the like.

    They say something of that system alone, and say it by themselves.
    """
    known = [name for name in items.systems if statuses_of(items, name) is not None]
    ends = tuple(f"_{name}" for name in known)
    return {name for name in items.context.columns if ends and name.endswith(ends)}


def spelled_status(text: str) -> str:
    """Return a status however it is spelled: ``Not_Run`` is ``not run``."""
    return " ".join(text.casefold().replace("_", " ").replace("-", " ").split())
