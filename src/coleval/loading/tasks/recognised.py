"""Which format a file has: the one that is named, else what it looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.loading.readers.beginnings import is_json
from coleval.loading.readers.formats import FORMATS, Format, detect, format_named
from coleval.loading.readers.sequences import are_sequences

if TYPE_CHECKING:
    from coleval.corpus.options import Reading
    from coleval.loading.readers.source import Source

_SEQUENCES = "sequences"


def format_of(source: Source, reading: Reading) -> Format:
    """Return the format of gold, or of a file that stands for itself."""
    if reading.format is not None:
        return format_named(reading.format)
    return detect(source, reading.task, merged=reading.merged, selection=reading.selection,
                  sets=bool(reading.separator))  # fmt: skip


def format_beside(gold: Format, source: Source, reading: Reading) -> Format:
    """Return the format of a system's file: gold's, unless one of the two holds sequences or JSON.

    A system may have sequences of tags alone: gold has the tokens.
    """
    if reading.format is not None:
        return gold
    if are_sequences(source, reading.selection, answers_alone=True):
        return FORMATS[_SEQUENCES]
    as_gold = gold.name != _SEQUENCES and (".jsonl" in gold.suffixes or not is_json(source))
    return gold if as_gold else format_of(source, reading)
