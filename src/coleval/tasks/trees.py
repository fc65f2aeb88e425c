"""Dependency answers: relation and head of a word as one label, ``nsubj@4``.

Equal labels are equal answers, so that everything that counts labels counts attachments too; the
relation or the head alone is the same items under other names.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.errors import DataError, UsageError

if TYPE_CHECKING:
    from coleval.items import Items
    from coleval.readers.model import TokenFile

METRICS = ("las", "uas", "ls")
PUNCT = "punct"
_AT = "@"
_NEEDED = ("head", "deprel")


def as_trees(file: TokenFile, role: str) -> TokenFile:
    """Return the file with relation and head as the column of ``role``, null without a head.

    Relations are in lower case and keep their subtypes (DEFINITIONS 2.2).
    """
    known = {**file.columns, **file.context}
    for column in _NEEDED:
        if column not in known:
            raise UsageError(
                f"there is no column `{column}`, which --task dep compares",
                where=file.path,
                remedy="read CoNLL-U (--format conllu), or say where they are: "
                "--columns form=2,head=7,deprel=8",
            )
    head = known["head"].cast(pl.Int32, strict=False).cast(pl.String)
    relation = known["deprel"].fill_null("").str.to_lowercase()
    answer = pl.select(pl.concat_str(relation, pl.lit(_AT), head)).to_series()
    if role == "gold":
        _all_there(file, answer)
    return replace(file, columns={**file.columns, role: answer})


def _all_there(file: TokenFile, answer: pl.Series) -> None:
    """Raise if a gold word has no head: there is nothing to compare with."""
    bare = answer.is_null().arg_true()
    if len(bare):
        at = int(bare[0])
        raise DataError(
            f"the gold word `{file.form[at]}` has no HEAD ({len(bare):,} times)",
            where=file.at(at),
            remedy="is this file annotated with trees? UPOS and others are --task tag",
        )


def relation_of(label: str) -> str:
    """Return the relation of an answer."""
    return label.rpartition(_AT)[0]


def head_of(label: str) -> str:
    """Return the head of an answer, the number of a word."""
    return label.rpartition(_AT)[2]


def by_metric(items: Items, metric: str) -> Items:
    """Return the words with that part of the answer which the metric compares."""
    if metric == "las":
        return items
    part = relation_of if metric == "ls" else head_of
    return items.renamed([part(label) for label in items.labels])


def without_punct(items: Items) -> Items:
    """Return the words that gold does not call punctuation; no sentence is lost by that."""
    punct = [k for k, label in enumerate(items.labels, 1) if relation_of(label) == PUNCT]
    kept = items.where(~np.isin(items.gold, punct))
    return replace(kept, group_count=items.group_count)
