"""Writing a store: gold file after gold file, then what makes all of them alike."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
import polars as pl

from coleval.corpus.coding import width
from coleval.corpus.corpus import Entry, Origin
from coleval.corpus.disk import recoded
from coleval.corpus.grid import DATASET, PART, corpus_of
from coleval.corpus.items import NOT_IN_GOLD
from coleval.corpus.training import TABLES
from coleval.store.files import (
    ITEM,
    PATTERN,
    RUN,
    TRAINING,
    commit,
    recorded,
    replacing,
    sweep_foreign,
)
from coleval.store.manifest import (
    Manifest,
    StoredCell,
    StoredFile,
    StoredTable,
    StoredTraining,
    UnitLayout,
)
from coleval.store.tables import (
    FORM,
    GOLD,
    ID,
    N,
    common_kind,
    conformed,
    is_coded,
    item_ids,
    patterns,
    schema_of,
    system_columns,
    write_items,
    write_parts,
    write_patterns,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.corpus.training import Training
    from coleval.store.tables import Ids

# Tables written, or files hashed, at a time: neither Parquet nor hashes need Python.
_AT_ONCE = 2
_UNSAFE = re.compile(r"[^a-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Draft:
    """One gold file whose tables have been written, with what was known of all units by then."""

    cell: StoredCell
    units: Mapping[str, UnitLayout]
    columns: Mapping[str, str]


def write(corpus: Corpus, path: Path) -> Path:
    """Write a corpus as a store, in one step; a killed write leaves the old one, or nothing."""
    with replacing(path) as (store, number):
        training = write_training(store, number, corpus.training)
        manifest = described(corpus, number, training)
        commit(store, finished(store, manifest, [*drafts(store, number, corpus)]))
        sweep_foreign(store)
    return path


def described(corpus: Corpus, number: int, training: StoredTraining | None) -> Manifest:
    """Return the manifest of a corpus of which no cell has been written yet."""
    gold, *entries = hashed_all([corpus.gold, *corpus.entries])
    return Manifest(
        corpus.task, corpus.profile, corpus.reading, corpus.scoring, gold, tuple(entries),
        {}, {}, (), corpus.grid is not None, StoredFile(RUN, 0, 0, 0), training, number,
    )  # fmt: skip


def drafts(store: Path, number: int, corpus: Corpus) -> Iterator[Draft]:
    """Write the tables of all gold files of a corpus; yield each when it is there."""
    units: Mapping[str, UnitLayout] = {}
    columns: Mapping[str, str] = {}
    for cell, place, entries in cells_of(corpus):
        draft = write_cell(store, number, cell, place, corpus.systems, (units, columns))
        units, columns = draft.units, draft.columns
        stored = {name: asdict(entry) for name, entry in entries.items()}
        yield replace(draft, cell=replace(draft.cell, entries=stored))


def cells_of(corpus: Corpus) -> Iterator[tuple[Corpus, tuple[str, str], Mapping[str, Entry]]]:
    """Yield the corpus of each gold file, where it belongs, and where its answers came from."""
    if corpus.grid is None:
        yield corpus, ("", ""), {}
        return
    named = {"", *corpus.systems}
    for at, cell in enumerate(corpus.grid.cells):
        names = [name for name in cell.entries if name in named]
        entries = dict(zip(names, hashed_all([cell.entries[n] for n in names]), strict=True))
        yield corpus_of(corpus, [at]), (cell.dataset, cell.part), entries


def write_cell(
    store: Path, number: int, corpus: Corpus, place: tuple[str, str], systems: Sequence[str],
    before: tuple[Mapping[str, UnitLayout], Mapping[str, str]],
) -> Draft:  # fmt: skip
    """Write the tables of one gold file; labels and columns go on from those ``before`` it."""
    units, had = before
    names = stored_units(corpus)
    # The last first: the text is there, and others are made of it.
    tables = {n: corpus.existing(n) for n in reversed(names)}
    every = {n: tables[n] for n in names} | {n: corpus.layer(n) for n in corpus.layers}
    taken = {c for items in every.values() for c in items.context.columns}
    columns = system_columns(systems, taken, had)
    grid = corpus.grid is not None
    known = {n: _unit(units.get(n), items, n in corpus.layers, grid) for n, items in every.items()}
    # What is written beside the words is of them.
    words = {names[0], *(n for n, unit in known.items() if unit.layer and not unit.context)}
    shared = item_ids(every[names[0]])
    ids = (shared if name in words else item_ids(items) for name, items in every.items())
    job = partial(_write_table, store, number, place, columns)
    with _workers() as pool:
        written = pool.map(job, every, every.values(), known.values(), ids)
        stored = dict(zip(every, written, strict=True))
    return Draft(StoredCell(*place, stored), {**units, **known}, columns)


def _unit(before: UnitLayout | None, items: Items, layer: bool, grid: bool) -> UnitLayout:
    """Return what is known of a unit when one gold file more is there."""
    labels = tuple(sorted({*items.labels, *(before.labels if before else ())}))
    own = [c for c in items.context.columns if not grid or c not in (DATASET, PART)]
    own += [FORM] if items.lazy_form else []
    context = tuple(dict.fromkeys([*(before.context if before else ()), *own]))
    names = {
        name: () if grid else tuple(kind.categories)
        for name, kind in items.context.schema.items()
        if name in own and isinstance(kind, pl.Enum)
    }
    return UnitLayout(
        labels, is_coded(len(labels), len(items)), items.group, context,
        {**(before.names if before else {}), **names}, layer,
    )  # fmt: skip


def _write_table(
    store: Path, number: int, place: tuple[str, str], columns: Mapping[str, str], name: str,
    items: Items, unit: UnitLayout, ids: Ids,
) -> StoredTable:  # fmt: skip
    items = relabelled(items, unit.labels)
    kind = _kind(unit)
    named = {k: v for k, v in zip((DATASET, PART), place, strict=True) if v}
    file = table_path(ITEM, name, number, place)
    write_items(store / file, items, ids, named, columns, kind)
    stored = StoredTable(
        recorded(store, file, len(items)), items.group_count, items.empty_is_answer
    )
    found = None if unit.layer else patterns(items)
    if found is None:
        return stored
    file = table_path(PATTERN, name, number, place)
    write_patterns(store / file, found, items, named, columns, kind)
    return replace(stored, pattern=recorded(store, file, len(found)))


def _kind(unit: UnitLayout) -> pl.DataType:
    return unit.kind if unit.coded else pl.String()


def table_path(top: str, unit: str, number: int, place: tuple[str, str]) -> str:
    """Return where a table is: a name that is safe anywhere and still says what is in it."""
    name = "-".join(filter(None, place))
    safe = _UNSAFE.sub("_", name)[:40]
    if safe != name:
        safe = f"{safe}-{crc32('/'.join(place).encode()):08x}"
    more = ".pattern" if top == PATTERN else ""
    return f"{top}/{unit}/{'-'.join(filter(None, (f'{number:04d}', safe)))}{more}.parquet"


def relabelled(items: Items, labels: tuple[str, ...]) -> Items:
    """Return items whose codes are places among other labels, which have all of theirs."""
    if items.labels == labels:
        return items
    place = {label: k for k, label in enumerate(labels, 1)}
    table = np.array([0, *(place[label] for label in items.labels)], dtype=width(len(labels)))
    return replace(
        items,
        labels=labels,
        gold=table[items.gold],
        answers=recoded(items.answers, table),
        judges=None,
    )


def stored_units(corpus: Corpus) -> tuple[str, ...]:
    """Return the units that are written: the one all else follows from, or all."""
    source = corpus.task_kind.source_unit
    return (source,) if source else tuple(corpus.units)


def own_tokens(corpus: Corpus) -> bool:
    """Return whether some system has tokens that gold lacks: the rows depend on all systems."""
    unit = corpus.text_unit
    return unit is not None and NOT_IN_GOLD in corpus.units[unit].context.columns


def hashed_all(entries: Sequence[Entry]) -> list[Entry]:
    """Return entries whose origins have the hashes of their files, if the files are still there."""
    with _workers() as pool:
        return list(pool.map(hashed, entries))


def hashed(entry: Entry) -> Entry:
    """Return an entry whose origin has the hash of its file, if the file is still there."""
    path = Path(entry.origin.path)
    if entry.origin.sha256 or not path.is_file():
        return entry
    # Opening a store needs no readers.
    from coleval.loading.sources import sha256_of

    return replace(entry, origin=replace(entry.origin, sha256=sha256_of(path)))


def unchanged(origin: Origin) -> bool:
    """Return whether a file is still as it was: by size and time, else by its hash."""
    path = Path(origin.path)
    if not path.is_file() or not origin.size:
        return False
    state = path.stat()
    if (state.st_size, state.st_mtime_ns) == (origin.size, origin.mtime_ns):
        return True
    same = hashed(Entry("", Origin(origin.path)))
    return state.st_size == origin.size and same.origin.sha256 == origin.sha256


@contextmanager
def _workers() -> Iterator[ThreadPoolExecutor]:
    pool = ThreadPoolExecutor(_AT_ONCE)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


# -- what all cells have in common -----------------------------------------------------------------
def finished(store: Path, manifest: Manifest, fresh: Sequence[Draft]) -> Manifest:
    """Return a manifest with some cells more, when all tables have the same columns and types.

    Cells of one dataset and part are replaced; all are in the natural order of their names.
    """
    from coleval.corpus.grid import cell_order

    cells = {(cell.dataset, cell.part): cell for cell in manifest.cells}
    units, columns = dict(manifest.units), dict(manifest.columns)
    for draft in fresh:
        cells[draft.cell.dataset, draft.cell.part] = draft.cell
        units, columns = merged_units(units, draft.units), {**columns, **draft.columns}
    ordered = sorted(cells.values(), key=lambda cell: cell_order(cell.dataset, cell.part))
    there = {name for cell in ordered for name in cell.tables}
    units = {n: _settled(u, n, ordered) for n, u in units.items() if n in there}
    whole = replace(manifest, units=units, columns=columns, cells=tuple(ordered))
    whole = replace(whole, cells=tuple(_with_layers(store, whole)))
    whole = replace(whole, cells=tuple(_alike(store, whole)))
    return replace(whole, run=_write_runs(store, whole))


def merged_units(
    one: Mapping[str, UnitLayout], other: Mapping[str, UnitLayout]
) -> dict[str, UnitLayout]:
    """Return what is known of units by two parties: all of their labels and columns."""
    found = dict(one)
    for name, unit in other.items():
        mine = found.setdefault(name, unit)
        if mine != unit:
            found[name] = replace(
                unit,
                labels=tuple(sorted({*mine.labels, *unit.labels})),
                context=tuple(dict.fromkeys([*mine.context, *unit.context])),
                names={**mine.names, **unit.names},
            )
    return found


def _settled(unit: UnitLayout, name: str, cells: Sequence[StoredCell]) -> UnitLayout:
    rows = sum(cell.tables[name].item.rows for cell in cells if name in cell.tables)
    return replace(unit, coded=is_coded(len(unit.labels), rows))


def _with_layers(store: Path, manifest: Manifest) -> Iterator[StoredCell]:
    """Yield the cells, each with all layers that are beside words: without answers, if need be."""
    words = next(iter(manifest.units))
    beside = [n for n, unit in manifest.units.items() if unit.layer and not unit.context]
    for cell in manifest.cells:
        tables = dict(cell.tables)
        for name in (name for name in beside if name not in tables):
            source, place = tables[words].item, (cell.dataset, cell.part)
            path = table_path(ITEM, name, manifest.load, place)
            there = schema_of(store / source.path)
            kinds = {k: v for k, v in there.items() if k in (ID, DATASET, PART)}
            conformed(store / source.path, store / path, kinds)
            tables[name] = replace(tables[words], item=recorded(store, path, source.rows))
            tables[name] = replace(tables[name], pattern=None)
        yield replace(cell, tables=tables)


def _alike(store: Path, manifest: Manifest) -> Iterator[StoredCell]:
    """Yield the cells, those written anew of which a table has other columns or types."""
    kinds = {name: _kinds(store, manifest, name) for name in manifest.units}
    labelled = {DATASET, PART, GOLD, *manifest.columns.values()}
    for cell in manifest.cells:
        place, tables = (cell.dataset, cell.part), {}
        for name, table in cell.tables.items():
            item, pattern = table.item, table.pattern
            alike = partial(_conform, store, manifest.load, name, place)
            tables[name] = replace(table, item=alike(ITEM, item, kinds[name]))
            if pattern is not None:
                own = {k: v for k, v in kinds[name].items() if k in labelled} | {N: pl.UInt32()}
                tables[name] = replace(tables[name], pattern=alike(PATTERN, pattern, own))
        yield replace(cell, tables=tables)


def _kinds(store: Path, manifest: Manifest, name: str) -> dict[str, pl.DataType]:
    """Return the columns of all tables of a unit, and what they hold."""
    unit = manifest.units[name]
    schemas = [schema_of(store / t.item.path) for t in manifest.layout(name)]
    places = [place for place in (DATASET, PART) if any(place in one for one in schemas)]
    found = {
        column: common_kind([one[column] for one in schemas if column in one])
        for column in (ID, *places, *unit.context)
    }
    return found | dict.fromkeys((GOLD, *manifest.columns.values()), _kind(unit))


def _conform(
    store: Path, number: int, unit: str, place: tuple[str, str], top: str, file: StoredFile,
    kinds: Mapping[str, pl.DataType],
) -> StoredFile:  # fmt: skip
    target = table_path(top, unit, number, place)
    if not conformed(store / file.path, store / target, kinds):
        return file
    return recorded(store, target, file.rows)


def _write_runs(store: Path, manifest: Manifest) -> StoredFile:
    """Write which system has run on which gold file, and which file it was."""
    entries = {entry.name: asdict(entry) for entry in (manifest.gold, *manifest.systems)}
    rows = []
    for cell in manifest.cells:
        own = cell.entries if manifest.grid else entries
        for system in manifest.columns:
            origin = own[system]["origin"] if system in own else {"path": None, "sha256": None}
            status = "run" if system in own else "not_run"
            rows.append((cell.dataset, cell.part, system, manifest.columns[system], status,
                         origin["path"] or None, origin["sha256"] or None))  # fmt: skip
    names = ("dataset", "part", "system", "column", "status", "path", "sha256")
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    file = f"{RUN}/{manifest.load:04d}.parquet"
    write_parts(store / file, [frame.to_arrow()], names[:3])
    return recorded(store, file, len(frame))


def write_training(store: Path, number: int, training: Training | None) -> StoredTraining | None:
    """Write the tables of some training data."""
    if training is None:
        return None
    tables = {}
    for name in TABLES:
        file, table = f"{TRAINING}/{number:04d}-{name}.parquet", training.tables[name]
        write_parts(store / file, [table.to_arrow()])
        tables[name] = recorded(store, file, len(table))
    return StoredTraining(training.path, training.sha256, tables)
