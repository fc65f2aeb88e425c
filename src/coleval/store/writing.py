"""Writing a store, and adding systems to one without touching what is there."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import decoded, width
from coleval.corpus.disk import recoded
from coleval.corpus.items import NOT_IN_GOLD
from coleval.corpus.output import written
from coleval.errors import DataError
from coleval.store.columns import (
    cuts,
    file_name,
    files_of,
    write_base,
    write_columns,
)
from coleval.store.json_files import sealed, sum_of
from coleval.store.manifest import (
    FILE,
    Manifest,
    Unit,
    hashed,
    of_corpus,
    read_manifest,
    write_manifest,
)
from coleval.store.opening import base_items
from coleval.store.placing import beside, changing, loading, put
from coleval.store.reading import frames
from coleval.store.segments import stored_grid, write_segments
from coleval.store.training import FOLDER, store_training
from coleval.store.views import refresh_views

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from concurrent.futures import Future
    from pathlib import Path

    from numpy.typing import NDArray

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items


_KEYS = (
    "document", "sentence", "start", "end", "tokens", "char_start", "char_end", "fragments",
    "instance", "label", "form",
)  # fmt: skip


def write(corpus: Corpus, path: Path) -> Path:
    """Write a corpus beside its place and put it there; a killed write leaves no half store."""
    with filling(path) as partial:
        _fill_all(partial, corpus)
    return path


@contextmanager
def filling(path: Path) -> Iterator[Path]:
    """Yield a folder beside the place of a store, which is put there when it has been filled."""
    with written(path):
        check_place(path)
        place = path.resolve()  # a link stays a link
        with loading(place):
            partial = beside(place)
            try:
                yield partial
                put(partial, place)
            finally:
                shutil.rmtree(partial, ignore_errors=True)


def check_place(path: Path) -> None:
    """Raise if something else is there, or there is no directory to put a store into."""
    if path.exists() and not (path / FILE).is_file() and (path.is_file() or any(path.iterdir())):
        raise DataError(
            "exists already and is not a coleval store",
            where=str(path),
            remedy="choose another -o",
        )
    parent = path.absolute().parent
    if not parent.is_dir():
        there = next(p for p in (parent, *parent.parents) if p.exists())
        raise DataError(
            "the directory to write into does not exist",
            where=str(parent),
            remedy=f"make it first: mkdir -p {parent}"
            if there.is_dir()
            else f"`{there}` is a file; choose another -o",
        )


def _fill_all(store: Path, corpus: Corpus) -> None:
    """Write a store of one gold, or one with segments of all golds."""
    if corpus.grid is None:
        fill(store, corpus)
    else:
        from coleval.store.growing import fill_segments

        write_segments(store, fill_segments(store, 0, replace(corpus, training=None)))
        if corpus.training is not None:
            store_training(store, corpus.training)
    refresh_views(store)


def _add_layers(store: Path, manifest: Manifest, fresh: Corpus) -> dict[str, Unit]:
    """Add systems to the layers of a store; a corpus of column files may lack some of them."""
    kept = {n: unit for n, unit in manifest.layers.items() if n in fresh.layers}
    n = manifest.files
    return {
        name: _add_unit(store, unit, base_items(store, name, unit), fresh.layer(name), n)
        for name, unit in kept.items()
    }


def add(store: Path, manifest: Manifest, fresh: Corpus) -> Manifest:
    """Add the systems of another corpus of the same gold; systems of one name are replaced.

    Nothing that is there is rewritten: each system is one new column, new spans are new rows.
    """
    with written(store), loading(store):
        try:
            more = grown(store, manifest, fresh)
            with changing(store):
                write_manifest(store, more)
                refresh_views(store)
        finally:
            # By what the store says now, whether or not all went well.
            with suppress(OSError):
                sweep_columns(store, read_manifest(store))
    return more


def grown(store: Path, manifest: Manifest, fresh: Corpus) -> Manifest:
    """Write the columns of more systems; return the manifest that knows them."""
    units, files = {}, manifest.files
    for name, unit in manifest.units.items():
        first = base_items(store, name, unit)
        units[name] = _add_unit(store, unit, first, fresh.existing(name), files)
    entries = {e.name: e for e in manifest.systems} | {e.name: hashed(e) for e in fresh.entries}
    return replace(
        manifest,
        units=units,
        layers=_add_layers(store, manifest, fresh),
        systems=tuple(entries.values()),
        files=files + len(fresh.entries),
    )


def _add_unit(store: Path, unit: Unit, first: Items, new: Items, files: int) -> Unit:
    labels = tuple(sorted({*unit.labels, *new.labels}))
    new = _relabelled(new, labels)
    place, extra = _places(_stored(store, unit, new), new)
    parts = unit.parts
    folder = parts[0][0].partition("/")[0]
    if len(extra):
        base = f"{folder}/base-{files:03d}.parquet"
        more = new.where(extra)
        write_base(store / base, more, [0, len(extra)], pl.Enum(labels))
        parts = (*parts, (base, len(extra)))
    rows = sum(n for _, n in parts)
    columns = dict(unit.columns)
    groups = _groups(first, rows)
    for number, (system, codes) in enumerate(new.answers.items(), files):
        spread = np.zeros(rows, codes.dtype)
        spread[place] = codes
        column = replace(new, gold=spread, answers={system: spread})
        columns[system] = f"{folder}/{file_name(number, system)}"
        write_columns(store / columns[system], column, [system], groups)
    return sealed(store, replace(unit, labels=labels, parts=parts, columns=columns))


def _groups(first: Items, rows: int) -> list[int]:
    """Return the row groups of a new column: those of the first base, then one for the rest."""
    known = cuts(first)
    return known if rows == len(first) else [*known, rows]


def _relabelled(items: Items, labels: tuple[str, ...]) -> Items:
    place = {label: k for k, label in enumerate(labels, 1)}
    table = np.array([0, *(place[label] for label in items.labels)], dtype=width(len(labels)))
    return replace(
        items,
        labels=labels,
        gold=table[items.gold],
        answers=recoded(items.answers, table),
    )


def _stored(store: Path, unit: Unit, new: Items) -> pl.DataFrame:
    """Return the keys of all rows as they are stored, gold's label among them."""
    parts = frames(store, [file for file, _ in unit.parts], sums=unit.sums)
    # The texts of spans are made when they are needed: new ones have none to be compared by.
    keys = [c for c in _KEYS if c in parts[0].columns and c in new.context.columns]
    return pl.concat(part.select(_key(k) for k in (*keys, "gold")) for part in parts)


def _key(name: str) -> pl.Expr:
    """Return a column to compare rows by: names of documents and labels as text."""
    return pl.col(name).cast(pl.String) if name in ("document", "form", "gold") else pl.col(name)


def _places(stored: pl.DataFrame, new: Items) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the stored row of each new item, and the items that have none yet (put behind)."""
    if new.empty_is_answer:
        return np.arange(len(new)), np.empty(0, np.intp)
    gold = decoded(new.gold, new.labels, "gold").cast(pl.String)
    there = [c for c in _KEYS if c in new.context.columns]
    mine = new.context.select(_key(c) for c in there).with_columns(gold)
    keys = mine.columns
    left, right = _numbered(mine, keys), _numbered(stored, keys).with_row_index("row")
    found = left.join(
        right, on=[*keys, "again"], how="left", nulls_equal=True, maintain_order="left"
    )["row"]
    extra = found.is_null().arg_true().to_numpy().astype(np.intp)
    place = found.fill_null(0).to_numpy().astype(np.intp)
    place[extra] = len(stored) + np.arange(len(extra))
    return place, extra


def _numbered(frame: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Return the rows with a number that tells apart items of one extent and gold label."""
    return frame.with_columns(pl.int_range(pl.len()).over(keys).alias("again"))


def sweep_columns(store: Path, manifest: Manifest) -> None:
    """Remove columns that a store does not know: of systems replaced, or not written to the end."""
    every = (*manifest.units.values(), *manifest.layers.values())
    kept = {file for unit in every for file, _ in unit.parts}
    kept |= {file for unit in every for file in unit.columns.values()}
    for file in store.glob("*/*.parquet"):
        if file.relative_to(store).as_posix() not in kept and file.parent.name != FOLDER:
            file.unlink()


# Columns written, or files hashed, at a time: neither Parquet nor hashes need Python.
_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class _Draft:
    """A unit whose files are being written: their sizes and checksums are still to come."""

    unit: Unit
    sums: Mapping[str, Future[tuple[int, int]]]


def _written(drafts: Mapping[str, _Draft]) -> dict[str, Unit]:
    """Return units when all of their files are there."""
    return {
        name: replace(draft.unit, sums={file: one.result() for file, one in draft.sums.items()})
        for name, draft in drafts.items()
    }


def fill(store: Path, corpus: Corpus) -> None:
    """Write a corpus into a folder, which may be one of several of a store."""
    with _workers() as pool:
        units = _drafts(pool, store, stored_units(corpus), corpus.existing, corpus)
        # Several layers may be of one unit, such as enhanced graphs with subtypes and without.
        layers = _drafts(pool, store, tuple(corpus.layers), corpus.layer, corpus)
        gold, *entries = pool.map(hashed, (corpus.gold, *corpus.entries))
        if corpus.training is not None:
            store_training(store, corpus.training)
        grid = None if corpus.grid is None else stored_grid(store, corpus, "cells.json")
        whole = replace(corpus, gold=gold, entries=tuple(entries))
        write_manifest(store, of_corpus(whole, _written(units), _written(layers), grid))


def own_tokens(corpus: Corpus) -> bool:
    """Tell whether some system has tokens that are not gold's: the rows depend on all systems."""
    unit = corpus.text_unit
    return unit is not None and NOT_IN_GOLD in corpus.units[unit].context.columns


def stored_units(corpus: Corpus) -> tuple[str, ...]:
    """Return the units that are written: the one all else follows from, or all."""
    source = corpus.task_kind.source_unit
    return (source,) if source else tuple(corpus.units)


@contextmanager
def _workers() -> Iterator[ThreadPoolExecutor]:
    pool = ThreadPoolExecutor(_AT_ONCE)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _drafts(
    pool: ThreadPoolExecutor, store: Path, names: tuple[str, ...],
    items_of: Callable[[str], Items], corpus: Corpus,
) -> dict[str, _Draft]:  # fmt: skip
    """Begin to write some units, the last first: the text is there, and others are made of it."""
    packed = corpus.grid is not None
    found = {n: _draft(pool, store, n, items_of(n), packed=packed) for n in reversed(names)}
    return {name: found[name] for name in names}


def _draft(
    pool: ThreadPoolExecutor, store: Path, folder: str, items: Items, *, packed: bool
) -> _Draft:
    groups = cuts(items)
    base = f"{folder}/base-000.parquet"
    sums = {base: pool.submit(_write_base, store, base, items, groups)}
    columns: dict[str, str] = {}
    for number, systems in enumerate(files_of(items, packed)):
        name = systems[0] if len(systems) == 1 else "systems"
        file = f"{folder}/{file_name(number, name)}"
        columns |= dict.fromkeys(systems, file)
        sums[file] = pool.submit(_write_columns, store, file, items, systems, groups)
    unit = Unit(
        items.labels, items.empty_is_answer, items.group, items.group_count,
        ((base, len(items)),), columns,
    )  # fmt: skip
    return _Draft(unit, sums)


def _write_base(store: Path, file: str, items: Items, groups: list[int]) -> tuple[int, int]:
    write_base(store / file, items, groups)
    return sum_of(store / file)


def _write_columns(
    store: Path, file: str, items: Items, systems: list[str], groups: list[int]
) -> tuple[int, int]:
    write_columns(store / file, items, systems, groups)
    return sum_of(store / file)
