"""Span files: gold and systems as lists of spans, sentence by sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import Coder
from coleval.corpus.corpus import Corpus, Entry, Origin
from coleval.corpus.items import Items
from coleval.corpus.lazy import LazyColumn
from coleval.corpus.problems import Problem
from coleval.counts.span_slots import Proposed, proposed, slots
from coleval.errors import DataError
from coleval.loading.readers.pieces import Pieces

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.corpus.options import Reading
    from coleval.loading.align.offsets import PlacedSpans
    from coleval.loading.readers.model import SpanFile

    Numbers = NDArray[np.integer]

# Labels that say "no span here" (FairEval); never counted.
NO_SPAN = ("NONE", "EMPTY")
_EXTENT = ("sentence", "start", "end", "tokens")


def span_corpus(
    reading: Reading, files: Mapping[str, SpanFile], origins: Mapping[str, Origin]
) -> Corpus:
    """Return the corpus of span files; gold has the empty name."""
    gold = files[""]
    for name, file in files.items():
        _same_sentences(gold, file, name)
    frames = {name: _frame(file, fold=reading.fold) for name, file in files.items()}
    extents = pl.concat(frame.select(_EXTENT) for frame in frames.values()).unique()
    extents = extents.sort(*_EXTENT, nulls_last=False).with_row_index("key")
    coder = Coder(fold=str.casefold if reading.fold else None)
    layers = {}
    for name, frame in frames.items():
        keyed = frame.join(extents, on=_EXTENT, how="left", nulls_equal=True, maintain_order="left")
        kind = coder.encode(keyed["label"]).astype(np.int32)
        key = keyed["key"].to_numpy().astype(np.int64)
        layers[name] = proposed(key, kind, multiset=reading.multiset)
    of_systems = {n: layer for n, layer in layers.items() if n}
    found = slots(layers[""], of_systems, coder.labels, bits=0)
    place = extents.drop("key")[pl.Series(found.key)]
    codes = dict(found.codes)
    context = place if place["tokens"].null_count() < len(place) else place.drop("tokens")
    items = Items("span", context, (), codes.pop(""), codes, group_count=gold.sentences)
    items = items.sorted_labels(coder.labels)
    # Files that have their words have the text of spans.
    if gold.sizes is not None:
        items = replace(items, lazy_form=LazyColumn.of_whole(partial(_forms, frames, items)))
    entries = {
        name: Entry(name, origins[name], None, duplicates(files[name].path, layers[name], reading))
        for name in files
    }
    systems = tuple(entry for name, entry in entries.items() if name)
    return Corpus("span", reading, entries[""], systems, {"span": items})


def _same_sentences(gold: SpanFile, file: SpanFile, name: str) -> None:
    if file.sentences != gold.sentences:
        raise DataError(
            f"has {file.sentences:,} sentences, gold has {gold.sentences:,} ({gold.path})",
            where=file.path,
            remedy="a sentence without spans keeps its place"
            + (": NONE 999 999 999, by TABs" if file.sizes is None else "")
            + f" (system `{name}`)",
        )
    if file.sizes is None or gold.sizes is None:
        return
    unlike = file.sizes != gold.sizes
    for at in np.flatnonzero(unlike)[:1]:
        raise DataError(
            f"sentence {at + 1:,} has {file.sizes[at]:,} words, in gold {gold.sizes[at]:,} "
            f"({gold.path})",
            where=file.path,
            remedy=f"keep gold's words, which spans are numbers of (system `{name}`)",
        )


def _frame(file: SpanFile, *, fold: bool) -> pl.DataFrame:
    """Return the spans of a file, without those that say "no span here"."""
    holes = pl.col("tokens").cast(pl.List(pl.String)).list.join(",")
    frame = file.spans.with_columns(pl.col("sentence").cast(pl.UInt32), pl.col("end") + 1, holes)
    label = pl.col("label").str.to_lowercase() if fold else pl.col("label")
    none = [label.casefold() for label in NO_SPAN] if fold else NO_SPAN
    return frame.filter(~label.is_in(none))


def _forms(frames: Mapping[str, pl.DataFrame], items: Items) -> pl.Series:
    """Return the text of each item: gold's words, else those of the first system that has it."""
    known = pl.concat(frame.select(*_EXTENT, "form") for frame in frames.values())
    known = known.drop_nulls("form").unique(_EXTENT, keep="first", maintain_order=True)
    place = items.context
    if "tokens" not in place.columns:
        place = place.with_columns(tokens=pl.lit(None, pl.String))
    place = place.select(_EXTENT)
    found = place.join(known, on=_EXTENT, how="left", nulls_equal=True, maintain_order="left")
    return found["form"]


def duplicates(path: str, layer: Proposed, reading: Reading) -> tuple[Problem, ...]:
    """Return the note that a layer has some spans twice, and what becomes of them."""
    if not layer.duplicates:
        return ()
    text = "spans are given twice with the same label and tokens"
    return (
        Problem(
            path,
            None,
            "duplicates",
            text,
            "each is counted" if reading.multiset else "each is counted once",
            layer.duplicates,
            fatal=False,
        ),
    )


@dataclass(frozen=True, slots=True)
class SpanExtents:
    """Where every distinct extent is among gold's code points; ``rank`` has those of each layer."""

    start: Numbers
    end: Numbers
    pieces: Pieces
    rank: Mapping[str, NDArray[np.int64]]

    def __len__(self) -> int:
        """Return the number of extents."""
        return len(self.start)

    def at(self, rows: NDArray[np.integer]) -> SpanExtents:
        """Return some of the extents, each as often as it is asked for."""
        owner = self.pieces.span
        low, high = np.searchsorted(owner, rows), np.searchsorted(owner, rows, side="right")
        times = high - low
        span = np.repeat(np.arange(len(rows)), times)
        place = np.repeat(low - np.cumsum(times) + times, times) + np.arange(len(span))
        pieces = Pieces(span, self.pieces.start[place], self.pieces.end[place])
        return SpanExtents(self.start[rows], self.end[rows], pieces, {})


def extents_of(layers: Mapping[str, PlacedSpans]) -> SpanExtents:
    """Return the extents of all layers: first place, end, and the fragments of those with holes."""
    longest = max(int((y.end - y.start).max(initial=0)) for y in layers.values())
    bits = longest.bit_length()
    numbers, more = _holes(layers)
    keys = {
        name: (((y.start << bits) | (y.end - y.start)) << more) | numbers[name]
        for name, y in layers.items()
    }
    every = np.unique(np.concatenate(list(keys.values())))
    rank = {name: np.searchsorted(every, key) for name, key in keys.items()}
    start = every >> (bits + more)
    end = start + ((every >> more) & ((1 << bits) - 1))
    return SpanExtents(start, end, _pieces(layers, rank), rank)


def _holes(layers: Mapping[str, PlacedSpans]) -> tuple[dict[str, NDArray[np.int64]], int]:
    """Return a number for each list of fragments, 0 for no holes, and how many bits it needs."""
    texts = {name: {**placed.pieces.texts(), **placed.lost} for name, placed in layers.items()}
    every = sorted(
        {text for found in texts.values() for text in found.values()},
        key=lambda text: [int(n) for part in text.split(";") for n in part.split(" ")],
    )
    number = {text: k for k, text in enumerate(every, 1)}
    found: dict[str, NDArray[np.int64]] = {}
    for name, placed in layers.items():
        found[name] = np.zeros(len(placed.start), np.int64)
        for span, text in texts[name].items():
            found[name][span] = number[text]
    return found, len(every).bit_length()


def _pieces(layers: Mapping[str, PlacedSpans], rank: Mapping[str, Numbers]) -> Pieces:
    """Return the fragments of the distinct extents."""
    frames = [
        pl.DataFrame({"span": rank[name][y.pieces.span], "start": y.pieces.start,
                      "end": y.pieces.end})
        for name, y in layers.items()
    ]  # fmt: skip
    every = pl.concat(frames).unique().sort("span", "start")
    return Pieces(*(every[name].to_numpy().astype(np.int64) for name in every.columns))
