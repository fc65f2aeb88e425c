"""Reading training data: a tagged text by itself, as gold is read, and what it stands for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.corpus.corpus import Origin
from coleval.corpus.selection import Selection
from coleval.corpus.training import Training, counted
from coleval.errors import UsageError
from coleval.loading.readers.segments import read_segments
from coleval.loading.readers.steps import flat
from coleval.loading.tasks.layers import gold_layer, open_gold
from coleval.loading.tasks.offsets import offset_corpus
from coleval.loading.tasks.settling import format_of
from coleval.loading.tasks.tokens import Decoder, surface

if TYPE_CHECKING:
    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items
    from coleval.corpus.options import Reading
    from coleval.loading.readers.formats import Format
    from coleval.loading.readers.source import Source
from coleval.loading.tasks.layers import Reader


def read_training(
    source: Source, reading: Reading, columns: Any = "", sha256: str = ""
) -> Training:
    """Return the training data of a file with tokens and labels; the last column holds the labels.

    ``columns`` says which they are where they are others; ``reading`` is how gold was read.
    """
    if reading.task_kind.texts:
        return _of_words(source, sha256)
    if not reading.task_kind.tagged_text:
        raise UsageError(
            f"training data are tagged text, and the task is {reading.task}",
            where="--train",
            remedy="leave it out",
        )
    chosen = Selection.of(columns) if columns else Selection()
    # Gold's format, if that is one of running text.
    known = reading.format if reading.format in _TEXTS else None
    plain = replace(reading, columns=chosen, merged=False, format=known)
    form = format_of(source, plain)
    if form.offsets is not None:
        return _placed(source, form, plain, sha256)
    settled, reader = open_gold(source, form, plain)
    forms, tags = reader.gold.form.rename("form"), _named(reader.codes, reader.coder.names, "tag")
    if not reading.task_kind.spans_of_tags:
        text = pl.DataFrame([forms, tags, tags.rename("label"), _sentences(reader)])
        return counted(source.path, sha256, text, pl.DataFrame(schema=_SPAN))
    return _tagged(source.path, sha256, settled, reader, tags)


def _of_words(source: Source, sha256: str) -> Training:
    """Return the words of a text, or those of a list of words with their counts, by TAB."""
    lines = read_segments(source, Selection()).columns["text"]
    parts = lines.str.extract_groups(r"^(?<form>[^\t]+)\t(?<n>[0-9]+)$").struct.unnest()
    if parts["form"].null_count():
        words = lines.str.extract_all(r"\S+").rename("form").explode().drop_nulls().to_frame()
        parts = words.group_by("form").agg(pl.len().alias("n")).sort("form")
    label = pl.lit(None, pl.String).alias("label")
    table = parts.select("form", label, pl.col("n").cast(pl.Int64))
    nothing = counted(source.path, sha256, pl.DataFrame(schema=_TEXT), pl.DataFrame(schema=_SPAN))
    return replace(nothing, tables={**nothing.tables, "token": table})


_TEXT = {"form": pl.String, "tag": pl.String, "label": pl.String, "sentence": pl.UInt32}
_TEXTS = ("columns", "conllu", "hipe", "sequences", "offsets", "brat")
_SPAN = {"string": pl.String, "label": pl.String}


def _placed(source: Source, form: Format, reading: Reading, sha256: str) -> Training:
    """Return the spans of texts that place them by characters, and the words of these texts."""
    assert form.offsets is not None  # noqa: S101  - the caller has looked
    file = form.offsets(source, reading.selection, "gold")
    gold = offset_corpus(replace(reading, task="span"), {"": file}, {"": Origin(source.path)})
    words, spans = gold.units["token"], gold.units["span"]
    tags = _named(words.gold, list(words.labels), "tag")
    # Of several spans on a word, the first by name.
    label = tags.str.split("|").list.first().str.slice(2).rename("label")
    text = pl.DataFrame([_form(words, "form"), tags, label, words.context["sentence"]])
    rows = [_form(spans, "string"), _named(spans.gold, list(spans.labels), "label")]
    return counted(source.path, sha256, text, pl.DataFrame(rows))


def _form(items: Items, name: str) -> pl.Series:
    form = items.form()
    assert form is not None  # noqa: S101  - texts have words, and spans have texts
    return form.rename(name).cast(pl.String)


def _sentences(reader: Reader) -> pl.Series:
    return pl.Series("sentence", reader.gold.sentence.astype(np.uint32))


def _named(codes: Codes, labels: list[str], name: str) -> pl.Series:
    known = pl.Series(name, [None, *labels], dtype=pl.String)
    return known.gather(pl.Series(codes.astype(np.uint32)))


def _tagged(path: str, sha256: str, reading: Reading, reader: Reader, tags: pl.Series) -> Training:
    """Return the spans of tagged text, and the label of every token that is in one."""
    decoder = Decoder(reading, reader.gold, reader.coder)
    spans = decoder.decode(gold_layer(reader)).spans
    kind = spans.kind.astype(np.uint32)
    start, size = spans.start.astype(np.int64), (spans.end - spans.start).astype(np.int64)
    inside = np.zeros(len(reader.gold), np.uint32)
    token = flat(start, start + size)
    inside[token] = np.repeat(kind, size)
    labels = decoder.kinds.labels
    form = reader.gold.form.rename("form")
    text = pl.DataFrame([form, tags, _named(inside, labels, "label"), _sentences(reader)])
    string = surface(reader.gold.form, start, size).cast(pl.String).rename("string")
    return counted(path, sha256, text, pl.DataFrame([string, _named(kind, labels, "label")]))
