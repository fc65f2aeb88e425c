"""``--encoding auto``: how each file is written, by its bytes, and what is said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.corpus.problems import ENCODING, Problem
from coleval.loading.cells import Cells
from coleval.loading.readers.source import names_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coleval.loading.readers.source import Source
    from coleval.loading.sources import Inputs


def encoding_notes(inputs: Inputs | Cells) -> dict[str, Problem]:
    """Return a note for each file, by its path, whose encoding was detected and is not UTF-8."""
    return {
        source.path: Problem(
            source.path, None, ENCODING, f"is not UTF-8: read as {source.encoding}",
            "if its letters are wrong, name the encoding: --encoding NAME", fatal=False,
        )
        for source in _sources(inputs)
        if source.detected and not names_utf8(source.encoding)
    }  # fmt: skip


def _sources(inputs: Inputs | Cells) -> Iterator[Source]:
    for one in inputs.inputs.values() if isinstance(inputs, Cells) else (inputs,):
        yield from (one.gold, *one.systems.values())
