"""Corpora over tokens: tags as they are, or the spans that they stand for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.coding import Coder, Codes
from coleval.corpus import Corpus, Entry, Origin
from coleval.items import Items, Later
from coleval.problems import Problem, raise_first
from coleval.readers.steps import steps
from coleval.schemes import Spans, TagTable, decode, scheme_named, tag_table
from coleval.tasks.layers import AT_ONCE, Layer, Reader
from coleval.tasks.span import proposed, slots
from coleval.tasks.tag import context_columns, documents, token_items

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from coleval.options import Reading
    from coleval.readers.model import TokenFile


@dataclass(frozen=True, slots=True)
class Decoded:
    """One layer's spans, with what the scheme had to say about its tags."""

    spans: Spans
    notes: tuple[Problem, ...]


@dataclass(slots=True)
class Decoder:
    """Tags to spans, one layer after the other; types are coded as they come."""

    reading: Reading
    gold: TokenFile
    tags: Coder
    kinds: Coder = field(default_factory=Coder)
    breaks: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        """Find the tokens that no span may reach over."""
        self.breaks = self._breaks()

    def decode(self, layer: Layer) -> Decoded:
        """Return the spans of a layer; broken sequences are notes, or fatal under ``error``."""
        scheme = scheme_named(self.reading.scheme)
        table = tag_table(self.tags.labels, self._kind, scheme, suffix=self.reading.suffix)
        repair = "begin" if self.reading.repair == "error" else self.reading.repair
        spans = decode(layer.codes, self.breaks, table, scheme, repair)
        return Decoded(spans, self._notes(layer, spans, table))

    def _kind(self, label: str) -> int:
        return self.kinds.code(label.casefold() if self.reading.fold else label)

    def _breaks(self) -> NDArray[np.bool_]:
        document = self.gold.document
        unit = document if self.reading.within == "document" else self.gold.sentence
        if unit is None or self.reading.within == "corpus":
            return np.arange(len(self.gold)) == 0
        return steps(unit)

    def _notes(self, layer: Layer, spans: Spans, table: TagTable) -> tuple[Problem, ...]:
        notes = []
        if spans.repairs:
            notes.append(self.broken(layer, int(spans.repaired[0]), spans.repairs))
        if table.bare and (bare := np.flatnonzero(np.isin(layer.codes, list(table.bare)))).size:
            notes.append(self._bare(layer, bare))
        return tuple(notes)

    def broken(self, layer: Layer, token: int, n: int) -> Problem:
        """Return the problem that the sequence beginning at a token breaks the scheme."""
        fatal = self.reading.repair == "error"
        before = self._tag(layer, token - 1) if token and not self.breaks[token] else "start"
        return Problem(
            layer.path,
            int(layer.line[token]),
            "tag scheme",
            f"`{self._tag(layer, token)}` on `{self.gold.form[token]}` after "
            f"`{before}` begins a sequence that breaks {self.reading.scheme}",
            "choose a policy: --repair begin, discard or extend"
            if fatal
            else f"repaired by --repair {self.reading.repair}; is it another --scheme?",
            n,
            fatal,
        )

    def _bare(self, layer: Layer, bare: NDArray[np.intp]) -> Problem:
        at, gold = int(bare[0]), layer.gold
        return Problem(
            layer.path,
            int(layer.line[at]),
            "tags",
            f"`{self._tag(layer, at)}` on `{self.gold.form[at]}` has no position letter"
            + ("" if gold else " and is read as outside"),
            ("is a column shifted? " if gold else "")
            + "if labels are whole say --task tag; if the letter comes last (PER-B), --suffix",
            len(bare),
            fatal=gold,
        )

    def _tag(self, layer: Layer, token: int) -> str:
        code = int(layer.codes[token])
        return self.tags.labels[code - 1] if code else min(self.tags.outside)


def token_corpus(
    reading: Reading,
    reader: Reader,
    layers: Mapping[str, Layer],
    origins: Mapping[str, Origin],
    progress: Callable[[str], None],
) -> Corpus:
    """Return the corpus of tokens, and of the spans if the task is ``span``.

    ``layers`` and ``origins`` hold gold under the empty name.
    """
    gold, coder = reader.gold, reader.coder

    def tokens() -> Items:
        codes = {name: layer.codes for name, layer in layers.items() if name}
        return token_items(gold, layers[""].codes, codes, coder.labels, gold.context)

    entries = {n: Entry(n, origins[n], None, layer.problems) for n, layer in layers.items()}
    if reading.task == "tag":
        return _corpus(reading, entries, {"token": tokens()})
    progress("spans")
    decoder = Decoder(reading, gold, coder)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        decoded = dict(zip(layers, pool.map(decoder.decode, layers.values()), strict=True))
    entries = {n: _noted(entry, decoded[n]) for n, entry in entries.items()}
    for entry in entries.values():
        raise_first(entry.notes)
    spans = span_items(gold, layers, decoded, decoder.kinds.labels, reading)
    return _corpus(reading, entries, Later({"span": lambda: spans, "token": tokens}))


def _corpus(reading: Reading, entries: dict[str, Entry], units: Mapping[str, Items]) -> Corpus:
    systems = tuple(entry for name, entry in entries.items() if name)
    return Corpus(reading.task or "tag", reading, entries[""], systems, units)


def _noted(entry: Entry, decoded: Decoded) -> Entry:
    return replace(entry, repairs=decoded.spans.repairs, notes=entry.notes + decoded.notes)


def span_items(
    gold: TokenFile,
    layers: Mapping[str, Layer],
    decoded: Mapping[str, Decoded],
    labels: list[str],
    reading: Reading,
) -> Items:
    """Return the span items of tagged text; ``forms`` sets apart spans of other token strings."""
    longest = max((_longest(d.spans) for d in decoded.values()), default=0)
    bits = longest.bit_length() + 1
    layered = {
        name: proposed(
            _keys(found.spans, bits, layers[name].alignment.differ if reading.forms else None),
            found.spans.kind,
            multiset=reading.multiset,
        )
        for name, found in decoded.items()
    }
    found = slots(layered[""], {n: k for n, k in layered.items() if n}, labels, bits=bits)
    start, length = found.key >> bits, (found.key & ((1 << bits) - 1)) >> 1
    columns = _span_place(gold, start, length)
    codes = dict(found.codes)
    items = Items(
        "span", pl.DataFrame(columns), (), codes.pop(""), codes,
        group_count=int(gold.sentence[-1]) + 1,
        later=lambda: surface(gold.form, start, length),
    )  # fmt: skip
    return items.sorted_labels(labels)


def _longest(spans: Spans) -> int:
    return int((spans.end - spans.start).max()) if len(spans.start) else 0


def _keys(spans: Spans, bits: int, differ: NDArray[np.intp] | None) -> NDArray[np.int64]:
    key = spans.start.astype(np.int64) << bits
    key |= (spans.end - spans.start).astype(np.int64) << 1
    if differ is not None and len(differ):
        low, high = np.searchsorted(differ, spans.start), np.searchsorted(differ, spans.end)
        key |= high > low
    return key


def _span_place(
    gold: TokenFile, start: NDArray[np.int64], length: NDArray[np.int64]
) -> list[pl.Series]:
    document = [] if gold.document is None else [documents(gold.document[start], gold.documents)]
    sentence = gold.sentence[start]
    first = np.flatnonzero(steps(gold.sentence))
    at = (start - first[sentence]).astype(np.uint32)
    return [
        *document,
        pl.Series("sentence", sentence.astype(np.uint32)),
        pl.Series("start", at),
        pl.Series("end", (at + length).astype(np.uint32)),
        *context_columns({k: v.gather(pl.Series(start)) for k, v in gold.context.items()}),
    ]


def surface(form: pl.Series, start: NDArray[np.int64], length: NDArray[np.int64]) -> pl.Series:
    """Return the text of spans: their token strings, joined by spaces."""
    span = np.repeat(np.arange(len(start)), length)
    offset = np.arange(len(span)) - np.repeat(np.cumsum(length) - length, length)
    words = form.gather(pl.Series(np.repeat(start, length) + offset))
    frame = pl.DataFrame({"span": span, "word": words})
    return frame.group_by("span", maintain_order=True).agg(pl.col("word").str.join(" "))["word"]


def gold_layer(gold: TokenFile, codes: Codes) -> Layer:
    """Return gold as a layer on its own tokens."""
    from coleval.align.position import IDENTICAL

    return Layer(gold.path, codes, gold.line, IDENTICAL, gold=True)
