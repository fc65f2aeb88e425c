"""A store grows: what is new or has changed is read, and no more.

Runs that are new or have changed are put beside the answers that the store has to the same gold
file, if its tokens are gold's; else all of its runs are read again, as where gold has changed.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from coleval.corpus.disk import DiskCodes, shelf
from coleval.corpus.grid import corpus_of, pooled
from coleval.corpus.items import Items
from coleval.corpus.lazy import LazyMapping
from coleval.corpus.output import written
from coleval.corpus.problems import ENCODING, LEFT_OUT
from coleval.corpus.tasks import task_named
from coleval.errors import UsageError
from coleval.loading.readers.source import Source
from coleval.loading.sources import Inputs, sha256_of
from coleval.loading.templates import Place
from coleval.store.files import OpenStore, commit, loading
from coleval.store.manifest import entry_of, read_manifest
from coleval.store.opening import corpus_of_store, grid_cells
from coleval.store.tables import FORM, GOLD, as_text, keys_of
from coleval.store.writing import (
    cells_of,
    finished,
    hashed,
    relabelled,
    stored_units,
    unchanged,
    write_cell,
)
from coleval.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from coleval.corpus.coding import Codes
    from coleval.corpus.corpus import Corpus, Entry
    from coleval.corpus.disk import Shelf
    from coleval.corpus.limit import MemoryLimit
    from coleval.corpus.problems import Problem
    from coleval.loading.cells import Cells
    from coleval.store.manifest import Manifest, StoredCell, UnitLayout
    from coleval.store.writing import Draft

    Read = Callable[[Cells], Corpus]


# Behind the names of columns of new items; no column of a user's has it.
_NEW = "\0"


@dataclass(slots=True)
class Growth:
    """What is to be read: whole cells, and of others the runs that are new or have changed."""

    cells: dict[Place, Inputs] = field(default_factory=dict)
    runs: dict[Place, Inputs] = field(default_factory=dict)
    unchanged: int = 0

    @property
    def count(self) -> int:
        """Return how many runs are to be read."""
        return sum(len(one.systems) for one in (*self.cells.values(), *self.runs.values()))


def planned(store: Path, cells: Cells) -> Growth:
    """Return what has to be read so that a store has all the cells named."""
    manifest, plan = read_manifest(store), Growth()
    stored = {Place(cell.dataset, cell.part): at for at, cell in enumerate(manifest.cells)}
    for place, inputs in cells.inputs.items():
        if place not in stored:
            plan.cells[place] = inputs
            continue
        cell = manifest.cells[stored[place]]
        entries = {name: entry_of(one) for name, one in cell.entries.items()}
        fresh = {n: s for n, s in inputs.systems.items() if not _same(entries.get(n), s)}
        plan.unchanged += len(inputs.systems) - len(fresh)
        if not _same(entries[""], inputs.gold) or (fresh and _depends_on_runs(manifest, cell)):
            plan.cells[place] = _whole(inputs, entries)
        elif fresh:
            plan.runs[place] = replace(inputs, systems=fresh)
    return plan


def _depends_on_runs(manifest: Manifest, cell: StoredCell) -> bool:
    """Return whether some run has tokens that gold lacks: without, all words are answers."""
    text = cell.tables.get(task_named(manifest.task).text_unit)
    return text is not None and not text.empty_is_answer


def _same(entry: Entry | None, source: Source) -> bool:
    """Return whether a source is the file that was read, in the state it was in."""
    if entry is None or source.frame is not None:
        return False
    path = str(Path(source.path).absolute())
    if entry.origin.path == path:
        return unchanged(entry.origin)
    return Path(path).is_file() and entry.origin.sha256 == sha256_of(Path(path))


def _whole(inputs: Inputs, entries: Mapping[str, Entry]) -> Inputs:
    """Return all that is known of a cell: the files named, and those of the other systems."""
    others = {n: e for n, e in entries.items() if n and n not in inputs.systems}
    for name, entry in others.items():
        if not Path(entry.origin.path).is_file():
            raise UsageError(
                f"`{name}` was read from a file that no longer exists, but must be read again",
                where=entry.origin.path,
                remedy="name its file again, or leave it out with --fresh",
            )
    more = {n: Source(e.origin.path, n, inputs.gold.encoding) for n, e in others.items()}
    return replace(inputs, systems={**more, **inputs.systems})


def grow(
    store: Path, cells: Cells, plan: Growth, read: Read, notes: Sequence[Problem] | None = None
) -> tuple[str, ...]:
    """Add what a plan says to a store; return the warnings of what was read.

    The store has other ``notes`` on gold then, if there are some.
    """
    warnings: list[str] = []
    with written(store), loading(store):
        manifest = read_manifest(store)
        if notes is not None:
            manifest = replace(manifest, gold=replace(manifest.gold, notes=tuple(notes)))
        drafts: list[Draft] = []
        paths: dict[str, str] = {}
        before = manifest.units, manifest.columns
        for inputs, merging in ((plan.runs, True), (plan.cells, False)):
            if not inputs:
                continue
            named = tuple(dict.fromkeys(name for one in inputs.values() for name in one.systems))
            corpus = read(replace(cells, inputs=inputs, systems=named))
            warnings += corpus.warnings
            manifest = with_notes(manifest, corpus.gold.notes)
            drafts += _drafts(store, manifest, corpus, before, merging=merging)
            before = drafts[-1].units, drafts[-1].columns
            paths |= {entry.name: entry.origin.path for entry in corpus.entries}
        paths |= {entry.name: entry.origin.path for entry in manifest.systems}
        _commit_more(store, manifest, drafts, {**paths, "": manifest.gold.origin.path})
    return tuple(warnings)


def with_notes(
    manifest: Manifest, notes: Sequence[Problem], again: Collection[str] = ()
) -> Manifest:
    """Return a manifest with further notes on files of systems.

    Those on files that are read ``again``, or are no longer there, are dropped.
    """
    kept = [note for note in manifest.gold.notes if note.kind not in (LEFT_OUT, ENCODING)
            or (note.file not in again and Path(note.file).is_file())]  # fmt: skip
    fresh = (note for note in notes if note.kind in (LEFT_OUT, ENCODING))
    gold = replace(manifest.gold, notes=tuple(dict.fromkeys([*kept, *fresh])))
    return replace(manifest, gold=gold)


def add(store: Path, manifest: Manifest, fresh: Corpus) -> Manifest:
    """Add the systems of another corpus of the same gold; systems of one name are replaced."""
    with written(store), loading(store):
        before = manifest.units, manifest.columns
        drafts = _drafts(store, manifest, fresh, before, merging=True)
        entries = {e.name: e for e in manifest.systems}
        entries |= {entry.name: hashed(entry) for entry in fresh.entries}
        more = replace(manifest, systems=tuple(entries.values()))
        return _commit_more(store, more, drafts, {})


def _drafts(
    store: Path, manifest: Manifest, corpus: Corpus,
    before: tuple[Mapping[str, UnitLayout], Mapping[str, str]], *, merging: bool,
) -> list[Draft]:  # fmt: skip
    """Write the cells of a corpus, merged with what the store has of them if so asked."""
    numbers = {(cell.dataset, cell.part): at for at, cell in enumerate(manifest.cells)}
    systems = tuple(dict.fromkeys([*manifest.columns, *corpus.systems]))
    drafts: list[Draft] = []
    for one, place, fresh in cells_of(corpus):
        entries = {name: asdict(entry) for name, entry in fresh.items()}
        cell = one
        if merging:
            at = numbers[place]
            runs = tuple(e for e in one.entries if e.name in fresh or not fresh)
            stored = _stored_cell(store, manifest, at, corpus.limit)
            cell = merged_corpus(stored, replace(one, entries=runs))
            entries = {**manifest.cells[at].entries, **{n: e for n, e in entries.items() if n}}
        draft = write_cell(store, manifest.load + 1, cell, place, systems, before)
        before = draft.units, draft.columns
        drafts.append(replace(draft, cell=replace(draft.cell, entries=entries)))
    return drafts


def _stored_cell(store: Path, manifest: Manifest, at: int, limit: MemoryLimit | None) -> Corpus:
    corpus = corpus_of_store(OpenStore(store.absolute()), manifest, limit)
    if corpus.grid is None:
        return corpus
    cell, ran = corpus_of(corpus, [at]), corpus.grid.cells[at].entries
    return replace(cell, entries=tuple(entry for entry in cell.entries if entry.name in ran))


def _commit_more(
    store: Path, manifest: Manifest, drafts: Sequence[Draft], paths: Mapping[str, str]
) -> Manifest:
    """Make the store have some cells more, or others; gold and systems are of all of them.

    ``paths`` are those by which gold ("") and systems were named.
    """
    if not manifest.grid:
        # A corpus of column files may lack some layers, and then the store has them no more.
        there = drafts[0].cell.tables
        manifest = replace(manifest, units={n: u for n, u in manifest.units.items() if n in there})
    more = finished(store, replace(manifest, load=manifest.load + 1, coleval=__version__), drafts)
    if manifest.grid:
        cells = grid_cells(more.cells)
        systems = (pooled(name, cells, paths.get(name, "")) for name in more.columns)
        gold = replace(pooled("", cells, paths.get("", "")), notes=more.gold.notes)
        more = replace(more, gold=gold, systems=tuple(systems))
    commit(store, more)
    return more


# -- answers of more systems beside those there are ------------------------------------------------
def merged_corpus(stored: Corpus, fresh: Corpus) -> Corpus:
    """Return a corpus of one gold file with more systems; those of one name are replaced."""
    kept = [name for name in stored.systems if name not in fresh.systems]
    own = None if fresh.limit is None else shelf(fresh.limit)
    units = {
        name: merged(stored.units[name].chosen(kept), fresh.existing(name), own)
        for name in stored_units(fresh)
    }
    layers = {
        name: merged(stored.layers[name].chosen(kept), fresh.layer(name), own)
        for name in stored.layers
        if name in fresh.layers
    }
    entries = {entry.name: entry for entry in (*stored.entries, *fresh.entries)}
    return replace(
        fresh, entries=tuple(entries.values()), units=units, layers=layers,
        scoring=stored.scoring, grid=fresh.grid and replace(fresh.grid, apart=None, memos=()),
    )  # fmt: skip


def merged(stored: Items, fresh: Items, own: Shelf | None = None) -> Items:
    """Return stored items with the answers of more systems; new items stand where they belong."""
    labels = tuple(sorted({*stored.labels, *fresh.labels}))
    stored, fresh = relabelled(stored, labels), relabelled(fresh, labels)
    if stored.empty_is_answer and fresh.empty_is_answer:
        # Words and instances are gold's, whoever answers.
        every = {name: items.answers for items in (stored, fresh) for name in items.answers}
        makers = {name: partial(answers.__getitem__, name) for name, answers in every.items()}
        return replace(stored, answers=_on_shelf(LazyMapping(makers), len(stored), own))
    frames = [_frame(stored, "a"), _frame(fresh, "b")]
    keys = [key for key in keys_of(frames[0].columns) if key in frames[1].columns]
    whole = frames[0].join(
        frames[1],
        on=[*keys, GOLD, "again"],
        how="full",
        coalesce=True,
        nulls_equal=True,
        suffix=_NEW,
    )
    answers = {name: f"a{k}" for k, name in enumerate(stored.answers)}
    answers |= {name: f"b{k}" for k, name in enumerate(fresh.answers)}
    coded = [GOLD, *answers.values()]
    whole = whole.with_columns(
        pl.col(coded).fill_null(0),
        *(pl.coalesce(name.removesuffix(_NEW), name).alias(name.removesuffix(_NEW))
          for name in whole.columns if name.endswith(_NEW)),
    )  # fmt: skip
    # What nobody answers any more was of a system that has been replaced.
    whole = whole.filter(pl.any_horizontal(pl.col(coded) != 0))
    # Sentences are numbered in the order of the text, documents are named.
    whole = whole.sort(sorted(keys, key=(stored.group,).__contains__, reverse=True))
    codes = {name: whole[column].to_numpy() for name, column in answers.items()}
    names = [*stored.context.columns, *([FORM] if stored.lazy_form else [])]
    context = whole.select(
        pl.col(name).cast(stored.context.schema.get(name, pl.String())) for name in names
    )
    return Items(
        stored.unit, context, labels, whole[GOLD].to_numpy(), _on_shelf(codes, len(whole), own),
        empty_is_answer=stored.empty_is_answer, group=stored.group,
        group_count=max(stored.group_count, fresh.group_count),
    )  # fmt: skip


def _frame(items: Items, prefix: str) -> pl.DataFrame:
    """Return items with their codes, and a number that tells apart those that are alike."""
    columns = [as_text(column) for column in items.context.get_columns()]
    if items.lazy_form:
        columns.append(items.lazy_form().cast(pl.String).rename(FORM))
    keys = keys_of([column.name for column in columns])
    codes = {f"{prefix}{k}": own for k, own in enumerate(items.answers.values())}
    frame = pl.DataFrame([*columns, pl.Series(GOLD, items.gold)]).with_columns(**codes)
    return frame.with_columns(again=pl.int_range(pl.len()).over([*keys, GOLD]))


def _on_shelf(answers: Mapping[str, Codes], rows: int, own: Shelf | None) -> Mapping[str, Codes]:
    if own is None:
        return answers
    stored = {name: own.put(f"merged-{k}", answers[name]) for k, name in enumerate(answers)}
    return DiskCodes(own.limit, stored, rows)
