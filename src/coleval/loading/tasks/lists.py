"""Corpora in which some systems list entities without places: gold's text says where they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.corpus.coding import decoded
from coleval.corpus.items import CHARACTER, STRING
from coleval.corpus.lazy import LazyMapping
from coleval.loading.align.entity_lists import FoundLists, ListedGold, found_lists
from coleval.loading.align.offsets import GoldTexts
from coleval.loading.align.placing import BEST, FIRST, WORST
from coleval.loading.readers.model import EntityFile, OffsetFile
from coleval.loading.readers.steps import steps
from coleval.loading.tasks.offset_items import words_of
from coleval.loading.tasks.strings import Strings, string_items, with_strings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.corpus.options import Reading

    Numbers = NDArray[np.integer[Any]]

INTERVAL = "interval"
# What returns the corpus of files that are placed by characters.
Make = Callable[[Mapping[str, OffsetFile]], "Corpus"]


def corpus_with_lists(
    reading: Reading, files: Mapping[str, OffsetFile | EntityFile], make: Make
) -> Corpus:
    """Return the corpus of gold (the empty name) and of systems, some of which are lists."""
    gold = files[""]
    assert isinstance(gold, OffsetFile)  # noqa: S101  - gold that is lists has another way
    listed = ListedGold(gold, fold_labels=reading.fold, fold_case=reading.place_fold)
    found = {n: found_lists(listed, f) for n, f in files.items() if isinstance(f, EntityFile)}
    lists = _ListedSystems(reading, files, found, make)
    policy = FIRST if reading.place == INTERVAL else reading.place
    corpus = lists.placed(policy)
    makers = {name: partial(corpus.units.__getitem__, name) for name in corpus.units}
    units: dict[str, Callable[[], Items]] = {
        **makers,
        **{n: partial(lists.spans, corpus, n) for n in ("span", CHARACTER) if n in corpus.units},
        STRING: partial(lists.strings, corpus),
    }
    layers = {n: partial(lists.layer, n) for n in (WORST, BEST) if reading.place == INTERVAL}
    entries = tuple(
        replace(e, absent=found[e.name].paired.absent, places=tuple(found[e.name].places().items()))
        if e.name in found
        else e
        for e in corpus.entries
    )
    return replace(corpus, entries=entries, units=LazyMapping(units), layers=LazyMapping(layers))


@dataclass(frozen=True)
class _ListedSystems:
    """All files of a corpus, those that are lists with the occurrences of their strings."""

    reading: Reading
    files: Mapping[str, OffsetFile | EntityFile]
    found: Mapping[str, FoundLists]
    make: Make

    @cached_property
    def record(self) -> Numbers:
        """Return the record of each sentence of gold."""
        gold = self.files[""]
        assert isinstance(gold, OffsetFile)  # noqa: S101  - gold that is lists has another way
        words = words_of(gold, GoldTexts(gold).points)
        assert words.sentence is not None  # noqa: S101  - that is what they are made with
        return words.document[np.flatnonzero(steps(words.sentence))]

    def placed(self, policy: str) -> Corpus:
        """Return the corpus under a policy, without the strings that are not in the text."""
        others = {n: f for n, f in self.files.items() if isinstance(f, OffsetFile)}
        placed = {name: lists.placed(policy) for name, lists in self.found.items()}
        every = {**others, **placed}
        return self.make({name: every[name] for name in self.files})

    def layer(self, policy: str) -> Items:
        """Return the spans under a policy as a layer of that name."""
        return replace(self.spans(self.placed(policy), "span"), unit=policy)

    def spans(self, corpus: Corpus, unit: str) -> Items:
        """Return the spans of a corpus with the strings that are not in the text."""
        home = None if unit == CHARACTER else self.record
        layers = {"": _none()}
        for name, lists in self.found.items():
            entry = lists.nowhere()
            at = pl.Series(entry)
            sentence = _sentences(lists, home)[lists.unit[entry]]
            layers[name] = Strings(sentence, lists.lists.string.gather(at), lists.label.gather(at))
        spans = corpus.units[unit]
        found = string_items(self.reading, layers, spans.group_count)
        return with_strings(spans, found)

    def strings(self, corpus: Corpus) -> Items:
        """Return the strings of all layers with their labels, by the texts that lists are about."""
        spans = corpus.units["span"]
        home = self.record
        by_records = not all(lists.paired.units.of_sentences for lists in self.found.values())
        sentence = spans.context["sentence"].to_numpy()
        text = home[sentence] if by_records else sentence
        layers = {"": _strings(spans, spans.gold, text)}
        for name, codes in spans.answers.items():
            layers[name] = _strings(spans, codes, text)
        for name, lists in self.found.items():
            unit = lists.paired.units.document[lists.unit] if by_records else lists.unit
            layers[name] = Strings(unit, lists.lists.string, lists.label)
        texts = int(home[-1]) + 1 if by_records else len(home)
        return string_items(self.reading, layers, texts)


def _none() -> Strings:
    nothing = pl.Series([], dtype=pl.String)
    return Strings(np.empty(0, np.int64), nothing, nothing)


def _strings(spans: Items, codes: Codes, text: Numbers) -> Strings:
    """Return the strings of the spans that a layer has."""
    rows = np.flatnonzero(codes)
    form = spans.where(rows).form()
    assert form is not None  # noqa: S101  - spans of texts have texts
    labels = decoded(codes[rows], spans.labels)
    return Strings(text[rows], form.cast(pl.String), labels.cast(pl.String))


def _sentences(lists: FoundLists, home: Numbers | None) -> Numbers:
    """Return the sentence of each stretch of text, of a record the first; or just its record."""
    units = lists.paired.units
    if home is None:
        return units.document
    if units.of_sentences:
        return np.arange(len(units))
    return np.minimum(np.searchsorted(home, np.arange(len(units))), len(home) - 1)
