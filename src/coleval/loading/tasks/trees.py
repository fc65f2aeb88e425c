"""Trees as files have them: heads checked, and spelled as words of gold."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import Problem
from coleval.corpus.tree_answers import AT
from coleval.errors import DataError, UsageError
from coleval.loading.readers.steps import steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.loading.align.position import Alignment
    from coleval.loading.readers.model import TokenFile


TREE = ("head", "deprel")
_NO_HEAD = "_"
_REMEDY = "a head is the number of a word, from 1, 0 for the root, or `_` where there is none"


def as_trees(file: TokenFile, role: str) -> TokenFile:
    """Return the file with its heads as numbers, null for ``_``; raise if gold lacks any.

    Relations are as they are written: the UD evaluation tells ``ROOT`` from ``root``.
    """
    columns = {**file.columns, **file.context}
    for name in TREE:
        if name not in columns:
            raise UsageError(
                f"there is no column `{name}`, which --task dep compares",
                where=file.path,
                remedy=(
                    "read CoNLL-U (--format conllu), or name the columns: --columns "
                    "form=2,head=7,deprel=8"
                ),
            )
    head = columns["head"].cast(pl.Int32, strict=False)
    _numbers(file, columns["head"], head)
    _inside_sentences(file, head)
    if role == "gold":
        _all_there(file, head)
    return replace(file, columns={**file.columns, "head": head})


def heads_as_gold(
    gold: TokenFile,
    system: TokenFile,
    alignment: Alignment,
    head: pl.Series,
    word: NDArray[np.integer] | None = None,
) -> pl.Series:
    """Return heads of a system's words (``word``: of some of them) as gold's words, as text.

    They come as numbers in the system's own sentences, null where there is none. ``4`` is word 4
    of gold's sentence, ``4+1`` that of the next one, ``?form`` a word that gold has not.
    """
    number = _or_root(head)
    sentence = system.sentence
    home = gold.sentence if alignment.home is None else alignment.home
    if word is not None:
        sentence, home = sentence[word], home[word]
    parent = np.flatnonzero(steps(system.sentence))[sentence] + number - 1
    target = parent if alignment.match is None else alignment.match[parent]
    root = number == 0
    outside = ~root & (target < 0)
    place = gold.sentence[target]
    text = _spelled(np.where(root, 0, target - np.flatnonzero(steps(gold.sentence))[place] + 1))
    far = np.flatnonzero(~(root | outside) & (place != home))
    if len(far):
        sign = pl.Series(np.where(place[far] > home[far], "+", ""), dtype=pl.String)
        text = text.scatter(far, text.gather(far) + sign + _spelled(place[far] - home[far]))
    if outside.any():
        form = system.form.gather(parent[outside]).str.replace_all(AT, "_", literal=True)
        text = text.scatter(np.flatnonzero(outside), "?" + form)
    return text.set(head.is_null(), None) if head.null_count() else text


def _spelled(number: NDArray[np.integer]) -> pl.Series:
    return pl.Series(number).cast(pl.String)


def _numbers(file: TokenFile, text: pl.Series, head: pl.Series) -> None:
    """Raise for a head that is no number, or too large for any sentence."""
    if not head.null_count():
        return
    odd = text.filter(head.is_null()).cast(pl.String).fill_null(_NO_HEAD)
    wrong = head.is_null().arg_true().filter(~odd.is_in(["", _NO_HEAD]))
    if len(wrong):
        at = int(wrong[0])
        raise DataError(
            f"the HEAD `{text[at]}` of `{file.form[at]}` is not a word of this sentence",
            where=file.at(at),
            remedy=_REMEDY,
        )


def _inside_sentences(file: TokenFile, head: pl.Series) -> None:
    """Raise for a head that is no word of its sentence."""
    number = _or_root(head)
    size = np.bincount(file.sentence)[file.sentence]
    wrong = np.flatnonzero((number < 0) | (number > size))
    if len(wrong):
        at = int(wrong[0])
        raise DataError(
            f"the HEAD {number[at]} of `{file.form[at]}` is not a word of this sentence of "
            f"{size[at]}",
            where=file.at(at),
            remedy=_REMEDY,
        )


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


_KINDS = ("have several roots", "contain a cycle", "have no root")
_SCORED = "they are still scored word by word"


def odd_trees(file: TokenFile) -> tuple[Problem, ...]:
    """Return a note for each way in which sentences of a file are no trees."""
    head = file.columns["head"]
    number, there = head.to_numpy(), np.ones(len(head), np.bool_)
    if head.null_count():
        number, there = head.fill_null(0).to_numpy(), head.is_not_null().to_numpy()
    first = np.flatnonzero(steps(file.sentence))
    size = len(first)
    roots = np.bincount(file.sentence[there & (number == 0)], minlength=size)
    headed = np.bincount(file.sentence[there], minlength=size)
    circle = np.zeros(size, np.bool_)
    circle[file.sentence[_in_circle(number, first[file.sentence])]] = True
    kinds = (roots > 1, circle, (roots == 0) & ~circle & (headed > 0))
    counted = [(int(odd.sum()), int(first[int(odd.argmax())])) for odd in kinds]
    return tuple(
        _note(file, at, f"{n:,} of {size:,} sentences {kind}")
        for kind, (n, at) in zip(_KINDS, counted, strict=True)
        if n
    )


def _in_circle(number: NDArray[np.int32], first: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Tell the words from which no way up ends at a root; each step doubles the way gone."""
    end = len(number)
    above = np.append(np.where(number > 0, first + number - 1, end), end)
    left = np.flatnonzero(above[:end] != end)
    for _ in range(max(int(number.max(initial=0)), 1).bit_length() + 1):
        above[left] = above[above[left]]
        left = left[above[left] != end]
        if not len(left):
            break
    return above[:end] != end


def _note(file: TokenFile, at: int, text: str) -> Problem:
    told = f"{text}, the first begins here"
    return Problem(file.path, int(file.line[at]), "trees", told, _SCORED, 1, fatal=False)
