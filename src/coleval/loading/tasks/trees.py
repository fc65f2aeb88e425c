"""Trees as files have them: heads checked, and said as words of gold (``corpus.tree_answers``)."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.tree_answers import AT
from coleval.errors import DataError, UsageError
from coleval.late_classes import dataclass
from coleval.loading.readers.steps import steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from coleval.loading.align.model import Alignment
    from coleval.loading.readers.model import TokenFile

_NEEDED = ("head", "deprel")
_NO_HEAD = "_"
_REMEDY = "a head is the number of a word, from 1, 0 for the root, or `_` where there is none"


def as_trees(file: TokenFile, role: str) -> TokenFile:
    """Return the file with its heads as numbers, null for ``_``; raise if gold lacks any.

    Relations are as they are written: the UD evaluation tells ``ROOT`` from ``root``.
    """
    known = {**file.columns, **file.context}
    for column in _NEEDED:
        if column not in known:
            raise UsageError(
                f"there is no column `{column}`, which --task dep compares",
                where=file.path,
                remedy=(
                    "read CoNLL-U (--format conllu), or name the columns: --columns "
                    "form=2,head=7,deprel=8"
                ),
            )
    head = known["head"].cast(pl.Int32, strict=False)
    _numbers(file, known["head"], head)
    _inside_sentences(file)
    if role == "gold":
        _all_there(file, head)
    return replace(file, columns={**file.columns, "head": head})


@dataclass(frozen=True, slots=True)
class ToldHeads:
    """Heads as gold's words: their numbers in sentences, and how many sentences away those are.

    ``none`` tells words without a head, None if there are no such; ``alone`` those whose head is
    no word of gold, and then ``form`` has that. ``plain`` are numbers of words' own sentences.
    """

    number: NDArray[np.int64]
    plain: NDArray[np.bool_]
    away: NDArray[np.int64] | None = None
    none: NDArray[np.bool_] | None = None
    alone: NDArray[np.bool_] | None = None
    form: Callable[[NDArray[np.intp]], pl.Series] | None = None

    def texts(self, at: NDArray[np.intp]) -> list[str]:
        """Return a few of the heads as text, which all have one."""
        texts = list(map(str, self.number[at].tolist()))
        if self.away is not None:
            away = self.away[at].tolist()
            told = zip(texts, away, strict=True)
            texts = [f"{text}{far:+d}" if far else text for text, far in told]
        if self.form is not None and self.alone is not None:
            own = np.flatnonzero(self.alone[at])
            for k, form in zip(own.tolist(), self.form(at[own]).to_list(), strict=True):
                texts[k] = "?" + form.replace(AT, "_")
        return texts

    def spelled(self, at: NDArray[np.intp]) -> pl.Series:
        """Return some of the heads as text, null where there is none."""
        told = pl.Series(self.number[at]).cast(pl.String)
        if self.away is not None and (away := self.away[at]).any():
            far = np.flatnonzero(away)
            told = told.scatter(far, _from_afar(told.gather(pl.Series(far)), away[far]))
        own = np.flatnonzero(self.alone[at]) if self.alone is not None else at[:0]
        if self.form is not None and len(own):
            form = self.form(at[own]).str.replace_all(AT, "_", literal=True)
            told = told.scatter(own, "?" + form)
        return told if self.none is None else told.scatter(np.flatnonzero(self.none[at]), None)


def _from_afar(number: pl.Series, away: NDArray[np.int64]) -> pl.Series:
    """Return numbers of words with how many sentences away those are."""
    sign = pl.Series(np.where(away > 0, "+", ""), dtype=pl.String)
    return pl.select(pl.concat_str(number, sign, pl.Series(away).cast(pl.String))).to_series()


def own_heads(file: TokenFile) -> ToldHeads:
    """Return the heads of a file whose words are gold's, in sentences that are gold's."""
    return numbered(heads_of(file))


def numbered(head: pl.Series) -> ToldHeads:
    """Return numbers of words in their own sentences as heads."""
    return in_own_sentences((head.fill_null(-1) if head.null_count() else head).to_numpy())


def in_own_sentences(number: NDArray[np.int32]) -> ToldHeads:
    """Return the same of numbers that are below 0 where there is none."""
    none = number < 0
    told = np.maximum(number, 0).astype(np.int64)
    return ToldHeads(told, np.ones(len(told), np.bool_), none=none if none.any() else None)


@dataclass(frozen=True)
class HeadsAsGold:
    """What says the heads of a system's words as gold's words, of some of them at a time."""

    gold: TokenFile
    system: TokenFile
    found: Alignment

    @cached_property
    def _first(self) -> NDArray[np.intp]:
        return np.flatnonzero(steps(self.system.sentence))

    @cached_property
    def _starts(self) -> NDArray[np.intp]:
        return np.flatnonzero(steps(self.gold.sentence))

    def told(self, word: NDArray[np.int64] | slice, number: NDArray[np.int32]) -> ToldHeads:
        """Return the heads of some words: numbers in their own sentences, below 0 for none."""
        none = number < 0
        first = self._first[self.system.sentence[word]]
        parent = np.maximum(first + np.maximum(number, 0) - 1, 0)
        target = parent if self.found.match is None else self.found.match[parent]
        root, there = number <= 0, target >= 0
        target = np.where(there, target, 0)
        place = self.gold.sentence[target].astype(np.int64)
        away = np.where(root | ~there, 0, place - self._home(word))
        told = np.where(root, 0, target - self._starts[place] + 1)
        form = self.system.form
        return ToldHeads(
            told,
            (there & (away == 0)) | root,
            away if away.any() else None,
            none if none.any() else None,
            ~there & ~root,
            lambda at: form.gather(pl.Series(parent[at])),
        )

    def _home(self, word: NDArray[np.int64] | slice) -> NDArray[np.integer]:
        """Return the gold sentences of some words."""
        if self.found.home is not None:
            return self.found.home[word]
        return self.gold.sentence[word if self.found.match is None else self.found.match[word]]


def heads_as_gold(
    gold: TokenFile,
    system: TokenFile,
    found: Alignment,
    word: NDArray[np.int64] | None,
    head: pl.Series,
) -> ToldHeads:
    """Return heads of some of a system's words (None: of all) as gold's words.

    They come as numbers in its own sentences.
    """
    number = (head.fill_null(-1) if head.null_count() else head).to_numpy()
    return HeadsAsGold(gold, system, found).told(slice(None) if word is None else word, number)


def _numbers(file: TokenFile, told: pl.Series, head: pl.Series) -> None:
    """Raise for a head that is no number, or too large for any sentence."""
    if not head.null_count():
        return
    odd = told.filter(head.is_null()).cast(pl.String).fill_null(_NO_HEAD)
    wrong = head.is_null().arg_true().filter(~odd.is_in(["", _NO_HEAD]))
    if len(wrong):
        at = int(wrong[0])
        raise DataError(
            f"the HEAD `{told[at]}` of `{file.form[at]}` is not a word of this sentence",
            where=file.at(at),
            remedy=_REMEDY,
        )


def _inside_sentences(file: TokenFile) -> None:
    """Raise for a head that is no word of its sentence."""
    head = _or_root(heads_of(file))
    size = np.bincount(file.sentence)[file.sentence]
    wrong = np.flatnonzero((head < 0) | (head > size))
    if len(wrong):
        at = int(wrong[0])
        raise DataError(
            f"the HEAD {head[at]} of `{file.form[at]}` is not a word of this sentence of "
            f"{size[at]}",
            where=file.at(at),
            remedy=_REMEDY,
        )


def heads_of(file: TokenFile) -> pl.Series:
    """Return the heads of words as numbers in their sentences, null where there is none."""
    head = file.columns.get("head")
    if head is not None and head.dtype == pl.Int32:
        return head
    return {**file.columns, **file.context}["head"].cast(pl.Int32, strict=False)


def _or_root(head: pl.Series) -> NDArray[np.int32]:
    """Return heads as numbers, 0 where there is none."""
    return (head.fill_null(0) if head.null_count() else head).to_numpy()


def _all_there(file: TokenFile, head: pl.Series) -> None:
    """Raise if a gold word has no head: there is nothing to compare with."""
    if head.null_count():
        bare = head.is_null().arg_true()
        at = int(bare[0])
        often = "once" if len(bare) == 1 else f"{len(bare):,} times"
        raise DataError(
            f"the gold word `{file.form[at]}` has no HEAD ({often})",
            where=file.at(at),
            remedy="is this file annotated with trees? UPOS and others are --task tag",
        )
