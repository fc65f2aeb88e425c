"""Word items: a row a syntactic word, the answer is its relation and its head.

Words that only systems have are rows behind those of gold's sentence, without a gold answer.
Tags of the same words are layers beside the items; tokens and sentences are units of their own.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import canonical, width
from coleval.corpus.corpus import Corpus, Entry, Origin
from coleval.corpus.items import Items
from coleval.corpus.lazy import LazyMapping
from coleval.errors import UsageError
from coleval.kernels.span_slots import proposed, slots
from coleval.loading.align.rows import JoinedRows, rows_of
from coleval.loading.tasks.edges import Edges, edge_items, universal_path
from coleval.loading.tasks.layers import same_width
from coleval.loading.tasks.tag import documents, token_items

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from coleval.corpus.options import Reading
    from coleval.loading.readers.model import TokenFile
    from coleval.loading.tasks.layers import Reader, TokenLayer
    from coleval.loading.tasks.words import Words

_GOLD = ("relation", "head")
SEGMENTS = ("tokens", "sentences")


def dep_corpus(
    reading: Reading,
    reader: Reader,
    layers: Mapping[str, TokenLayer],
    origins: Mapping[str, Origin],
    _: Callable[[str], None],
) -> Corpus:
    """Return the corpus of words; ``layers`` and ``origins`` hold gold under the empty name."""
    _no_name_taken(layers, origins)
    rows = rows_of(
        reader.gold, {n: (y.own, y.alignment) for n, y in layers.items() if y.own is not None}
    )
    words = _words(reading, reader, layers, rows)
    entries = {n: Entry(n, origins[n], None, layer.problems) for n, layer in layers.items()}
    systems = tuple(entry for name, entry in entries.items() if name)
    parts = {n: _by_row(y.words, rows, n) for n, y in layers.items() if y.words is not None}
    tags = {
        name: partial(_tag, words, name, reader.tags.labels(name), parts) for name in parts[""].tags
    }
    segments = {name: partial(_segments, reader.gold, name, parts) for name in SEGMENTS}
    edges = _edges(words, rows, reader.tags.edges.labels, parts)
    found: dict[str, Callable[[], Items]] = {**tags, **segments, **edges}
    return Corpus("dep", reading, entries[""], systems, {"word": words}, layers=LazyMapping(found))


def _words(
    reading: Reading, reader: Reader, layers: Mapping[str, TokenLayer], rows: JoinedRows | None
) -> Items:
    # Labels in their order, and codes by row, of one system after the other: there are many.
    labels, table = canonical(reader.coder.labels)
    gold = reader.gold
    context = _context(reading, gold)
    if rows is None:
        codes = {name: table[layer.codes] for name, layer in layers.items()}
    else:
        codes = {name: rows.spread(table[layer.codes], name) for name, layer in layers.items()}
        gold = rows.table(replace(gold, columns={}, context=context))
        context = dict(gold.context)
    items = token_items(gold, codes.pop(""), codes, list(labels), context)
    return replace(items, unit="word", empty_is_answer=rows is None)


def _by_row(words: Words, rows: JoinedRows | None, name: str) -> Words:
    """Return a layer's words with their tags by row."""
    if rows is None:
        return words
    return replace(words, tags={n: rows.spread(codes, name) for n, codes in words.tags.items()})


def _context(reading: Reading, gold: TokenFile) -> dict[str, pl.Series]:
    """Return gold's relation and head, and what else was asked for."""
    known = {**gold.columns, **gold.context}
    kept = {k: v for k, v in known.items() if k in reading.columns.context}
    head = known["head"].cast(pl.UInt32, strict=False)
    return {**kept, "relation": known["deprel"].str.to_lowercase(), "head": head}


def _tag(words: Items, name: str, labels: list[str], parts: Mapping[str, Words]) -> Items:
    """Return the words with their tags of one kind; a system without any has no answers."""
    empty = np.zeros(len(parts[""].tags[name]), np.uint8)
    same = same_width({n: part.tags.get(name, empty) for n, part in parts.items()}, len(labels))
    bare = replace(words, context=pl.DataFrame(), unit=name)
    items = replace(bare, gold=same.pop(""), answers=same)
    return items.sorted_labels(labels)


def _edges(
    words: Items, rows: JoinedRows | None, labels: list[str], parts: Mapping[str, Words]
) -> dict[str, Callable[[], Items]]:
    """Return what makes the edges of enhanced graphs, if gold has any: ELAS and EULAS."""
    edges = {name: part.edges for name, part in parts.items()}
    if not len(edges[""].word):
        return {}
    sentence = words.context["sentence"].to_numpy()
    place = {n: np.arange(len(words)) if rows is None else rows.of(n) for n in edges}
    short = [universal_path(label) for label in labels]
    known = list(dict.fromkeys(short))
    number = {label: k for k, label in enumerate(known, 1)}
    table = np.array([0, *(number[label] for label in short)], width(len(known)))
    fewer = {n: Edges(e.word, table[e.codes]) for n, e in edges.items()}
    return {
        "elas": partial(edge_items, edges, place, labels, sentence),
        "eulas": partial(edge_items, fewer, place, known, sentence),
    }


def _segments(gold: TokenFile, name: str, parts: Mapping[str, Words]) -> Items:
    """Return stretches of text that gold or a system calls a token, or a sentence."""
    found = {n: getattr(part, name) for n, part in parts.items()}
    longest = max(int((high - low).max(initial=0)) for low, high in found.values())
    bits = longest.bit_length() + 1
    layers = {
        n: proposed((low.astype(np.int64) << bits) | (high - low), np.ones(len(low), np.int32))
        for n, (low, high) in found.items()
    }
    ours = layers.pop("")
    every = slots(ours, layers, (name,), bits=bits)
    codes = dict(every.codes)
    start = every.key >> bits
    first = found[""][0] if name == "sentences" else parts[""].sentences[0]
    sentence = np.maximum(np.searchsorted(first, start, side="right") - 1, 0)
    length = every.key & ((1 << bits) - 1)
    context = [
        pl.Series("sentence", sentence.astype(np.uint32)),
        pl.Series("start", start),
        pl.Series("end", start + length),
    ]
    if gold.document is not None:
        of_sentence = gold.document[np.searchsorted(gold.sentence, sentence)]
        context.insert(0, documents(of_sentence, gold.documents))
    label = name.removesuffix("s")
    return Items(label, pl.DataFrame(context), (label,), codes.pop(""), codes)


def _no_name_taken(layers: Mapping[str, TokenLayer], origins: Mapping[str, Origin]) -> None:
    for name in _GOLD:
        if name in layers:
            raise UsageError(
                f"a system cannot be called `{name}`: the word table has a column of that name",
                where=origins[name].path,
                remedy=f"give it another: {name}1={origins[name].path}",
            )
