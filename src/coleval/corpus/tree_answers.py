"""Dependency answers: relation and head of a word as one label, ``nsubj@4``.

Equal labels are equal answers, so that everything that counts labels counts attachments too.
Heads are gold's words: ``4`` is word 4 of the same gold sentence, ``0`` the root, ``4+1`` word 4
of the next sentence (a system may cut sentences elsewhere), ``?form`` a word that gold has not.
No head is spelled with an ``@`` (forms have ``_`` for it), so the last one in an answer is what
separates the two, whatever a relation holds: SUD has ``subj@expl``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.items import Items

PUNCT = "punct"
AT = "@"


class LabelHead(NamedTuple):
    """A head as a label tells it: a word's number and how many sentences on; -1 is none of gold."""

    number: int
    away: int = 0


@dataclass(frozen=True, slots=True)
class AnswerParts:
    """The relations and the heads of many answers: a few of each, and which ones each has."""

    relations: tuple[str, ...]
    relation: NDArray[np.intp]
    heads: tuple[str, ...]
    head: NDArray[np.intp]


# Metrics share labels, of which a large corpus has hundreds of thousands: read them once.
@lru_cache(maxsize=4)
def parts_of_answers(labels: tuple[str, ...]) -> AnswerParts:
    """Return the relations and heads of some answers."""
    relations: dict[str, int] = {}
    heads: dict[str, int] = {}
    parts = [label.rpartition(AT) for label in labels]
    relation = [relations.setdefault(part[0], len(relations)) for part in parts]
    head = [heads.setdefault(part[2], len(heads)) for part in parts]
    return AnswerParts(tuple(relations), np.array(relation, np.intp), tuple(heads),
                       np.array(head, np.intp))  # fmt: skip


def answer(relation: str, head: str) -> str:
    """Return relation and head as one label, which can be taken apart again."""
    return f"{relation}{AT}{head}"


def answers(relation: pl.Series, head: pl.Series) -> pl.Series:
    """Return a column of relations and one of heads as labels; null where either is."""
    return pl.select(pl.concat_str(relation, pl.lit(AT), head)).to_series()


def relation_of(label: str) -> str:
    """Return the relation of an answer."""
    return label.rpartition(AT)[0]


def universal(label: str) -> str:
    """Return the relation of an answer without its subtype: ``nmod`` of ``nmod:poss@4``.

    Case counts, as in the UD evaluation: ``ROOT`` is not ``root``.
    """
    return without_subtype(relation_of(label))


def without_subtype(relation: str) -> str:
    """Return a relation without its subtype."""
    return relation.partition(":")[0]


def head_of(label: str) -> str:
    """Return the head of an answer: the number of a word, and its sentence if that is another."""
    return label.rpartition(AT)[2]


def told_head(head: str) -> LabelHead:
    """Return a head as it is spelled in a label in numbers."""
    if head.isdecimal():
        return LabelHead(int(head))
    if head.startswith("?") or not head:
        return LabelHead(-1)
    for sign in "+-":
        number, _, away = head.partition(sign)
        if away:
            return LabelHead(int(number), int(sign + away))
    return LabelHead(int(head))


def full(label: str) -> str:
    """Return the relation of an answer with its subtype, in lower case (DEFINITIONS 2.2)."""
    return relation_of(label).lower()


def without_punct(items: Items) -> Items:
    """Return the words that gold does not call punctuation; no sentence is lost by that."""
    punct = [k for k, label in enumerate(items.labels, 1) if universal(label) == PUNCT]
    kept = items.where(~np.isin(items.gold, punct))
    return replace(kept, group_count=items.group_count)
