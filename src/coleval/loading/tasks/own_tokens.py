"""Spans over a system's own tokens, brought to gold's: which gold tokens they cover.

A span whose ends are no ends of gold tokens is *cut*: it covers some of a token, equals no span
of gold, and its characters distinguish it from others over the same tokens.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.lazy import LazyColumn
from coleval.corpus.schemes import Spans

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.corpus.items import Items
    from coleval.loading.align.characters import Characters
    from coleval.loading.tasks.layers import TokenLayer

    Numbers = NDArray[np.int64]

_SAME = ("key", "low", "high")
SIDES = ("start", "end", "both")


@dataclass(frozen=True, slots=True)
class CutSpans:
    """The spans of a layer that are cut: their numbers, first and last place, text, and where."""

    span: Numbers
    low: NDArray[np.integer]
    high: NDArray[np.integer]
    text: pl.Series
    side: pl.Series


def on_gold(spans: Spans, layer: TokenLayer, gold: Characters) -> tuple[Spans, CutSpans]:
    """Return spans over a layer's own tokens as spans over gold's, and which of them are cut."""
    own, theirs = layer.own, layer.alignment.characters
    assert own is not None  # noqa: S101  - callers have looked
    assert theirs is not None  # noqa: S101
    low, high = theirs.start[spans.start], theirs.end[spans.end - 1]
    last = len(gold.token) - 1
    first = np.minimum(np.searchsorted(gold.end, low, side="right"), last)
    end = np.maximum(np.searchsorted(gold.start, high), first + 1)
    late, early = gold.start[first] != low, gold.end[end - 1] != high
    cut = np.flatnonzero(late | early)
    text = [" ".join(own.form[int(spans.start[k]) : int(spans.end[k])]) for k in cut]
    side = pl.Series(late[cut] + 2 * early[cut].astype(np.uint8)).cast(pl.UInt32) - 1
    told = side.cast(pl.UInt8).cat.to(pl.Enum(SIDES))
    found = CutSpans(cut, low[cut], high[cut], pl.Series(text, dtype=pl.String), told)
    moved = Spans(first.astype(np.int32), end.astype(np.int32), spans.kind, spans.repaired)
    return moved, found


def told_apart(
    keys: Mapping[str, Numbers], cuts: Mapping[str, CutSpans]
) -> tuple[dict[str, Numbers], int, pl.DataFrame]:
    """Return keys with room for a number that tells cut spans apart, its bits, and their texts."""
    every = pl.concat(
        pl.DataFrame({"system": pl.Series([name] * len(c.span), dtype=pl.String),
                      "span": c.span, "key": keys[name][c.span], "low": c.low, "high": c.high,
                      "text": c.text, "side": c.side})
        for name, c in cuts.items()
    )  # fmt: skip
    distinct = every.unique(_SAME, keep="first", maintain_order=True).sort(_SAME)
    numbered = distinct.with_columns(number=pl.int_range(1, pl.len() + 1).over("key"))
    bits = int(numbered["number"].to_numpy().max(initial=0)).bit_length()
    known = every.join(numbered.select(*_SAME, "number"), on=_SAME, how="left")
    wide = {name: key << bits for name, key in keys.items()}
    for (name,), part in known.group_by("system"):
        wide[str(name)][part["span"].to_numpy()] |= part["number"].to_numpy()
    key = pl.col("key") * 2**bits + pl.col("number")
    return wide, bits, numbered.select(key.alias("key"), "text", "side").sort("key")


def with_cuts(items: Items, key: Numbers, texts: pl.DataFrame) -> Items:
    """Return span items with a column that says which ends are cut; those have their own texts."""
    row = np.flatnonzero(np.isin(key, texts["key"].to_numpy()))
    place = np.searchsorted(texts["key"].to_numpy(), key[row])
    own = texts["text"].gather(pl.Series(place))
    side = pl.Series("cut_at", [None] * len(items), dtype=pl.Enum(SIDES))
    side = side.scatter(row, texts["side"].gather(pl.Series(place)))
    form = items.lazy_form
    return replace(
        items,
        context=items.context.with_columns(side),
        lazy_form=form and LazyColumn.of_whole(partial(_with_own, form, row, own)),
    )


def _with_own(form: LazyColumn, row: Numbers, own: pl.Series) -> pl.Series:
    return form().clone().scatter(row, own)
