"""Corpora over tokens: tags as they are, or the spans that they stand for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import Coder, Codes
from coleval.corpus.corpus import Corpus, Entry, Origin
from coleval.corpus.disk import DiskCodes
from coleval.corpus.items import NOT_IN_GOLD, Items
from coleval.corpus.lazy import LazyColumn, LazyMapping, maker_of
from coleval.corpus.problems import Problem, raise_first
from coleval.corpus.schemes import (
    SCHEME,
    Spans,
    decode,
    looks_segmented,
    looks_tagged,
    scheme_named,
    spans_note,
    tag_table,
    words_note,
)
from coleval.counts.span_slots import Proposed, proposed, slots
from coleval.loading.readers.steps import flat, steps
from coleval.loading.tasks.layers import (
    AT_ONCE,
    Reader,
    TokenLayer,
    answer_hashes,
    gold_layer,
    joined_rows,
)
from coleval.loading.tasks.own_tokens import CutSpans, on_gold, told_apart, with_cuts
from coleval.loading.tasks.tag import context_columns, documents, joined_words, token_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from coleval.corpus.disk import Shelf, Stored
    from coleval.corpus.options import Reading
    from coleval.loading.readers.model import TokenFile
    from coleval.loading.readers.source import Source


@dataclass(frozen=True, slots=True)
class Decoded:
    """One layer's spans, with what the scheme had to say about its tags."""

    spans: Spans
    notes: tuple[Problem, ...]
    cut: CutSpans | None = None


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
        within = self.reading.within
        unit = self.gold.document if within == "document" else self.gold.sentence
        one = unit is None or within == "corpus"
        self.breaks = np.arange(len(self.gold)) == 0 if one or unit is None else steps(unit)

    def decode(self, layer: TokenLayer) -> Decoded:
        """Return the spans of a layer; broken sequences are notes, or fatal under ``error``."""
        scheme, fold = scheme_named(self.reading.scheme), self.reading.fold

        def kind(label: str) -> int:
            return self.kinds.code(label.casefold() if fold else label)

        table = tag_table(self.tags.labels, kind, scheme, suffix=self.reading.suffix)
        repair = "begin" if self.reading.repair == "error" else self.reading.repair
        spans = decode(layer.codes, self.breaks, table, scheme, repair)
        notes = list(self._untyped(layer)) if layer.gold else []
        if spans.repairs:
            notes.append(self.broken(layer, int(spans.repaired[0]), spans.repairs))
        if table.bare and (bare := np.flatnonzero(np.isin(layer.codes, list(table.bare)))).size:
            notes.append(self._bare(layer, bare))
        return Decoded(spans, tuple(notes))

    def _untyped(self, layer: TokenLayer) -> Iterator[Problem]:
        """Yield how tags were read that have no types; systems may have more tags than gold."""
        if not any(len(tag) == 1 for tag in self.tags.labels):
            return
        used = [self.tags.labels[code - 1] for code in np.unique(layer.codes) if code]
        if self.reading.scheme == SCHEME and looks_segmented(used, self.tags.outside):
            yield words_note(layer.path)
        elif used and looks_tagged([*used, "O"], frozenset("O")) and max(map(len, used)) == 1:
            yield spans_note(layer.path, used)

    def broken(
        self, layer: TokenLayer, token: int, n: int, where: tuple[str, int] | None = None
    ) -> Problem:
        """Return the problem that the sequence beginning at a token breaks the scheme.

        Of a file that is part of another text, ``where`` is its path and the line in it.
        """
        fatal = self.reading.repair == "error"
        before = self._tag(layer, token - 1) if token and not self.breaks[token] else "start"
        file, line = where or (layer.path, int(layer.line[token]))
        return Problem(
            file,
            line,
            "tag scheme",
            f"`{self._tag(layer, token)}` on `{self.gold.form[token]}` after "
            f"`{before}` is an invalid tag sequence (--scheme {self.reading.scheme})",
            "choose a policy: --repair begin, discard or extend"
            if fatal
            else f"repaired by --repair {self.reading.repair}; is --scheme right?",
            n,
            fatal,
        )

    def _bare(self, layer: TokenLayer, bare: NDArray[np.intp]) -> Problem:
        at, gold = int(bare[0]), layer.gold
        return Problem(
            layer.path,
            int(layer.line[at]),
            "tags",
            f"`{self._tag(layer, at)}` on `{self.gold.form[at]}` has no position letter"
            + ("" if gold else " and is read as outside"),
            ("is a column shifted? " if gold else "")
            + "if labels have no B-/I- prefix use --task tag; if the letter comes last (PER-B) "
            "use --suffix",
            len(bare),
            fatal=gold,
        )

    def _tag(self, layer: TokenLayer, token: int) -> str:
        code = int(layer.codes[token])
        if code:
            return self.tags.labels[code - 1]
        # A format may read an empty field as outside too, which would be no name to print.
        return min(filter(None, self.tags.outside), default="O")


def token_corpus(
    reading: Reading,
    reader: Reader,
    layers: Mapping[str, TokenLayer],
    origins: Mapping[str, Origin],
    progress: Callable[[str], None],
) -> Corpus:
    """Return the corpus of tokens, and of the spans if the task is ``span``.

    ``layers`` and ``origins`` hold gold under the empty name.
    """
    tokens = partial(text_items, reading, reader, layers)
    hashes = answer_hashes(reader, layers)
    entries = {
        n: Entry(n, origins[n], None, layer.problems, answers=hashes[n])
        for n, layer in layers.items()
    }
    if reading.task_kind.covers_text:
        return _corpus(reading, entries, {"token": tokens()})
    progress("spans")
    decoder = Decoder(reading, reader.gold, reader.coder)
    decoded = decoded_layers(decoder, reader, layers)
    entries = {n: _noted(entry, decoded[n]) for n, entry in entries.items()}
    for entry in entries.values():
        raise_first(entry.notes)
    spans = span_items(reader.gold, layers, decoded, decoder.kinds.labels, reading)
    return _corpus(reading, entries, LazyMapping({"span": maker_of(spans), "token": tokens}))


class OtherTokensError(Exception):
    """A system has tokens of its own: its layer says something only beside all others."""


def streamed(
    reading: Reading,
    reader: Reader,
    sources: Mapping[str, Source],
    shelf: Shelf,
    origins: Callable[[], Mapping[str, Origin]],
    progress: Callable[[str], None],
) -> Corpus:
    """Return the same of files read one at a time, their labels and spans put on disk.

    What stays in memory is gold's text and, of spans, the extents that somebody proposes. Raise
    ``OtherTokensError`` for a system that cannot be read by itself.
    """
    # Gold's labels are codes by now.
    gold = reader.gold = replace(reader.gold, columns={})
    if reader.gold_lines is not None:
        reader.gold_lines = replace(reader.gold_lines, gold=gold)
    shelf.limit.check("gold")
    of_spans = reading.task_kind.spans_of_tags
    decoder = Decoder(reading, gold, reader.coder) if of_spans else None
    entries: dict[str, Entry] = {}
    tags: dict[str, Stored] = {}
    spans: dict[str, tuple[list[Stored], NDArray[np.intp] | None]] = {}
    most = 0
    for name in ("", *sources):
        if name:
            progress(name)
            layer = reader.read(sources[name])
            sources[name].forget()
            raise_first(layer.problems)
        else:
            layer = gold_layer(reader)
        if layer.own is not None:
            raise OtherTokensError(layer.path)
        tags[name] = shelf.put("token", layer.codes)
        answers = answer_hashes(reader, {"": layer})[""]
        entries[name] = Entry(name, Origin(layer.path), None, layer.problems, answers=answers)
        if decoder is not None:
            decoded = decoder.decode(layer)
            raise_first(decoded.notes)
            entries[name] = _noted(entries[name], decoded)
            found = decoded.spans
            parts = [shelf.put("spans", part) for part in (found.start, found.end, found.kind)]
            spans[name] = parts, layer.alignment.differ if reading.forms else None
            most = max(most, longest(found))
        shelf.limit.check(layer.path)
    reader.gold_lines = None
    units: dict[str, Callable[[], Items]] = {"token": partial(_stored_tokens, reader, tags, shelf)}
    if decoder is not None:
        progress("spans")
        items = _stored_spans(reading, gold, spans, decoder.kinds.labels, shelf, most)
        units = {"span": maker_of(items), **units}
    known = origins()
    entries = {name: replace(entry, origin=known[name]) for name, entry in entries.items()}
    return replace(_corpus(reading, entries, LazyMapping(units)), limit=shelf.limit)


def _stored_tokens(reader: Reader, tags: Mapping[str, Stored], shelf: Shelf) -> Items:
    columns = {name: codes for name, codes in tags.items() if name}
    answers = DiskCodes(shelf.limit, columns, len(reader.gold))
    labels, table = reader.coder.compared()
    context = reader.gold.context
    return token_items(reader.gold, reader.codes, answers, labels, context, recode=table)


def _stored_spans(
    reading: Reading,
    gold: TokenFile,
    spans: Mapping[str, tuple[list[Stored], NDArray[np.intp] | None]],
    labels: list[str],
    shelf: Shelf,
    most: int,
) -> Items:
    """Return the span items of spans on disk, of which the longest has so many tokens."""
    bits = most.bit_length() + 1
    files: dict[str, Stored] = {}

    def read(name: str) -> Proposed:
        (start, end, kind), differ = spans[name]
        key = extent_keys(start.read(), end.read(), bits, differ)
        return proposed(key, kind.read(), multiset=reading.multiset)

    def keep(name: str, codes: Codes) -> Codes:
        """Put a system's codes on disk; gold's stay."""
        if not name:
            return codes
        files[name] = shelf.put("span", codes)
        return codes[:0]

    systems = LazyMapping({name: partial(read, name) for name in spans if name}, keep=False)
    found = slots(read(""), systems, labels, bits=bits, keep=keep)
    answers = DiskCodes(shelf.limit, files, len(found.key))
    return items_of_slots(gold, found.key, found.codes[""], answers, labels, bits=bits)


def decoded_layers(
    decoder: Decoder, reader: Reader, layers: Mapping[str, TokenLayer]
) -> dict[str, Decoded]:
    """Return the spans of every layer over gold's tokens, decoded over its own, two at a time."""

    def decode_one(layer: TokenLayer) -> Decoded:
        if layer.own is None:
            return decoder.decode(layer)
        own = replace(decoder, gold=layer.own).decode(layer)
        spans, cut = on_gold(own.spans, layer, reader.text.characters)
        return Decoded(spans, own.notes, cut)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip(layers, pool.map(decode_one, layers.values()), strict=True))


def text_items(reading: Reading, reader: Reader, layers: Mapping[str, TokenLayer]) -> Items:
    """Return the tokens, those that only systems have behind gold's of their sentences."""
    gold = reader.gold
    labels, table = reader.coder.compared()
    codes = {name: layer.codes for name, layer in layers.items()}
    rows = joined_rows(gold, layers)
    if rows is None:
        return token_items(gold, codes.pop(""), codes, labels, gold.context, recode=table)
    codes = {name: rows.spread(found, rows.of(name)) for name, found in codes.items()}
    text = rows.table(gold)
    if reading.task_kind.spans_of_tags:
        # A word that only systems have, and that is in no span, is no answer.
        said = np.any([found > 0 for found in codes.values()], axis=0)
        keep = said | ~text.context[NOT_IN_GOLD].to_numpy()
        text, codes = text.filtered(keep), {n: found[keep] for n, found in codes.items()}
    items = token_items(text, codes.pop(""), codes, labels, text.context, recode=table)
    return replace(items, empty_is_answer=reading.task_kind.spans_of_tags)


def _corpus(reading: Reading, entries: dict[str, Entry], units: Mapping[str, Items]) -> Corpus:
    systems = tuple(entry for name, entry in entries.items() if name)
    return Corpus(reading.task or "tag", reading, entries[""], systems, units)


def _noted(entry: Entry, decoded: Decoded) -> Entry:
    return replace(entry, repairs=decoded.spans.repairs, notes=entry.notes + decoded.notes)


def span_items(
    gold: TokenFile,
    layers: Mapping[str, TokenLayer],
    decoded: Mapping[str, Decoded],
    labels: list[str],
    reading: Reading,
) -> Items:
    """Return the span items of tagged text; ``forms`` sets apart spans of other token strings."""
    bits = max((longest(d.spans) for d in decoded.values()), default=0).bit_length() + 1
    keys = {
        name: extent_keys(
            found.spans.start,
            found.spans.end,
            bits,
            layers[name].alignment.differ if reading.forms else None,
        )
        for name, found in decoded.items()
    }
    cuts = {name: found.cut for name, found in decoded.items() if found.cut is not None}
    keys, more, texts = told_apart(keys, cuts) if cuts else (keys, 0, None)
    layered = {
        name: proposed(key, decoded[name].spans.kind, multiset=reading.multiset)
        for name, key in keys.items()
    }
    found = slots(layered[""], {n: k for n, k in layered.items() if n}, labels, bits=bits + more)
    codes = dict(found.codes)
    gold_codes = codes.pop("")
    items = items_of_slots(gold, found.key >> more, gold_codes, codes, labels, bits=bits)
    return items if texts is None else with_cuts(items, found.key, texts)


def items_of_slots(
    gold: TokenFile,
    key: NDArray[np.int64],
    codes: Codes,
    answers: Mapping[str, Codes],
    labels: list[str],
    *,
    bits: int,
) -> Items:
    """Return the span items at the extents of some keys."""
    start, length = key >> bits, (key & ((1 << bits) - 1)) >> 1
    columns = span_place(gold, start, length)
    items = Items(
        "span", pl.DataFrame(columns), (), codes, answers,
        group_count=int(gold.sentence[-1]) + 1,
        lazy_form=LazyColumn(partial(surface, gold.form, start, length)),
    )  # fmt: skip
    return items.sorted_labels(labels)


def longest(spans: Spans) -> int:
    """Return the number of tokens of the longest span, 0 if there is none."""
    return int((spans.end - spans.start).max()) if len(spans.start) else 0


def extent_keys(
    start: NDArray[np.int32], end: NDArray[np.int32], bits: int, differ: NDArray[np.intp] | None
) -> NDArray[np.int64]:
    """Return a key for each extent, in reading order; tokens that ``differ`` set extents apart."""
    key = start.astype(np.int64) << bits
    key |= (end - start).astype(np.int64) << 1
    if differ is not None and len(differ):
        low, high = np.searchsorted(differ, start), np.searchsorted(differ, end)
        key |= high > low
    return key


def span_place(
    gold: TokenFile, start: NDArray[np.int64], length: NDArray[np.int64]
) -> list[pl.Series]:
    """Return the columns that say where spans of so many tokens are, and gold's others."""
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


def surface(
    form: pl.Series,
    start: NDArray[np.int64],
    length: NDArray[np.int64],
    rows: NDArray[np.integer] | None = None,
) -> pl.Series:
    """Return the text of spans, of all or of some: their token strings, joined by spaces."""
    if rows is not None:
        start, length = start[rows], length[rows]
    return joined_words(form, flat(start, start + length), np.repeat(np.arange(len(start)), length))
