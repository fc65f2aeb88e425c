"""Stores of a whole shared task: segments, each of which is a store of some gold files.

``corpus.json`` names the segments, the manifest of each that counts, and which of its cells are
live: a cell that was read again is in a later segment. It is replaced last, so that a killed load
leaves the old store or the new one.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from coleval.corpus.grid import Grid, GridCell, Size, cell_order, corpus_of
from coleval.corpus.lazy import LazyMapping
from coleval.store.json_files import checked, damaged, loaded, read_json, write_json
from coleval.store.manifest import FILE, StoredGrid, entry_of, hashed, read_manifest
from coleval.store.schema import Fault
from coleval.store.training import stored_training

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from coleval.corpus.corpus import Corpus, Entry
    from coleval.corpus.items import Items
    from coleval.corpus.limit import MemoryLimit
    from coleval.store.manifest import Manifest

    Sizes = Mapping[str, Sequence[tuple[int, int, bool]]]
    Makers = Mapping[str, Callable[[], Items]]

VERSION = 3


@dataclass(frozen=True, slots=True)
class Segment:
    """A folder of the store, the manifest in it that counts, and the numbers of its live cells."""

    folder: str
    manifest: str
    live: tuple[int, ...]


def segments_of(store: Path) -> tuple[Segment, ...]:
    """Return the segments of a store, none if it is a store of one gold, or no store at all."""
    path = store / FILE
    try:
        raw, data = loaded(path)
    except FileNotFoundError:
        return ()
    if not isinstance(data, dict) or data.get("store") != VERSION:
        return ()
    from coleval.store.schema import check_segments

    data = checked(path, raw, data, check_segments)
    return tuple(Segment(s["folder"], s["manifest"], tuple(s["live"])) for s in data["segments"])


def write_segments(store: Path, segments: Sequence[Segment]) -> None:
    """Put the list of segments in place in one step."""
    data = {"store": VERSION, "segments": [asdict(segment) for segment in segments]}
    write_json(store, data, FILE, indent=1)


def stored_grid(folder: Path, corpus: Corpus, file: str, sizes: Sizes | None = None) -> StoredGrid:
    """Write where the cells of a corpus came from; return what a manifest says of them."""
    grid = corpus.grid
    assert grid is not None  # noqa: S101  - the caller has looked
    wanted = {"", *corpus.systems}
    cells = [
        {n: asdict(hashed(cell.entries[n])) for n in cell.entries if n in wanted}
        for cell in grid.cells
    ]
    write_json(folder, {"cells": cells}, file, indent=None)
    return StoredGrid(
        [(cell.dataset, cell.part) for cell in grid.cells],
        [(at, name) for name, at in grid.missing_numbers(corpus.systems)],
        sizes or sizes_of(corpus),
        file,
    )


def sizes_of(corpus: Corpus) -> Sizes:
    """Return the sizes of all tables of a corpus that are stored."""
    assert corpus.grid is not None  # noqa: S101  - the caller has looked
    return {
        name: [(size.rows, size.groups, size.empty_is_answer) for size in sizes]
        for name, sizes in corpus.grid.sizes.items()
    }


def open_segment(store: Path, segment: Segment, limit: MemoryLimit | None = None) -> Corpus:
    """Return the corpus of all cells of a segment, those that are not live too."""
    from coleval.store.opening import corpus_of

    folder = store / segment.folder
    return corpus_of(folder, segment_manifest(store, segment), limit)


def segment_manifest(store: Path, segment: Segment) -> Manifest:
    """Return the manifest of a segment; raise if it has not the cells that are said to be live."""
    from coleval.store.schema import check_live

    path = store / segment.folder / segment.manifest
    manifest = read_manifest(path.parent, path.name)
    cells = None if manifest.grid is None else len(manifest.grid.cells)
    try:
        check_live(segment.live, cells)
    except Fault as fault:
        raise damaged(path, str(fault)) from None
    return manifest


def grid_of(folder: Path, manifest: Manifest, makers: Makers) -> Grid | None:
    """Return the grid of a stored corpus: its cells are read when somebody looks at them."""
    stored = manifest.grid
    if stored is None:
        return None
    entries = cache(partial(_entries, folder, stored))
    lacking: dict[int, set[str]] = {}
    for at, name in stored.missing:
        lacking.setdefault(at, set()).add(name)
    names = ["", *(entry.name for entry in manifest.systems)]
    cells = tuple(
        GridCell(
            dataset,
            part,
            LazyMapping(
                {
                    name: partial(_entry, entries, at, name)
                    for name in names
                    if name not in lacking.get(at, ())
                }
            ),
        )
        for at, (dataset, part) in enumerate(stored.cells)
    )  # fmt: skip
    every = {**manifest.units, **manifest.layers}
    sizes = {n: partial(_sizes, stored, n, len(every[n].parts), makers) for n in stored.sizes}
    return Grid(cells, LazyMapping(sizes))


def _entries(folder: Path, stored: StoredGrid) -> list[dict[str, Any]]:
    from coleval.store.schema import check_cells

    path = folder / stored.entries
    try:
        found: list[dict[str, Any]] = read_json(path, check_cells)["cells"]
    except FileNotFoundError:
        raise damaged(path, "it is missing") from None
    if len(found) != len(stored.cells):
        raise damaged(path, f"it has {len(found):,} cells, not {len(stored.cells):,}")
    return found


def _entry(entries: Any, at: int, name: str) -> Entry:
    return entry_of(entries()[at][name])


def _sizes(stored: StoredGrid, name: str, parts: int, makers: Makers) -> tuple[Size, ...]:
    """Return the sizes of a unit; rows that came with later systems are counted."""
    known = tuple(Size(*size) for size in stored.sizes[name])
    if parts == 1:
        return known
    rows = _counted(makers[name](), stored)
    return tuple(replace(size, rows=n) for size, n in zip(known, rows, strict=True))


def _counted(items: Items, stored: StoredGrid) -> list[int]:
    import polars as pl

    there = [name for name in ("dataset", "part") if name in items.context.columns]
    counts = items.context.group_by([pl.col(n).cast(pl.String) for n in there]).len()
    found = {tuple(row[:-1]): row[-1] for row in counts.iter_rows()}
    return [found.get(tuple(filter(None, cell)), 0) for cell in stored.cells]


def open_segments(store: Path, limit: MemoryLimit | None = None) -> Corpus:
    """Return the corpus of all live cells, in their natural order."""
    segments = segments_of(store)
    opened = [open_segment(store, segment, limit) for segment in segments]
    if len(opened) == 1 and len(segments[0].live) == len(_cells(opened[0])):
        return replace(opened[0], training=stored_training(store))
    from coleval.corpus.joined import CellCorpus, corpus_of_parts

    parts = [
        CellCorpus.of(corpus, at)
        for corpus, segment in zip(opened, segments, strict=True)
        for at in segment.live
    ]
    parts.sort(key=lambda part: cell_order(part.dataset, part.part))
    systems = dict.fromkeys(name for corpus in opened for name in corpus.systems)
    own = None
    if limit is not None:
        from coleval.corpus.disk import shelf

        own = shelf(limit)
    whole = corpus_of_parts(parts, tuple(systems), own)
    return replace(whole, training=stored_training(store), scoring=opened[0].scoring)


def _cells(corpus: Corpus) -> tuple[GridCell, ...]:
    assert corpus.grid is not None  # noqa: S101  - segments are of grids
    return corpus.grid.cells


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
