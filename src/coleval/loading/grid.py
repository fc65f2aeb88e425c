"""A whole shared task: every gold file with the runs on it, read one by one into one corpus."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.joined import CellCorpus, corpus_of_parts
from coleval.corpus.schemes import OUTSIDE
from coleval.loading.tasks.layers import AT_ONCE
from coleval.loading.together import read_together

if TYPE_CHECKING:
    from collections.abc import Callable

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.disk import Shelf
    from coleval.corpus.options import Reading
    from coleval.loading.cells import Cells
    from coleval.loading.readers.formats import Format
    from coleval.loading.sources import Inputs
    from coleval.loading.templates import Place

    Read = Callable[[Inputs, Reading], Corpus]


# Labels of tokens may be tags, or begin and continue spans.
_SPANS, _TAGGED = "span", ("tag", "span")


def read_cells(
    cells: Cells, form: Format, reading: Reading, read: Read, progress: Callable[[str], None],
    own: Shelf | None = None,
) -> Corpus:  # fmt: skip
    """Return the corpus of all gold files with their runs, read as one text or side by side."""
    corpus = read_together(cells, form, reading, progress) if own is None else None
    corpus = corpus or _side_by_side(cells, reading, read, progress, own)
    gold = replace(corpus.gold, notes=(*corpus.gold.notes, *cells.notes))
    return replace(corpus, gold=gold)


def _side_by_side(
    cells: Cells, reading: Reading, read: Read, progress: Callable[[str], None], own: Shelf | None
) -> Corpus:
    """Return the corpus of all cells, each read by itself."""

    def part(place: Place) -> CellCorpus:
        progress(str(place))
        return CellCorpus(place.dataset, place.part, read(cells.inputs[place], reading))

    # Under a limit on memory there is one part at a time.
    with ThreadPoolExecutor(AT_ONCE if own is None else 1) as pool:
        parts = list(pool.map(part, cells.inputs))
    parts = _of_one_task(parts, cells, reading, read)
    return corpus_of_parts(parts, cells.systems, own, cells.paths)


def _of_one_task(
    parts: list[CellCorpus], cells: Cells, reading: Reading, read: Read
) -> list[CellCorpus]:
    """Return the parts under one task: a dataset without any span is still one of spans."""
    if reading.task is not None or all(part.corpus.task != _SPANS for part in parts):
        return parts
    settled = replace(reading, task=_SPANS)
    return [
        replace(part, corpus=read(inputs, settled)) if _without_spans(part.corpus) else part
        for part, inputs in zip(parts, cells.inputs.values(), strict=True)
    ]


def _without_spans(corpus: Corpus) -> bool:
    """Return whether gold has nothing but labels that are outside where there are spans."""
    # Span files are not read token by token, and say themselves that they hold spans.
    if corpus.task not in _TAGGED or "token" not in corpus.units:
        return False
    tokens = corpus.units["token"]
    outside = {*OUTSIDE, *(map(str.casefold, OUTSIDE) if corpus.reading.fold else ())}
    return {tokens.labels[code - 1] for code in np.unique(tokens.gold) if code} <= outside
