"""Which format a file has: the one that is named, else what it looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    """Return the format of a system's file: gold's, unless one of the two holds sequences.

    A system may have sequences of tags alone: gold has the tokens.
    """
    if reading.format is not None:
        return gold
    if are_sequences(source, reading.selection, answers_alone=True):
        return FORMATS[_SEQUENCES]
    return format_of(source, reading) if gold.name == _SEQUENCES else gold
