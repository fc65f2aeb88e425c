"""Answers that stay on disk: a column is read when somebody looks at it, and is not kept.

They are raw codes, a file a column, in a directory that goes when nobody needs it any longer.
Reading is by ``read``, not by mapping: what has been looked at does not stay in the process.
"""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from mmap import ACCESS_READ, MADV_DONTNEED, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.corpus.lazy import LazyMapping
from coleval.corpus.scratch import drop, scratch, written_to_scratch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import DTypeLike, NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items
    from coleval.corpus.limit import MemoryLimit


@dataclass(frozen=True, eq=False)
class StoredPatterns:
    """What reads the distinct rows of answers that a store has of items, recoded by ``table``.

    ``read`` returns the codes of gold (the empty name) and of each system, and how many items have
    each row; None where none are stored. They are those of items with this very ``gold``.
    """

    read: Callable[[], tuple[Mapping[str, Codes], NDArray[np.int64]] | None]
    gold: Codes
    table: Codes | None = None

    def recoded(self, table: Codes, gold: Codes) -> StoredPatterns:
        """Return the patterns of the same items with other codes."""
        return StoredPatterns(self.read, gold, table if self.table is None else table[self.table])


@dataclass(frozen=True, eq=False)
class StoredCodes(Mapping[str, "Codes"]):
    """Answers by system, as they are ``held``: read when somebody looks at them."""

    held: Mapping[str, Codes]
    patterns: StoredPatterns | None = None

    def __getitem__(self, name: str) -> Codes:
        """Return the codes of a system."""
        return self.held[name]

    def __iter__(self) -> Iterator[str]:
        """Return the names of the systems in their order."""
        return iter(self.held)

    def __len__(self) -> int:
        """Return how many systems there are."""
        return len(self.held)

    def __contains__(self, name: object) -> bool:
        """Tell whether there is a system of a name; nothing is read for that."""
        return name in self.held

    def only(self, names: Iterable[str]) -> StoredCodes:
        """Return some of the systems; what was read stays so."""
        return self._changed(lambda codes: codes, self.patterns, names)

    def picked(self, rows: NDArray[np.integer]) -> StoredCodes:
        """Return some of the rows."""
        return self._changed(lambda codes: codes[rows])

    def recoded(self, table: Codes, gold: Codes | None = None) -> StoredCodes:
        """Return the answers with other codes."""
        patterns = (
            None if gold is None or self.patterns is None else self.patterns.recoded(table, gold)
        )
        return self._changed(table.__getitem__, patterns)

    def _changed(
        self, change: Callable[[Codes], Codes], patterns: StoredPatterns | None = None,
        names: Iterable[str] | None = None,
    ) -> StoredCodes:  # fmt: skip
        kept = self.held if names is None else names
        makers = {name: partial(self._with, change, name) for name in kept}
        return StoredCodes(LazyMapping(makers), patterns)

    def _with(self, change: Callable[[Codes], Codes], name: str) -> Codes:
        return change(self.held[name])


# Rows in which the end of a sentence is looked for first.
_NEAR = 256


@dataclass(frozen=True, eq=False)
class Shelf:
    """A directory for arrays; ``limit`` is why they are there."""

    path: Path
    limit: MemoryLimit
    maps: list[mmap] = field(default_factory=list)

    def release(self) -> None:
        """Let go of what has been looked at in mapped arrays; it is read again if wanted."""
        for there in self.maps:
            there.madvise(MADV_DONTNEED)

    def put(self, name: str, array: NDArray[Any]) -> Stored:
        """Write an array to a file of its own; return where it is."""
        return self.fill(name, [array], array.dtype, len(array))

    def fill(self, name: str, parts: Iterable[NDArray[Any]], kind: DTypeLike, size: int) -> Stored:
        """Write parts end to end to a file of its own, then zeros up to ``size``."""
        prefix = f"{Path(name).name}-"
        make = tempfile.NamedTemporaryFile
        with written_to_scratch(), make(dir=self.path, prefix=prefix, delete=False) as file:
            for part in parts:
                part.astype(kind, copy=False).tofile(file)
            file.truncate(size * np.dtype(kind).itemsize)
            return Stored(self, Path(file.name), np.dtype(kind), size)


def shelf(limit: MemoryLimit) -> Shelf:
    """Return a new directory, which is removed with the last thing that refers to it."""
    path = scratch("shelf")
    found = Shelf(path, limit)
    weakref.finalize(found, drop, path, os.getpid())
    return found


@dataclass(frozen=True, slots=True)
class Stored:
    """An array in a file."""

    shelf: Shelf
    path: Path
    kind: np.dtype[Any]
    size: int

    def read(self, low: int = 0, high: int | None = None) -> NDArray[Any]:
        """Return the elements from ``low`` to before ``high``, all by default."""
        count = (self.size if high is None else high) - low
        if not count:
            return np.empty(0, self.kind)
        return np.fromfile(self.path, self.kind, count, offset=low * self.kind.itemsize)

    def mapped(self) -> pl.Series:
        """Return the array as a column that is read where it is looked at, and never copied."""
        import pyarrow as pa

        if not self.size:
            return pl.Series(self.read())
        with self.path.open("rb") as file:
            there = mmap(file.fileno(), 0, access=ACCESS_READ)
        self.shelf.maps.append(there)
        kind = pa.from_numpy_dtype(self.kind)
        buffers = [None, pa.py_buffer(there)]
        return pl.Series(pa.Array.from_buffers(kind, self.size, buffers))


@dataclass(frozen=True, eq=False)
class DiskCodes(Mapping[str, "Codes"]):
    """Columns of codes by name: ``rows`` of their files (None is all), as ``table`` has them.

    ``patterns`` are those of the store that they were unpacked from, if it has some.
    """

    limit: MemoryLimit
    columns: Mapping[str, Stored]
    size: int
    rows: NDArray[np.integer] | None = None
    table: Codes | None = None
    rising: bool = True
    patterns: StoredPatterns | None = None

    def __getitem__(self, name: str) -> Codes:
        """Return a whole column."""
        return self._read(self.columns[name], 0, self.size)

    def __iter__(self) -> Iterator[str]:
        """Return the names of the columns in their order."""
        return iter(self.columns)

    def __len__(self) -> int:
        """Return how many columns there are."""
        return len(self.columns)

    def __contains__(self, name: object) -> bool:
        """Tell whether there is a column of a name, without reading it."""
        return name in self.columns

    def release(self) -> None:
        """Let go of what has been looked at beside the columns."""
        for column in self.columns.values():
            column.shelf.release()
            return

    def between(self, low: int, high: int) -> dict[str, Codes]:
        """Return some rows of all columns."""
        return {name: self._read(column, low, high) for name, column in self.columns.items()}

    def only(self, names: Iterable[str]) -> DiskCodes:
        """Return some of the columns."""
        kept = list(names)
        own = {name: partial(self.columns.__getitem__, name) for name in kept}
        return replace(self, columns=LazyMapping(own))

    def picked(self, rows: NDArray[np.integer]) -> DiskCodes:
        """Return some of the rows."""
        own = rows if self.rows is None else self.rows[rows]
        rising = bool(np.all(own[1:] > own[:-1]))
        return replace(self, size=len(own), rows=own, rising=rising, patterns=None)

    def recoded(self, table: Codes, gold: Codes | None = None) -> DiskCodes:
        """Return the columns with other codes."""
        patterns = (
            None if gold is None or self.patterns is None else self.patterns.recoded(table, gold)
        )
        whole = table if self.table is None else table[self.table]
        return replace(self, table=whole, patterns=patterns)

    def _read(self, column: Stored, low: int, high: int) -> Codes:
        codes = self._stored(column, low, high)
        return codes if self.table is None else self.table[codes]

    def _stored(self, column: Stored, low: int, high: int) -> Codes:
        if self.rows is None or low == high:
            return column.read(low, high)
        rows = self.rows[low:high]
        if not self.rising:
            return column.read()[rows]
        first = int(rows[0])
        return column.read(first, int(rows[-1]) + 1)[rows - first]


Answers = Mapping[str, "Codes"]


def on_disk(items: Items, shelf: Shelf) -> Items:
    """Return items with their answers on disk."""
    columns = {name: shelf.put(items.unit, codes) for name, codes in items.answers.items()}
    return replace(items, answers=DiskCodes(shelf.limit, columns, len(items)))


def stored_patterns(items: Items) -> StoredPatterns | None:
    """Return what reads the patterns of items, None where they are not those of a store."""
    answers = items.answers
    found = answers.patterns if isinstance(answers, DiskCodes | StoredCodes) else None
    return found if found is not None and found.gold is items.gold else None


def only(answers: Answers, names: Iterable[str]) -> Answers:
    """Return some columns, on disk if they are there."""
    if isinstance(answers, DiskCodes | StoredCodes):
        return answers.only(names)
    return {name: answers[name] for name in names}


def picked(answers: Answers, rows: NDArray[np.integer]) -> Answers:
    """Return some rows of all columns, on disk if they are there."""
    if isinstance(answers, DiskCodes | StoredCodes):
        return answers.picked(rows)
    return {name: codes[rows] for name, codes in answers.items()}


def recoded(answers: Answers, table: Codes, gold: Codes | None = None) -> Answers:
    """Return all columns with other codes, as ``gold`` has them; on disk if they are there."""
    if isinstance(answers, DiskCodes | StoredCodes):
        return answers.recoded(table, gold)
    return {name: table[codes] for name, codes in answers.items()}


def between(answers: Answers, low: int, high: int) -> Answers:
    """Return a run of rows of all columns, which are in memory now."""
    if isinstance(answers, DiskCodes):
        return answers.between(low, high)
    return {name: codes[low:high] for name, codes in answers.items()}


def some(answers: Answers, low: int, high: int) -> Answers:
    """Return a run of rows of all columns, on disk if they are there."""
    if isinstance(answers, DiskCodes):
        return answers.picked(np.arange(low, high))
    return LazyMapping({name: partial(_run, answers, name, low, high) for name in answers})


def _run(answers: Answers, name: str, low: int, high: int) -> Codes:
    return answers[name][low:high]


def cuts(groups: NDArray[np.integer] | None, size: int, step: int) -> list[int]:
    """Return where runs of about ``step`` rows begin, and ``size``; none ends inside a group."""
    found = [0]
    while found[-1] + step < size:
        at = found[-1] + step
        if groups is not None:
            at = _start(groups, at, found[-1]) or _end(groups, at)
        if at == size:
            break
        found.append(at)
    return [*found, size]


def _start(groups: NDArray[np.integer], at: int, last: int) -> int:
    """Return where the group at a row begins, 0 if that is not behind the ``last`` cut."""
    wide = _NEAR
    while True:
        low = max(last, at - wide)
        others = np.flatnonzero(groups[low:at] != groups[at])
        if len(others):
            return low + int(others[-1]) + 1
        if low == last:
            return 0
        wide *= 4


def _end(groups: NDArray[np.integer], at: int) -> int:
    """Return where the group at a row ends."""
    wide = _NEAR
    while True:
        others = np.flatnonzero(groups[at : at + wide] != groups[at])
        if len(others):
            return at + int(others[0])
        if at + wide >= len(groups):
            return len(groups)
        wide *= 4
