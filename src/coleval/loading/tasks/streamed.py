"""Tokens of a corpus larger than memory: one file at a time, its labels and spans put on disk.

What stays in memory is gold's text and, of spans, the extents that somebody proposes. The items
are those of ``tasks.tokens``; only their answers are elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from coleval.corpus.corpus import Corpus, Entry, Origin
from coleval.corpus.disk import DiskCodes, Shelf, Stored
from coleval.corpus.lazy import LazyMapping
from coleval.corpus.problems import Problem, raise_first
from coleval.counts.span_slots import Proposed, proposed, slots
from coleval.loading.tasks.layers import answer_hashes, gold_layer
from coleval.loading.tasks.tag import token_items
from coleval.loading.tasks.tokens import Decoder, extent_keys, items_of_slots, longest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items
    from coleval.corpus.options import Reading
    from coleval.loading.readers.source import Source
    from coleval.loading.tasks.layers import Reader, TokenLayer


class OtherTokensError(Exception):
    """A system has tokens of its own: its layer says something only beside all others."""


@dataclass(frozen=True, slots=True)
class _StoredSpans:
    """Where the spans of a layer are, and how long the longest is."""

    start: Stored
    end: Stored
    kind: Stored
    longest: int
    differ: NDArray[np.intp] | None

    def read(self, bits: int, *, multiset: bool) -> Proposed:
        """Return the spans, read now."""
        key = extent_keys(self.start.read(), self.end.read(), bits, self.differ)
        return proposed(key, self.kind.read(), multiset=multiset)


@dataclass(frozen=True, slots=True)
class StoredLayer:
    """What is left of a layer that was read: where its codes and spans are, what was odd."""

    codes: Stored
    problems: tuple[Problem, ...]
    answers: str
    repairs: int | None = None
    spans: _StoredSpans | None = None


@dataclass(slots=True)
class _Streaming:
    """Gold's means to read systems, and where layers go; ``decoder`` is None for tags."""

    reader: Reader
    shelf: Shelf
    decoder: Decoder | None

    def system(self, source: Source) -> StoredLayer:
        """Return what is left of a system's file."""
        layer = self.reader.read(source)
        source.forget()
        raise_first(layer.problems)
        stored = self.stored(layer)
        self.shelf.limit.check(source.path)
        return stored

    def stored(self, layer: TokenLayer) -> StoredLayer:
        """Return what is left of a layer: its codes and spans are on disk."""
        if layer.own is not None:
            raise OtherTokensError(layer.path)
        codes = self.shelf.put("token", layer.codes)
        answers = answer_hashes(self.reader, {"": layer})[""]
        if self.decoder is None:
            return StoredLayer(codes, layer.problems, answers)
        decoded = self.decoder.decode(layer)
        raise_first(decoded.notes)
        spans = decoded.spans
        start, end, kind = (
            self.shelf.put("spans", part) for part in (spans.start, spans.end, spans.kind)
        )
        differ = layer.alignment.differ if self.decoder.reading.forms else None
        on_disk = _StoredSpans(start, end, kind, longest(spans), differ)
        return StoredLayer(codes, layer.problems + decoded.notes, answers, spans.repairs, on_disk)


def streamed(
    reading: Reading,
    reader: Reader,
    sources: Mapping[str, Source],
    shelf: Shelf,
    progress: Callable[[str], None],
) -> Callable[[Mapping[str, Origin]], Corpus]:
    """Return what makes the corpus of gold and systems, all of which have been read then.

    Raise ``OtherTokensError`` for a system that cannot be read by itself.
    """
    _lighten(reader)
    shelf.limit.check("gold")
    decoder = (
        Decoder(reading, reader.gold, reader.coder) if reading.task_kind.spans_of_tags else None
    )
    streaming = _Streaming(reader, shelf, decoder)
    stored = {"": streaming.stored(gold_layer(reader))}
    for name, source in sources.items():
        progress(name)
        stored[name] = streaming.system(source)
    reader.gold_lines = None
    units: dict[str, Callable[[], Items]] = {"token": partial(_tokens, reader, stored, shelf)}
    if decoder is not None:
        progress("spans")
        spans = _spans(reading, reader, stored, decoder.kinds.labels, shelf)
        units = {"span": lambda: spans, **units}
    return partial(_corpus, reading, stored, units, shelf)


def _lighten(reader: Reader) -> None:
    """Let go of gold's labels as text: they are codes by now."""
    reader.gold = replace(reader.gold, columns={})
    if reader.gold_lines is not None:
        reader.gold_lines = replace(reader.gold_lines, gold=reader.gold)


def _corpus(
    reading: Reading,
    stored: Mapping[str, StoredLayer],
    units: Mapping[str, Callable[[], Items]],
    shelf: Shelf,
    origins: Mapping[str, Origin],
) -> Corpus:
    entries = {
        n: Entry(n, origins[n], one.repairs, one.problems, answers=one.answers)
        for n, one in stored.items()
    }
    systems = tuple(entry for name, entry in entries.items() if name)
    task = reading.task or "tag"
    return Corpus(task, reading, entries[""], systems, LazyMapping(units), limit=shelf.limit)


def _tokens(reader: Reader, stored: Mapping[str, StoredLayer], shelf: Shelf) -> Items:
    columns = {name: one.codes for name, one in stored.items() if name}
    answers = DiskCodes(shelf.limit, columns, len(reader.gold))
    labels, table = reader.coder.compared()
    context = reader.gold.context
    return token_items(reader.gold, reader.codes, answers, labels, context, recode=table)


def _spans(
    reading: Reading,
    reader: Reader,
    stored: Mapping[str, StoredLayer],
    labels: list[str],
    shelf: Shelf,
) -> Items:
    there = {name: one.spans for name, one in stored.items() if one.spans is not None}
    bits = max(spans.longest for spans in there.values()).bit_length() + 1
    layers = {n: partial(s.read, bits, multiset=reading.multiset) for n, s in there.items()}
    files: dict[str, Stored] = {}

    def keep(name: str, codes: Codes) -> Codes:
        """Put a system's codes on disk; gold's stay."""
        if not name:
            return codes
        files[name] = shelf.put("span", codes)
        return codes[:0]

    systems = LazyMapping({n: make for n, make in layers.items() if n}, keep=False)
    found = slots(layers[""](), systems, labels, bits=bits, keep=keep)
    answers = DiskCodes(shelf.limit, files, len(found.key))
    return items_of_slots(reader.gold, found.key, found.codes[""], answers, labels, bits=bits)
