"""The units of a corpus written into a folder: several columns, and hashes, at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from coleval.corpus.items import NOT_IN_GOLD
from coleval.store.columns import (
    cuts,
    file_name,
    files_of,
    write_base,
    write_columns,
)
from coleval.store.manifest import Unit, hashed, of_corpus, write_manifest
from coleval.store.segments import stored_grid
from coleval.store.sums import sum_of
from coleval.store.training import store_training

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from concurrent.futures import Future
    from pathlib import Path

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

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
