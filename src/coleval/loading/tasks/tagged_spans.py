"""The spans of tagged tokens, for corpora of which other files place spans by characters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import spelled
from coleval.corpus.problems import raise_first, scorable
from coleval.loading.align.position import IDENTICAL
from coleval.loading.readers.model import OffsetFile, WordPlaces
from coleval.loading.readers.steps import steps
from coleval.loading.tasks.layers import (
    TokenLayer,
    form_tokens,
    gold_layer,
    open_gold,
    without,
)
from coleval.loading.tasks.settling import settle
from coleval.loading.tasks.tokens import Decoder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from coleval.corpus.options import Reading
    from coleval.corpus.problems import Problem
    from coleval.corpus.schemes import Spans
    from coleval.loading.readers.formats import Format
    from coleval.loading.readers.model import TokenFile
    from coleval.loading.readers.source import Source
    from coleval.loading.tasks.layers import Reader

    Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TaggedText:
    """A text with spans; the tokens that it is made of and how many tags were repaired, if any."""

    file: OffsetFile
    tokens: TokenFile | None = None
    repairs: int | None = None


@dataclass(frozen=True, slots=True)
class TaggedGold:
    """Gold as tagged tokens, with what it takes to read systems against them."""

    text: TaggedText
    reader: Reader
    decoder: Decoder

    def system(self, source: Source) -> TaggedText:
        """Return a system with tags on gold's tokens, or on others of the same text."""
        layer = self.reader.read(source)
        if not scorable(layer.problems) and self.reader.reading.differing_text == "align":
            return tagged_alone(source, self.reader.format, self.reader.reading)
        raise_first(layer.problems)
        own = self.reader.gold if layer.own is None else layer.own
        tokens = replace(own, path=layer.path, line=layer.line)
        return _text(replace(self.decoder, gold=tokens), layer, tokens)


def tagged_gold(source: Source, form: Format, reading: Reading) -> TaggedGold:
    """Return gold as tagged tokens."""
    settled, reader = open_gold(source, form, reading)
    decoder = Decoder(settled, reader.gold, reader.coder)
    return TaggedGold(_text(decoder, gold_layer(reader), reader.gold), reader, decoder)


def tagged_alone(source: Source, form: Format, reading: Reading) -> TaggedText:
    """Return a system with tags on tokens of its own, where gold has none."""
    tokens = without(form_tokens(form, source, reading, "system"), reading.drop)
    known = spelled(tokens.columns["system"])
    settled, coder = settle(reading, tokens, known.labels)
    layer = TokenLayer(source.path, coder.recode(known), tokens.line, IDENTICAL)
    return _text(Decoder(settled, tokens, coder), layer, tokens)


def _text(decoder: Decoder, layer: TokenLayer, tokens: TokenFile) -> TaggedText:
    decoded = decoder.decode(layer)
    raise_first(decoded.notes)
    whole = replace(tokens, document=None) if decoder.reading.within == "corpus" else tokens
    notes = (*layer.problems, *decoded.notes)
    file = joined_text(whole, decoded.spans, decoder.kinds.labels, notes)
    return TaggedText(file, tokens, decoded.spans.repairs)


def joined_text(
    file: TokenFile, spans: Spans, labels: Sequence[str], notes: tuple[Problem, ...] = ()
) -> OffsetFile:
    """Return the tokens with spaces between them, a line a sentence and a record a document."""
    document = np.zeros(len(file), np.int32) if file.document is None else file.document
    opens = np.flatnonzero(steps(document))
    size = file.form.str.len_chars().to_numpy().astype(np.int64)
    place = np.cumsum(size + 1) - size - 1
    start = place - place[opens][document]
    names = pl.Series(["", *labels], dtype=pl.String)
    # The text of every document: words with spaces between, a line a sentence.
    last = np.append(steps(file.sentence)[1:], True)
    words = (file.form + pl.Series(np.where(last, "\n", " "))).alias("text")
    frame = pl.DataFrame({"document": document, "text": words})
    texts = frame.group_by("document", maintain_order=True).agg(pl.col("text").str.join(""))["text"]
    return OffsetFile(
        path=file.path,
        texts=texts.str.head(-1),
        ids=None,
        line=file.line[opens],
        document=document[spans.start],
        start=start[spans.start],
        end=start[spans.end - 1] + size[spans.end - 1],
        label=names.gather(pl.Series(spans.kind.astype(np.uint32))),
        span_line=file.line[spans.start],
        words=WordPlaces(document, start, start + size, file.sentence),
        joined=True,
        notes=notes,
    )
