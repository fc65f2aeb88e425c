"""How a grid is cut into segments: those of trees hold one large dataset, or a few small ones.

Trees have labels by the hundred thousand (heads, lemmas), most of them in one dataset only. A
table of all of them, in the column of every system, would cost more than the answers do. Datasets
apart have small tables, and each is read and counted by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.corpus.grid import corpus_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.grid import Grid

# Datasets are put together until their gold files have so many bytes.
BYTES = 1 << 19


def pieces(corpus: Corpus) -> Iterator[Corpus]:
    """Yield the corpora that become segments of their own."""
    grid = corpus.grid
    assert grid is not None  # noqa: S101  - segments are of grids
    if grid.apart is None or not corpus.task_kind.trees:
        yield corpus
        return
    for cells in _together(grid):
        yield corpus_of(corpus, cells)


def _together(grid: Grid) -> Iterator[list[int]]:
    """Yield the cells of each segment: whole datasets, in their order."""
    cells: list[int] = []
    size = 0
    for own in grid.numbers("dataset").values():
        cells += own
        size += sum(grid.cells[at].entries[""].origin.size for at in own)
        if size >= BYTES:
            yield cells
            cells, size = [], 0
    if cells:
        yield cells
