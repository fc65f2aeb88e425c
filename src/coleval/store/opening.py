"""Opening a store: a corpus whose columns are read when somebody looks at them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.corpus.corpus import Corpus
from coleval.corpus.disk import shelf
from coleval.corpus.excerpt import shown_in
from coleval.corpus.forking import check_process
from coleval.corpus.grid import Grid, GridCell, Size, pooled
from coleval.corpus.lazy import LazyMapping
from coleval.corpus.limit import MemoryLimit, limit_of
from coleval.corpus.report import Report
from coleval.corpus.signature import signature
from coleval.corpus.tasks import task_named
from coleval.corpus.training import Training
from coleval.errors import warn_python
from coleval.store.files import OpenStore
from coleval.store.manifest import Manifest, StoredCell, entry_of, read_manifest
from coleval.store.reading import UnitReader, local_reader
from coleval.store.tables import schema_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from coleval.corpus.disk import Shelf
    from coleval.corpus.items import Items
    from coleval.store.parts import StoredPart

    # Makes the items of a unit of some cells.
    MakeItems = Callable[[str, tuple[int, ...]], Items]

# Treebanks of so many words together are counted one after the other, so that no table is of all.
_APART = 1 << 14
# Cells that have fewer items than this part of all are read alone.
_FEW = 4


@dataclass(frozen=True, slots=True)
class StoreSource:
    """A store that can be cut into parts; ``held`` is what of it was brought here."""

    where: str
    store: OpenStore
    manifest: Manifest = field(repr=False)
    held: object = field(default=None, compare=False, repr=False)

    def parts(self, rows: int) -> list[StoredPart]:
        """Return parts of about so many items, in the order of the items."""
        from coleval.store.parts import parts_of

        return parts_of(self.where, rows)

    def tables(self) -> dict[str, list[str]]:
        """Return the files of each table: ``run``, the units, ``item`` for the first of them."""
        units = [name for name, unit in self.manifest.units.items() if not unit.layer]
        files = {name: [t.item for t in self.manifest.layout(name)] for name in units}
        for name in units:
            rows = [table.pattern for table in self.manifest.layout(name)]
            files[f"pattern_{name}"] = [file for file in rows if file is not None]
        tables = {"run": [self.manifest.run], **files, "item": files[units[0]]}
        return {
            name: [f"{self.where}/{file.path}" for file in own]
            for name, own in tables.items()
            if own
        }


def open_store(
    path: str | Path, *, memory: str | int | MemoryLimit | None = None, engine: Any = None
) -> Corpus:  # fmt: skip
    """Return the corpus of a store; its columns are read when they are asked for.

    Under a limit on ``memory`` (``"2GB"``) answers are unpacked in a temporary directory. An
    ``engine`` is the name of one, or a Spark session that counts the store in parts; then the path
    may be a URI (``s3://…``), and only what the store says of itself is read here.
    """
    check_process()
    if engine is not None and not isinstance(engine, str):
        from coleval.counts.spark import on_session

        return on_session(_opened(path, None).scored_by({"engine": "spark"}), engine)
    corpus = _opened(path, limit_of(memory))
    warn_python(corpus.warnings)
    return corpus if engine is None else corpus.scored_by({"engine": engine})


def _opened(path: str | Path, limit: MemoryLimit | None) -> Corpus:
    where, held = str(path), None
    if "://" in where:
        from coleval.store.parts import copy_manifest

        where = where.rstrip("/")
        held = copy_manifest(where)
        path = held.name
    else:
        where = str(Path(path).absolute())
    store = OpenStore.at(Path(path))
    manifest = read_manifest(store.path)
    corpus = replace(
        corpus_of_store(store, manifest, limit), source=StoreSource(where, store, manifest, held)
    )
    if held is not None and (training := corpus.training) is not None:
        # Workers do not see this folder: the tables go to them.
        corpus = replace(corpus, training=replace(training, tables=dict(training.tables)))
    return corpus


def corpus_of_store(
    store: OpenStore, manifest: Manifest, limit: MemoryLimit | None = None
) -> Corpus:
    """Return the corpus of all cells of an open store."""
    own = None if limit is None else shelf(limit)
    make = partial(_items, store, manifest, own)
    every = tuple(range(len(manifest.cells)))
    corpus = corpus_of_cells(manifest, every, make)
    corpus = replace(corpus, limit=limit, training=_training(store, manifest))
    words = next(iter(corpus.units))
    if corpus.grid is None or len(every) == 1 or not corpus.task_kind.trees:
        return corpus
    if sum(table.item.rows for table in manifest.layout(words)) < _APART:
        return corpus
    from coleval.corpus.joined import CellCorpus, corpus_of_parts

    cells = [
        CellCorpus(cell.dataset, cell.part, corpus_of_cells(manifest, (at,), make), placed=True)
        for at, cell in enumerate(manifest.cells)
    ]
    whole = corpus_of_parts(cells, corpus.systems, own)
    # How many items there are is known before any is read.
    return replace(
        corpus, units=whole.units, layers=whole.layers, limit=whole.limit,
        grid=whole.grid and replace(whole.grid, sizes=corpus.grid.sizes),
    )  # fmt: skip


def _items(
    store: OpenStore, manifest: Manifest, own: Shelf | None, name: str, cells: tuple[int, ...]
) -> Items:
    reader = UnitReader(str(store.path), manifest, name, cells, partial(local_reader, store))
    items = reader.items(own, store)
    if own is not None:
        own.release()
        own.limit.check(f"opening {store.path}")
    return items


def corpus_of_cells(manifest: Manifest, cells: tuple[int, ...], make: MakeItems) -> Corpus:
    """Return the corpus of some cells as if only these had been loaded, all systems with them."""
    task, names = task_named(manifest.task), manifest.units
    seen: set[str] = set()

    def read(name: str) -> Items:
        seen.add(name)
        return make(name, cells)

    there = {name for at in cells for name in manifest.cells[at].tables}
    stored = LazyMapping({n: partial(read, n) for n, u in names.items() if not u.layer})
    layers = LazyMapping({n: partial(read, n) for n, u in names.items() if u.layer and n in there})
    units: Mapping[str, Items] = stored
    if task.derived_units is not None:
        # A store keeps the one that all others follow from.
        units = task.derived_units(lambda: stored[task.source_unit])
    gold, systems, grid = manifest.gold, manifest.systems, None
    if manifest.grid:
        whole = _grid(manifest, cells)

        def part(name: str, own: tuple[int, ...]) -> Items:
            """Return the items of some cells, read alone unless they are many or all were read."""
            at = [cells.index(cell) for cell in own]
            rows = [size.rows for size in whole.sizes[name]]
            if name not in seen and sum(rows[k] for k in at) * _FEW < sum(rows):
                return make(name, own)
            return whole.picked(name, stored[name] if name in stored else layers[name], at)

        grid = replace(whole, apart=partial(_apart, manifest, cells, part))
        if len(cells) < len(manifest.cells):
            gold = pooled("", grid.cells)
            systems = tuple(pooled(name, grid.cells) for name in manifest.columns)
    return Corpus(
        manifest.task, manifest.reading, gold, systems, units, manifest.scoring, manifest.profile,
        layers=layers, grid=grid,
    )  # fmt: skip


def _apart(
    manifest: Manifest, cells: Sequence[int], make: MakeItems, numbers: Sequence[int],
    systems: Sequence[str],
) -> Corpus:  # fmt: skip
    """Return the corpus of some of the cells and systems of another."""
    corpus = corpus_of_cells(manifest, tuple(cells[at] for at in numbers), make)
    entries = {entry.name: entry for entry in corpus.entries}
    return replace(corpus, entries=tuple(entries[name] for name in systems))


def _grid(manifest: Manifest, cells: Sequence[int]) -> Grid:
    """Return the cells of a store; where they came from is read when somebody looks at it."""
    chosen = [manifest.cells[at] for at in cells]
    nothing = Size(0, 0, empty_is_answer=False)
    sizes = {
        name: tuple(
            Size(table.item.rows, table.groups, table.empty_is_answer)
            if (table := cell.tables.get(name))
            else nothing
            for cell in chosen
        )
        for name in manifest.units
    }
    return Grid(grid_cells(chosen), sizes)


def grid_cells(cells: Sequence[StoredCell]) -> tuple[GridCell, ...]:
    """Return stored cells as those of a grid; where they came from is made when it is asked for."""
    return tuple(
        GridCell(
            cell.dataset, cell.part,
            LazyMapping({name: partial(entry_of, one) for name, one in cell.entries.items()}),
        )
        for cell in cells
    )  # fmt: skip


def _training(store: OpenStore, manifest: Manifest) -> Training | None:
    """Return the training data of a store, None if it has none; tables are read when needed."""
    if (stored := manifest.training) is None:
        return None
    tables = {name: partial(_training_table, store, manifest, name) for name in stored.tables}
    return Training(stored.path, stored.sha256, LazyMapping(tables))


def _training_table(store: OpenStore, manifest: Manifest, name: str) -> pl.DataFrame:
    assert manifest.training is not None  # noqa: S101  - the caller has looked
    file = manifest.training.tables[name]
    (path,) = store.checked([file])
    columns = list(schema_of(path))
    return local_reader(store, [file], columns)


def systems_report(corpus: Corpus) -> Report:
    """Return the table of the systems that a store holds: their files, answers and repairs."""
    unit = next(iter(corpus.units))
    items = corpus.at(unit)
    rows = [
        {
            "system": entry.name,
            "path": entry.origin.path,
            "items": len(items),
            "answers": int((items.answers[entry.name] != 0).sum()),
            "repairs": entry.repairs,
            "sha256": entry.origin.sha256[:12] or None,
        }
        for entry in corpus.entries
    ]
    kinds = {"system": pl.String, "path": pl.String, "items": pl.Int64, "answers": pl.Int64,
             "repairs": pl.Int64, "sha256": pl.String}  # fmt: skip
    tables = {"systems": pl.DataFrame(rows, schema=kinds)}
    return Report("load", tables, signature(corpus), shown=shown_in(tables, ranked=False))
