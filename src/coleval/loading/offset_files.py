"""Gold and systems of which some place spans by characters, or list them without places.

Others may have tags on tokens.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from coleval.corpus.paths import is_file
from coleval.errors import UsageError
from coleval.loading.readers.beginnings import Beginning
from coleval.loading.readers.formats import FORMATS, detect, format_named, need

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from coleval.corpus.corpus import Corpus, Origin
    from coleval.corpus.options import Reading
    from coleval.loading.readers.formats import Format
    from coleval.loading.readers.model import EntityFile, OffsetFile
    from coleval.loading.readers.source import Source
    from coleval.loading.sources import Inputs
_SUFFIXES = (".ann", ".json", ".jsonl", ".ndjson")
_TASK = "span"
# So many bytes tell whether spans are placed by characters.
_LOOKED_AT = 1 << 10


def any_offsets(inputs: Inputs, form: Format, reading: Reading) -> bool:
    """Tell whether gold, or a system on gold's tokens, has spans by characters, or lists."""
    if form.offsets is not None or form.entities is not None:
        return True
    if form.tokens is None or not _of_spans(reading):
        return False
    if reading.differing_text == "align" and reading.task is not None:
        return True
    if reading.format is not None:
        return False
    likely = (source for source in inputs.systems.values() if _may_place_spans(source))
    forms = (detect(source, _TASK) for source in likely)
    return any(own.offsets is not None or own.entities is not None for own in forms)


def _of_spans(reading: Reading) -> bool:
    """Tell whether spans are what is read, or may be."""
    return reading.task is None or reading.task_kind.spans_of_tags


def _may_place_spans(source: Source) -> bool:
    """Tell by a suffix or the first lines whether a file is worth a closer look."""
    if source.frame is not None or source.path == "-":
        return False
    if source.suffix in _SUFFIXES:
        return True
    path = Path(source.path)
    if not is_file(path):
        return False
    with path.open("rb") as file:
        text = file.read(_LOOKED_AT)
    beginning = Beginning(text, source.suffix, _TASK)
    sure = (form.recognised for form in FORMATS.values() if form.offsets is not None)
    return text.lstrip()[:1] in (b"{", b"[") or any(one and one(beginning) for one in sure)


def read_offset_files(
    inputs: Inputs,
    form: Format,
    reading: Reading,
    origins: Mapping[str, Origin],
    progress: Callable[[str], None],
) -> Corpus:
    """Return the corpus of gold and its systems, each in a format of its own."""
    # Here, for all that asks whether there are offsets imports this module.
    from coleval.loading.tasks.lists import corpus_with_lists, listed_corpus
    from coleval.loading.tasks.offsets import offset_corpus
    from coleval.loading.tasks.tagged_spans import TaggedText, tagged_alone, tagged_gold

    if not _of_spans(reading):
        raise UsageError(
            f"task {reading.task} does not have spans by characters",
            where=inputs.gold.path,
            remedy="--task span, or leave it out",
        )
    settled = replace(reading, task=_TASK)
    if form.entities is not None:
        sources = {"": inputs.gold, **inputs.systems}
        listed = {n: _listed(n, source, settled, progress) for n, source in sources.items()}
        return listed_corpus(settled, listed, origins)
    progress("gold")
    gold = None if form.offsets is not None else tagged_gold(inputs.gold, form, settled)
    texts = {
        "": TaggedText(need(form, "offsets", inputs.gold)(inputs.gold, settled.selection, "gold"))
        if gold is None
        else gold.text
    }
    lists: dict[str, EntityFile] = {}
    for name, source in inputs.systems.items():
        own = _own_format(source, reading)
        if own.entities is not None:
            lists[name] = _listed(name, source, settled, progress)
            continue
        progress(name)
        if own.offsets is not None:
            texts[name] = TaggedText(own.offsets(source, settled.selection, "system"))
        else:
            need(own, "tokens", source)
            texts[name] = (
                tagged_alone(source, own, settled) if gold is None else gold.system(source)
            )
        source.forget()
    files = {name: text.file for name, text in texts.items()}
    make = partial(
        offset_corpus,
        settled,
        origins=origins,
        tokens=texts[""].tokens,
        repairs={name: text.repairs for name, text in texts.items()},
    )
    if not lists:
        return make(files)
    tokens = texts[""].tokens
    if tokens is not None and len(tokens.documents) == len(files[""].texts):
        # Lists may name gold's documents as ids.
        files[""] = replace(files[""], ids=pl.Series("id", tokens.documents, dtype=pl.String))
    every: dict[str, OffsetFile | EntityFile] = {**files, **lists}
    return corpus_with_lists(settled, {n: every[n] for n in ("", *inputs.systems)}, make)


def _listed(
    name: str,
    source: Source,
    reading: Reading,
    progress: Callable[[str], None],
) -> EntityFile:
    """Return the lists of a file; raise if it is of a format that has places."""
    progress(name or "gold")
    own = _own_format(source, reading)
    role = "system" if name else "gold"
    file: EntityFile = need(own, "entities", source)(source, reading.columns, role)
    source.forget()
    return file.normalised(reading.normalise)


def _own_format(source: Source, reading: Reading) -> Format:
    """Return the format of a system: its own, or gold's for records that no format is sure of."""
    if reading.format is not None:
        return format_named(reading.format)
    found = detect(source, _TASK)
    json = source.text[:64].lstrip()[:1] in (b"{", b"[")
    unsure = found.offsets is None and found.entities is None
    return FORMATS["offsets"] if unsure and json else found
