"""The running text behind items: where each stands in it, and the words on either side.

Some corpora have none (files of spans, matrices, instances); then nobody asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.items import NOT_IN_GOLD

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

Places = tuple["NDArray[np.int64]", "NDArray[np.int64]"]
# So many words are joined by Python before three queries are made.
_FEW = 2_000


@dataclass(frozen=True)
class RunningText:
    """All tokens in order; facts about them are computed on demand."""

    tokens: Items

    @cached_property
    def form(self) -> pl.Series:
        """Return the forms of the tokens; there is no text without them."""
        form = self.tokens.form()
        if form is None:
            raise ValueError("no forms")
        return form

    @cached_property
    def labelled(self) -> NDArray[np.bool_]:
        """Return whether gold labels each token."""
        return self.tokens.gold != 0

    @cached_property
    def sentence(self) -> NDArray[np.uint32]:
        """Return the sentence of each token."""
        return self.tokens.context["sentence"].to_numpy()

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """Return the first token of every sentence, and one more for the end."""
        sentence = self.sentence
        changes = np.append(True, sentence[1:] != sentence[:-1])[: len(sentence)]
        starts = np.flatnonzero(changes)
        if np.array_equal(sentence[starts], np.arange(len(starts))):
            return np.append(starts, len(sentence))
        return np.append(0, np.cumsum(np.bincount(sentence.astype(np.intp))))

    @cached_property
    def size(self) -> NDArray[np.int64]:
        """Return the number of gold's tokens in every sentence; those only systems have follow."""
        if NOT_IN_GOLD not in self.tokens.context.columns:
            return np.diff(self.first)
        own = ~self.tokens.context[NOT_IN_GOLD].to_numpy()
        return np.bincount(self.sentence[own].astype(np.intp), minlength=len(self.first) - 1)

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self.tokens)


def text_of(corpus: Corpus) -> RunningText | None:
    """Return the text of a corpus, None if it has no tokens or they have no sentences."""
    return corpus.memo.get("text", lambda: _text_of(corpus))


def _text_of(corpus: Corpus) -> RunningText | None:
    unit = corpus.text_unit
    if unit is None:
        return None
    tokens = corpus.running(unit)
    there = tokens.has_form and "sentence" in tokens.context.columns
    return RunningText(tokens) if there else None


def places(items: Items, text: RunningText) -> Places:
    """Return the first token of each item and the token behind it."""
    starts = text.first[items.context["sentence"].to_numpy()]
    if "position" in items.context.columns:
        at = starts + items.context["position"].to_numpy()
        return at, at + 1
    low, high = (items.context[name].to_numpy() for name in ("start", "end"))
    return starts + low, starts + high


def before(items: Items, text: RunningText, n: int) -> pl.Series:
    """Return up to ``n`` words of the sentence before each item."""
    low = places(items, text)[0]
    start = text.first[items.context["sentence"].to_numpy()]
    return _joined(text, np.maximum(low - n, start), low)


def after(items: Items, text: RunningText, n: int) -> pl.Series:
    """Return up to ``n`` words of the sentence behind each item; a span may end in a later one."""
    high = places(items, text)[1]
    sentence = text.sentence[high - 1]
    stop = text.first[sentence] + text.size[sentence]
    return _joined(text, high, np.maximum(np.minimum(high + n, stop), high))


def _joined(text: RunningText, low: NDArray[np.int64], high: NDArray[np.int64]) -> pl.Series:
    """Return the words of each stretch in one string, empty where there are none."""
    size = high - low
    owner = np.repeat(np.arange(len(low)), size)
    offset = np.arange(len(owner)) - np.repeat(np.cumsum(size) - size, size)
    words = text.form.gather(pl.Series(np.repeat(low, size) + offset))
    if len(words) <= _FEW:
        each = iter(words.to_list())
        known = ([word for word in islice(each, n) if word is not None] for n in size.tolist())
        return pl.Series("word", [" ".join(line) for line in known], pl.String)
    lines = (
        pl.DataFrame({"owner": owner, "word": words})
        .group_by("owner")
        .agg(pl.col("word").str.join(" "))
    )
    every = pl.DataFrame({"owner": np.arange(len(low))})
    joined = every.join(lines, on="owner", how="left", maintain_order="left")["word"]
    return joined.cast(pl.String).fill_null("")
