"""The running text behind items: where each stands in it, and the words on either side.

Some corpora have none (files of spans, matrices, instances); then nobody asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus import Corpus
    from coleval.items import Items

Places = tuple["NDArray[np.int64]", "NDArray[np.int64]"]


@dataclass(frozen=True, slots=True)
class Text:
    """All tokens in order: their forms, whether gold labels them, the sentence of each.

    ``first`` holds the first token of every sentence, and one more for the end.
    """

    form: pl.Series
    labelled: NDArray[np.bool_]
    sentence: NDArray[np.uint32]
    first: NDArray[np.int64]


def text_of(corpus: Corpus) -> Text | None:
    """Return the text of a corpus, None if it has no tokens or they have no sentences."""
    unit = next((name for name in ("token", "word") if name in corpus.units), None)
    if unit is None:
        return None
    tokens = corpus.units[unit]
    form = tokens.form()
    if form is None or "sentence" not in tokens.context.columns:
        return None
    sentence = tokens.context["sentence"].to_numpy()
    sizes = np.bincount(sentence.astype(np.intp))
    return Text(form, tokens.gold != 0, sentence, np.append(0, np.cumsum(sizes)))


def places(items: Items, text: Text) -> Places:
    """Return the first token of each item and the token behind it."""
    starts = text.first[items.context["sentence"].to_numpy()]
    if "position" in items.context.columns:
        at = starts + items.context["position"].to_numpy()
        return at, at + 1
    low, high = (items.context[name].to_numpy() for name in ("start", "end"))
    return starts + low, starts + high


def before(items: Items, text: Text, n: int) -> pl.Series:
    """Return up to ``n`` words of the sentence before each item."""
    low = places(items, text)[0]
    start = text.first[items.context["sentence"].to_numpy()]
    return _joined(text, np.maximum(low - n, start), low)


def after(items: Items, text: Text, n: int) -> pl.Series:
    """Return up to ``n`` words of the sentence behind each item; a span may end in a later one."""
    high = places(items, text)[1]
    stop = text.first[text.sentence[high - 1] + np.int64(1)]
    return _joined(text, high, np.minimum(high + n, stop))


def _joined(text: Text, low: NDArray[np.int64], high: NDArray[np.int64]) -> pl.Series:
    """Return the words of each stretch in one string, empty where there are none."""
    size = high - low
    owner = np.repeat(np.arange(len(low)), size)
    offset = np.arange(len(owner)) - np.repeat(np.cumsum(size) - size, size)
    words = text.form.gather(pl.Series(np.repeat(low, size) + offset))
    lines = (
        pl.DataFrame({"owner": owner, "word": words})
        .group_by("owner")
        .agg(pl.col("word").str.join(" "))
    )
    every = pl.DataFrame({"owner": np.arange(len(low))})
    joined = every.join(lines, on="owner", how="left", maintain_order="left")["word"]
    return joined.cast(pl.String).fill_null("")
