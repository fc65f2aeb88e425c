"""A store of a whole shared task grows: what is new or has changed is read, and no more.

Systems that are new in a segment become columns of it, if its tokens are gold's. Cells that are
new, or of which a file has changed, are read into a segment of their own.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from coleval.corpus.output import written
from coleval.errors import UsageError
from coleval.loading.readers.source import Source
from coleval.loading.sources import Inputs, sha256_of
from coleval.loading.templates import Place
from coleval.store.manifest import FILE, read_manifest, unchanged, write_manifest
from coleval.store.placing import changing, is_unfinished, loading, sweep_parts
from coleval.store.segments import (
    Segment,
    open_segment,
    pieces,
    segments_of,
    stored_grid,
    write_segments,
)
from coleval.store.training import FOLDER
from coleval.store.views import refresh_views
from coleval.store.writing import fill, grown, own_tokens, sweep_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from coleval.corpus.corpus import Corpus, Entry
    from coleval.loading.cells import Cells

    Read = Callable[[Cells], Corpus]


@dataclass(slots=True)
class Growth:
    """What is to be read: whole cells, and by segment the systems that become columns of it."""

    cells: dict[Place, Inputs] = field(default_factory=dict)
    columns: dict[int, dict[Place, Inputs]] = field(default_factory=dict)
    unchanged: int = 0

    @property
    def runs(self) -> int:
        """Return how many runs are to be read."""
        every = [self.cells, *self.columns.values()]
        return sum(len(inputs.systems) for cells in every for inputs in cells.values())


@dataclass(frozen=True, slots=True)
class LiveCell:
    """A live cell of the store: where it is, and what it was read from.

    ``systems`` have columns in its segment, whether or not they have run on this cell.
    """

    segment: int
    number: int
    entries: Mapping[str, Entry]
    systems: frozenset[str]


def planned(store: Path, cells: Cells) -> Growth:
    """Return what has to be read so that a store has all the cells named."""
    known, plan = _known(store), Growth()
    rigid = _rigid(store)
    for place, inputs in cells.inputs.items():
        there = known.get(place)
        if there is None:
            plan.cells[place] = inputs
            continue
        fresh = {n: s for n, s in inputs.systems.items() if not _same(there.entries.get(n), s)}
        plan.unchanged += len(inputs.systems) - len(fresh)
        changed = not _same(there.entries[""], inputs.gold)
        if changed or (fresh and (there.segment in rigid or fresh.keys() & there.systems)):
            plan.cells[place] = _whole(inputs, there)
        elif fresh:
            own = replace(inputs, systems=fresh)
            plan.columns.setdefault(there.segment, {})[place] = own
    _without_part_of_a_segment(known, plan)
    return plan


def _without_part_of_a_segment(known: Mapping[Place, LiveCell], plan: Growth) -> None:
    """Read cells of a segment anew if others of it are: columns are for all of its cells."""
    for at in list(plan.columns):
        members = {place: one for place, one in known.items() if one.segment == at}
        if not plan.cells.keys() & members.keys():
            continue
        for place, inputs in plan.columns.pop(at).items():
            plan.cells[place] = _whole(inputs, members[place])


def _known(store: Path) -> dict[Place, LiveCell]:
    found: dict[Place, LiveCell] = {}
    for at, segment in enumerate(segments_of(store)):
        corpus = open_segment(store, segment)
        grid, systems = corpus.grid, frozenset(corpus.systems)
        assert grid is not None  # noqa: S101  - segments are of grids
        for number in segment.live:
            cell = grid.cells[number]
            found[Place(cell.dataset, cell.part)] = LiveCell(at, number, cell.entries, systems)
    return found


def _rigid(store: Path) -> set[int]:
    """Return the segments to which no column can be added: rows depend on systems, or are dead."""
    found = set()
    for at, segment in enumerate(segments_of(store)):
        corpus = open_segment(store, segment)
        cells = () if corpus.grid is None else corpus.grid.cells
        if own_tokens(corpus) or len(segment.live) != len(cells):
            found.add(at)
    return found


def _same(entry: Entry | None, source: Source) -> bool:
    """Tell whether a source is the file that was read, in the state it was in."""
    if entry is None or source.frame is not None:
        return False
    path = str(Path(source.path).absolute())
    if entry.origin.path == path:
        return unchanged(entry.origin)
    return Path(path).is_file() and entry.origin.sha256 == sha256_of(Path(path))


def _whole(inputs: Inputs, there: LiveCell) -> Inputs:
    """Return all that is known of a cell: the files named, and those of the other systems."""
    others = {n: e for n, e in there.entries.items() if n and n not in inputs.systems}
    for name, entry in others.items():
        if not Path(entry.origin.path).is_file():
            raise UsageError(
                f"`{name}` was read from a file that no longer exists, but must be read again",
                where=entry.origin.path,
                remedy="name its file again, or leave it out with --fresh",
            )
    more = {n: Source(e.origin.path, n, inputs.gold.encoding) for n, e in others.items()}
    return replace(inputs, systems={**more, **inputs.systems})


def grow(store: Path, cells: Cells, plan: Growth, read: Read) -> tuple[str, ...]:
    """Add what a plan says; return the warnings of what was read. The list comes last."""
    warnings: list[str] = []
    segments = list(segments_of(store))
    with written(store), loading(store):
        try:
            for at, inputs in plan.columns.items():
                corpus = read(_all_cells(store, segments[at], inputs, cells))
                segments[at] = _with_columns(store, segments[at], corpus)
                warnings += corpus.warnings
            if plan.cells:
                corpus = read(replace(cells, inputs=plan.cells, systems=_systems(plan.cells)))
                segments = [_without(store, one, plan.cells) for one in segments]
                segments += fill_segments(store, _next_folder(segments), corpus)
                warnings += corpus.warnings
            with changing(store):
                write_segments(store, [one for one in segments if one.live])
                refresh_views(store)
        finally:
            with suppress(OSError):
                sweep(store)
    return tuple(warnings)


def _systems(inputs: Mapping[Place, Inputs]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for one in inputs.values() for name in one.systems))


def _all_cells(store: Path, segment: Segment, fresh: Mapping[Place, Inputs], cells: Cells) -> Cells:
    """Return the golds of all cells of a segment, with the systems that are new there."""
    grid = open_segment(store, segment).grid
    assert grid is not None  # noqa: S101  - segments are of grids
    inputs = {}
    for cell in grid.cells:
        place = Place(cell.dataset, cell.part)
        gold = Source(cell.entries[""].origin.path, "gold")
        inputs[place] = fresh.get(place) or Inputs(gold, {}, alone=True)
    return replace(cells, inputs=inputs, systems=_systems(fresh))


def _with_columns(store: Path, segment: Segment, corpus: Corpus) -> Segment:
    """Write columns of more systems into a segment; return it with the manifest that has them."""
    folder = store / segment.folder
    manifest = read_manifest(folder, segment.manifest)
    more = grown(folder, manifest, corpus)
    before = open_segment(store, segment).grid
    assert before is not None and corpus.grid is not None and more.grid is not None  # noqa: S101, PT018
    cells = tuple(
        replace(cell, entries={**cell.entries, **{n: e for n, e in own.entries.items() if n}})
        for cell, own in zip(before.cells, corpus.grid.cells, strict=True)
    )
    n = more.files
    whole = replace(corpus, entries=more.systems, grid=replace(before, cells=cells))
    grid = stored_grid(folder, whole, f"cells-{n}.json", more.grid.sizes)
    file = f"corpus-{n}.json"
    write_manifest(folder, replace(more, grid=grid), file)
    return replace(segment, manifest=file)


def _without(store: Path, segment: Segment, places: Mapping[Place, Inputs]) -> Segment:
    """Return a segment of which some cells are not live any more."""
    grid = open_segment(store, segment).grid
    assert grid is not None  # noqa: S101  - segments are of grids
    live = [
        at
        for at in segment.live
        if Place(grid.cells[at].dataset, grid.cells[at].part) not in places
    ]
    return replace(segment, live=tuple(live))


def _next_folder(segments: Sequence[Segment]) -> int:
    return max((int(one.folder) for one in segments), default=-1) + 1


def fill_segments(store: Path, first: int, corpus: Corpus) -> list[Segment]:
    """Write a corpus as segments of a store, whose folders are numbered from ``first``."""
    return [_filled(store, f"{first + k:03d}", piece) for k, piece in enumerate(pieces(corpus))]


def _filled(store: Path, folder: str, corpus: Corpus) -> Segment:
    assert corpus.grid is not None  # noqa: S101  - pieces are of grids
    # One of that name was left by a load that was killed.
    shutil.rmtree(store / folder, ignore_errors=True)
    (store / folder).mkdir(parents=True)
    fill(store / folder, corpus)
    return Segment(folder, FILE, tuple(range(len(corpus.grid.cells))))


def tidied(store: Path) -> None:
    """Remove what a load that was killed left in a store, and finish what it had begun to tell."""
    with suppress(OSError):
        sweep_parts(store)
    if segments_of(store):
        sweep(store)
    else:
        sweep_columns(store, read_manifest(store))
    if is_unfinished(store):
        with changing(store):
            refresh_views(store)


def sweep(store: Path) -> None:
    """Remove what a store does not know: segments and columns that were replaced, or half made."""
    known = {segment.folder: segment for segment in segments_of(store)}
    for folder in store.iterdir():
        if not folder.is_dir() or folder.name == FOLDER:
            continue
        if folder.name not in known:
            shutil.rmtree(folder, ignore_errors=True)
            continue
        _sweep_segment(folder, known[folder.name])


def _sweep_segment(folder: Path, segment: Segment) -> None:
    manifest = read_manifest(folder, segment.manifest)
    every = (*manifest.units.values(), *manifest.layers.values())
    kept = {file for unit in every for file, _ in unit.parts}
    kept |= {file for unit in every for file in unit.columns.values()}
    kept |= {segment.manifest, manifest.grid.entries if manifest.grid else ""}
    for file in (*folder.glob("*/*.parquet"), *folder.glob("*.json")):
        if file.relative_to(folder).as_posix() not in kept:
            file.unlink()
