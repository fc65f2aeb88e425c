"""Stored treebanks counted by several processes, each of which opens the store for itself."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from coleval.corpus.grid import corpus_of
from coleval.loading.processes import Readers, cores

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.spread import Work
    from coleval.loading.reader_process import Held

# Below so many answers a process has begun when one has counted them.
_WORTH = 1 << 22


@dataclass(frozen=True, slots=True)
class CountStored:
    """Count some cells of a store as a corpus each."""

    store: str
    work: Work[Any]
    cells: tuple[int, ...]

    def __call__(self, held: Held) -> list[Any]:
        """Return what is counted of each."""
        del held  # nothing was read before: the store has it
        whole = _opened(self.store)
        asked = self.work.asked
        return [self.work.count(asked.of(corpus_of(whole, [at]))) for at in self.cells]


@lru_cache(maxsize=1)
def _opened(store: str) -> Corpus:
    from coleval.store.opening import open_store

    return open_store(store)


@dataclass(eq=False)
class StoreCounters:
    """Processes that are started when something is to be counted; each has its share of cells."""

    store: str
    names: dict[int, str]
    shares: Sequence[Sequence[int]]
    _readers: Readers | None = None
    _lock: Lock = field(default_factory=Lock)

    def __call__(self, work: Work[Any], cells: Sequence[int]) -> Sequence[Any] | None:
        """Return what is counted of some cells, None if that has to be done here."""
        return self._started().counted(work, cells, self._question)

    def _question(self, work: Work[Any], cells: tuple[int, ...]) -> CountStored:
        return CountStored(self.store, work, cells)

    def _started(self) -> Readers:
        with self._lock:
            if self._readers is None:
                readers = Readers.started(len(self.shares))
                readers.names.update(self.names)
                for process, share in zip(readers.processes, self.shares, strict=True):
                    process.held.update(share)
                self._readers = readers
            return self._readers


def counted_apart(corpus: Corpus, store: Path, most: int | None) -> Corpus:
    """Return a stored corpus whose cells are counted by so many processes, None for as many as pay.

    As it is where that does not pay.
    """
    grid, number = corpus.grid, cores() if most is None else most
    if grid is None or not grid.memos or number < 2 or not corpus.task_kind.trees:
        return corpus
    sizes = [size.rows for size in next(iter(grid.sizes.values()))]
    if sum(sizes) * len(corpus.systems) < _WORTH:
        return corpus
    names = {at: cell.name for at, cell in enumerate(grid.cells)}
    shares = _shares(sizes, number)
    return replace(corpus, grid=replace(grid, ask=StoreCounters(str(store), names, shares)))


def _shares(sizes: Sequence[int], number: int) -> list[list[int]]:
    """Return cells for each process, large ones first."""
    shares: list[list[int]] = [[] for _ in range(number)]
    for at in sorted(range(len(sizes)), key=lambda at: -sizes[at]):
        min(shares, key=lambda share: sum(sizes[k] for k in share)).append(at)
    return [share for share in shares if share]
