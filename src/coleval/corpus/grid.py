"""A grid: the datasets and parts a corpus was read from, and which systems have run on each.

Its items are those of all gold files, one after the other. ``picked`` returns those of some again,
as if only these had been read.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import polars as pl

from coleval.corpus import disk
from coleval.corpus.items import NOT_IN_GOLD
from coleval.corpus.lazy import LazyMapping, Memo
from coleval.corpus.signature import pooled_hash
from coleval.corpus.spread import each, of_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.corpus import Corpus, Entry
    from coleval.corpus.items import Items
    from coleval.corpus.problems import Problem

T = TypeVar("T")
DATASET, PART = "dataset", "part"
# Columns that number something within one gold file, and go on in the next.
NUMBERED = ("sentence", "instance")
_NUMBER = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class Size:
    """How much of a table one gold file makes up: its rows, its sentences or instances.

    ``empty_is_answer`` is that of these items alone.
    """

    rows: int
    groups: int
    empty_is_answer: bool


@dataclass(frozen=True, slots=True)
class GridCell:
    """One gold file (the empty name) with the runs on it; one that is not there has not run."""

    dataset: str
    part: str
    entries: Mapping[str, Entry]

    @property
    def name(self) -> str:
        """Return the cell as messages call it."""
        return "/".join(filter(None, (self.dataset, self.part)))


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a corpus in the order of its items, and the sizes of every unit and layer.

    ``apart`` gives back the corpus of some cells and systems, where it is at hand as it was read;
    ``memos`` keep what was counted of each cell.
    """

    cells: tuple[GridCell, ...]
    sizes: Mapping[str, Sequence[Size]] = field(default_factory=dict)
    apart: Callable[[Sequence[int], Sequence[str]], Corpus] | None = None
    memos: tuple[Memo, ...] = ()
    memo: Memo = field(default_factory=Memo, init=False, repr=False, compare=False)

    @property
    def datasets(self) -> tuple[str, ...]:
        """Return the names of the datasets."""
        return tuple(dict.fromkeys(cell.dataset for cell in self.cells))

    def missing(self, systems: Iterable[str]) -> list[tuple[str, GridCell]]:
        """Return every system with a cell that it has not run on."""
        return [(name, self.cells[at]) for name, at in self.missing_numbers(systems)]

    def missing_numbers(self, systems: Iterable[str]) -> list[tuple[str, int]]:
        """Return every system with the number of a cell that it has not run on."""
        names = list(systems)
        return [
            (name, at)
            for at, cell in enumerate(self.cells)
            for name in names
            if name not in cell.entries
        ]

    def numbers(self, column: str) -> dict[str, list[int]]:
        """Return the numbers of the cells of every dataset, or of every part."""
        found: dict[str, list[int]] = {}
        for at, cell in enumerate(self.cells):
            found.setdefault(getattr(cell, column), []).append(at)
        return found

    def starts(self, name: str) -> list[int]:
        """Return the row at which each cell begins in a unit or layer, and the number of rows."""
        return self._begins(name)[0]

    def _begins(self, name: str) -> tuple[list[int], list[int]]:
        """Return where the rows and where the sentences of each cell begin."""
        return self.memo.get(name, lambda: _begins(self.sizes[name]))

    def rows(self, name: str, cells: Iterable[int]) -> NDArray[np.intp]:
        """Return the rows that some cells make up in a unit or layer."""
        starts = self.starts(name)
        runs = [np.arange(starts[at], starts[at + 1]) for at in cells]
        return np.concatenate(runs) if runs else np.empty(0, np.intp)

    def picked(self, name: str, items: Items, cells: Sequence[int]) -> Items:
        """Return the items of some cells, numbered as if only these had been read."""
        sizes = self.sizes[name]
        chosen = [sizes[at] for at in cells]
        rows, before = self._begins(name)
        now = _starts(size.groups for size in chosen)
        shifts = [before[at] - now[k] for k, at in enumerate(cells)]
        found = _rows(items, _runs(rows, cells))
        found = _renumbered(found, shifts, [size.rows for size in chosen])
        alone = bool(chosen) and all(size.empty_is_answer for size in chosen)
        groups = sum(size.groups for size in chosen)
        if len(cells) == 1:
            found = _own_documents(found, self.cells[cells[0]].name)
        found = replace(found, group_count=groups, rows=None)
        return _of_gold(found) if alone else found


def _own_documents(items: Items, cell: str) -> Items:
    """Return the items of one cell with documents named as its gold file names them."""
    context = items.context
    if "document" not in context.columns or not cell:
        return items
    own = context["document"].cast(pl.String).str.strip_prefix(f"{cell}/")
    kind = context["document"].dtype
    if isinstance(kind, pl.Enum):
        own = own.cast(pl.Enum(own.drop_nulls().unique(maintain_order=True)))
    return replace(items, context=context.with_columns(own))


def added(corpus: Corpus, key: Hashable, count: Callable[[Corpus], T]) -> list[T] | None:
    """Return what is counted of each cell, whose sum is that of all; None if cells are together.

    Each cell is counted once, whether for itself or for all.
    """
    grid = corpus.grid
    if corpus.spread is not None:
        return corpus.memo.get(("added", key), lambda: each(corpus, count))
    if grid is None or not grid.memos:
        return None
    if len(grid.cells) == 1:
        return [grid.memos[0].get(key, lambda: count(corpus))]

    def counted(at: int) -> T:
        return grid.memos[at].get(key, lambda: count(corpus_of(corpus, [at])))

    return [counted(at) for at in range(len(grid.cells))]


def _of_gold(items: Items) -> Items:
    """Return items as they are where no system cut the text otherwise than gold."""
    context = items.context.drop(NOT_IN_GOLD, strict=False)
    return replace(items, empty_is_answer=True, context=context)


def corpus_of(corpus: Corpus, cells: Sequence[int]) -> Corpus:
    """Return the corpus as if only some of its gold files had been read."""
    grid = corpus.grid
    assert grid is not None  # noqa: S101  - the caller has looked
    kept = tuple(grid.cells[at] for at in cells)
    if corpus.spread is not None:
        found = replace(
            corpus,
            gold=pooled("", kept),
            entries=tuple(pooled(name, kept) for name in corpus.systems),
            grid=Grid(kept),
        )
        return of_parts(found, corpus.spread.of_cells(cells))
    if grid.apart is not None:
        found = grid.apart(cells, corpus.systems)
        return replace(
            found, scoring=corpus.scoring, profile=corpus.profile, training=corpus.training
        )

    def sized(name: str) -> tuple[Size, ...]:
        sizes = grid.sizes[name]
        return tuple(sizes[at] for at in cells)

    def made(tables: Mapping[str, Items], name: str) -> Items:
        return grid.picked(name, tables[name], cells)

    task = corpus.task_kind
    names = (task.source_unit,) if task.source_unit else tuple(corpus.units)
    units: Mapping[str, Items] = LazyMapping({n: partial(made, corpus.units, n) for n in names})
    if task.derived_units is not None:
        stored = units
        units = task.derived_units(lambda: stored[task.source_unit])
    return replace(
        corpus,
        gold=pooled("", kept),
        entries=tuple(pooled(name, kept) for name in corpus.systems),
        units=units,
        layers=LazyMapping({n: partial(made, corpus.layers, n) for n in corpus.layers}),
        grid=Grid(kept, LazyMapping({n: partial(sized, n) for n in grid.sizes})),
    )


def pooled(name: str, cells: Sequence[GridCell], path: str = "") -> Entry:
    """Return gold or a system over several files: repairs summed, notes of a kind together."""
    from coleval.corpus.corpus import Entry, Origin

    entries = [cell.entries[name] for cell in cells if name in cell.entries]
    repairs = [entry.repairs for entry in entries if entry.repairs is not None]
    hashes = [entry.origin.sha256 for entry in entries]
    digest = digest_of(hashes)
    first = entries[0].origin.path if entries else ""
    origin = Origin(path or first, sum(entry.origin.size for entry in entries), 0, digest)
    if len(entries) == 1 and not path:
        origin = entries[0].origin
    places: Counter[str] = Counter()
    for entry in entries:
        places.update(dict(entry.places))
    answers = [(c.dataset, c.part, c.entries[name].answers) for c in cells if name in c.entries]
    absent = [entry.absent for entry in entries if entry.absent is not None]
    overlaps = [entry.overlap for entry in entries if entry.overlap is not None]
    return Entry(
        name,
        origin,
        sum(repairs) if repairs else None,
        one_a_kind(note for entry in entries for note in entry.notes),
        replace(absent[0], n=sum(one.n for one in absent)) if absent else None,
        (sum(n for n, _ in overlaps), sum(n for _, n in overlaps))
        if overlaps and len(overlaps) == len(entries)
        else None,
        tuple(places.items()),
        pooled_hash(answers),
    )


def digest_of(hashes: Sequence[str]) -> str:
    """Return the hash of several files by theirs, "" if that of one is not known."""
    if len(hashes) == 1 or not all(hashes):
        return hashes[0] if len(hashes) == 1 else ""
    return hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def one_a_kind(notes: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return one note a kind, the first, for all that are like it."""
    first: dict[str, Problem] = {}
    often: Counter[str] = Counter()
    for note in notes:
        first.setdefault(note.kind, note)
        often[note.kind] += note.n
    return tuple(replace(note, n=often[kind]) for kind, note in first.items())


def natural(text: str) -> tuple[tuple[bool, int, str], ...]:
    """Return what texts are sorted by so that ``2`` comes before ``10``."""
    # Every second part is a number.
    parts = enumerate(_NUMBER.split(text))
    return tuple([(False, int(p), p) if at % 2 else (True, 0, p) for at, p in parts if p])


def cell_order(dataset: str, part: str) -> tuple[object, object]:
    """Return what cells are sorted by."""
    return natural(dataset), natural(part)


def _starts(sizes: Iterable[int]) -> list[int]:
    return [0, *accumulate(sizes)]


def _begins(sizes: Sequence[Size]) -> tuple[list[int], list[int]]:
    return _starts(size.rows for size in sizes), _starts(size.groups for size in sizes)


def _runs(starts: Sequence[int], cells: Sequence[int]) -> list[tuple[int, int]]:
    """Return the rows of some cells as runs, neighbours together."""
    runs: list[tuple[int, int]] = []
    for at in cells:
        low, high = starts[at], starts[at + 1]
        if runs and runs[-1][1] == low:
            runs[-1] = (runs[-1][0], high)
        else:
            runs.append((low, high))
    return runs


def _rows(items: Items, runs: list[tuple[int, int]]) -> Items:
    if len(runs) != 1:
        rows = [np.arange(low, high) for low, high in runs]
        return items.where(np.concatenate(rows) if rows else np.empty(0, np.intp))
    low, high = runs[0]
    form = items.lazy_form
    judges = items.judges
    return replace(
        items,
        context=items.context.slice(low, high - low),
        gold=items.gold[low:high],
        answers=disk.some(items.answers, low, high),
        judges=None if judges is None else disk.some(judges, low, high),
        lazy_form=form and form.at(np.arange(low, high)),
    )


def _renumbered(items: Items, shifts: Sequence[int], rows: Sequence[int]) -> Items:
    there = [name for name in NUMBERED if name in items.context.columns]
    if not any(shifts) or not there:
        return items
    by = np.repeat(np.array(shifts, np.int64), rows)
    columns = [
        pl.Series(name, (items.context[name].to_numpy() - by).astype(np.uint32)) for name in there
    ]
    return replace(items, context=items.context.with_columns(columns))
