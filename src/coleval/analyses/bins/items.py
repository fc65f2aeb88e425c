"""Every item with its bin, the answers and the words around it: the annotated output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.annotate.text import after, before, text_of

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

WORDS = 8


def item_table(corpus: Corpus, items: Items) -> pl.DataFrame:
    """Return the items that gold or some system proposes, the hardest first, inventions last.

    Columns: what the item table has, ``difficulty``, ``spurious``, ``left`` and ``right`` with up
    to eight words of the sentence on either side where there is text, then the systems' answers.
    """
    frame = items.frame()
    text = text_of(corpus)
    sides = ["left", "right"] if text and "sentence" in frame.columns else []
    there = (items.gold != 0) | (frame["spurious"].fill_null(0).to_numpy() > 0)
    if text and sides:
        kept = items.where(there)
        around = [
            before(kept, text, WORDS).rename("left"),
            after(kept, text, WORDS).rename("right"),
        ]
        frame = frame.filter(pl.Series(there)).with_columns(around)
    else:
        frame = frame.filter(pl.Series(there))
    first = [c for c in frame.columns if c not in {*items.systems, *sides, *_OURS}]
    ordered = frame.select(*first, *_OURS, *sides, *items.systems)
    return ordered.sort(
        "difficulty", "spurious", "item", descending=[False, True, False], nulls_last=True
    )


_OURS = ("difficulty", "spurious")
