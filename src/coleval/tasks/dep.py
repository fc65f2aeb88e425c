"""Word items: a row a syntactic word, the answer is its relation and its head."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from coleval.corpus import Corpus, Entry, Origin
from coleval.errors import UsageError
from coleval.tasks.tag import token_items

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.options import Reading
    from coleval.readers.model import TokenFile
    from coleval.tasks.layers import Layer, Reader

_GOLD = ("relation", "head")


def dep_corpus(
    reading: Reading,
    reader: Reader,
    layers: Mapping[str, Layer],
    origins: Mapping[str, Origin],
) -> Corpus:
    """Return the corpus of words; ``layers`` and ``origins`` hold gold under the empty name."""
    _no_name_taken(layers, origins)
    codes = {name: layer.codes for name, layer in layers.items()}
    gold, labels = codes.pop(""), reader.coder.labels
    tokens = token_items(reader.gold, gold, codes, labels, _context(reading, reader.gold))
    entries = {n: Entry(n, origins[n], None, layer.problems) for n, layer in layers.items()}
    systems = tuple(entry for name, entry in entries.items() if name)
    return Corpus("dep", reading, entries[""], systems, {"word": replace(tokens, unit="word")})


def _context(reading: Reading, gold: TokenFile) -> dict[str, pl.Series]:
    """Return gold's relation and head, and what else was asked for."""
    known = {**gold.columns, **gold.context}
    kept = {k: v for k, v in known.items() if k in reading.columns.context}
    head = known["head"].cast(pl.UInt32, strict=False)
    return {**kept, "relation": known["deprel"].str.to_lowercase(), "head": head}


def _no_name_taken(layers: Mapping[str, Layer], origins: Mapping[str, Origin]) -> None:
    for name in _GOLD:
        if name in layers:
            raise UsageError(
                f"a system cannot be called `{name}`: the word table has a column of that name",
                where=origins[name].path,
                remedy=f"give it another: {name}1={origins[name].path}",
            )
