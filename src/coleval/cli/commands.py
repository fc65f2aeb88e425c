"""What each command does: its sources into a corpus, a report out of it."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from coleval.analyses.registry import ANALYSES
from coleval.analyses.wording import number_of
from coleval.cli.console import Progress, say, warn
from coleval.cli.settings import with_config
from coleval.cli.sources import (
    corpus_of,
    given_of,
    kept,
    say_unless,
)
from coleval.corpus.output import write_whole, written
from coleval.corpus.paths import without_password
from coleval.corpus.scratch import scratched
from coleval.render import FORMS, emit

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report
    from coleval.declare.analysis import Analysis


def _analyse(command: str, arguments: argparse.Namespace) -> int:
    """Run an analysis on the corpus of the sources; its verdict may end the command with 1."""
    analysis = ANALYSES[command]
    if "leaderboard" in analysis.declared and _is_page(arguments):
        arguments.leaderboard = True
    with Progress(quiet=arguments.quiet) as progress:
        arguments.progress = progress
        report = _asked(analysis, corpus_of(arguments, analysis.options), arguments)
    _emit(report, arguments)
    if analysis.verdict:
        analysis.part(*analysis.verdict.split(":"))(report)
    return 0


def _is_page(arguments: argparse.Namespace) -> bool:
    """Return whether a whole page is asked for, which people publish."""
    suffix = Path(arguments.output or "").suffix.lower()
    html = arguments.form == "html" or (not arguments.form and suffix in FORMS["html"].suffixes)
    return html and not arguments.table


def _asked(analysis: Analysis[..., Any], corpus: Corpus, arguments: argparse.Namespace) -> Report:
    """Return the report of an analysis with its own options; what takes long shows progress."""
    given, progress = given_of(analysis, arguments), arguments.progress
    given.pop("progress", None)
    free = getattr(arguments, "free", ())
    if "progress" not in analysis.declared:
        progress.expect(1)(analysis.name)
        return cast("Report", analysis.run(corpus, given, free))
    progress.expect(sum(one.chapter is not None for one in ANALYSES.values()))
    return cast("Report", analysis.run(corpus, {**given, "progress": progress}, free))


def _buckets(_: str, arguments: argparse.Namespace) -> int:
    from coleval.cli.buckets import bucket_report

    _emit(bucket_report(arguments), arguments)
    return 0


def _listed(command: str, arguments: argparse.Namespace) -> int:
    from coleval.analyses.registries import listed

    _emit(listed(command), arguments)
    return 0


def _sql(_: str, arguments: argparse.Namespace) -> int:
    from coleval.cli.sql import sql

    return sql(arguments)


def _validate(_: str, arguments: argparse.Namespace) -> int:
    from coleval.cli.organise import is_note, validated

    report, code = validated(arguments)
    if not is_note(arguments):
        _emit(report, arguments)
        return code
    from coleval.render.team_note import team_note

    note = team_note(report, arguments.team)
    if arguments.output:
        with written(arguments.output):
            write_whole(Path(arguments.output), note.encode())
    else:
        _print(note.rstrip())
    return code


def _init(_: str, arguments: argparse.Namespace) -> int:
    from coleval.cli.organise import init

    _print(init(arguments))
    return 0


def _board(_: str, arguments: argparse.Namespace) -> int:
    from coleval.cli.board import board

    return board(arguments)


def _adapt(_: str, arguments: argparse.Namespace) -> int:
    from coleval.cli.adapting import adapt

    adapt(arguments)
    return 0


def _load(_: str, arguments: argparse.Namespace) -> int:
    from coleval.cli.load import load

    _emit(load(arguments), arguments)
    return 0


def _demo(_: str, arguments: argparse.Namespace) -> int:
    if arguments.keep:
        return _demonstrate(Path(arguments.keep), arguments)
    with scratched("demo") as directory:
        return _demonstrate(directory, arguments)


def _demonstrate(directory: Path, arguments: argparse.Namespace) -> int:
    from coleval.demo import generate
    from coleval.demo import write as write_demo
    from coleval.loading.loading import load_inputs
    from coleval.loading.sources import Inputs, named, named_sources

    corpus = generate(
        tokens=arguments.tokens,
        systems=arguments.n_systems,
        seed=arguments.seed,
        task=arguments.task,
    )
    gold, *systems = (str(path) for path in write_demo(corpus, directory))
    kept = f" in {directory}" if arguments.keep else " (kept with --keep DIR)"
    say_unless(
        arguments,
        f"a generated shared task: {arguments.tokens:,} tokens, {len(systems)} systems{kept}",
    )
    inputs = Inputs(named_sources([gold], "utf-8")[0], named(named_sources(systems, "utf-8")))
    with Progress(len(systems) + 2, quiet=arguments.quiet) as progress:
        arguments.progress = progress
        loaded = load_inputs(inputs, {}, progress=progress)
        report = _asked(ANALYSES["report"], loaded, arguments)
    if not (arguments.keep or arguments.every):
        # What is odd in made-up files need not be mended.
        report = replace(report, warnings=())
    _emit(report, arguments)
    files = f"{gold} {directory}/*.conll" if arguments.keep else "demo/gold.conll demo/*.conll"
    made = "" if arguments.keep else "coleval demo --keep demo && "
    say_unless(arguments, f"next: {made}coleval report {files} -o report.html")
    return 0


def _bench(_: str, arguments: argparse.Namespace) -> int:
    from coleval.cli import bench as bench_commands

    _emit(bench_commands.report(arguments, corpus_of), arguments)
    return 0


def _help(_: str, arguments: argparse.Namespace) -> int:
    from coleval.cli.help import about_command
    from coleval.cli.overview import COMMANDS

    topic = arguments.topic
    if topic in COMMANDS or not topic:
        _print(about_command(topic))
        return 0
    from coleval.analyses.table_help import explained

    emit(explained(topic))
    return 0


def _completion(_: str, arguments: argparse.Namespace) -> int:
    from coleval.cli.completion import completion

    _print(completion(arguments.shell))
    return 0


def _schema(_: str, arguments: argparse.Namespace) -> int:
    import json

    from coleval.cli.schema import schema

    _print(json.dumps(schema(arguments.topic), ensure_ascii=False, indent=2))
    return 0


def _print(text: str) -> None:
    with written("standard output", option="a pipe"):
        sys.stdout.write(f"{text}\n")


def _emit(report: Report, arguments: argparse.Namespace) -> None:
    kept(arguments)
    if not getattr(arguments, "quiet", False):
        warn(report.warnings)
    arguments.warned = getattr(arguments, "warned", False) or bool(report.warnings)
    if getattr(arguments, "whole", False):
        report = report.in_full()
    if getattr(arguments, "no_items", False):
        report = report.without_items()
    output = getattr(arguments, "output", None)
    emit(
        _said(with_config(report, arguments), arguments),
        form=arguments.form,
        output=output,
        table=getattr(arguments, "table", None),
        caption=getattr(arguments, "caption", ""),
        tint=getattr(arguments, "tint", False),
    )
    if output and not getattr(arguments, "quiet", False):
        say(f"written: {_what_is_at(Path(output))}")


def _what_is_at(path: Path) -> str:
    """Return a file with its size, or a directory with how many files it holds."""
    if path.is_dir():
        return f"{path}/ ({number_of(sum(1 for _ in path.iterdir()), 'file')})"
    return f"{path} ({path.stat().st_size / 1000:,.0f} kB)" if path.is_file() else str(path)


def _said(report: Report, arguments: argparse.Namespace) -> Report:
    """Return a report whose page says how it was made."""
    words = getattr(arguments, "command_line", None)
    if report.about is None or not words:
        return report
    command = shlex.join(["coleval", *map(without_password, words)])
    return replace(report, about=replace(report.about, command=command))


RUN: Mapping[str, Callable[[str, argparse.Namespace], int]] = {
    **dict.fromkeys(ANALYSES.own, _analyse),
    "buckets": _buckets,
    "attributes": _listed,
    "sql": _sql,
    "validate": _validate,
    "load": _load,
    "init": _init,
    "board": _board,
    "adapt": _adapt,
    "bench": _bench,
    "demo": _demo,
    "formats": _listed,
    "profiles": _listed,
    "completion": _completion,
    "schema": _schema,
    "help": _help,
}


def run(command: str, arguments: argparse.Namespace) -> int:
    """Run a command; one that is not ours is an analysis that another package adds."""
    return RUN.get(command, _analyse)(command, arguments)
