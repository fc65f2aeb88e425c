"""The spans of tagged tokens, for corpora of which other files place spans by characters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from coleval.corpus.coding import spelled
from coleval.corpus.problems import raise_first, scorable
from coleval.loading.align.model import IDENTICAL
from coleval.loading.tasks.joined_text import joined_text
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
    from coleval.corpus.options import Reading
    from coleval.loading.readers.formats import Format
    from coleval.loading.readers.model import OffsetFile, TokenFile
    from coleval.loading.readers.source import Source
    from coleval.loading.tasks.layers import Reader


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
