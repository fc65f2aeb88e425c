"""What organisers run: ``validate`` with the notes to teams, ``init``, ``board`` and ``adapt``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from coleval.cli.console import Progress
from coleval.cli.settings import NAME, SOURCES
from coleval.cli.sources import inputs_of, store_of, with_profile
from coleval.corpus.output import write_whole, written
from coleval.errors import UsageError

if TYPE_CHECKING:
    import argparse

    from coleval.corpus.report import Report
    from coleval.loading.recognising import Recognised


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
            memory = getattr(arguments, "memory_file", "")
            report = validate(inputs, reading, progress, earlier, memory)
    report = of_team(report, arguments.team) if arguments.team else report
    return report, 0 if sound(report, strict=arguments.strict) else 1


def is_note(arguments: argparse.Namespace) -> bool:
    """Return whether a team is to be written to, not its part of the report."""
    suffix = Path(arguments.output or "note.md").suffix.lower()
    return bool(arguments.team) and not arguments.form and suffix in (".md", ".markdown")


def init(arguments: argparse.Namespace) -> str:
    """Write ``coleval.toml`` for a folder; return what was assumed, and the next commands."""
    from coleval.loading.recognising import recognise

    folder = Path(arguments.folder)
    path = folder / NAME
    if not folder.is_dir():
        raise UsageError("is not a folder", where=str(folder), remedy="name the folder of the task")
    if path.exists() and not arguments.fresh:
        raise UsageError(
            "exists already", where=str(path), remedy="edit it, or replace it with --fresh"
        )
    found = recognise(folder)
    with written(path):
        write_whole(path, _config(found).encode())
    width = max(len(name) for name, _ in found.assumed)
    lines = [f"{path} is written. It assumes:",
             *(f"  {name:<{width}}  {why}" for name, why in found.assumed)]  # fmt: skip
    if found.others:
        lines.append(f"Not taken: {', '.join(found.others)}.")
    verdicts = [_verdict_line(found)] if found.checked else []
    here = "" if folder.resolve() == Path.cwd() else f"cd {folder}\n  "
    return "\n".join((
        *lines, *verdicts, "Next:",
        f"  {here}coleval validate         # every problem with file and line",
        "  coleval score            # the leaderboard; what is invalid is left out and named",
        "  coleval board -o board   # all of it as a folder of pages, again after each submission",
    ))  # fmt: skip


def _config(found: Recognised) -> str:
    """Return the file: sources, then settings with the reason for each."""
    reasons = dict(found.assumed)
    quoted = ", ".join(f'"{text}"' for text in found.sources)
    lines = ["# Written by `coleval init`; options given on the command line take precedence.",
             f"{SOURCES} = [{quoted}]"]  # fmt: skip
    settings = {**found.settings, "missing": found.settings.get("missing", "wrong")}
    reasons = {"missing": "runs and answers that are missing count as wrong"} | reasons
    for name, value in settings.items():
        text = str(value).lower() if isinstance(value, bool) else f'"{value}"'
        lines.append(f"{name} = {text}  # {reasons.get(name, '')}".rstrip(" #"))
    lines.append('skip = "invalid"  # what cannot be scored is left out, with a warning')
    return "\n".join((*lines, ""))


def _verdict_line(found: Recognised) -> str:
    from coleval.loading.checking import GOLD
    from coleval.loading.validating import verdict_of

    verdicts = [verdict_of(one.problems) for one in found.checked if one.name != GOLD]
    counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
    return f"Files: {', '.join(f'{n:,} {verdict}' for verdict, n in counts.items())}."
