"""A part of a store: some gold files in a row, or some sentences of one large file.

It is read when it is called, wherever that is, from whatever Arrow can open: a folder, S3, HDFS.
Row groups that have none of the rows wanted are not read.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.corpus.grid import Grid, Size
from coleval.corpus.lazy import LazyMapping
from coleval.corpus.tasks import task_named
from coleval.errors import DataError
from coleval.store.manifest import FILE, manifest_of
from coleval.store.opening import corpus_of_cells
from coleval.store.reading import UnitReader, readable
from coleval.store.tables import BITS, ID

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.store.manifest import Manifest, StoredFile

_REMEDY = "every worker has to see the store under the very same path: use shared storage or a URI"


@dataclass(frozen=True, slots=True)
class Address:
    """A store by its path on this machine or a URI that Arrow knows, as it was at a ``load``."""

    uri: str
    load: int = 0

    def manifest(self) -> Manifest:
        """Return what the store says of itself, which is kept for the next part."""
        return _manifest(self)

    def bytes(self, file: str) -> bytes:
        """Return what a file holds."""
        with self._opened(file) as stream:
            return bytes(stream.read())

    def _opened(self, file: str) -> Any:
        from pyarrow import fs

        try:
            if "://" in self.uri:
                system, folder = fs.FileSystem.from_uri(self.uri)
            else:
                system, folder = fs.LocalFileSystem(), self.uri
            return system.open_input_file(f"{folder}/{file}")
        except (OSError, ValueError, ImportError) as error:
            first = next(iter(str(error).splitlines()), type(error).__name__)
            raise DataError(
                f"cannot be read here ({first})", where=f"{self.uri}/{file}", remedy=_REMEDY
            ) from None

    def parquet(self, file: StoredFile) -> Any:
        """Return a file; raise if it is gone, or not what it was."""
        import pyarrow.parquet as pq

        where = f"{self.uri}/{file.path}"
        stream = self._opened(file.path)
        if stream.size() != file.size:
            raise DataError(
                "has changed since the count began", where=where,
                remedy="count again when nothing writes to the store",
            )  # fmt: skip
        with readable(where):
            return pq.ParquetFile(stream)


@lru_cache(maxsize=8)
def _manifest(store: Address) -> Manifest:
    manifest = manifest_of(store.bytes(FILE), Path(store.uri))
    if store.load not in (0, manifest.load):
        raise DataError(
            "has changed since the count began", where=store.uri,
            remedy="count again when nothing writes to the store",
        )  # fmt: skip
    return manifest


def copy_manifest(uri: str) -> tempfile.TemporaryDirectory[str]:
    """Bring here what a store says of itself, and its training data; not its items."""
    here, store = tempfile.TemporaryDirectory(prefix="coleval-store-"), Address(uri)
    _manifest.cache_clear()
    training = store.manifest().training
    for file in (FILE, *(one.path for one in (training.tables.values() if training else ()))):
        path = Path(here.name, file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(store.bytes(file))
    return here


@dataclass(frozen=True, slots=True)
class StoredPart:
    """Some cells of a store in a row, or the items of one with some ``ids``: read when called.

    ``cells`` are their numbers in the corpus, ``numbers`` those in the store.
    """

    store: Address
    numbers: tuple[int, ...]
    cells: tuple[int, ...]
    rows: int
    ids: tuple[int, int] | None = None

    def __call__(self) -> Corpus:
        """Return the corpus of the part; raise if a file is not what it was."""
        manifest = self.store.manifest()
        corpus = corpus_of_cells(manifest, self.numbers, partial(_items, self, manifest))
        if self.ids is None or corpus.grid is None:
            return corpus
        groups = (self.ids[1] >> BITS) - (self.ids[0] >> BITS)
        sizes = {
            name: partial(_size, corpus, name, replace(size, groups=groups))
            for name, (size,) in corpus.grid.sizes.items()
        }
        return replace(corpus, grid=Grid(corpus.grid.cells, LazyMapping(sizes)))

    def within(self, cells: Collection[int]) -> tuple[StoredPart, ...]:
        """Return what of the part is of some gold files."""
        at = [k for k, cell in enumerate(self.cells) if cell in cells]
        if len(at) == len(self.cells):
            return (self,)
        share = self.rows // len(self.cells)
        return tuple(
            replace(self, numbers=(self.numbers[k],), cells=(self.cells[k],), rows=share)
            for k in at
        )

    def renumbered(self, numbers: Mapping[int, int]) -> StoredPart:
        """Return the part with other numbers of its gold files."""
        return replace(self, cells=tuple(numbers[cell] for cell in self.cells))


def _size(corpus: Corpus, name: str, size: Size) -> tuple[Size]:
    items = corpus.units[name] if name in corpus.units else corpus.layers[name]
    return (replace(size, rows=len(items)),)


def _items(part: StoredPart, manifest: Manifest, name: str, cells: tuple[int, ...]) -> Items:
    sentences = None
    if part.ids is not None:
        sentences = part.ids[0] >> BITS, part.ids[1] >> BITS
    read = partial(_rows, part.store, part.ids)
    return UnitReader(part.store.uri, manifest, name, cells, read, sentences).items()


def _rows(
    store: Address, ids: tuple[int, int] | None, files: Sequence[StoredFile],
    columns: list[str], low: int = 0, rows: int | None = None,
) -> pl.DataFrame:  # fmt: skip
    """Return columns of the items with some ids, or of all."""
    del low, rows  # parts are not cut again
    frames: list[pl.DataFrame] = []
    for file in files:
        opened = store.parquet(file)
        with readable(f"{store.uri}/{file.path}"):
            if ids is None:
                frames.append(pl.DataFrame(opened.read(columns=columns)))
                continue
            groups = [k for k, (least, most, _) in enumerate(_statistics(opened))
                      if most >= ids[0] and least < ids[1]]  # fmt: skip
            frame = pl.DataFrame(opened.read_row_groups(groups, columns=[ID, *columns]))
            frames.append(frame.filter(pl.col(ID).is_between(*ids, closed="left")))
    return pl.concat(frames).select(columns)


def _statistics(file: Any) -> Iterator[tuple[int, int, int]]:
    """Yield the least and the largest id of each row group, and its rows."""
    at = file.schema_arrow.names.index(ID)
    for k in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(k)
        about = group.column(at).statistics
        if about is None or not about.has_min_max:
            yield 0, (1 << 63) - 1, group.num_rows
        else:
            yield int(about.min), int(about.max), group.num_rows


def parts_of(where: str, rows: int) -> list[StoredPart]:
    """Return parts of a store of about so many items, in the order of the items.

    Neighbouring cells of a dataset are together, large ones in pieces.
    """
    _manifest.cache_clear()
    manifest = Address(where).manifest()
    store = Address(where, manifest.load)
    parts: list[StoredPart] = []
    name = _text_unit(manifest)
    may_cut = _may_cut(manifest)
    for at, cell in enumerate(manifest.cells):
        table = cell.tables[name]
        pieces = []
        if may_cut and table.item.rows >= rows:
            pieces = _pieces(StoredPart(store, (at,), (at,), 0), manifest, name, rows)
        last = parts[-1] if parts else None
        if len(pieces) > 1:
            parts += pieces
        elif (
            last is not None and last.ids is None and last.rows < rows
            and manifest.cells[last.cells[-1]].dataset == cell.dataset
        ):  # fmt: skip
            numbers = (*last.numbers, at)
            parts[-1] = StoredPart(store, numbers, numbers, last.rows + table.item.rows)
        else:
            parts.append(StoredPart(store, (at,), (at,), table.item.rows))
    return parts


def _pieces(part: StoredPart, manifest: Manifest, name: str, rows: int) -> list[StoredPart]:
    """Return one cell in pieces of about so many rows; row groups begin with a new sentence."""
    table = manifest.cells[part.numbers[0]].tables[name]
    edges, row, last = [(0, 0)], 0, -1
    for least, most, size in _statistics(part.store.parquet(table.item)):
        new = not table.groups or least >> BITS > last >> BITS
        if new and row - edges[-1][0] >= rows:
            edges.append((row, least >> BITS << BITS if table.groups else least))
        last, row = max(last, most), row + size
    edges.append((row, table.groups << BITS if table.groups else row))
    return [
        replace(part, ids=(low, high), rows=end - start)
        for (start, low), (end, high) in pairwise(edges)
    ]


def _may_cut(manifest: Manifest) -> bool:
    """Return whether a gold file may be cut between two sentences: no span reaches over them.

    Where there are no sentences, between any rows whose ids are their numbers.
    """
    units = {name: unit for name, unit in manifest.units.items() if not unit.layer}
    tables = [cell.tables[name] for cell in manifest.cells for name in units]
    if not any(unit.group in unit.context for unit in units.values()):
        return len(units) == 1 and all(table.empty_is_answer for table in tables)
    return (
        manifest.reading.within == "sentence"
        and all(u.group in u.context and "cut_at" not in u.context for u in units.values())
        and len({unit.group for unit in units.values()}) == 1
        and all(table.groups for table in tables)
    )


def _text_unit(manifest: Manifest) -> str:
    text = task_named(manifest.task).text_unit
    return text if text in manifest.units else next(iter(manifest.units))
