"""Corpora of spans that are placed by characters, whatever the formats that they came in."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl

from coleval.corpus.coding import Coder, width
from coleval.corpus.corpus import Corpus, Entry
from coleval.corpus.items import CHARACTER
from coleval.corpus.lazy import LazyMapping
from coleval.corpus.problems import Problem, raise_first
from coleval.counts.span_slots import proposed
from coleval.errors import DataError
from coleval.loading.align.offsets import GoldTexts, place
from coleval.loading.align.records import absent_of
from coleval.loading.readers.model import TokenFile
from coleval.loading.tasks.offset_items import Cover, OffsetItems, words_of
from coleval.loading.tasks.span_files import duplicates, extents_of
from coleval.loading.tasks.tag import token_items

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from coleval.corpus.corpus import Origin
    from coleval.corpus.items import Items
    from coleval.corpus.options import Reading
    from coleval.counts.span_slots import Proposed
    from coleval.loading.align.offsets import PlacedSpans
    from coleval.loading.readers.model import OffsetFile, WordPlaces


def offset_corpus(
    reading: Reading,
    files: Mapping[str, OffsetFile],
    origins: Mapping[str, Origin],
    *,
    tokens: TokenFile | None = None,
    repairs: Mapping[str, int | None] | None = None,
) -> Corpus:
    """Return the corpus of gold, which has the empty name, and of systems on the same texts.

    ``tokens`` are gold's where it came as tokens, ``repairs`` those of files that did.
    """
    gold = GoldTexts(files[""])
    placed = _placed(gold, files, near=reading.differing_text == "align")
    items = _items(gold, files, placed, reading, tokens)
    entries = {
        name: Entry(
            name,
            origins[name],
            (repairs or {}).get(name),
            _notes(items, name, file, placed[name], reading),
            _absent(gold.file, file, placed[name]),
        )
        for name, file in files.items()
    }
    units: dict[str, Callable[[], Items]] = {
        "span": items.spans,
        "token": partial(_token_items, items),
    }
    units |= {} if gold.file.joined else {CHARACTER: items.characters}
    systems = tuple(entry for name, entry in entries.items() if name)
    return Corpus("span", reading, entries[""], systems, LazyMapping(units))


def _placed(
    gold: GoldTexts, files: Mapping[str, OffsetFile], *, near: bool
) -> dict[str, PlacedSpans]:
    """Return where the spans of all files are in gold's texts; raise for the first that are not."""
    placed = {n: place(gold, f, near=near) if n else gold.spans for n, f in files.items()}
    for found in placed.values():
        raise_first(found.problems)
    return placed


def _items(
    gold: GoldTexts,
    files: Mapping[str, OffsetFile],
    placed: Mapping[str, PlacedSpans],
    reading: Reading,
    tokens: TokenFile | None,
) -> OffsetItems:
    words = words_of(gold.file, gold.points)
    if not len(words):
        raise DataError("has no words", where=gold.file.path, remedy="is it the right file?")
    extents = extents_of(placed)
    coder = Coder(fold=str.casefold if reading.fold else None)
    layers = {
        name: proposed(
            extents.rank[name],
            coder.encode(file.label).astype(np.int32),
            multiset=reading.multiset,
        )
        for name, file in files.items()
    }
    text = tokens if tokens is not None else _tokens(gold, words)
    return OffsetItems(gold, text, words, extents, layers, coder.labels)


def _notes(
    items: OffsetItems, name: str, file: OffsetFile, placed: PlacedSpans, reading: Reading
) -> tuple[Problem, ...]:
    """Return what reading a file brought up, and placing its spans."""
    again = duplicates(file.path, items.layers[name], reading)
    cut = _cut(file, placed, items.gold.file, items.words)
    return (*file.notes, *placed.problems, *again, *cut)


def _absent(gold: OffsetFile, file: OffsetFile, placed: PlacedSpans) -> Problem | None:
    return None if placed.absent is None else absent_of(gold, file, placed.absent)


def _tokens(gold: GoldTexts, words: WordPlaces) -> TokenFile:
    """Return the words of gold's texts with the documents that they are in, if these have names."""
    from coleval.loading.readers.code_points import texts_at

    file, record = gold.file, words.document
    named = file.ids is not None or len(file.texts) > 1
    number = pl.int_range(1, len(file.texts) + 1, eager=True).cast(pl.String)
    names = tuple((number if file.ids is None else file.ids).to_list()) if named else ()
    return TokenFile(
        path=file.path,
        form=texts_at(gold.points.points, words.start, words.end),
        sentence=cast("NDArray[np.int32]", words.sentence),
        line=file.line[record],
        columns={},
        document=record if named else None,
        documents=names,
        context={n: c.gather(pl.Series(record)) for n, c in file.context.items()},
    )


def _cut(
    file: OffsetFile, placed: PlacedSpans, gold: OffsetFile, words: WordPlaces
) -> tuple[Problem, ...]:
    """Return the note that spans cover a part of a token: of those that gold brings along."""
    if gold.words is None or not len(placed.start):
        return ()
    alone = extents_of({"": placed})
    late, early = Cover.of(alone, words).cut()
    cut = np.flatnonzero((late | early)[alone.rank[""]])
    if not len(cut):
        return ()
    at = int(cut[0])
    where = "" if file.fields is None else f" ({file.fields(at)})"
    label = f"`{file.label[at]}`{where}"
    return (
        Problem(
            file.path,
            int(file.span_line[at]),
            "cut",
            f"a span with label {label} begins or ends inside a token of gold",
            "it equals no span of whole tokens, and is not moved: column `cut_at`",
            len(cut),
            fatal=False,
        ),
    )


def _token_items(items: OffsetItems) -> Items:
    """Return the words as items whose labels are the tags that spans would be written with."""
    coder = Coder()
    codes = {name: _tag_codes(items, layer, coder) for name, layer in items.layers.items()}
    kind = width(len(coder.labels))
    codes = {name: found.astype(kind) for name, found in codes.items()}
    tokens = items.tokens
    gold = codes.pop("")
    return token_items(tokens, gold, codes, coder.labels, tokens.context)


def _tag_codes(
    items: OffsetItems, layer: Proposed, coder: Coder
) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    tags = items.tags(layer)
    codes = np.zeros(len(items.words), np.uint32)
    codes[tags["word"].to_numpy()] = coder.encode(tags["tag"])
    return codes
