"""Gold and systems of which some place spans by characters; others may have tags on tokens."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from coleval.errors import UsageError
from coleval.loading.readers.formats import FORMATS, detect, format_named, need
from coleval.loading.tasks.offsets import offset_corpus
from coleval.loading.tasks.tagged_spans import TaggedText, tagged_alone, tagged_gold

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from coleval.corpus.corpus import Corpus, Origin
    from coleval.corpus.options import Reading
    from coleval.loading.readers.formats import Format
    from coleval.loading.readers.source import Source
    from coleval.loading.sources import Inputs

_SUFFIXES = (".ann", ".json", ".jsonl", ".ndjson")
_TASK = "span"


def any_offsets(inputs: Inputs, form: Format, reading: Reading) -> bool:
    """Tell whether gold, or a system on gold's tokens, is in a format that places spans."""
    if form.offsets is not None:
        return True
    if form.tokens is None or reading.task not in (None, _TASK):
        return False
    if reading.differing_text == "align" and reading.task == _TASK:
        return True
    if reading.format is not None:
        return False
    return any(
        detect(source, _TASK).offsets is not None
        for source in inputs.systems.values()
        if _may_place_spans(source)
    )


def _may_place_spans(source: Source) -> bool:
    """Tell by a suffix or the first byte whether a file is worth a closer look."""
    if source.frame is not None or source.path == "-":
        return False
    if source.suffix in _SUFFIXES:
        return True
    path = Path(source.path)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(64).lstrip()[:1] in (b"{", b"[")


def read_offset_files(
    inputs: Inputs,
    form: Format,
    reading: Reading,
    origins: Mapping[str, Origin],
    progress: Callable[[str], None],
) -> Corpus:
    """Return the corpus of gold and its systems, each in a format of its own."""
    if reading.task not in (None, _TASK):
        raise UsageError(
            f"task {reading.task} does not have spans by characters",
            where=inputs.gold.path,
            remedy="--task span, or leave it out",
        )
    settled = replace(reading, task=_TASK)
    progress("gold")
    gold = None if form.offsets is not None else tagged_gold(inputs.gold, form, settled)
    texts = {"": _placed(inputs.gold, form, settled, "gold") if gold is None else gold.text}
    for name, source in inputs.systems.items():
        progress(name)
        own = _own_format(source, reading)
        if own.offsets is not None:
            texts[name] = _placed(source, own, settled, "system")
        else:
            need(own, "tokens", source)
            texts[name] = (
                tagged_alone(source, own, settled) if gold is None else gold.system(source)
            )
        source.forget()
    return offset_corpus(
        settled,
        {name: text.file for name, text in texts.items()},
        origins,
        tokens=texts[""].tokens,
        repairs={name: text.repairs for name, text in texts.items()},
    )


def _placed(source: Source, form: Format, reading: Reading, role: str) -> TaggedText:
    """Return a file that places spans by characters, which has no tokens and no tags."""
    assert form.offsets is not None  # noqa: S101  - callers have looked
    file = form.offsets(source, reading.selection, role)
    return TaggedText(file)


def _own_format(source: Source, reading: Reading) -> Format:
    """Return the format of a system: its own, or gold's for records that no format is sure of."""
    if reading.format is not None:
        return format_named(reading.format)
    found = detect(source, _TASK)
    json = source.text[:64].lstrip()[:1] in (b"{", b"[")
    return FORMATS["offsets"] if found.offsets is None and json else found
