"""The trees of gold and of every system over the words of gold: heads, read from labels.

A head is the number of a word in gold's own sentence. One that stands in another sentence, or is
no word of gold, is nowhere; and a word that only systems have is in no tree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from coleval.annotate.attributes.model import GOLD
from coleval.annotate.trees import NOWHERE, ROOT, depths
from coleval.corpus.coding import width
from coleval.corpus.lazy import LazyMapping, Memo
from coleval.corpus.tree_answers import head_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items

    Rows = NDArray[np.intp]
    Heads = NDArray[np.int32]
    Depths = NDArray[np.signedinteger]


@dataclass(frozen=True)
class TreeLayers:
    """All words of a corpus, with their answers in full, and the trees that these draw."""

    words: Items
    _memo: Memo = field(default_factory=Memo)

    @cached_property
    def place(self) -> Rows:
        """Return the items that are words of gold, in the order of the text."""
        return np.flatnonzero(self.words.gold)

    @cached_property
    def sentence(self) -> NDArray[np.integer]:
        """Return the sentence of each word of gold."""
        return self.words.context["sentence"].to_numpy()[self.place]

    @cached_property
    def longest(self) -> int:
        """Return the number of words in the longest sentence."""
        return int(self._size.max(initial=0))

    @cached_property
    def _first(self) -> Heads:
        """Return where the sentence of each word begins."""
        new = np.diff(self.sentence.astype(np.int64), prepend=-1) != 0
        place = np.arange(len(self.place), dtype=np.int32)
        return np.maximum.accumulate(np.where(new, place, np.int32(0)))

    @cached_property
    def _size(self) -> Heads:
        """Return how many words the sentence of each word has."""
        return np.bincount(self._first, minlength=1)[self._first].astype(np.int32)

    @cached_property
    def _number(self) -> Heads:
        """Return the number of the head in each label, 0 for the root."""
        return np.array([NOWHERE, *map(_number, self.words.labels)], np.int32)

    def head(self, layer: str) -> Heads:
        """Return the head of each word of gold, as its place among them."""
        number = self._number[self._codes(layer)[self.place]]
        there = (number > 0) & (number <= self._size)
        return np.where(there, self._first + number - 1, np.where(number == 0, ROOT, NOWHERE))

    def depth(self, layer: str) -> Depths:
        """Return how far from the root each word of gold is, 0 where no way leads there."""
        kind = np.int16 if self.longest < 2**15 else np.int32
        return self._memo.get(layer, lambda: depths(self.head(layer)).astype(kind))

    def _codes(self, layer: str) -> Codes:
        return self.words.answers[layer] if layer != GOLD else self.words.gold

    def by_layer(
        self, values_of: Callable[[str], NDArray[np.integer]], items: Items
    ) -> Mapping[str, Codes]:
        """Return for every layer the values of gold's words, plus one, as items have it.

        0 stands for less than nothing, and for items that are no words of gold.
        """

        def spread(layer: str) -> Codes:
            out = np.zeros(len(self.words), width(self.longest + 1))
            out[self.place] = np.maximum(values_of(layer), -1) + 1
            return out if items.rows is None else out[items.rows]

        return LazyMapping({n: partial(spread, n) for n in (GOLD, *items.answers)})


def codes_of(whole: Items, items: Items) -> Mapping[str, Codes]:
    """Return the codes that every layer has in a whole table at some of its items."""

    def chosen(layer: str) -> Codes:
        codes = whole.answers[layer] if layer != GOLD else whole.gold
        return codes if items.rows is None else codes[items.rows]

    return LazyMapping({n: partial(chosen, n) for n in (GOLD, *items.answers)})


def _number(label: str) -> int:
    head = head_of(label)
    return int(head) if head.isascii() and head.isdecimal() else NOWHERE
