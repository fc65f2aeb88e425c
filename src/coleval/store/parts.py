"""A part of a store: some gold files in a row, or some row groups of one large file.

It is read when it is called, wherever that is; ``part_planning`` says which parts there are.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from coleval.corpus.corpus import Corpus
from coleval.corpus.grid import Grid, GridCell, Size
from coleval.corpus.lazy import LazyMapping
from coleval.corpus.tasks import task_named
from coleval.store.manifest import manifest_of
from coleval.store.part_reading import Address, Files, Range, read_part

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

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
