"""Filters by dataset or part alone: of a whole task only those gold files are read.

All items of a file are kept or left out together then, which can be told without any of them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from coleval.corpus.grid import DATASET, PART, corpus_of

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.grid import Grid

# Names of files, texts, and what compares them: no other column, function or subquery.
_BY_FILE = re.compile(
    r"""(?:\s | '(?:[^']|'')*' | "(?:dataset|part)" | [=<>!(),]
    | \b(?:dataset|part|in|like|ilike|not|and|or|is|null|between|true|false)\b)+""",
    re.VERBOSE | re.IGNORECASE,
)


def of_files_named(corpus: Corpus) -> Corpus:
    """Return the corpus of the files that its filter keeps, all of it if it filters items."""
    grid, where = corpus.grid, corpus.scoring.where
    if grid is None or len(grid.cells) < 2 or not _BY_FILE.fullmatch(where):
        return corpus
    kept = _cells(grid, where)
    if not kept or len(kept) == len(grid.cells):
        return corpus
    # What was read is said of the whole task, as where items are filtered.
    return replace(corpus_of(corpus, kept), gold=corpus.gold, entries=corpus.entries)


def _cells(grid: Grid, where: str) -> list[int]:
    """Return the cells for which a condition holds, none if it is not one of cells."""
    from coleval.query.expressions import rows_holding

    places = {DATASET: [cell.dataset for cell in grid.cells], PART: [c.part for c in grid.cells]}
    return rows_holding({name: found for name, found in places.items() if any(found)}, where)
