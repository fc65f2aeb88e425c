"""A part of a store: some gold files in a row, or some row groups of one large file.

It is read when it is called, wherever that is; ``part_planning`` says which parts there are.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from coleval.corpus.corpus import Corpus
from coleval.corpus.grid import Grid, GridCell, Size, cell_order
from coleval.corpus.lazy import LazyMapping
from coleval.corpus.tasks import task_named
from coleval.errors import DataError
from coleval.store.manifest import FILE, manifest_of
from coleval.store.part_reading import Address, Files, Range, read_part, statistics
from coleval.store.segments import VERSION
from coleval.store.training import FOLDER

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from coleval.corpus.items import Items
    from coleval.store.manifest import Manifest, Unit
    from coleval.store.part_reading import Picked, Stamps


@dataclass(frozen=True, slots=True)
class StoredSegment:
    """A folder of a store, the manifest in it that counts, and its files as they were."""

    address: Address
    manifest: str
    stamps: Stamps = field(compare=False, repr=False)

    @property
    def key(self) -> tuple[str, str, tuple[int, int] | None]:
        """Return what tells it apart from others and from what it was before."""
        return self.address.uri, self.manifest, self.stamps.get(self.manifest)


@dataclass(frozen=True, slots=True)
class StoredPart:
    """Some cells of a segment in a row, or a piece of one; it is read when it is called.

    ``edges`` are where the cells begin, and the end, as sentences or instances (or rows).
    ``local`` is the number of the first cell in the segment, ``cells`` are those in the corpus.
    """

    segment: StoredSegment
    by: str
    edges: tuple[int, ...]
    local: int
    cells: tuple[int, ...]
    rows: int

    def __call__(self) -> Corpus:
        """Return the corpus of the part; raise if a file is not what it was."""
        return _opened(self)

    def within(self, cells: Collection[int]) -> tuple[StoredPart, ...]:
        """Return what of the part is of some gold files."""
        found = []
        for at in (k for k, cell in enumerate(self.cells) if cell in cells):
            share = self.rows // len(self.cells)
            found.append(
                replace(
                    self,
                    edges=self.edges[at : at + 2],
                    local=self.local + at,
                    cells=self.cells[at : at + 1],
                    rows=share,
                )
            )
        return (self,) if len(found) == len(self.cells) else tuple(found)

    def renumbered(self, numbers: Mapping[int, int]) -> StoredPart:
        """Return the part with other numbers of its gold files."""
        return replace(self, cells=tuple(numbers[cell] for cell in self.cells))


def _opened(part: StoredPart) -> Corpus:
    manifest = manifest_in(part.segment)
    files = Files(part.segment.address, part.segment.stamps)
    wanted = Range(part.by, part.edges[0], part.edges[-1])
    read = _PartReader(files, manifest, wanted)
    stored = LazyMapping({name: partial(read.unit, name) for name in manifest.units})
    units: Mapping[str, Items] = stored
    task = task_named(manifest.task)
    if task.derived_units is not None:
        units = task.derived_units(lambda: stored[task.source_unit])
    return Corpus(
        manifest.task,
        manifest.reading,
        manifest.gold,
        manifest.systems,
        units,
        manifest.scoring,
        manifest.profile,
        layers=LazyMapping({name: partial(read.layer, name) for name in manifest.layers}),
        grid=_grid(part, manifest, stored),
    )


def manifest_in(segment: StoredSegment) -> Manifest:
    """Return the manifest of a segment, which is kept for the next part."""
    return _manifest(segment.key, segment)


@lru_cache(maxsize=8)
def _manifest(key: object, segment: StoredSegment) -> Manifest:  # noqa: ARG001
    raw = segment.address.bytes(segment.manifest)
    return manifest_of(raw, Path(segment.address.uri) / segment.manifest)


@dataclass(frozen=True, slots=True, eq=False)
class _PartReader:
    """Reads the units and layers of a part."""

    files: Files
    manifest: Manifest
    wanted: Range

    def unit(self, name: str) -> Items:
        """Return a unit."""
        return self._read(name, self.manifest.units[name], None)

    def layer(self, name: str) -> Items:
        """Return a layer; one without columns of its own stands beside the first unit."""
        from coleval.store.part_reading import picked

        layer = self.manifest.layers[name]
        names = self.files.open(layer.parts[0][0]).schema_arrow.names
        if names != ["gold"]:
            return self._read(name, layer, None)
        words = next(iter(self.manifest.units.values()))
        beside = picked(self.files.open(words.parts[0][0]), self.wanted)
        return self._read(name, layer, beside)

    def _read(self, name: str, unit: Unit, beside: Picked | None) -> Items:
        from coleval.store.opening import in_order

        found = read_part(self.files, name, unit, self.wanted, beside)
        return in_order(found) if len(unit.parts) > 1 else found


def _grid(part: StoredPart, manifest: Manifest, units: LazyMapping[Items]) -> Grid | None:
    """Return the cells of a part, and which systems lack which of them."""
    stored = manifest.grid
    if stored is None:
        return None
    every = {"": manifest.gold, **{entry.name: entry for entry in manifest.systems}}
    lacking = set(map(tuple, stored.missing))
    cells = tuple(
        GridCell(
            *stored.cells[at],
            {name: entry for name, entry in every.items() if (at, name) not in lacking},
        )
        for at in range(part.local, part.local + len(part.cells))
    )
    sizes = {name: partial(_sizes, part, stored.sizes[name], units, name) for name in stored.sizes}
    return Grid(cells, LazyMapping(sizes))


def _sizes(
    part: StoredPart, stored: Sequence[tuple[int, int, bool]], units: LazyMapping[Items], name: str
) -> tuple[Size, ...]:
    found = tuple(Size(*size) for size in stored[part.local : part.local + len(part.cells)])
    if len(found) > 1 or name not in units:
        return found
    groups = part.edges[-1] - part.edges[0] if part.by else found[0].groups
    return (Size(len(units[name]), groups, found[0].empty_is_answer),)


def parts_of(where: str, rows: int) -> list[StoredPart]:
    """Return parts of a store of about so many items, in the order of the items."""
    return list(_parts(Address(where), rows))


def copy_manifests(uri: str, here: Path) -> None:
    """Bring here what a store says of itself: all of it but its columns."""
    store = Address(uri)
    for file in store.stamps():
        if file.endswith(".json") or file.startswith(f"{FOLDER}/"):
            path = here / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(store.bytes(file))


def _parts(store: Address, rows: int) -> Iterator[StoredPart]:
    """Yield the parts: neighbouring cells of a dataset together, large ones in pieces."""
    waiting: list[_StoredCell] = []
    for cell in _cells(store):
        pieces = cell.pieces(rows)
        if waiting and (len(pieces) > 1 or not waiting[-1].before(cell)):
            yield _together(waiting)
            waiting = []
        if len(pieces) > 1:
            yield from pieces
            continue
        waiting.append(cell)
        if sum(one.rows for one in waiting) >= rows:
            yield _together(waiting)
            waiting = []
    if waiting:
        yield _together(waiting)


@dataclass(frozen=True, slots=True)
class _StoredCell:
    """One gold file: in which segment it is, as which of its cells, and how much of its table.

    ``cuts`` are rows and the sentences that begin there, at which it may be cut.
    """

    segment: StoredSegment
    by: str
    dataset: str
    local: int
    number: int
    first: int
    last: int
    rows: int
    cuts: tuple[tuple[int, int], ...]

    def before(self, other: _StoredCell) -> bool:
        """Tell whether another cell follows this one in the same dataset and segment."""
        return (
            self.segment is other.segment
            and self.dataset == other.dataset
            and self.local + 1 == other.local
            and self.number + 1 == other.number
        )

    def pieces(self, rows: int) -> list[StoredPart]:
        """Return the cell in pieces of about so many rows."""
        edges, at = [(0, self.first)], 0
        for row, begins in self.cuts:
            if row - at >= rows and self.first < begins < self.last:
                edges.append((row, begins))
                at = row
        edges.append((self.rows, self.last))
        return [
            StoredPart(self.segment, self.by, (a, b), self.local, (self.number,), end - start)
            for (start, a), (end, b) in pairwise(edges)
        ]


def _together(cells: list[_StoredCell]) -> StoredPart:
    edges = (*(cell.first for cell in cells), cells[-1].last)
    numbers = tuple(cell.number for cell in cells)
    first = cells[0]
    rows = sum(cell.rows for cell in cells)
    return StoredPart(first.segment, first.by, edges, first.local, numbers, rows)


def _cells(store: Address) -> list[_StoredCell]:
    """Return the live cells of all segments in the order of the corpus."""
    text = json.loads(store.text(FILE))
    if not isinstance(text, dict) or text.get("store") != VERSION:
        return _numbered(_cells_of(StoredSegment(store, FILE, store.stamps()), None))
    found: list[tuple[Sequence[str], _StoredCell]] = []
    for data in text["segments"]:
        address = Address(f"{store.uri}/{data['folder']}")
        segment = StoredSegment(address, data["manifest"], address.stamps())
        live = set(data["live"])
        manifest = manifest_in(segment)
        assert manifest.grid is not None  # noqa: S101  - segments are of grids
        names = manifest.grid.cells
        found += [(names[cell.local], cell) for cell in _cells_of(segment, live)]
    found.sort(key=lambda pair: cell_order(*pair[0]))
    return _numbered([cell for _, cell in found])


def _numbered(cells: list[_StoredCell]) -> list[_StoredCell]:
    return [replace(cell, number=at) for at, cell in enumerate(cells)]


def _cells_of(segment: StoredSegment, live: set[int] | None) -> list[_StoredCell]:
    manifest = manifest_in(segment)
    name = _text_unit(manifest)
    unit = manifest.units[name]
    by, files = _by(segment, manifest), Files(segment.address, segment.stamps)
    sizes = manifest.grid.sizes[name] if manifest.grid else [(unit.rows, unit.group_count, True)]
    if not by and any(len(one.parts) > 1 for one in manifest.units.values()):
        # Rows that came with later systems stand behind all others: it is one part.
        _one_file_only(segment, manifest)
    rows = list(accumulate((size[0] for size in sizes), initial=0))
    groups = list(accumulate((size[1] for size in sizes), initial=0)) if by else rows
    cuts = [] if _over_sentences(files, manifest) else list(_cuts(files.open(unit.parts[0][0]), by))
    names = manifest.grid.cells if manifest.grid else [("", "")]
    return [
        _StoredCell(
            segment, by, names[at][0], at, at, groups[at], groups[at + 1], size[0],
            tuple((row - rows[at], begins) for row, begins in cuts
                  if rows[at] < row < rows[at + 1]),
        )
        for at, size in enumerate(sizes)
        if live is None or at in live
    ]  # fmt: skip


def _over_sentences(files: Files, manifest: Manifest) -> bool:
    """Tell whether spans may reach over sentences, so that no file can be cut between two."""
    return manifest.reading.within != "sentence" or any(
        "cut_at" in files.open(unit.parts[0][0]).schema_arrow.names
        for unit in manifest.units.values()
    )


def _one_file_only(segment: StoredSegment, manifest: Manifest) -> None:
    if manifest.grid is not None and len(manifest.grid.cells) > 1:
        raise DataError(
            "systems that were added later brought items of their own, which are in no order",
            where=segment.address.uri,
            remedy="load the store again with all systems (--fresh)",
        )


def _text_unit(manifest: Manifest) -> str:
    text = task_named(manifest.task).text_unit
    return text if text in manifest.units else next(iter(manifest.units))


def _by(segment: StoredSegment, manifest: Manifest) -> str:
    """Return what numbers the sentences or instances of all units, nothing if some have none."""
    files = Files(segment.address, segment.stamps)
    groups = {unit.group for unit in manifest.units.values()}
    known = all(
        unit.group in files.open(unit.parts[0][0]).schema_arrow.names and unit.group_count
        for unit in manifest.units.values()
    )
    return next(iter(groups)) if known and len(groups) == 1 else ""


def _cuts(file: object, by: str) -> Iterator[tuple[int, int]]:
    """Yield the rows at which row groups begin with a new sentence, and its number."""
    row, last = 0, -1
    for k, known in enumerate(statistics(file, by)):
        size = file.metadata.row_group(k).num_rows  # type: ignore[attr-defined]
        if not by:
            yield row, row
        elif known is not None:
            if known[1] > last:
                yield row, known[1]
            last = max(last, known[2])
        row += size
