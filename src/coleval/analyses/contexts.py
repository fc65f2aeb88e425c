"""Items as a person looks at them: the words around each, or what it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.annotate.text import after, before, text_of

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

WORDS = 6
# Where an item is, if the corpus has such a column.
PLACE = ("dataset", "part", "document", "sentence", "id", "label")


def contexts(corpus: Corpus, items: Items, words: int = WORDS) -> pl.Series:
    """Return each item in brackets among its words, its form or id without text, else null."""
    form = items.form()
    text = text_of(corpus) if "sentence" in items.context.columns else None
    if text is None or form is None or not {"position", "start"} & set(items.context.columns):
        named = items.context["id"] if "id" in items.context.columns else form
        missing = pl.Series([None] * len(items), dtype=pl.String)
        return (missing if named is None else named.cast(pl.String)).rename("context")
    sides = [before(items, text, words), after(items, text, words)]
    inside = pl.format("[{}]", pl.col("form").cast(pl.String).fill_null(""))
    frame = pl.DataFrame([sides[0].rename("left"), form.rename("form"), sides[1].rename("right")])
    joined = pl.concat_str("left", inside, "right", separator=" ").str.strip_chars()
    return frame.select(joined.alias("context")).to_series()
