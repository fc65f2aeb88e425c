"""``bench``: from its arguments to what is measured, made-up files or the user's own corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from coleval.cli.console import Progress
from coleval.corpus.paths import is_file
from coleval.corpus.scratch import scratched
from coleval.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from coleval.bench.running import Subject
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report

TOKENS, SYSTEMS = 400_000, 12


def report(arguments: argparse.Namespace, opened: Callable[..., Corpus]) -> Report:
    """Return the report of ``bench`` over the sources, or over files made up for it."""
    from coleval.bench.running import TimingPlan, bench, turns

    plan = TimingPlan(arguments.rounds, arguments.sample)
    _check(arguments)
    with scratched("bench") as folder:
        if not arguments.source:
            _made_up(arguments, folder)
        with Progress(turns(plan), quiet=arguments.quiet) as progress:
            return bench(_subject(arguments, opened, folder / "store"), plan, progress)


def _check(arguments: argparse.Namespace) -> None:
    for name in ("rounds", "sample", "tokens"):
        value = getattr(arguments, name)
        if value is not None and value < 1:
            raise UsageError(f"--{name} cannot be {value}", remedy="use 1 or more")
    if arguments.source and arguments.tokens is not None:
        raise UsageError(
            "--tokens applies to generated data only", remedy="leave out --tokens or the sources"
        )


def _made_up(arguments: argparse.Namespace, folder: Path) -> None:
    """Write files that take the place of the sources."""
    from coleval.demo import generate, write

    systems = arguments.systems or str(SYSTEMS)
    if not systems.isdigit():
        raise UsageError(
            f"--systems {systems} is not a number", remedy="give the number of systems to generate"
        )
    task = arguments.task or "span"
    made = generate(tokens=arguments.tokens or TOKENS, systems=int(systems), task=task)
    arguments.source = [str(path) for path in write(made, folder)]
    arguments.systems = None


def _subject(arguments: argparse.Namespace, opened: Callable[..., Corpus], store: Path) -> Subject:
    """Return how the corpus is read and opened; a store among the sources is opened only."""
    import argparse

    from coleval.bench.running import Subject

    quiet = argparse.Namespace(**{**vars(arguments), "quiet": True})
    if is_file(Path(arguments.source[0]) / "corpus.json"):
        return Subject(lambda: opened(quiet))
    first = opened(arguments)
    first.save(store)
    scoring = first.scoring

    def again() -> Corpus:
        from dataclasses import replace

        from coleval.store.opening import open_store

        return replace(open_store(store), scoring=scoring)

    return Subject(again, lambda: opened(quiet))
