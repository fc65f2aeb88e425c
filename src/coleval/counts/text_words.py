"""Words of generated text as items: what the reference has of each word, and what systems have.

A word that a segment's reference has three times and a system twice is three items, two of which
the system has found (compare-mt: matches are the least of both counts). So words are counted like
spans: missed, or given where the reference has none.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.items import Items
from coleval.corpus.lazy import LazyMapping
from coleval.counts.segments import UNIT

if TYPE_CHECKING:
    from collections.abc import Callable

WORD = "word"
_KEYS = ["segment", "form", "copy"]


def text_units(segments: Callable[[], Items]) -> LazyMapping[Items]:
    """Return the units of texts: segments, and their words, which are made when they are needed."""
    return LazyMapping({UNIT: segments, WORD: partial(_words, segments)})


def words_of(texts: pl.Series) -> pl.Series:
    """Return the words of each text, as white space parts them."""
    return texts.fill_null("").str.extract_all(r"\S+")


def _words(segments: Callable[[], Items]) -> Items:
    items = segments()
    texts = pl.Series(["", *items.labels], dtype=pl.String)
    named = {"": items.gold, **items.answers}
    found = [
        _copies(words_of(texts.gather(pl.Series(codes.astype(np.int64))))).with_columns(
            pl.lit(at, pl.UInt16).alias("layer")
        )
        for at, codes in enumerate(named.values())
    ]
    every = pl.concat(found)
    # Gold's words first, in the order of the segment; then those of systems alone.
    place = every.group_by(_KEYS).agg(pl.col("layer").min(), pl.col("at").min())
    place = place.sort("segment", pl.col("layer") > 0, "at", "form", "copy").drop("at")
    rows = every.drop("at").join(place.drop("layer").with_row_index("row"), on=_KEYS)
    codes = {name: np.zeros(len(place), np.uint8) for name in named}
    for (at,), part in rows.partition_by("layer", as_dict=True).items():
        codes[list(named)[int(str(at))]][part["row"].to_numpy()] = 1
    segment = pl.Series(place["segment"])
    context = items.context.select(pl.exclude("form", "^reference_.*$"))
    return Items(
        WORD,
        pl.DataFrame([
            segment, place["copy"], *(one.gather(segment) for one in context.get_columns()),
            place["form"],
        ]),
        (WORD,), codes.pop(""), codes, group=UNIT, group_count=len(items),
    )  # fmt: skip


def _copies(words: pl.Series) -> pl.DataFrame:
    """Return each word of each text with the number of times that it came before, and its place."""
    frame = pl.DataFrame({"segment": np.arange(len(words), dtype=np.uint32), "form": words})
    long = frame.explode("form").drop_nulls().with_row_index("at")
    copy = pl.int_range(pl.len(), dtype=pl.UInt16).over("segment", "form")
    return long.with_columns(copy.alias("copy"))
