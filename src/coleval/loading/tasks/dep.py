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
from coleval.corpus.lazy import LazyMapping, Once
from coleval.counts.span_slots import Proposed, proposed, slots
from coleval.errors import UsageError
from coleval.loading.readers.steps import steps
from coleval.loading.tasks.layers import answer_hashes, joined_rows, same_width
from coleval.loading.tasks.tag import documents, token_items
from coleval.loading.tasks.trees import Edges, edge_items, universal_path

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, MutableMapping

    from coleval.corpus.coding import Codes
    from coleval.corpus.options import Reading
    from coleval.loading.align.rows import JoinedRows
    from coleval.loading.readers.model import TokenFile
    from coleval.loading.tasks.layers import Reader, TokenLayer
    from coleval.loading.tasks.trees import Places, Words

SEGMENTS = ("tokens", "sentences")
# Texts that are longer than this have places of eight bytes.
_FAR = 1 << 31


def dep_corpus(
    reading: Reading,
    reader: Reader,
    layers: MutableMapping[str, TokenLayer],
    origins: Mapping[str, Origin],
    _: Callable[[str], None],
) -> Corpus:
    """Return the corpus of words; ``layers`` and ``origins`` hold gold under the empty name.

    Layers are taken out: no two of them are there twice, as they are and by row.
    """
    for name in ("relation", "head"):
        if name in layers:
            raise UsageError(
                f"a system cannot be called `{name}`: the word table has a column of that name",
                where=origins[name].path,
                remedy=f"give it another: {name}1={origins[name].path}",
            )
    coders = reader.trees
    assert coders is not None  # noqa: S101  - gold was read as trees
    rows = joined_rows(reader.gold, layers)
    hashes = answer_hashes(reader, layers)
    entries = {
        n: Entry(n, origins[n], None, layer.problems, answers=hashes[n])
        for n, layer in layers.items()
    }
    systems = tuple(entry for name, entry in entries.items() if name)
    words, parts = _words(reading, reader, layers, rows)
    tags = {}
    for name, of_gold in parts[""].tags.items():
        # A system without any has no answers.
        empty = np.zeros(len(of_gold), np.uint8)
        own = {n: part.tags.get(name, empty) for n, part in parts.items()}
        tags[name] = Once[Items](partial(_tag, words, name, coders.tags[name].labels, own))
    # What a layer was made of is let go of when it is there.
    parts = {name: replace(part, tags={}) for name, part in parts.items()}
    homes = _documents(reader.gold)
    segments = {name: partial(_segments, homes, name, parts) for name in SEGMENTS}
    edges = _edges(words, rows, coders.edges.labels, parts)
    found: dict[str, Callable[[], Items]] = {**tags, **segments, **edges}
    return Corpus("dep", reading, entries[""], systems, {"word": words}, layers=LazyMapping(found))


def _words(
    reading: Reading, reader: Reader, layers: MutableMapping[str, TokenLayer],
    rows: JoinedRows | None,
) -> tuple[Items, dict[str, Words]]:  # fmt: skip
    """Return the words as items, and what else there is of each layer's, with its tags by row."""
    # Labels in their order, and codes by row, of one system after the other: there are many.
    labels, table = canonical(reader.coder.labels)
    gold = reader.gold
    context = _context(reading, gold)
    if rows is not None:
        gold = rows.table(replace(gold, columns={}, context=context))
        context = dict(gold.context)
    codes, parts = {}, {}
    for name in list(layers):
        layer = layers.pop(name)
        words, own = layer.words, table[layer.codes]
        assert words is not None  # noqa: S101  - trees have words
        if rows is not None:
            at = rows.of(name)
            own = rows.spread(own, at)
            words = replace(words, tags={n: rows.spread(tag, at) for n, tag in words.tags.items()})
        codes[name], parts[name] = own, words
    items = token_items(gold, codes.pop(""), codes, list(labels), context)
    return replace(items, unit="word", empty_is_answer=rows is None), parts


def _context(reading: Reading, gold: TokenFile) -> dict[str, pl.Series]:
    """Return gold's relation and head, and what else was asked for."""
    kept = {k: v for k, v in gold.columns.items() if k in reading.columns.context}
    head = gold.columns["head"].cast(pl.UInt32, strict=False)
    relation = gold.columns["deprel"].str.to_lowercase()
    return {**gold.context, **kept, "relation": relation, "head": head}


def _tag(words: Items, name: str, labels: list[str], tags: Mapping[str, Codes]) -> Items:
    """Return the words with their tags of one kind."""
    same = same_width(tags, len(labels))
    bare = replace(words, context=pl.DataFrame(), unit=name)
    return replace(bare, gold=same.pop(""), answers=same).sorted_labels(labels)


def _edges(
    words: Items, rows: JoinedRows | None, labels: list[str], parts: Mapping[str, Words]
) -> dict[str, Callable[[], Items]]:
    """Return what makes the edges of enhanced graphs, if gold has any: ELAS and EULAS."""
    edges = {name: part.edges for name, part in parts.items()}
    if not len(edges[""].word):
        return {}
    home = words.context.select(pl.col("^(document|sentence)$"))
    place = {n: np.arange(len(words)) if rows is None else rows.of(n) for n in edges}
    short = [universal_path(label) for label in labels]
    known = list(dict.fromkeys(short))
    number = {label: k for k, label in enumerate(known, 1)}
    table = np.array([0, *(number[label] for label in short)], width(len(known)))
    fewer = {n: Edges(e.word, table[e.codes]) for n, e in edges.items()}
    return {
        "elas": partial(edge_items, edges, place, labels, home),
        "eulas": partial(edge_items, fewer, place, known, home),
    }


def _documents(gold: TokenFile) -> pl.Series | None:
    """Return the document of each sentence of gold, None if there are no documents."""
    if gold.document is None:
        return None
    return documents(gold.document[steps(gold.sentence)], gold.documents)


def _segments(homes: pl.Series | None, name: str, parts: Mapping[str, Words]) -> Items:
    """Return stretches of text that gold or a system calls a token, or a sentence.

    ``homes`` are the documents of gold's sentences.
    """
    found = {n: getattr(part, name) for n, part in parts.items()}
    longest = max(int((high - low).max(initial=0)) for low, high in found.values())
    bits = longest.bit_length() + 1
    makers = {n: partial(_stretches, ends, bits) for n, ends in found.items()}
    ours = makers.pop("")()
    every = slots(ours, LazyMapping(makers, keep=False), (name,), bits=bits)
    codes = dict(every.codes)
    kind: type[np.integer] = np.uint32 if every.key[-1:].max(initial=0) >> bits < _FAR else np.int64
    start = (every.key >> bits).astype(kind)
    end = start + (every.key & ((1 << bits) - 1)).astype(kind)
    first = found[""][0] if name == "sentences" else parts[""].sentences[0]
    sentence = np.maximum(np.searchsorted(first, start, side="right") - 1, 0)
    context = [
        pl.Series("sentence", sentence.astype(np.uint32)),
        pl.Series("start", start),
        pl.Series("end", end),
    ]
    if homes is not None:
        context.insert(0, homes.gather(sentence))
    label = name.removesuffix("s")
    return Items(label, pl.DataFrame(context), (label,), codes.pop(""), codes)


def _stretches(ends: tuple[Places, Places], bits: int) -> Proposed:
    """Return stretches as keys: where each begins, and how long it is."""
    low, high = ends
    key = (low.astype(np.int64) << bits) | (high - low)
    return proposed(key, np.broadcast_to(np.int32(1), len(key)))
