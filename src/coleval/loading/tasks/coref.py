"""Mention items: a row a mention that gold or any system has, the answer is its chain or its class.

Unit ``cluster`` keeps the chain of each mention, numbered within its document; everything else
follows from it. Units ``any`` and ``nominal`` are the same mentions with their ARCS classes.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.annotate.coref_classes import (
    FN,
    LABELS,
    by_any,
    by_nominal,
    chain_numbers,
    gold_codes,
)
from coleval.corpus.coding import width
from coleval.corpus.corpus import Corpus, Entry, Origin
from coleval.corpus.items import Items
from coleval.corpus.lazy import LazyColumn, LazyMapping
from coleval.corpus.problems import Problem
from coleval.errors import UsageError
from coleval.loading.tasks.mention_text import described, spelled
from coleval.loading.tasks.mentions import MentionLayer, Places, layer_of, places_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.options import Reading
    from coleval.loading.readers.model import MentionFile

CRITERIA = ("any", "nominal")
CHAINS = "cluster"
NEGATIVE = "tn"


def coref_corpus(
    reading: Reading, files: Mapping[str, MentionFile], origins: Mapping[str, Origin]
) -> Corpus:
    """Return the corpus of mention files; gold has the empty name."""
    places = places_of(files)
    layers = {name: layer_of(file, places, reading) for name, file in files.items()}
    every = _union([layer.key for layer in layers.values()])
    items = _items(files[""], places, layers, every, reading)
    _no_name_taken(items, files)
    unknown = _no_parts_of_speech(files[""], items)
    entries = {
        name: Entry(name, origins[name], None, layer.notes + (() if name else unknown))
        for name, layer in layers.items()
    }
    systems = tuple(entry for name, entry in entries.items() if name)
    return Corpus("coref", reading, entries[""], systems, coref_units(lambda: items))


def _no_name_taken(items: Items, files: Mapping[str, MentionFile]) -> None:
    for name, file in files.items():
        if name in items.context.columns:
            raise UsageError(
                f"a system cannot be called `{name}`: mentions have a column of that name",
                where=file.path,
                remedy=f"give it another: {name}1={file.path}",
            )


def _union(keys: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the distinct keys; sorted runs are merged, which is faster than hashing them."""
    every = np.sort(np.concatenate(keys), kind="stable")
    fresh = np.ones(len(every), np.bool_)
    np.not_equal(every[1:], every[:-1], out=fresh[1:])
    return every[fresh]


def _no_parts_of_speech(gold: MentionFile, items: Items) -> tuple[Problem, ...]:
    """Return that single words cannot be called nominal, where mentions have text but no tags."""
    if "pos" in gold.columns or not items.context["nominal"].any():
        return ()
    text = "no column gives parts of speech"
    remedy = "single words do not count as nominal mentions; name the column: --columns pos=5"
    return (Problem(gold.path, None, "nominal", text, remedy, fatal=False),)


def coref_units(chains: Callable[[], Items]) -> LazyMapping[Items]:
    """Return the units of a corpus that follow from the chains of mentions."""
    made = {name: partial(_classified, chains, name) for name in CRITERIA}
    return LazyMapping({**made, CHAINS: chains})


def _items(
    gold: MentionFile, places: Places, layers: Mapping[str, MentionLayer], every: NDArray[np.int64],
    reading: Reading,
) -> Items:  # fmt: skip
    document, start, end = places.taken_apart(every)
    most = max(int(layer.chain.max(initial=0)) for layer in layers.values())
    codes = {name: _spread(layer, every, most) for name, layer in layers.items()}
    first = places.offset[document] + start
    context = pl.DataFrame(
        [
            pl.Series("document", document.astype(np.uint32)).cat.to(pl.Enum(gold.documents)),
            pl.Series("start", start.astype(np.uint32)),
            pl.Series("end", end.astype(np.uint32)),
            pl.Series("words", (end - start).astype(np.uint32)),
            *described(gold, first, end - start, reading.nominal),
        ]
    )
    form = partial(spelled, gold, first, end - start)
    written = LazyColumn.of_whole(form) if "form" in gold.columns else None
    labels = tuple(f"{k:06d}" for k in range(1, most + 1))
    return Items(
        CHAINS, context, labels, codes.pop(""), codes, lazy_form=written,
    )  # fmt: skip


def _spread(layer: MentionLayer, every: NDArray[np.int64], most: int) -> Codes:
    codes = np.zeros(len(every), width(most))
    codes[np.searchsorted(every, layer.key)] = layer.chain
    return codes


def numbered(items: Items) -> dict[str, NDArray[np.int64]]:
    """Return the chains of gold (the empty name) and the systems, -1 for none."""
    document = items.context["document"].to_physical().to_numpy()
    most = len(items.labels)
    layers = {"": items.gold, **items.answers}
    return {name: chain_numbers(document, codes, most) for name, codes in layers.items()}


def _classified(chains: Callable[[], Items], criterion: str) -> Items:
    items = chains()
    found = numbered(items)
    key = found.pop("")
    nominal = items.context["nominal"].to_numpy() if criterion == "nominal" else None
    classes = {
        name: by_any(key, chain) if nominal is None else by_nominal(key, chain, nominal)
        for name, chain in found.items()
    }
    gold = gold_codes(key, nominal)
    return replace(items, unit=criterion, labels=LABELS, gold=gold, answers=classes)


def with_negatives(items: Items) -> Items:
    """Return mentions whose answers say ``tn`` where there is nothing to resolve."""
    if items.unit not in CRITERIA:
        return items
    labels = tuple(sorted((*LABELS, NEGATIVE)))
    names = (NEGATIVE, *LABELS)
    table = np.array([labels.index(name) + 1 for name in names], np.uint8)
    gold = np.where(items.gold > 0, table[items.gold], 0).astype(np.uint8)
    answers = {name: table[codes] for name, codes in items.answers.items()}
    return replace(items, labels=labels, gold=gold, answers=answers, judges=None)


def resolved(items: Items) -> Items:
    """Return mentions that are not resolved as answered by nothing, to be counted as missed."""
    if items.unit not in CRITERIA:
        return items
    table = np.arange(len(LABELS) + 1, dtype=np.uint8)
    table[FN] = 0
    judges = items.judges
    return replace(
        items,
        answers={name: table[codes] for name, codes in items.answers.items()},
        judges=None if judges is None else {n: table[codes] for n, codes in judges.items()},
    )
