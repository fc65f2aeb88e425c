"""The tokens inside spans as items: what attributes of tokens apply to where items are spans.

A token has the label of the span it is in; where spans of one layer overlap, that of the last.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.annotate.text import places
from coleval.corpus.items import Items
from coleval.corpus.lazy import LazyColumn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.annotate.text import RunningText
    from coleval.corpus.coding import Codes

    Tokens = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SpanTokens:
    """Token items, and for each layer (gold is the empty name) where the span of each begins."""

    items: Items
    begin: Mapping[str, Tokens]


@dataclass(frozen=True, slots=True)
class _Spread:
    """Every token of every span item: the item, and the token's place among those there are."""

    item: NDArray[np.intp]
    place: NDArray[np.intp]
    begin: Tokens
    size: int

    def codes(self, codes: Codes) -> Codes:
        """Return the label of every token under one layer."""
        there = codes[self.item] != 0
        out = np.zeros(self.size, codes.dtype)
        out[self.place[there]] = codes[self.item[there]]
        return out

    def begins(self, codes: Codes) -> Tokens:
        """Return the first token of the span that each token is in, -1 where it is in none."""
        there = codes[self.item] != 0
        out = np.full(self.size, -1, np.int64)
        out[self.place[there]] = self.begin[there]
        return out


def span_tokens(spans: Items, tokens: Items, text: RunningText) -> SpanTokens:
    """Return the tokens that are in a span of gold or of any system."""
    spread, token = _spread(spans, text)
    index = pl.Series(token)
    own = "form" in tokens.context.columns
    judges = None if spans.judges is None else {n: spread.codes(c) for n, c in spans.judges.items()}
    items = Items(
        "token",
        tokens.context[index],
        spans.labels,
        spread.codes(spans.gold),
        {name: spread.codes(codes) for name, codes in spans.answers.items()},
        lazy_form=None if own else LazyColumn(partial(_forms, text, token)),
        judges=judges,
        rows=token,
    )
    layers = {"": spans.gold, **spans.answers}
    return SpanTokens(
        replace(items, group_count=tokens.group_count),
        {name: spread.begins(codes) for name, codes in layers.items()},
    )


def _forms(text: RunningText, token: Tokens, rows: NDArray[np.integer] | None) -> pl.Series:
    return text.form.gather(token if rows is None else token[rows])


def _spread(spans: Items, text: RunningText) -> tuple[_Spread, Tokens]:
    low, high = places(spans, text)
    size = high - low
    item = np.repeat(np.arange(len(spans)), size)
    at = np.arange(len(item)) - np.repeat(np.cumsum(size) - size, size) + low[item]
    token, place = np.unique(at, return_inverse=True)
    return _Spread(item, place, low[item], len(token)), token
