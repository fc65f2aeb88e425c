"""Opening a store: its columns back as codes, in the order of the text."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.corpus.corpus import Corpus
from coleval.corpus.disk import Shelf, StoredCodes, on_disk, shelf
from coleval.corpus.excerpt import shown_in
from coleval.corpus.forking import check_process
from coleval.corpus.items import Items
from coleval.corpus.lazy import LazyMapping, maker_of
from coleval.corpus.limit import MemoryLimit, limit_of
from coleval.corpus.report import Report
from coleval.corpus.signature import signature
from coleval.corpus.tasks import task_named
from coleval.errors import warn_python
from coleval.store.columns import codes_of
from coleval.store.manifest import Manifest, Unit, read_manifest
from coleval.store.placing import live
from coleval.store.reading import answers_on, as_written, fitting, frames, parquet_columns, unpacked
from coleval.store.segments import grid_of, open_segments, segments_of
from coleval.store.training import stored_training

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.task import Task
    from coleval.store.parts import StoredPart

_ORDER = (
    "document", "sentence", "start", "end", "tokens", "char_start", "char_end", "fragments",
    "instance", "label", "form",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class StoreSource:
    """A store that can be cut into parts; ``held`` is what of it was brought here."""

    where: str
    held: object = field(default=None, compare=False, repr=False)

    def parts(self, rows: int) -> list[StoredPart]:
        """Return parts of about so many items, in the order of the items."""
        from coleval.store.parts import parts_of

        return parts_of(self.where, rows)


def open_store(
    path: str | Path, *, memory: str | int | MemoryLimit | None = None, engine: Any = None
) -> Corpus:  # fmt: skip
    """Return the corpus of a store; its columns are read when they are asked for.

    Under a limit on ``memory`` (``"2GB"``) answers are unpacked in a temporary directory. An
    ``engine`` is the name of one, or a Spark session that counts the store in parts; then the path
    may be a URI (``s3://…``), and only what the store says of itself is read here.
    """
    check_process()
    if engine is None or isinstance(engine, str):
        found = _opened(path, limit_of(memory))
        warn_python(found.warnings)
        return found if engine is None else found.scored_by({"engine": engine})
    from coleval.counts.spark import on_session

    corpus = _opened(path, None)
    return on_session(corpus.scored_by({"engine": "spark"}), engine)


def _opened(path: str | Path, limit: MemoryLimit | None) -> Corpus:
    if "://" in str(path):
        return _opened_elsewhere(str(path), limit)
    store = live(Path(path))
    source = StoreSource(str(store.absolute()))
    if segments_of(store):
        return replace(open_segments(store, limit), source=source)
    return replace(corpus_of(store, read_manifest(store), limit), source=source)


def _opened_elsewhere(uri: str, limit: MemoryLimit | None) -> Corpus:
    """Return the corpus of a store at a URI, of which only the manifests are brought here."""
    # Imported now, as other ways to read a store are: most stores are folders.
    import tempfile

    from coleval.store.parts import copy_manifests

    here = tempfile.TemporaryDirectory(prefix="coleval-store-")
    copy_manifests(uri.rstrip("/"), Path(here.name))
    found = _opened(here.name, limit)
    if (told := found.training) is not None:
        # Workers do not see this folder: the tables go to them.
        found = replace(found, training=replace(told, tables=dict(told.tables)))
    return replace(found, source=StoreSource(uri.rstrip("/"), here))


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


def corpus_of(store: Path, manifest: Manifest, limit: MemoryLimit | None = None) -> Corpus:
    """Return the corpus that a manifest describes."""
    read = read_unit if limit is None else partial(unpack_unit, shelf(limit))
    layers = {n: partial(read, store, n, unit) for n, unit in manifest.layers.items()}
    units = LazyMapping({n: partial(read, store, n, unit) for n, unit in manifest.units.items()})
    grid = grid_of(store, manifest, {**units.makers, **layers})
    return Corpus(
        manifest.task,
        manifest.reading,
        manifest.gold,
        manifest.systems,
        _derived(task_named(manifest.task), units),
        manifest.scoring,
        manifest.profile,
        stored_training(store),
        layers=LazyMapping(layers),
        limit=limit,
        grid=grid,
    )


def _derived(task: Task, units: Mapping[str, Items]) -> Mapping[str, Items]:
    """Return the units of a task, of which a store may keep the one that all follow from."""
    if task.derived_units is None:
        return units
    return task.derived_units(lambda: units[task.source_unit])


def read_unit(store: Path, name: str, unit: Unit) -> Items:
    """Return the items of a unit; those that came with later systems are sorted in."""
    if len(unit.parts) == 1:
        return as_written(store, name, unit)
    files = list(dict.fromkeys([*(file for file, _ in unit.parts), *unit.columns.values()]))
    read = dict(zip(files, frames(store, files, sums=unit.sums), strict=True))
    parts = [read[file] for file, _ in unit.parts]
    kind = unit.kind
    with fitting(store):
        held = LazyMapping({
            system: maker_of(codes_of(read[file][system], kind, unit.rows))
            for system, file in unit.columns.items()
        })  # fmt: skip
        stored = StoredCodes(parquet_columns(store, unit), held)
        return in_order(_items(name, unit, parts, stored))


def base_items(store: Path, name: str, unit: Unit) -> Items:
    """Return the items that the store was begun with, without any system, as they are stored."""
    first = replace(unit, parts=unit.parts[:1])
    return _items(name, first, frames(store, [unit.parts[0][0]], sums=unit.sums), {})


def unpack_unit(own: Shelf, store: Path, name: str, unit: Unit) -> Items:
    """Return the same items with their answers on a shelf; one column is read at a time."""
    if len(unit.parts) == 1:
        items = unpacked(own, store, name, unit)
    else:
        parts = frames(store, [file for file, _ in unit.parts], sums=unit.sums)
        stored = _items(name, unit, parts, answers_on(own, store, unit))
        # Put there again in order: jumps through a file cost more than a second one.
        items = on_disk(in_order(stored), own)
    own.limit.check(f"opening {store}")
    return items


def _items(name: str, unit: Unit, parts: list[pl.DataFrame], codes: Mapping[str, Codes]) -> Items:
    context = pl.concat([part.drop("gold") for part in parts]) if len(parts) > 1 else parts[0]
    golds = [codes_of(part["gold"], unit.kind, len(part)) for part in parts]
    gold = np.concatenate(golds) if len(golds) > 1 else golds[0]
    return Items(
        name, context.drop("gold", strict=False), unit.labels, gold, codes,
        empty_is_answer=unit.empty_is_answer, group=unit.group, group_count=unit.group_count,
    )  # fmt: skip


def in_order(items: Items) -> Items:
    """Return the items in the order of the text, without those that nobody answers any more."""
    there = _there(items.gold, items.answers.values())
    kept = items.where(there)
    order = kept.context.select(
        pl.arg_sort_by(*(c for c in _ORDER if c in items.context.columns))
    ).to_series()
    whole = kept.where(order.to_numpy().astype(np.intp))
    return Items(
        whole.unit, whole.context, whole.labels, whole.gold, whole.answers,
        empty_is_answer=whole.empty_is_answer, group=whole.group, group_count=items.group_count,
    )  # fmt: skip


def _there(gold: Codes, answers: Iterable[Codes]) -> NDArray[np.bool_]:
    there = gold != 0
    for codes in answers:
        there |= codes != 0
    return there
