"""Lists of entities without places: gold's text says where they are, or strings are compared.

Strings with labels are items where gold is a list itself or the text has no such string. They are
the same whatever white space is in them; a pair counts once for a text, or as often as it is listed
(``--multiset``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.corpus.coding import Coder, decoded, width
from coleval.corpus.corpus import Corpus, Entry, Origin
from coleval.corpus.items import CHARACTER, NOT_IN_TEXT, STRING, Items
from coleval.corpus.lazy import LazyColumn, LazyMapping
from coleval.counts.span_slots import proposed, slots
from coleval.loading.align.entity_lists import (
    FoundLists,
    ListedGold,
    check_text,
    found_lists,
    labels_of,
)
from coleval.loading.align.ids import absent_of, rows_of
from coleval.loading.align.offsets import GoldTexts
from coleval.loading.align.placing import BEST, FIRST, WORST
from coleval.loading.readers.model import EntityFile, OffsetFile, TableFile
from coleval.loading.readers.steps import steps
from coleval.loading.tasks.offsets import words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.options import Reading
    from coleval.corpus.problems import Problem
    from coleval.counts.span_slots import Proposed

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
        nothing = pl.Series([], dtype=pl.String)
        layers = {"": Strings(np.empty(0, np.int64), nothing, nothing)}
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


@dataclass(frozen=True, slots=True)
class Strings:
    """The strings and labels that a layer has in each text; texts are numbered from 0."""

    text: NDArray[np.integer]
    string: pl.Series
    label: pl.Series


def string_items(
    reading: Reading, layers: Mapping[str, Strings], texts: int, names: pl.Series | None = None
) -> Items:
    """Return the items of all layers, gold under the empty name; ``names`` are those of texts."""
    bare = {name: layer.string.str.replace_all(r"\s+", "") for name, layer in layers.items()}
    if reading.place_fold:
        bare = {name: strings.str.to_lowercase() for name, strings in bare.items()}
    spelled = _spelled(layers, bare)
    coder = Coder(fold=str.casefold if reading.fold else None)
    bits = max(len(spelled), 1).bit_length()
    found = {
        name: _proposed(layer, bare[name], spelled["bare"], coder, bits, reading)
        for name, layer in layers.items()
    }
    gold = found.pop("")
    slot = slots(gold, found, coder.labels, bits=bits)
    codes = dict(slot.codes)
    text = slot.key >> bits
    form = spelled["string"].gather(slot.key & ((1 << bits) - 1))
    columns = [pl.Series("sentence", text.astype(np.uint32)), form.alias("form")]
    if names is not None:
        columns.insert(0, names.gather(text).cast(pl.String).alias("id"))
    items = Items(STRING, pl.DataFrame(columns), (), codes.pop(""), codes, group_count=texts)
    return items.sorted_labels(coder.labels)


def _spelled(layers: Mapping[str, Strings], bare: Mapping[str, pl.Series]) -> pl.DataFrame:
    """Return every string as it is compared, sorted, with a spelling, gold's if it has one."""
    every = pl.concat(
        pl.DataFrame({"bare": bare[name], "string": layer.string})
        for name, layer in layers.items()
    )  # fmt: skip
    return every.unique("bare", keep="first", maintain_order=True).sort("bare")


def _proposed(
    layer: Strings, bare: pl.Series, known: pl.Series, coder: Coder, bits: int, reading: Reading
) -> Proposed:
    there = (bare != "").to_numpy()
    number = known.search_sorted(bare).to_numpy().astype(np.int64)
    kind = coder.encode(layer.label).astype(np.int32)
    there &= kind > 0
    key = (layer.text.astype(np.int64) << bits) | number
    return proposed(key[there], kind[there], multiset=reading.multiset)


def with_strings(spans: Items, strings: Items) -> Items:
    """Return spans with the strings before those of their sentences; gold has none of these."""
    if not len(strings):
        return spans
    labels = tuple(sorted({*spans.labels, *strings.labels}))
    theirs, own = (_recoded(items, labels) for items in (spans, strings))
    context = _context(spans.context, strings.context)
    order = np.argsort(context["sentence"].to_numpy(), kind="stable")
    answers = {
        name: np.concatenate([own.get(name, np.zeros(len(strings), codes.dtype)), codes])[order]
        for name, codes in theirs.items()
    }
    gold = answers.pop("")
    form = LazyColumn.of_whole(partial(_forms, spans, strings, order))
    return replace(
        spans, context=context[pl.Series(order)], labels=labels, gold=gold, answers=answers,
        lazy_form=form,
    )  # fmt: skip


def _recoded(items: Items, labels: Sequence[str]) -> dict[str, Codes]:
    """Return the codes of all layers, gold's under the empty name, with other labels."""
    place = {label: code for code, label in enumerate(labels, 1)}
    table = np.array([0, *(place[label] for label in items.labels)], width(len(labels)))
    return {name: table[codes] for name, codes in {"": items.gold, **items.answers}.items()}


def _context(spans: pl.DataFrame, strings: pl.DataFrame) -> pl.DataFrame:
    """Return the context of both; a string has the place where its sentence begins."""
    more = strings.drop("form").with_columns(
        pl.lit(0).cast(spans.schema[name]).alias(name) for name in ("start", "end")
    )
    marked = spans.with_columns(pl.lit(value=False).alias(NOT_IN_TEXT))
    more = more.with_columns(pl.lit(value=True).alias(NOT_IN_TEXT))
    both = pl.concat([more, marked], how="diagonal")
    return both.select(marked.columns)


def _forms(spans: Items, strings: Items, order: NDArray[np.intp]) -> pl.Series:
    forms = spans.form()
    assert forms is not None  # noqa: S101  - spans have texts
    return pl.concat([strings.context["form"], forms.cast(pl.String)]).gather(pl.Series(order))


def listed_corpus(
    reading: Reading, files: Mapping[str, EntityFile], origins: Mapping[str, Origin]
) -> Corpus:
    """Return the corpus of lists against lists; gold has the empty name."""
    gold = files[""]
    layers: dict[str, Strings] = {}
    absent: dict[str, Problem | None] = {}
    for name, file in files.items():
        text, absent[name] = _texts(gold, file)
        layers[name] = Strings(text[file.record], file.string, labels_of(file))
    items = string_items(reading, layers, gold.records, gold.id)
    entries = {name: Entry(name, origins[name], absent=absent[name]) for name in files}
    systems = tuple(entry for name, entry in entries.items() if name)
    return Corpus("span", reading, entries[""], systems, {STRING: items})


def _texts(gold: EntityFile, file: EntityFile) -> tuple[NDArray[np.int64], Problem | None]:
    """Return the number of gold's record for each record of a file, and what the file lacks."""
    # Records are joined by their ids as the rows of tables are.
    ours, theirs = (
        TableFile(one.path, one.id, {"text": one.text}, line=one.line) for one in (gold, file)
    )
    rows = rows_of(ours, theirs)
    place = pl.DataFrame({"row": rows, "text": np.arange(gold.records)}).drop_nulls()
    text = np.zeros(file.records, np.int64)
    text[place["row"].to_numpy()] = place["text"].to_numpy()
    for record in np.flatnonzero(file.text.is_not_null().to_numpy()).tolist():
        if (own := gold.text[int(text[record])]) is not None:
            check_text(file, record, own)
    answered = pl.Series(file.answered).gather(rows)
    return text, absent_of(ours, theirs, rows.set(~answered.fill_null(value=False), None))
