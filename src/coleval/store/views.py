"""What a store tells the database that other programs open: where each column of it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.corpus.grid import DATASET, PART
from coleval.corpus.items import SPANS
from coleval.corpus.tasks import task_named
from coleval.store.files import OpenStore

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from coleval.query.portable import ViewUnit
    from coleval.store.manifest import Manifest


# Tables of so many answers are inside the database. Parquet is read by what opens it for more: to
# write 2 million × 24 answers a second time takes two to three times as long as to load them.
_HELD = 1_000_000


def write_database(store: Path, manifest: Manifest, file: Path) -> None:
    """Write the database of a store, for what a manifest says that it holds, to a file."""
    # Imported now: who opens a store does not need it.
    from coleval.query.portable import StoredCorpus, write_views

    task = task_named(manifest.task)
    systems = {entry.name: entry.origin.path for entry in manifest.systems}
    names = [name for name, unit in manifest.units.items() if not unit.layer]
    rows = sum(table.item.rows for name in names for table in manifest.layout(name))
    # What a store keeps of mentions are chains, and what is compared are their classes.
    if task.mentions or rows * (len(systems) + 1) <= _HELD:
        from coleval.store.opening import corpus_of_store

        write_views(store, corpus_of_store(OpenStore(store.absolute()), manifest).database(), file)
        return
    cells = [
        (cell.dataset or None, cell.part or None,
         frozenset(cell.entries if manifest.grid else systems) - {""})
        for cell in manifest.cells
    ]  # fmt: skip
    order = {name: at for at, name in enumerate(task.units)}
    # The unit that is scored comes first.
    scored = manifest.scoring.unit
    names.sort(key=lambda name: (name != scored, order.get(name, len(order)), name))
    units = [_unit(store, manifest, name) for name in names]
    has_sides = units[0].name in SPANS or units[0].group == "instance"
    metric = manifest.scoring.metric if task.trees else "f1" if has_sides else "accuracy"
    corpus = StoredCorpus(
        manifest.task,
        metric,
        units,
        task.text_unit,
        systems,
        cells,
        manifest.columns,
        task.trees,
        task.numeric,
    )
    write_views(store, corpus, file)


def _unit(store: Path, manifest: Manifest, name: str) -> ViewUnit:
    from coleval.query.portable import ViewPart, ViewUnit

    unit, tables = manifest.units[name], manifest.layout(name)
    cells = [cell for cell in manifest.cells if name in cell.tables]
    places = [p for p in (DATASET, PART) if manifest.grid and any(getattr(c, p) for c in cells)]
    parts, before = [], 0
    for cell, table in zip(cells, tables, strict=True):
        # What counts no more is moved to another folder at the top: readers find it there.
        file = f"*/{table.item.path.partition('/')[2]}"
        parts.append(ViewPart(file, (cell.dataset, cell.part), before))
        before += table.groups
    context = tuple(dict.fromkeys([*places, *unit.context]))
    empty = all(table.empty_is_answer for table in tables)
    files = [store / table.item.path for table in tables]
    shared = _shared_documents(files, places) if places and "document" in context else []
    return ViewUnit(name, unit.group, empty, context, parts, shared)


def _shared_documents(files: list[Path], places: Sequence[str]) -> list[str]:
    """Return the names that documents of several gold files have."""
    rows = pl.scan_parquet(files, glob=False).select(*places, "document").drop_nulls("document")
    names = rows.unique().select("document").filter(pl.col("document").is_duplicated()).unique()
    return sorted(names.collect()["document"].cast(pl.String))
