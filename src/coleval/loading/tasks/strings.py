"""Strings with labels as items, where gold is a list itself or the text has no such string.

What lists of entities can be compared by without any place. Strings are the same whatever white
space is in them; a pair counts once for a text, or as often as it is listed (``--multiset``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import Coder
from coleval.corpus.items import STRING, Items
from coleval.kernels.span_slots import proposed, slots

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.corpus.options import Reading
    from coleval.kernels.span_slots import Proposed


@dataclass(frozen=True, slots=True)
class Strings:
    """The strings and labels that a layer has in each text; texts are numbered from 0."""

    text: NDArray[np.integer]
    string: pl.Series
    label: pl.Series


def string_items(
    reading: Reading, layers: Mapping[str, Strings], texts: int, names: pl.Series | None = None
) -> Items:
    """Return the items of all layers, gold under the empty name; ``names`` are those of texts."""
    bare = {name: _bare(layer.string, fold=reading.place_fold) for name, layer in layers.items()}
    spelled = _spelled(layers, bare)
    coder = Coder(fold=str.casefold if reading.fold else None)
    bits = max(len(spelled), 1).bit_length()
    found = {
        name: _proposed(layer, bare[name], spelled["bare"], coder, bits, reading)
        for name, layer in layers.items()
    }
    gold = found.pop("")
    slot = slots(gold, found, coder.labels, bits=bits)
    codes = dict(slot.codes)
    text = slot.key >> bits
    form = spelled["string"].gather(slot.key & ((1 << bits) - 1))
    columns = [pl.Series("sentence", text.astype(np.uint32)), form.alias("form")]
    if names is not None:
        columns.insert(0, names.gather(text).cast(pl.String).alias("id"))
    items = Items(STRING, pl.DataFrame(columns), (), codes.pop(""), codes, group_count=texts)
    return items.sorted_labels(coder.labels)


def _bare(strings: pl.Series, *, fold: bool) -> pl.Series:
    """Return strings as they are compared."""
    bare = strings.str.replace_all(r"\s+", "")
    return bare.str.to_lowercase() if fold else bare


def _spelled(layers: Mapping[str, Strings], bare: Mapping[str, pl.Series]) -> pl.DataFrame:
    """Return every string as it is compared, sorted, with a spelling, gold's if it has one."""
    every = pl.concat(
        pl.DataFrame({"bare": bare[name], "string": layer.string})
        for name, layer in layers.items()
    )  # fmt: skip
    return every.unique("bare", keep="first", maintain_order=True).sort("bare")


def _proposed(
    layer: Strings, bare: pl.Series, known: pl.Series, coder: Coder, bits: int, reading: Reading
) -> Proposed:
    there = (bare != "").to_numpy()
    number = known.search_sorted(bare).to_numpy().astype(np.int64)
    kind = coder.encode(layer.label).astype(np.int32)
    there &= kind > 0
    key = (layer.text.astype(np.int64) << bits) | number
    return proposed(key[there], kind[there], multiset=reading.multiset)
