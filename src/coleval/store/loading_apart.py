"""A store written by the workers of a cluster: each reads some gold files with all their systems.

Every worker writes segments of its own; only their list is made here. The columns are those of a
store that one machine has written; there may be more segments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coleval.errors import UsageError
from coleval.loading.cells import Cells
from coleval.store.growing import fill_segments
from coleval.store.opening import open_store
from coleval.store.segments import BYTES, write_segments
from coleval.store.views import refresh_views
from coleval.store.writing import filling

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.corpus.corpus import Corpus
    from coleval.loading.readers.source import Source
    from coleval.loading.sources import Inputs
    from coleval.store.segments import Segment

# Gold files of labels and spans are read by one task up to so many bytes.
_LARGE = 1 << 24


@dataclass(frozen=True, slots=True)
class Share:
    """What one task reads: whole datasets; the number of its first segment."""

    cells: Cells
    first: int


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
    told = {**settings, "task": first.task}
    shares = _shares(cells, BYTES if first.task_kind.trees else _LARGE)
    session = session_of(master or LOCAL)
    with filling(path) as partial_store:
        partial_store.mkdir(parents=True)
        fill = partial(filled, str(partial_store), told, profile)
        segments = [one for some in mapped(session, fill, shares) for one in some]
        write_segments(partial_store, segments)
        refresh_views(partial_store)
        return (*open_store(partial_store).warnings, *(note.warning for note in cells.notes))


def filled(store: str, settings: Mapping[str, Any], profile: str, share: Share) -> list[Segment]:
    """Read what a task is to read, and write its segments; what a lost task has left goes."""
    return fill_segments(Path(store), share.first, _read(settings, profile, share.cells))


def _read(settings: Mapping[str, Any], profile: str, cells: Cells) -> Corpus:
    from coleval.loading.loading import load_inputs

    return load_inputs(cells, settings, profile=profile)


def _some(cells: Cells, places: list[Any]) -> Cells:
    return replace(cells, inputs={place: cells.inputs[place] for place in places}, notes=())


def _shares(cells: Cells, size: int) -> list[Share]:
    """Return the shares: datasets in their order, together up to a size of their gold files."""
    datasets: dict[str, list[Any]] = {}
    for place in cells.inputs:
        datasets.setdefault(place.dataset, []).append(place)
    shares: list[Share] = []
    waiting: list[Any] = []
    held = first = 0
    for number, own in enumerate(datasets.values(), 1):
        waiting += own
        held += sum(_bytes(cells.inputs[place].gold) for place in own)
        if held >= size:
            shares.append(Share(_some(cells, waiting), first))
            waiting, held, first = [], 0, number
    return [*shares, Share(_some(cells, waiting), first)] if waiting else shares


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
