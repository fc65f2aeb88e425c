"""Gold and systems of several formats: they meet by gold's text, or lists by strings alone."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from coleval.corpus.problems import raise_first
from coleval.loading.readers.formats import Format, detect, need
from coleval.loading.tasks.joined_text import joined_text
from coleval.loading.tasks.layers import gold_layer, open_gold
from coleval.loading.tasks.listed_gold import listed_corpus
from coleval.loading.tasks.lists import corpus_with_lists
from coleval.loading.tasks.offsets import offset_corpus
from coleval.loading.tasks.tokens import Decoder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from coleval.corpus.corpus import Corpus, Origin
    from coleval.corpus.options import Reading
    from coleval.loading.readers.model import EntityFile, OffsetFile
    from coleval.loading.readers.source import Source
    from coleval.loading.sources import Inputs
    from coleval.loading.tasks.layers import TokenLayer

    Progress = Callable[[str], None]
    Origins = Mapping[str, Origin]


def mixed_corpus(
    inputs: Inputs, form: Format, reading: Reading, origins: Origins, progress: Progress
) -> Corpus:
    """Return the corpus of gold and systems of which some list entities."""
    if form.entities is not None:
        sources = {"": inputs.gold, **inputs.systems}
        files = {name: _listed(name, s, form, reading, progress) for name, s in sources.items()}
        return listed_corpus(reading, files, origins)
    return _on_tokens(inputs, form, reading, origins, progress)


def _listed(
    name: str, source: Source, form: Format, reading: Reading, progress: Progress
) -> EntityFile:
    """Return the lists of a file; raise if it is of another format, which has no lists."""
    progress(name or "gold")
    own = form if reading.format or not name else detect(source, reading.task)
    need(own, "entities", source)
    assert own.entities is not None  # noqa: S101  - need() has just made sure
    return own.entities(source, reading.columns, "system" if name else "gold")


def _on_tokens(
    inputs: Inputs, form: Format, reading: Reading, origins: Origins, progress: Progress
) -> Corpus:
    settled, reader = open_gold(inputs.gold, form, replace(reading, task=reading.task or "span"))
    decoder = Decoder(settled, reader.gold, reader.coder)
    files: dict[str, OffsetFile | EntityFile] = {}
    repairs: dict[str, int | None] = {}
    files[""], repairs[""] = _tagged(decoder, gold_layer(reader))
    for name, source in inputs.systems.items():
        own = detect(source, reading.task)
        if own.entities is not None:
            files[name] = _listed(name, source, own, reading, progress)
        else:
            progress(name)
            layer = reader.read(source)
            raise_first(layer.problems)
            files[name], repairs[name] = _tagged(decoder, layer)
    make = partial(offset_corpus, settled, origins=origins, tokens=reader.gold, repairs=repairs)
    return corpus_with_lists(settled, files, make)


def _tagged(decoder: Decoder, layer: TokenLayer) -> tuple[OffsetFile, int]:
    """Return the spans of tagged tokens as characters of their text, and the repairs."""
    own = decoder.gold if layer.own is None else layer.own
    found = replace(decoder, gold=own).decode(layer)
    raise_first(found.notes)
    notes = (*layer.problems, *found.notes)
    file = joined_text(own, found.spans, decoder.kinds.labels, notes)
    return replace(file, path=layer.path), found.spans.repairs
