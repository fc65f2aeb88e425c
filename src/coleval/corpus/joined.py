"""Items of several gold files as one table: names of labels and columns are shared."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from operator import lt
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import Codes, width
from coleval.corpus.disk import DiskCodes
from coleval.corpus.grid import DATASET, PART, Grid, GridCell, Size, corpus_of, pooled
from coleval.corpus.items import Items
from coleval.corpus.joined_context import Piece, context_of
from coleval.corpus.lazy import LazyColumn, LazyMapping, Memo
from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.disk import Shelf
    from coleval.corpus.options import Reading


@dataclass(frozen=True, slots=True)
class CellCorpus:
    """The corpus of one gold file, and where that belongs."""

    dataset: str
    part: str
    corpus: Corpus
    placed: bool = False
    memo: Memo = field(default_factory=Memo, repr=False, compare=False)

    @staticmethod
    def of(corpus: Corpus, at: int) -> CellCorpus:
        """Return one cell of a grid as a part of another."""
        grid = corpus.grid
        assert grid is not None  # noqa: S101  - the caller has looked
        cell = grid.cells[at]
        return CellCorpus(cell.dataset, cell.part, corpus_of(corpus, [at]), placed=True)

    @property
    def name(self) -> str:
        """Return the part as messages call it."""
        return "/".join(filter(None, (self.dataset, self.part)))

    def piece(self, layer: str) -> Piece:
        """Return the items of a unit or layer."""
        units, layers = self.corpus.units, self.corpus.layers
        tables = units if layer in units else layers
        # What is made for all parts together is not kept by each of them.
        late = tables.makers if isinstance(tables, LazyMapping) and not self.placed else {}
        items = late[layer]() if layer in late else tables[layer]
        if self.placed:
            items = replace(items, context=items.context.drop(DATASET, PART, strict=False))
        return Piece(self.dataset, self.part, items)

    def cell(self) -> GridCell:
        """Return the part without its items."""
        corpus = self.corpus
        if corpus.grid is not None:
            return corpus.grid.cells[0]
        entries = {entry.name: entry for entry in corpus.entries}
        return GridCell(self.dataset, self.part, {"": corpus.gold, **entries})


def corpus_of_parts(
    parts: Sequence[CellCorpus], systems: Sequence[str], own: Shelf | None = None,
    paths: Mapping[str, str] | None = None,
) -> Corpus:  # fmt: skip
    """Return one corpus of several, whose items are theirs one after the other."""
    first = parts[0].corpus
    task, named = first.task_kind, paths or {}
    names = (task.source_unit,) if task.source_unit else tuple(first.units)
    layers = tuple(dict.fromkeys(name for part in parts for name in part.corpus.layers))
    memo, systems = Memo(), tuple(systems)
    made = partial(_made, memo, parts, systems, own)
    units: Mapping[str, Items] = LazyMapping({n: partial(made, n) for n in names})
    stored = units
    if task.derived_units is not None:
        units = task.derived_units(lambda: stored[task.source_unit])
    cells = tuple(part.cell() for part in parts)
    sizes = {n: partial(_sizes, memo, made, n) for n in (*names, *layers)}
    return replace(
        first,
        reading=_reading(parts),
        gold=pooled("", cells, named.get("", "")),
        entries=tuple(pooled(name, cells, named.get(name, "")) for name in systems),
        units=units,
        # Each is looked at once, and all of them are as large as the corpus; those of one part are
        # counted before the next part is read.
        layers=LazyMapping({n: partial(made, n) for n in layers}, keep=len(parts) == 1),
        limit=own.limit if own is not None else None,
        grid=Grid(
            cells,
            LazyMapping(sizes),
            partial(_apart, parts, own),
            tuple(part.memo for part in parts),
        ),
    )


def _apart(
    parts: Sequence[CellCorpus], own: Shelf | None, cells: Sequence[int], systems: Sequence[str]
) -> Corpus:
    """Return the corpus of some parts and systems."""
    return corpus_of_parts([parts[at] for at in cells], systems, own)


def _made(
    memo: Memo, parts: Sequence[CellCorpus], systems: Sequence[str], own: Shelf | None, name: str
) -> Items:
    items, sizes = _joined(parts, systems, own, name)
    memo.get(name, lambda: sizes)
    return items


def _sizes(memo: Memo, made: Callable[[str], Items], name: str) -> tuple[Size, ...]:
    """Return the sizes of a unit or layer, which are known when it is made."""
    if name not in memo:
        made(name)
    found: tuple[Size, ...] = memo.get(name, tuple)
    return found


def _joined(
    parts: Sequence[CellCorpus], systems: Sequence[str], own: Shelf | None, name: str
) -> tuple[Items, tuple[Size, ...]]:
    there = [part for part in parts if name in part.corpus.units or name in part.corpus.layers]
    pieces = {id(part): part.piece(name) for part in there}
    usual = next(iter(pieces.values()))
    every = [pieces.get(id(part)) or _empty(part, usual) for part in parts]
    bare = name not in parts[0].corpus.units and not usual.items.context.width
    items = joined(every, systems, own, bare=bare)
    return items, tuple(piece.size for piece in every)


def _empty(part: CellCorpus, usual: Piece) -> Piece:
    """Return the items of a layer that a part lacks: none, or no answer to any of its words."""
    items = usual.items
    words = part.corpus.units[next(iter(part.corpus.units))]
    if items.context.width:
        none = items.where(np.empty(0, np.intp))
        return Piece(part.dataset, part.part, none)
    blank = np.zeros(len(words), items.gold.dtype)
    answers = dict.fromkeys(part.corpus.systems, blank)
    items = replace(items, gold=blank, answers=answers, group_count=words.group_count)
    return Piece(part.dataset, part.part, items)


def _reading(parts: Sequence[CellCorpus]) -> Reading:
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


def joined(
    pieces: Sequence[Piece], systems: Sequence[str], own: Shelf | None = None, *, bare: bool = False
) -> Items:
    """Return the items of all pieces; a system that a piece lacks has no answers there.

    Answers are put on a shelf if there is one. ``bare`` items have no columns of their own.
    """
    every = [piece.items for piece in pieces]
    labels = _all_labels(every)
    if len(pieces) == 1 and own is None and tuple(labels) == every[0].labels:
        return _alone(pieces[0], systems, bare=bare)
    tables = [_table(items.labels, labels) for items in every]
    kind = width(len(labels))
    golds = [table[items.gold] for table, items in zip(tables, every, strict=True)]
    first = every[0]
    return Items(
        first.unit,
        pl.DataFrame() if bare else context_of(pieces),
        tuple(labels),
        np.concatenate(golds).astype(kind, copy=False),
        _answers(every, tables, systems, kind, own),
        empty_is_answer=all(items.empty_is_answer for items in every),
        group=first.group,
        group_count=sum(piece.size.groups for piece in pieces),
        lazy_form=_forms(every),
        numeric=first.numeric,
    )


def _all_labels(every: Sequence[Items]) -> list[str]:
    """Return the labels of all, sorted."""
    first = every[0].labels
    if all(items.labels is first for items in every) and all(map(lt, first, first[1:])):
        return list(first)
    return sorted({label for items in every for label in items.labels})


def _alone(piece: Piece, systems: Sequence[str], *, bare: bool) -> Items:
    """Return the items of a single piece: its labels and answers are those of all."""
    items = piece.items
    answers = items.answers
    if tuple(answers) != tuple(systems):
        nothing = np.zeros(len(items), items.gold.dtype)
        answers = {name: answers.get(name, nothing) for name in systems}
    return replace(
        items,
        context=pl.DataFrame() if bare else context_of([piece]),
        answers=answers,
        group_count=piece.size.groups,
        lazy_form=_forms([items]),
        judges=None,
        rows=None,
    )


def _table(theirs: Sequence[str], labels: Sequence[str]) -> Codes:
    place = {label: code for code, label in enumerate(labels, 1)}
    return np.array([0, *(place[label] for label in theirs)], dtype=width(len(labels)))


def _answers(
    every: Sequence[Items], tables: Sequence[Codes], systems: Sequence[str],
    kind: type[np.unsignedinteger], own: Shelf | None,
) -> Mapping[str, Codes]:  # fmt: skip
    if own is None:
        return {name: np.concatenate(list(_codes(every, tables, name, kind))) for name in systems}
    rows = sum(map(len, every))
    unit = every[0].unit
    stored = {
        name: own.fill(f"{unit}-{at}", _codes(every, tables, name, kind), kind, rows)
        for at, name in enumerate(systems)
    }
    return DiskCodes(own.limit, stored, rows)


def _codes(
    every: Sequence[Items], tables: Sequence[Codes], name: str, kind: type[np.unsignedinteger]
) -> Iterator[Codes]:
    for items, table in zip(every, tables, strict=True):
        there = name in items.answers
        yield table[items.answers[name]] if there else np.zeros(len(items), kind)


def _forms(every: Sequence[Items]) -> LazyColumn | None:
    if not any(items.lazy_form for items in every):
        return None
    bare = [replace(items, answers={}, judges=None) for items in every]
    return LazyColumn.of_whole(partial(_all_forms, bare))


def _all_forms(every: Sequence[Items]) -> pl.Series:
    return pl.concat([_text(items) for items in every])


def _text(items: Items) -> pl.Series:
    form = items.form()
    if form is None:
        return pl.Series("form", [None] * len(items), dtype=pl.String)
    return form.rename("form").cast(pl.String)
