"""What organisers run: ``validate`` with the notes to teams, ``init``, ``board`` and ``adapt``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from coleval.cli.console import Progress
from coleval.cli.sources import inputs_of, store_of, with_profile

if TYPE_CHECKING:
    import argparse

    from coleval.corpus.report import Report


def validated(arguments: argparse.Namespace) -> tuple[Report, int]:
    """Return the report on some files, or on a store, and the exit code."""
    from coleval.loading.loading import reading_of
    from coleval.loading.validating import of_team, sound, validate

    reading = reading_of(with_profile(arguments))
    store = store_of(arguments.source)
    if store is not None:
        from coleval.store.validating import validate_store

        with Progress(1, quiet=arguments.quiet) as progress:
            report = validate_store(store, progress)
    else:
        from coleval.store.opening import open_store

        earlier = open_store(arguments.earlier) if arguments.earlier else None
        inputs = inputs_of(arguments.source, reading)
        with Progress(inputs.steps, quiet=arguments.quiet) as progress:
            report = validate(inputs, reading, progress, earlier)
    report = of_team(report, arguments.team) if arguments.team else report
    return report, 0 if sound(report, strict=arguments.strict) else 1


def is_note(arguments: argparse.Namespace) -> bool:
    """Return whether a team is to be written to, not its part of the report."""
    suffix = Path(arguments.output or "note.md").suffix.lower()
    return bool(arguments.team) and not arguments.form and suffix in (".md", ".markdown")
