"""Strings with labels as items, where gold is a list itself or the text has no such string.

What lists of entities can be compared by without any place. Strings are the same whatever white
space is in them; a pair counts once for a text, or as often as it is listed (``--multiset``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import Coder, width
from coleval.corpus.corpus import Corpus, Entry, Origin
from coleval.corpus.items import NOT_IN_TEXT, STRING, Items
from coleval.corpus.lazy import LazyColumn
from coleval.counts.span_slots import proposed, slots
from coleval.loading.align.entity_lists import labels_of
from coleval.loading.align.ids import absent_of, rows_of
from coleval.loading.align.listed_records import check_text
from coleval.loading.readers.model import TableFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.options import Reading
    from coleval.corpus.problems import Problem
    from coleval.counts.span_slots import Proposed
    from coleval.loading.readers.model import EntityFile


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
    bare = {name: _bare(layer.string, fold=reading.place_fold) for name, layer in layers.items()}
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


def _bare(strings: pl.Series, *, fold: bool) -> pl.Series:
    """Return strings as they are compared."""
    bare = strings.str.replace_all(r"\s+", "")
    return bare.str.to_lowercase() if fold else bare


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
    ours, theirs = _table(gold), _table(file)
    rows = rows_of(ours, theirs)
    place = pl.DataFrame({"row": rows, "text": np.arange(gold.records)}).drop_nulls()
    text = np.zeros(file.records, np.int64)
    text[place["row"].to_numpy()] = place["text"].to_numpy()
    for record in np.flatnonzero(file.text.is_not_null().to_numpy()).tolist():
        if (own := gold.text[int(text[record])]) is not None:
            check_text(file, record, own)
    answered = pl.Series(file.answered).gather(rows)
    return text, absent_of(ours, theirs, rows.set(~answered.fill_null(value=False), None))


def _table(file: EntityFile) -> TableFile:
    """Return the records of a file as rows of a table, to be joined by their ids."""
    return TableFile(file.path, file.id, {"text": file.text}, line=file.line)
