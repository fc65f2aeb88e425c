"""Answers and tags of words that are numbers as codes, and the words as tokens of a file."""

from __future__ import annotations

from dataclasses import field
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import width
from coleval.late_classes import dataclass
from coleval.loading.readers.model import TokenFile
from coleval.loading.tasks.edges import edges_of
from coleval.loading.tasks.trees import in_own_sentences
from coleval.loading.tasks.words import TAGS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.loading.align.model import Alignment
    from coleval.loading.readers.conllu_numbers import NumberedWords, NumberReader
    from coleval.loading.tasks.answers import Answers
    from coleval.loading.tasks.edges import Edges
    from coleval.loading.tasks.trees import HeadsAsGold
    from coleval.loading.tasks.words import TagCoders
    from coleval.native.dictionary import Dictionary

    Numbers = NDArray[np.int32]

_NONE = "_"
_BLOCK = 1 << 17
_UNKNOWN = np.iinfo(np.uint32).max


@dataclass(slots=True)
class Recoder:
    """The numbers of texts as codes of a coder, which learns those that occur."""

    dictionary: Dictionary
    learn: Callable[[list[str]], list[int]]
    _table: NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, np.uint32))
    _lock: Lock = field(default_factory=Lock)

    def codes(self, number: Numbers) -> NDArray[np.uint32]:
        """Return the codes of some numbers."""
        texts = self.dictionary.texts
        table = self._grown(len(texts))
        codes = table[number]
        unknown = codes == _UNKNOWN
        if unknown.any():
            fresh = np.unique(number[unknown])
            found = self.learn([texts[k] for k in fresh.tolist()])
            with self._lock:
                self._table[fresh] = found
                codes = self._table[number]
        return codes

    def _grown(self, size: int) -> NDArray[np.uint32]:
        with self._lock:
            if len(self._table) < size:
                more = np.full(2 * size - len(self._table), _UNKNOWN, np.uint32)
                self._table = np.concatenate([self._table, more])
            return self._table


@dataclass(frozen=True, slots=True)
class NumberCoder:
    """What codes answers and tags of words that are numbers, the same for all files."""

    reader: NumberReader
    answers: Answers
    coders: TagCoders
    relations: Recoder
    tags: dict[str, Recoder]

    @classmethod
    def of(cls, reader: NumberReader, answers: Answers, coders: TagCoders) -> NumberCoder:
        """Return what codes the words of a reader."""
        known = reader.dictionaries
        tags = {name: Recoder(known[name], coder.codes_of) for name, coder in coders.coders.items()}
        return cls(reader, answers, coders, Recoder(known["deprel"], answers.rows_of), tags)

    def answered(self, words: NumberedWords, heads: HeadsAsGold | None) -> Codes:
        """Return the codes of words' relations and heads, these as gold's words or as they are.

        Some words at a time, whose numbers take little memory.
        """
        parts = []
        for low in range(0, len(words), _BLOCK):
            at = slice(low, low + _BLOCK)
            number = words.arrays["head"][at]
            told = in_own_sentences(number) if heads is None else heads.told(at, number)
            row = self.relations.codes(words.codes["deprel"][at]).astype(np.intp)
            parts.append(self.answers.coded(row, told))
        return np.concatenate(parts)

    def edges(self, gold: TokenFile, file: TokenFile, found: Alignment) -> Edges:
        """Return the edges of enhanced graphs."""
        return edges_of(gold, file, found, self.coders.edges)

    def coded_tags(self, words: NumberedWords) -> dict[str, Codes]:
        """Return the codes of words' tags, whose numbers are let go of."""
        return {name: self._tags(words, name) for name in TAGS}

    def _tags(self, words: NumberedWords, name: str) -> Codes:
        codes = self.tags[name].codes(words.codes.pop(name))
        return codes.astype(width(len(self.coders.labels(name))))

    def file(self, words: NumberedWords, path: str, form: pl.Series | None = None) -> TokenFile:
        """Return the words as tokens of a file, whose forms may be known."""
        texts = self.reader.dictionaries
        form = texts["form"].column(words.codes["form"]) if form is None else form
        columns = {"head": _nulled(words.arrays["head"])}
        if words.edges:
            columns["deps"] = _texts_or_none(texts["deps"], words.codes["deps"])
        return TokenFile(path, form, words.arrays["sentence"], words.arrays["line"], columns)


def _nulled(head: Numbers) -> pl.Series:
    """Return heads, null where there is none."""
    column = pl.Series(head)
    return column.set(column < 0, None) if (head < 0).any() else column


def _texts_or_none(dictionary: Dictionary, number: Numbers) -> pl.Series:
    """Return texts, ``_`` where there is none."""
    there = np.flatnonzero(number >= 0)
    column = pl.Series([_NONE], dtype=pl.String).new_from_index(0, len(number))
    return column.scatter(there, dictionary.column(number[there]))
