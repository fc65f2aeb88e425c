"""What attributes are worked out from: the items, the text around them, the training data.

Each fact is made once, the first time some attribute asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.annotate.attributes.tree_layers import TreeLayers
from coleval.annotate.text import RunningText, places, text_of
from coleval.statistics.ratio import ratio_array

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.corpus.training import Training


@dataclass(frozen=True)
class Facts:
    """Some items of a corpus (``whole`` are all of its unit) and what is known of them.

    ``known`` are words that count as seen where the training data do not say it; ``begin`` says,
    of tokens in spans, where the span of each begins in every layer.
    """

    corpus: Corpus
    items: Items
    whole: Items
    known: frozenset[str] = frozenset()
    begin: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)

    @property
    def training(self) -> Training | None:
        """Return the training data, None if there are none."""
        return self.corpus.training

    @cached_property
    def text(self) -> RunningText | None:
        """Return the running text, None where there is none."""
        return text_of(self.corpus) if "sentence" in self.items.context.columns else None

    @property
    def has_text(self) -> bool:
        """Tell whether there is running text that the items stand in."""
        return self.text is not None

    @cached_property
    def running(self) -> RunningText:
        """Return the running text; to be asked for only where there is one."""
        if self.text is None:
            raise ValueError("no text")
        return self.text

    @cached_property
    def trees(self) -> TreeLayers:
        """Return the trees over all words; to be asked for only where answers have heads."""
        return TreeLayers(self.whole)

    @cached_property
    def sentence(self) -> NDArray[np.integer]:
        """Return the sentence of each item, that of its first token."""
        return self.items.context["sentence"].to_numpy()

    @cached_property
    def sentence_length(self) -> NDArray[np.int64]:
        """Return the number of tokens of every sentence."""
        return self.running.size

    @cached_property
    def low(self) -> NDArray[np.int64]:
        """Return the first token of each item in the text."""
        return places(self.items, self.running)[0]

    @cached_property
    def form(self) -> pl.Series | None:
        """Return the string of each item."""
        form = self.items.form()
        return None if form is None else form.cast(pl.String)

    @cached_property
    def strings(self) -> tuple[pl.Series, NDArray[np.integer]]:
        """Return the distinct strings of items in lower case, and the place of each item's."""
        if self.form is None:
            raise ValueError("no forms")
        lower = self.form.fill_null("").str.to_lowercase()
        distinct = lower.unique()
        return distinct.rename("string"), lower.cast(pl.Enum(distinct)).to_physical().to_numpy()

    @cached_property
    def spelled(self) -> tuple[pl.Series, pl.Series]:
        """Return the distinct forms of items as they are written, and the place of each item's."""
        if self.form is None:
            raise ValueError("no forms")
        form = self.form if not self.form.null_count() else self.form.cast(pl.String).fill_null("")
        distinct = form.unique()
        return distinct, form.cast(pl.Enum(distinct)).to_physical()

    @cached_property
    def inside(self) -> NDArray[np.bool_]:
        """Return for every token of the text whether it is inside a gold entity."""
        scoring = self.corpus.scoring
        by_tags = scoring.unit == "token" and (scoring.labels or scoring.exclude)
        if "span" not in self.corpus.units or by_tags:
            return self.running.labelled
        return self.corpus.memo.get("inside", self._inside)

    def _inside(self) -> NDArray[np.bool_]:
        low, high = places(self.corpus.at("span"), self.running)
        there = np.flatnonzero(self.corpus.at("span").gold)
        start, size = low[there], (high - low)[there]
        offset = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
        inside = np.zeros(len(self.running), np.bool_)
        inside[np.repeat(start, size) + offset] = True
        return inside

    def per_sentence(self, true: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the share of the tokens of every sentence for which something holds."""
        upto = np.zeros(len(true) + 1, np.int32)
        np.cumsum(true, dtype=np.int32, out=upto[1:])
        sums = upto[self.running.first]
        size = self.sentence_length
        return ratio_array(np.diff(sums), size)
