"""``coleval load``: a store written, or grown by the systems that are new or have changed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from coleval.cli.console import Progress, say, warn
from coleval.cli.sources import (
    inputs_of,
    limit_on,
    read_corpus,
    say_unless,
    settings_of,
    with_profile,
)
from coleval.corpus.options import Reading
from coleval.corpus.output import written
from coleval.corpus.paths import is_file
from coleval.corpus.statuses import has_statuses
from coleval.errors import UsageError
from coleval.loading.cells import Cells
from coleval.loading.loading import load_inputs, reading_of
from coleval.loading.readers.source import Source
from coleval.loading.sources import Inputs, origin
from coleval.loading.templates import Place
from coleval.store.files import check_place, commit, loading
from coleval.store.growing import add, grow, planned, with_notes
from coleval.store.loading_apart import load_apart
from coleval.store.manifest import FILE, Manifest, read_manifest
from coleval.store.opening import open_store, systems_report
from coleval.store.writing import own_tokens, unchanged, write

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.problems import Problem
    from coleval.corpus.report import Report


def load(arguments: argparse.Namespace) -> Report:
    """Write a store, or add to one; return the table of the systems it has then."""
    path = Path(arguments.store)
    check_place(path)
    with written(path), loading(path, lambda: say(f"{path}: waiting for another load to end")):
        if arguments.engine == "spark":
            _on_cluster(path, arguments)
        elif arguments.fresh or not (path / FILE).is_file():
            _write(path, arguments)
        else:
            _again(path, arguments) or _grow(path, arguments)
    say_unless(arguments, f"stored in {path}: `coleval score {path}` opens it")
    corpus = open_store(path, memory=limit_on(arguments))
    arguments.warned = bool(corpus.warnings)
    return systems_report(corpus)


def _on_cluster(path: Path, arguments: argparse.Namespace) -> None:
    """Write a store whose files are read by the workers of a cluster."""
    if arguments.train:
        raise UsageError(
            "training data are read on one machine", where="--train",
            remedy="give them to the analysis (buckets --train), or load without --engine spark",
        )  # fmt: skip
    if (path / FILE).is_file() and not arguments.fresh:
        raise UsageError(
            "is there already, and grows on one machine only", where=str(path),
            remedy="replace it with --fresh, or add to it without --engine spark",
        )  # fmt: skip
    inputs = inputs_of(arguments.source, reading_of(with_profile(arguments)))
    said = load_apart(
        path, inputs, settings_of(arguments, Reading), arguments.profile or "", arguments.master
    )
    warn(() if arguments.quiet else said)


def _write(path: Path, arguments: argparse.Namespace) -> None:
    corpus = read_corpus(arguments, arguments.source, hashed=True)
    if arguments.train:
        corpus = corpus.trained(arguments.train, arguments.train_columns or "")
    write(corpus, path)
    warn(() if arguments.quiet else corpus.warnings)


def _again(path: Path, arguments: argparse.Namespace) -> Corpus | None:
    """Write a store of logs anew, None for other sources: their instances depend on all logs."""
    inputs = inputs_of(arguments.source, reading_of(with_profile(arguments)))
    stored = open_store(path)
    if not inputs.logs and not has_statuses(stored):
        return None
    there = stored.systems
    corpus = read_corpus(arguments, arguments.source, hashed=True)
    lost = [name for name in there if name not in corpus.systems]
    if lost:
        raise UsageError(
            f"a store of logs is replaced as a whole, and these lack {len(lost):,} of its "
            f"{len(there):,} systems: {', '.join(lost[:5])}",
            where=str(path),
            remedy="name all logs again, or drop those systems with --fresh",
        )
    write(corpus, path)
    warn(() if arguments.quiet else corpus.warnings)
    return open_store(path)


def _grow(path: Path, arguments: argparse.Namespace) -> Corpus:
    """Add to a store the systems that are new or have changed since it was written."""
    reading = reading_of(with_profile(arguments))
    inputs = inputs_of(arguments.source, reading)
    manifest = read_manifest(path)
    if isinstance(inputs, Cells) or manifest.grid:
        return _grow_cells(path, inputs, arguments)
    known = {entry.name: entry.origin for entry in manifest.systems}
    same = [
        name
        for name, source in inputs.systems.items()
        if name in known
        and known[name].path == str(Path(source.path).absolute())
        and unchanged(known[name])
    ]
    fresh = {name: s for name, s in inputs.systems.items() if name not in same}
    _same_gold(path, manifest.gold.origin.sha256, inputs)
    again = {source.path for source in fresh.values()}
    earlier = {source.path for name, source in fresh.items() if name in known}
    left_out: tuple[Problem, ...] = ()
    if fresh:
        rest, left_out = _scorable(Inputs(inputs.gold, fresh), earlier, reading)
        fresh = dict(cast("Inputs", rest).systems)
    manifest = with_notes(manifest, left_out, again)
    say_unless(
        arguments,
        f"{path}: {len(manifest.systems)} systems in the store; of those named {len(same)} are "
        f"unchanged, {len(fresh)} will be read",
    )
    if fresh:
        with Progress(len(fresh) + 2, quiet=arguments.quiet) as progress:
            corpus = load_inputs(
                Inputs(inputs.gold, fresh),
                settings_of(arguments, Reading),
                profile=arguments.profile or "",
                progress=progress,
                limit=limit_on(arguments),
                free=getattr(arguments, "free", ()),
            )
        _same_reading(path, manifest.reading, corpus.reading)
        if has_statuses(corpus):
            raise UsageError(
                "logs cannot be added to a store: what they say of answers belongs to its items",
                where=str(path),
                remedy="name all sources of the store again, with --fresh",
            )
        if own_tokens(corpus) or own_tokens(open_store(path)):
            corpus = _anew(path, manifest, inputs, arguments)
        else:
            add(path, with_notes(manifest, corpus.gold.notes), corpus)
        warn(() if arguments.quiet else corpus.warnings)
    elif manifest != read_manifest(path):
        commit(path, manifest)
    return open_store(path)


def _grow_cells(path: Path, inputs: Inputs | Cells, arguments: argparse.Namespace) -> Corpus:
    """Add to a store of several golds the cells and systems that are new or have changed."""
    if not isinstance(inputs, Cells) or not read_manifest(path).grid:
        kinds = ("one gold file", "several, read by templates")
        theirs, ours = kinds if isinstance(inputs, Cells) else kinds[::-1]
        raise UsageError(
            f"the store is of {theirs}, but what is named is {ours}",
            where=str(path),
            remedy="name the sources in the same way, or rebuild the store with --fresh",
        )
    plan = planned(path, inputs)
    again = {source.path for one in (*plan.cells.values(), *plan.runs.values())
             for source in one.systems.values()}  # fmt: skip
    manifest = read_manifest(path)
    runs = {Place(cell.dataset, cell.part): cell.entries for cell in manifest.cells}
    named = {**plan.cells, **plan.runs}
    earlier = {source.path for place, one in named.items() for name, source in one.systems.items()
               if name in runs.get(place, ())}  # fmt: skip
    rest, left_out = _scorable(
        replace(inputs, inputs=named), earlier, reading_of(with_profile(arguments))
    )
    whole = cast("Cells", rest).inputs
    plan.cells = {place: whole[place] for place in plan.cells}
    plan.runs = {place: whole[place] for place in plan.runs if whole[place].systems}
    notes = with_notes(manifest, left_out, again).gold.notes
    say_unless(
        arguments,
        f"{path}: of the runs named {plan.unchanged:,} are unchanged, {plan.count:,} will be read",
    )
    if plan.runs or plan.cells or {*notes} != {*manifest.gold.notes}:
        with Progress(len(plan.cells) + len(plan.runs) + 2, quiet=arguments.quiet) as progress:
            read = partial(_read_cells, arguments=arguments, progress=progress)
            said = grow(path, inputs, plan, read, notes)
        warn(() if arguments.quiet else said)
    return open_store(path)


def _scorable(
    inputs: Inputs | Cells, stored: Collection[str], reading: Reading
) -> tuple[Inputs | Cells, tuple[Problem, ...]]:
    """Return what can be scored of files that are new, and notes on the others if these may be.

    Of those by the paths ``stored`` the store has an earlier run.
    """
    if not reading.skip:
        return inputs, ()
    from coleval.loading.skipping import without_invalid

    rest, notes = without_invalid(inputs, reading)
    stays = ", and its earlier run stays"
    return rest, tuple(
        replace(note, problem=note.problem + stays) if note.file in stored else note
        for note in notes
    )


def _read_cells(cells: Cells, arguments: argparse.Namespace, progress: Progress) -> Corpus:
    there = open_store(arguments.store)
    # By its files alone, a dataset without spans would be one of tags.
    task = {"task": there.task} if arguments.task is None else {}
    corpus = load_inputs(
        cells,
        settings_of(arguments, Reading) | task,
        profile=arguments.profile or "",
        progress=progress,
        limit=limit_on(arguments),
        free=getattr(arguments, "free", ()),
    )
    _same_reading(Path(arguments.store), there.reading, corpus.reading)
    return corpus


def _anew(path: Path, manifest: Manifest, inputs: Inputs, arguments: argparse.Namespace) -> Corpus:
    """Write the store anew with all its systems: where tokens differ, items depend on them all."""
    say_unless(
        arguments, f"{path}: some systems have other tokens than gold; all are aligned again"
    )
    there = {e.name: Source(e.origin.path, e.name) for e in manifest.systems}
    for name, source in there.items():
        if name not in inputs.systems and not is_file(source.path):
            raise UsageError(
                f"`{name}` was read from a file that no longer exists, but must be aligned again",
                where=source.path,
                remedy="name its file again, or leave it out with --fresh",
            )
    corpus = load_inputs(
        Inputs(inputs.gold, {**there, **inputs.systems}),
        settings_of(arguments, Reading),
        profile=arguments.profile or "",
        free=getattr(arguments, "free", ()),
    )
    write(corpus, path)
    return corpus


def _same_gold(path: Path, sha256: str, inputs: Inputs) -> None:
    ours = origin(inputs.gold, hashed=True)
    if not ours.sha256:
        inputs.gold.check()
    if ours.sha256 != sha256:
        raise UsageError(
            f"{inputs.gold.path} is not the gold file that the store was made from",
            where=str(path),
            remedy="rebuild the store with --fresh, or choose another -o",
        )


def _same_reading(path: Path, theirs: Reading, ours: Reading) -> None:
    if theirs != ours:
        raise UsageError(
            "was loaded with other options",
            where=str(path),
            remedy="give the same options, or rebuild the store with --fresh",
        )
