"""What a store tells the database that other programs open: where each column of it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.corpus.items import SPANS
from coleval.corpus.tasks import task_named
from coleval.store.manifest import Manifest, read_manifest
from coleval.store.opening import corpus_of
from coleval.store.reading import schema_of
from coleval.store.segments import Segment, open_segments, segments_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from coleval.query.portable import StoredUnit, ViewPart
    from coleval.store.manifest import Unit

    Folder = tuple[str, Manifest, Sequence[tuple[str, str]] | None]


# Tables of so many answers are inside the database. Parquet is read by what opens it for more: to
# write 2 million × 24 answers a second time takes two to three times as long as to load them.
_HELD = 1_000_000


def refresh_views(store: Path) -> None:
    """Write ``corpus.duckdb`` anew, for what the store holds now."""
    # Imported now: who opens a store does not need it.
    from coleval.query.portable import StoredCorpus, write_views

    folders = [_folder(store, segment) for segment in segments_of(store)]
    every = folders or [("", read_manifest(store), None)]
    first = every[0][1]
    task = task_named(first.task)
    systems = {e.name: e.origin.path for _, manifest, _ in every for e in manifest.systems}
    rows = sum(unit.rows for _, manifest, _ in every for unit in manifest.units.values())
    # What a store keeps of mentions are chains, and what is compared are their classes.
    if task.mentions or rows * (len(systems) + 1) <= _HELD:
        corpus = open_segments(store) if folders else corpus_of(store, first)
        write_views(store, corpus.database())
        return
    names = [name for name in first.units if all(name in one.units for _, one, _ in every)]
    units = [_unit(store, name, every) for name in sorted(names, key=_order(task.units))]
    cells = [cell for _, manifest, live in every for cell in _cells(manifest, live, systems)]
    metric = first.scoring.metric if task.trees else "f1" if units[0].name in SPANS else "accuracy"
    stored = StoredCorpus(first.task, metric, units, task.text_unit, systems, cells, task.trees)
    write_views(store, stored)


def _cells(
    manifest: Manifest, live: Sequence[tuple[str, str]] | None, systems: Iterable[str]
) -> list[tuple[str | None, str | None, frozenset[str]]]:
    """Return the datasets and parts that count, each with the systems that were run on it."""
    if manifest.grid is None:
        return [(None, None, frozenset(systems))]
    there = {entry.name for entry in manifest.systems}
    lacking = {(at, name) for at, name in manifest.grid.missing}
    return [
        (dataset or None, part or None, frozenset(n for n in there if (at, n) not in lacking))
        for at, (dataset, part) in enumerate(manifest.grid.cells)
        if live is None or (dataset, part) in live
    ]


def _order(units: Sequence[str]) -> Callable[[str], tuple[int, str]]:
    return lambda name: (units.index(name) if name in units else len(units), name)


def _folder(store: Path, segment: Segment) -> Folder:
    manifest = read_manifest(store / segment.folder, segment.manifest)
    cells = manifest.grid.cells if manifest.grid else ()
    live = [(cells[at][0], cells[at][1]) for at in segment.live]
    return f"{segment.folder}/", manifest, None if len(live) == len(cells) else live


def _unit(store: Path, name: str, folders: Sequence[Folder]) -> StoredUnit:
    from coleval.query.portable import StoredUnit

    parts, before = [], 0
    for folder, manifest, live in folders:
        unit = manifest.units[name]
        parts.append(_part(store, folder, unit, live, before))
        before += unit.group_count
    first = folders[0][1].units[name]
    empty = all(manifest.units[name].empty_is_answer for _, manifest, _ in folders)
    return StoredUnit(name, first.group, empty, parts)


def _part(
    store: Path, folder: str, unit: Unit, live: Sequence[tuple[str, str]] | None, before: int
) -> ViewPart:
    from coleval.query.portable import ViewPart

    base = [f"{folder}{file}" for file, _ in unit.parts]
    context = [c for c in schema_of(store, base[0]) if c != "gold"]
    return ViewPart(
        base, context, {n: f"{folder}{f}" for n, f in unit.columns.items()}, live, before
    )
