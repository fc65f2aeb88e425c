"""A store written by the workers of a cluster: each reads some gold files with all their systems.

Every worker writes the tables of its files; what they have in common is settled here.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coleval.corpus.grid import pooled
from coleval.errors import UsageError
from coleval.loading.cells import Cells
from coleval.store.files import commit, replacing, sweep_foreign
from coleval.store.opening import grid_cells, open_store
from coleval.store.writing import described, drafts, finished

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.corpus.corpus import Corpus
    from coleval.loading.readers.source import Source
    from coleval.loading.sources import Inputs
    from coleval.store.writing import Draft

# Gold files are read by one task up to so many bytes, those of trees up to fewer.
_LARGE, _LARGE_TREES = 1 << 24, 1 << 19


def load_apart(
    path: Path, inputs: Inputs | Cells, settings: Mapping[str, Any], profile: str, master: str
) -> tuple[str, ...]:
    """Write a store by the workers of a cluster; return the warnings of the whole corpus."""
    from coleval.counts.spark import LOCAL, mapped, session_of

    if not isinstance(inputs, Cells):
        raise UsageError(
            "one gold file is read by one machine",
            where="--engine spark",
            remedy="name gold and systems by templates: 'gold/{dataset}.conll'",
        )
    cells = _absolute(inputs)
    first = _read(settings, profile, _some(cells, [next(iter(cells.inputs))]))
    known = {**settings, "task": first.task}
    shares = _shares(cells, _LARGE_TREES if first.task_kind.trees else _LARGE)
    session = session_of(master or LOCAL)
    with replacing(path) as (store, number):
        store.mkdir(parents=True, exist_ok=True)
        job = partial(filled, str(store), number, known, profile)
        fresh = [one for some in mapped(session, job, shares) for one in some]
        more = finished(store, described(first, number, None), fresh)
        own, paths = grid_cells(more.cells), cells.paths
        systems = (pooled(name, own, paths.get(name, "")) for name in more.columns)
        gold = pooled("", own, paths.get("", ""))
        commit(store, replace(more, gold=gold, systems=tuple(systems)))
        sweep_foreign(store)
    return (*open_store(path).warnings, *(note.warning for note in cells.notes))


def filled(
    store: str, number: int, settings: Mapping[str, Any], profile: str, share: Cells
) -> list[Draft]:
    """Read what a task is to read, and write its tables; what a lost task has left is replaced."""
    return [*drafts(Path(store), number, _read(settings, profile, share))]


def _read(settings: Mapping[str, Any], profile: str, cells: Cells) -> Corpus:
    from coleval.loading.loading import load_inputs

    return load_inputs(cells, settings, profile=profile)


def _some(cells: Cells, places: list[Any]) -> Cells:
    return replace(cells, inputs={place: cells.inputs[place] for place in places}, notes=())


def _shares(cells: Cells, size: int) -> list[Cells]:
    """Return the shares: datasets in their order, together up to a size of their gold files."""
    datasets: dict[str, list[Any]] = {}
    for place in cells.inputs:
        datasets.setdefault(place.dataset, []).append(place)
    shares: list[Cells] = []
    waiting: list[Any] = []
    held = 0
    for own in datasets.values():
        waiting += own
        held += sum(_bytes(cells.inputs[place].gold) for place in own)
        if held >= size:
            shares.append(_some(cells, waiting))
            waiting, held = [], 0
    return [*shares, _some(cells, waiting)] if waiting else shares


def _bytes(source: Source) -> int:
    path = Path(source.path)
    return path.stat().st_size if path.is_file() else 0


def _absolute(cells: Cells) -> Cells:
    """Return cells whose files are found whatever folder a worker is in."""
    return replace(cells, inputs={
        place: replace(
            inputs,
            gold=_found_anywhere(inputs.gold),
            systems={name: _found_anywhere(one) for name, one in inputs.systems.items()},
        )
        for place, inputs in cells.inputs.items()
    })  # fmt: skip


def _found_anywhere(source: Source) -> Source:
    return replace(source, path=str(Path(source.path).absolute()))
