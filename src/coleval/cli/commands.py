"""What each command does: its sources into a corpus, a report out of it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from coleval.cli.arguments_statistics import OWN
from coleval.cli.console import Progress, warn
from coleval.cli.sources import corpus_of, inputs_of, kept, say_unless, settings_of
from coleval.corpus.options import Reading
from coleval.corpus.profiles import profile_named
from coleval.render import emit

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from coleval.corpus.report import Report


# The options that only one command has, and what its method calls them.
_OWN = {
    "bins": {
        "words": "words", "words_top": "words_top", "profile_bins": "profile", "items": "items",
        "pair": "pair", "percent": "percent",
    },
    **OWN,
    "pivot": {
        "rows": "rows", "cols": "cols", "third": "third", "value": "value", "wide": "wide",
        "find": "find", "attributes": "attributes", "least": "least",
    },
    "show": {"limit": "limit", "sample": "sample", "order": "order", "seed": "seed"},
    "changes": {
        "baseline": "baseline", "gate": "gate", "items": "items", "kind": "kind",
        "label_before": "label_before", "label_after": "label_after",
    },
    "errors": {
        "focus": "focus", "weights": "weights", "ignore_punct": "ignore_punct",
        "pair": "pair", "items": "items",
    },
}  # fmt: skip


def _analyse(command: str, arguments: argparse.Namespace) -> int:
    corpus = corpus_of(arguments)
    given = {k: getattr(arguments, k) for k in _OWN.get(command, {})}
    own = {_OWN[command][k]: v for k, v in given.items() if v is not None}
    _emit(getattr(corpus, command)(**own), arguments)
    return 0


def _changes(command: str, arguments: argparse.Namespace) -> int:
    from coleval.analyses.changes.gate import check

    corpus = corpus_of(arguments)
    given = {k: getattr(arguments, k) for k in _OWN[command]}
    own = {k: v for k, v in given.items() if v is not None}
    report = corpus.changes(*map(tuple, arguments.pair or ()), **own)
    _emit(report, arguments)
    check(report)
    return 0


def _buckets(_: str, arguments: argparse.Namespace) -> int:
    from coleval.cli.buckets import bucket_report

    _emit(bucket_report(arguments, corpus_of), arguments)
    return 0


def _listed(command: str, arguments: argparse.Namespace) -> int:
    from coleval.analyses.registries import listed

    _emit(listed(command), arguments)
    return 0


def _sql(_: str, arguments: argparse.Namespace) -> int:
    from coleval.cli.sql import sql

    return sql(arguments, corpus_of)


def _report(_: str, arguments: argparse.Namespace) -> int:
    from coleval.cli.sql import report

    return report(arguments, corpus_of)


def _validate(_: str, arguments: argparse.Namespace) -> int:
    from coleval.loading.loading import reading_of
    from coleval.loading.validating import sound, validate

    settings = settings_of(arguments, Reading)
    profile = dict(profile_named(arguments.profile).options) if arguments.profile else {}
    reading = reading_of(profile | settings)
    inputs = inputs_of(arguments.source, reading)
    with Progress(len(inputs.systems) + 1, quiet=arguments.quiet) as progress:
        report = validate(inputs, reading, progress)
    _emit(report, arguments)
    return 0 if sound(report) else 1


def _load(_: str, arguments: argparse.Namespace) -> int:
    from coleval.cli.load import load

    _emit(load(arguments), arguments)
    return 0


def _demo(_: str, arguments: argparse.Namespace) -> int:
    if arguments.keep:
        return _demonstrate(Path(arguments.keep), arguments)
    with tempfile.TemporaryDirectory(prefix="coleval-demo-") as directory:
        return _demonstrate(Path(directory), arguments)


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
        loaded = load_inputs(inputs, {}, progress=progress)
    from coleval.analyses.report.tables import CHAPTERS

    with Progress(len(CHAPTERS), quiet=arguments.quiet) as progress:
        _emit(loaded.report(progress=progress), arguments)
    if arguments.keep:
        say_unless(arguments, f"next: coleval score {gold} {directory}/*.conll")
    return 0


def _bench(_: str, arguments: argparse.Namespace) -> int:
    from coleval.cli import bench as bench_commands

    _emit(bench_commands.report(arguments, corpus_of), arguments)
    return 0


def _emit(report: Report, arguments: argparse.Namespace) -> None:
    kept(arguments)
    if not getattr(arguments, "quiet", False):
        warn(report.warnings)
    emit(
        report,
        form=arguments.form,
        output=getattr(arguments, "output", None),
        table=getattr(arguments, "table", None),
        caption=getattr(arguments, "caption", ""),
        tint=getattr(arguments, "tint", False),
    )


RUN: Mapping[str, Callable[[str, argparse.Namespace], int]] = {
    "score": _analyse,
    "confusion": _analyse,
    "compare": _analyse,
    "agree": _analyse,
    "measure": _analyse,
    "errors": _analyse,
    "buckets": _buckets,
    "attributes": _listed,
    "bins": _analyse,
    "changes": _changes,
    "oracle": _analyse,
    "pivot": _analyse,
    "show": _analyse,
    "sql": _sql,
    "report": _report,
    "validate": _validate,
    "load": _load,
    "bench": _bench,
    "demo": _demo,
    "formats": _listed,
    "profiles": _listed,
}
