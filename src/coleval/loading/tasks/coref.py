"""Mention items: a row a mention that gold or any system has, the answer is its chain or its class.

Unit ``cluster`` keeps the chain of each mention, numbered within its document; everything else
follows from it. Units ``any`` and ``nominal`` are the same mentions with their ARCS classes.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from coleval.corpus.coding import width
from coleval.corpus.corpus import Corpus, Entry, Origin
from coleval.corpus.items import Items
from coleval.corpus.lazy import LazyColumn
from coleval.corpus.problems import Problem
from coleval.corpus.signature import column_hash, joined_hash, label_numbers
from coleval.counts.coref_classes import CHAINS, coref_units
from coleval.errors import UsageError
from coleval.loading.tasks.mention_sets import columns_of, settled, worded_mentions
from coleval.loading.tasks.mentions import (
    MentionLayer,
    Places,
    described,
    layer_of,
    places_of,
    spelled,
    union,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.options import Reading
    from coleval.loading.readers.model import MentionFile


# Where a mention is.
_EXTENT = ("start", "end", "words")


class _ReadMentions(NamedTuple):
    """The mentions of all files, the layer of each file, and its overlap with gold.

    Beside ``items`` there may be more columns, those of a unit are made when they are asked for:
    ``columns`` makes all of them but for the first, ``named`` are their names.
    """

    items: Items
    layers: Mapping[str, MentionLayer]
    overlaps: Mapping[str, tuple[int, int]]
    named: tuple[str, ...] = ()
    columns: Callable[[], list[pl.Series]] | None = None

    def whole(self) -> Items:
        """Return the items with all of their columns."""
        if self.columns is None:
            return self.items
        context = pl.DataFrame([self.items.context["document"], *self.columns()])
        return replace(self.items, context=context)


def coref_corpus(
    reading: Reading, files: Mapping[str, MentionFile], origins: Mapping[str, Origin]
) -> Corpus:
    """Return the corpus of mention files; gold has the empty name."""
    places = places_of(files)
    reading = settled(reading, files)
    found = _mentions(files, places, reading)
    _no_name_taken(found, files)
    unknown = _notes_of_gold(files[""], found)
    entries = {}
    for name, layer in found.layers.items():
        file = files[name]
        hashes = [
            column_hash(file.document, label_numbers(file.documents)[1:]),
            *(column_hash(column) for column in (file.start, file.end, layer.chain)),
        ]
        if (words := file.words) is not None:
            hashes += [column_hash(column) for column in (words.begin, words.node, words.head)]
        notes = layer.notes + (() if name else unknown)
        entries[name] = Entry(
            name, origins[name], None, notes, overlap=found.overlaps.get(name),
            answers=joined_hash(hashes),
        )  # fmt: skip
    systems = tuple(entry for name, entry in entries.items() if name)
    units = coref_units(found.whole, lambda: found.items)
    return Corpus("coref", reading, entries[""], systems, units)


def _mentions(files: Mapping[str, MentionFile], places: Places, reading: Reading) -> _ReadMentions:
    gold = files[""]
    if gold.words is not None:
        found = worded_mentions(files, places, reading)
        every = union([layer.key for layer in found.layers.values()])
        context, form = columns_of(found, every, gold.documents, reading.nominal)
        items = _items(found.layers, every, pl.DataFrame(context), form)
        return _ReadMentions(items, found.layers, found.overlaps)
    layers = {name: layer_of(file, places, reading) for name, file in files.items()}
    every = union([layer.key for layer in layers.values()])
    apart = places.taken_apart(every)
    said = described(gold, apart, reading.nominal)
    document = pl.Series("document", apart.document).cat.to(pl.Enum(gold.documents))
    # The words of mentions, where lines have them; gold itself is not held for that.
    words = None
    if gold.texts is not None and "form" in gold.columns:
        words = LazyColumn.of_whole(partial(spelled, gold.texts, gold.columns["form"], apart))
    items = _items(layers, every, pl.DataFrame([document, said.nominal]), words)

    def columns() -> list[pl.Series]:
        extent = [pl.Series(name, getattr(apart, name)) for name in _EXTENT]
        return [*extent, said.nominal, *said.columns()]

    return _ReadMentions(items, layers, {}, (*_EXTENT, *said.named), columns)


def _no_name_taken(found: _ReadMentions, files: Mapping[str, MentionFile]) -> None:
    for name, file in files.items():
        if name in found.items.context.columns or name in found.named:
            raise UsageError(
                f"a system cannot be called `{name}`: mentions have a column of that name",
                where=file.path,
                remedy=f"give it another: {name}1={file.path}",
            )


def _notes_of_gold(gold: MentionFile, found: _ReadMentions) -> tuple[Problem, ...]:
    """Return that there are no mentions, or that single words cannot be called nominal.

    That is so where mentions have text but no tags.
    """
    notes, context = [], found.items.context
    if "pos" not in {*gold.columns, *context.columns, *found.named} and context["nominal"].any():
        text = "no column gives parts of speech"
        remedy = "single words do not count as nominal mentions; name the column: --columns pos=5"
        notes.append(Problem(gold.path, None, "nominal", text, remedy, fatal=False))
    if not len(gold):
        text, remedy = "gold has no mentions", "is it the right file, and are entities in it?"
        notes.append(Problem(gold.path, None, "mentions", text, remedy, fatal=False))
    return tuple(notes)


def _items(
    layers: Mapping[str, MentionLayer], every: NDArray[np.int64], context: pl.DataFrame,
    form: LazyColumn | None,
) -> Items:  # fmt: skip
    most = max(int(layer.chain.max(initial=0)) for layer in layers.values())
    codes: dict[str, Codes] = {}
    for name, layer in layers.items():
        codes[name] = np.zeros(len(every), width(most))
        codes[name][np.searchsorted(every, layer.key)] = layer.chain
    labels = tuple(f"{k:06d}" for k in range(1, most + 1))
    return Items(CHAINS, context, labels, codes.pop(""), codes, lazy_form=form)
