"""A whole shared task: every gold file with the runs on it, read one by one into one corpus."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from coleval.corpus.grid import Cell, Grid, pooled
from coleval.corpus.joined import Piece, joined
from coleval.corpus.lazy import LazyMapping, Memo
from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from coleval.corpus.corpus import Corpus, Entry
    from coleval.corpus.disk import Shelf
    from coleval.corpus.grid import Size
    from coleval.corpus.items import Items
    from coleval.corpus.options import Reading
    from coleval.loading.cells import Cells
    from coleval.loading.sources import Inputs

    Read = Callable[[Inputs, Reading], Corpus]


@dataclass(frozen=True, slots=True)
class Part:
    """The corpus of one gold file, and where that belongs."""

    dataset: str
    part: str
    corpus: Corpus

    @property
    def name(self) -> str:
        """Return the part as messages call it."""
        return "/".join(filter(None, (self.dataset, self.part)))

    def piece(self, layer: str) -> Piece:
        """Return the items of a unit or layer."""
        units, layers = self.corpus.units, self.corpus.layers
        return Piece(self.dataset, self.part, units[layer] if layer in units else layers[layer])

    def cell(self) -> Cell:
        """Return the part without its items."""
        corpus = self.corpus
        return Cell(self.dataset, self.part, corpus.gold, {e.name: e for e in corpus.entries})


def read_cells(
    cells: Cells, reading: Reading, read: Read, progress: Callable[[str], None],
    own: Shelf | None = None,
) -> Corpus:  # fmt: skip
    """Return the corpus of all gold files with their runs."""
    parts: list[Part] = []
    for place, inputs in cells.inputs.items():
        progress(str(place))
        parts.append(Part(place.dataset, place.part, read(inputs, reading)))
    parts = _of_one_task(parts, cells, reading, read)
    return corpus_of_parts(parts, cells.systems, own, cells.paths)


def corpus_of_parts(
    parts: Sequence[Part], systems: Sequence[str], own: Shelf | None = None,
    paths: Mapping[str, str] | None = None,
) -> Corpus:  # fmt: skip
    """Return one corpus of several, whose items are theirs one after the other."""
    first = parts[0].corpus
    task, named = first.task_kind, paths or {}
    names = (task.source_unit,) if task.source_unit else tuple(first.units)
    layers = tuple(dict.fromkeys(name for part in parts for name in part.corpus.layers))
    memo = Memo()
    made = partial(_made, memo, parts, tuple(systems), own)
    units: Mapping[str, Items] = LazyMapping({n: partial(_items, made, n) for n in names})
    stored = units
    if task.derived_units is not None:
        units = task.derived_units(lambda: stored[task.source_unit])
    cells = tuple(part.cell() for part in parts)
    entries = tuple(_entry(name, cells, named.get(name, "")) for name in systems)
    return replace(
        first,
        reading=_reading(parts),
        gold=pooled("", [cell.gold for cell in cells], named.get("", "")),
        entries=entries,
        units=units,
        layers=LazyMapping({n: partial(_items, made, n) for n in layers}),
        limit=own.limit if own is not None else None,
        grid=Grid(cells, LazyMapping({n: partial(_sizes, made, n) for n in (*names, *layers)})),
    )


def _made(
    memo: Memo, parts: Sequence[Part], systems: Sequence[str], own: Shelf | None, name: str
) -> tuple[Items, tuple[Size, ...]]:
    return memo.get(name, lambda: _joined(parts, systems, own, name))


def _joined(
    parts: Sequence[Part], systems: Sequence[str], own: Shelf | None, name: str
) -> tuple[Items, tuple[Size, ...]]:
    there = [part for part in parts if name in part.corpus.units or name in part.corpus.layers]
    pieces = {id(part): part.piece(name) for part in there}
    usual = next(iter(pieces.values()))
    every = [pieces.get(id(part)) or _empty(part, usual) for part in parts]
    bare = name not in parts[0].corpus.units and not usual.items.context.width
    items = joined(every, systems, own, bare=bare)
    return items, tuple(piece.size for piece in every)


def _empty(part: Part, usual: Piece) -> Piece:
    """Return the items of a layer that a part lacks: none, or no answer to any of its words."""
    import numpy as np

    items = usual.items
    words = part.corpus.units[next(iter(part.corpus.units))]
    if items.context.width:
        none = items.where(np.empty(0, np.intp))
        return Piece(part.dataset, part.part, none)
    blank = np.zeros(len(words), items.gold.dtype)
    answers = dict.fromkeys(part.corpus.systems, blank)
    items = replace(items, gold=blank, answers=answers, group_count=words.group_count)
    return Piece(part.dataset, part.part, items)


def _items(made: Callable[[str], tuple[Items, tuple[Size, ...]]], name: str) -> Items:
    return made(name)[0]


def _sizes(made: Callable[[str], tuple[Items, tuple[Size, ...]]], name: str) -> tuple[Size, ...]:
    return made(name)[1]


def _entry(name: str, cells: Sequence[Cell], path: str) -> Entry:
    return pooled(name, [cell.systems[name] for cell in cells if name in cell.systems], path)


def _reading(parts: Sequence[Part]) -> Reading:
    """Return how all parts were read; raise if they were read in different ways."""
    first = parts[0]
    for part in parts[1:]:
        ours, theirs = first.corpus, part.corpus
        if (ours.task, ours.reading) != (theirs.task, theirs.reading):
            raise UsageError(
                f"{part.name} reads as --task {theirs.task}, {first.name} as --task {ours.task}"
                if ours.task != theirs.task
                else f"{part.name} is read otherwise than {first.name}",
                where=theirs.gold.origin.path,
                remedy="name --task and --format, or evaluate them apart",
            )
    return first.corpus.reading


def _of_one_task(parts: list[Part], cells: Cells, reading: Reading, read: Read) -> list[Part]:
    """Return the parts under one task: a dataset without any span is still one of spans."""
    tasks = {part.corpus.task for part in parts}
    if reading.task is not None or tasks != {"tag", "span"}:
        return parts
    every = list(cells.inputs.values())
    spans = next(part.corpus.reading for part in parts if part.corpus.task == "span")
    settled = replace(reading, task="span", outside=spans.outside)
    return [
        part if part.corpus.task == "span" else replace(part, corpus=read(inputs, settled))
        for part, inputs in zip(parts, every, strict=True)
    ]
