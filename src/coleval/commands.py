"""What each command does: its sources into a corpus, a report out of it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.arguments_statistics import OWN
from coleval.console import Progress, say, warn
from coleval.errors import UsageError
from coleval.loading import load_inputs, reading_of
from coleval.options import Reading, Scoring, label_option
from coleval.profiles import PROFILES, profile_named
from coleval.readers.formats import FORMATS
from coleval.renderers import emit
from coleval.report import Report
from coleval.signature import signature
from coleval.sources import Inputs, named, named_sources, without_gold
from coleval.store import add, open_store, write
from coleval.store.manifest import FILE, read_manifest, unchanged
from coleval.version import __version__

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping

    from coleval.corpus import Corpus

_LISTS = ("exclude", "outside")
# The options that only one command has, and what its method calls them.
_OWN = {
    "bins": {
        "words": "words", "words_top": "words_top", "profile_bins": "profile", "items": "items",
        "pair": "pair", "percent": "percent",
    },
    **OWN,
    "changes": {
        "baseline": "baseline", "gate": "gate", "items": "items", "kind": "kind",
        "label_before": "label_before", "label_after": "label_after",
    },
    "errors": {
        "focus": "focus", "weights": "weights", "ignore_punct": "ignore_punct",
        "pair": "pair", "items": "items",
    },
}  # fmt: skip
_RENAMED = {"tag_scheme": "scheme"}


def _analyse(command: str, arguments: argparse.Namespace) -> int:
    corpus = _corpus(arguments)
    given = {k: getattr(arguments, k) for k in _OWN.get(command, {})}
    own = {_OWN[command][k]: v for k, v in given.items() if v is not None}
    _emit(getattr(corpus, command)(**own), arguments)
    return 0


def _changes(command: str, arguments: argparse.Namespace) -> int:
    from coleval.analyses.gate import check

    corpus = _corpus(arguments)
    given = {k: getattr(arguments, k) for k in _OWN[command]}
    own = {k: v for k, v in given.items() if v is not None}
    report = corpus.changes(*map(tuple, arguments.pair or ()), **own)
    _emit(report, arguments)
    check(report)
    return 0


def _buckets(_: str, arguments: argparse.Namespace) -> int:
    from coleval.attribute_commands import bucket_report

    _emit(bucket_report(arguments, _corpus), arguments)
    return 0


def _attributes(_: str, arguments: argparse.Namespace) -> int:
    from coleval.attribute_commands import attribute_report

    _emit(attribute_report(), arguments)
    return 0


def _validate(_: str, arguments: argparse.Namespace) -> int:
    from coleval.validating import sound, validate

    settings = _settings(arguments, Reading)
    profile = dict(profile_named(arguments.profile).options) if arguments.profile else {}
    reading = reading_of(profile | settings)
    inputs = _inputs(arguments.source, reading)
    with Progress(len(inputs.systems) + 1, quiet=arguments.quiet) as progress:
        report = validate(inputs, reading, progress)
    _emit(report, arguments)
    return 0 if sound(report) else 1


def _load(_: str, arguments: argparse.Namespace) -> int:
    path = Path(arguments.store)
    if arguments.fresh or not (path / FILE).is_file():
        corpus = _read(arguments, arguments.source)
        if arguments.train:
            corpus = corpus.trained(arguments.train, arguments.train_columns or "")
        write(corpus, path)
        warn(() if arguments.quiet else corpus.warnings)
    else:
        corpus = _grow(path, arguments)
    say_unless(arguments, f"stored in {path}: `coleval score {path}` opens it")
    _emit(_systems(open_store(path)), arguments)
    return 0


def _grow(path: Path, arguments: argparse.Namespace) -> Corpus:
    """Add to a store the systems that are new or have changed since it was written."""
    manifest = read_manifest(path)
    reading = reading_of(_with_profile(arguments))
    inputs = _inputs(arguments.source, reading)
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
    say_unless(
        arguments,
        f"{path}: {len(manifest.systems)} systems there, {len(same)} of those "
        f"named are unchanged, {len(fresh)} to read",
    )
    if fresh:
        with Progress(len(fresh) + 2, quiet=arguments.quiet) as progress:
            corpus = load_inputs(
                Inputs(inputs.gold, fresh),
                _settings(arguments, Reading),
                profile=arguments.profile or "",
                progress=progress,
            )
        _same_reading(path, manifest.reading, corpus.reading)
        add(path, manifest, corpus)
        warn(() if arguments.quiet else corpus.warnings)
    return open_store(path)


def _same_gold(path: Path, sha256: str, inputs: Inputs) -> None:
    import hashlib

    if hashlib.sha256(Path(inputs.gold.path).read_bytes()).hexdigest() != sha256:
        raise UsageError(
            f"{inputs.gold.path} is not the gold it was loaded with",
            where=str(path),
            remedy="write the store anew with --fresh, or choose another -o",
        )


def _same_reading(path: Path, theirs: Reading, ours: Reading) -> None:
    if theirs != ours:
        raise UsageError(
            "was loaded with other options",
            where=str(path),
            remedy="give the same options, or write the store anew with --fresh",
        )


def _systems(corpus: Corpus) -> Report:
    unit = next(iter(corpus.units))
    items = corpus.at(unit)
    rows = [
        {
            "system": entry.name,
            "path": entry.origin.path,
            "items": len(items),
            "answers": int((items.answers[entry.name] != 0).sum()),
            "repairs": entry.repairs,
            "sha256": entry.origin.sha256[:12] or None,
        }
        for entry in corpus.entries
    ]
    kinds = {"system": pl.String, "path": pl.String, "items": pl.Int64, "answers": pl.Int64,
             "repairs": pl.Int64, "sha256": pl.String}  # fmt: skip
    return Report("load", {"systems": pl.DataFrame(rows, schema=kinds)}, signature(corpus))


def _demo(_: str, arguments: argparse.Namespace) -> int:
    if arguments.keep:
        Path(arguments.keep).mkdir(parents=True, exist_ok=True)
        return _demonstrate(Path(arguments.keep), arguments)
    with tempfile.TemporaryDirectory(prefix="coleval-demo-") as directory:
        return _demonstrate(Path(directory), arguments)


def _demonstrate(directory: Path, arguments: argparse.Namespace) -> int:
    from coleval.demo import generate
    from coleval.demo import write as write_demo

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
    _emit(loaded.score(), arguments)
    if arguments.keep:
        say_unless(arguments, f"next: coleval score {gold} {directory}/*.conll")
    return 0


def _formats(_: str, arguments: argparse.Namespace) -> int:
    rows = [
        {"name": f.name, "task": f.task, "about": f.about, "suffixes": " ".join(f.suffixes)}
        for f in FORMATS.values()
    ]
    _emit(Report("formats", {"formats": pl.DataFrame(rows)}, f"coleval:{__version__}"), arguments)
    return 0


def _profiles(_: str, arguments: argparse.Namespace) -> int:
    rows = [
        {
            "name": p.name,
            "about": p.about,
            "options": ", ".join(f"{k}={_shown(v)}" for k, v in p.options.items()),
        }
        for p in PROFILES.values()
    ]
    _emit(Report("profiles", {"profiles": pl.DataFrame(rows)}, f"coleval:{__version__}"), arguments)
    return 0


def _shown(value: Any) -> str:
    return "/".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _corpus(arguments: argparse.Namespace) -> Corpus:
    """Return the corpus of the sources: a store if the only one is a store, else files read now."""
    store = _store(arguments.source)
    corpus = _read(arguments, arguments.source) if store is None else open_store(store)
    if store is not None:
        _not_reading(arguments, store)
    if arguments.systems:
        corpus = corpus.chosen(arguments.systems)
    return corpus.with_options(**_settings(arguments, Scoring), **label_option(arguments.labels))


def _store(sources: list[str]) -> Path | None:
    if len(sources) == 1 and (Path(sources[0]) / FILE).is_file():
        return Path(sources[0])
    return None


def _not_reading(arguments: argparse.Namespace, store: Path) -> None:
    given = [*_settings(arguments, Reading), *(["profile"] if arguments.profile else [])]
    if given:
        raise UsageError(
            f"--{given[0]} decides how files are read, and these have been read",
            where=str(store),
            remedy="load the files again with it: coleval load … --fresh",
        )


def _read(arguments: argparse.Namespace, sources: list[str]) -> Corpus:
    settings = _with_profile(arguments)
    inputs = _inputs(sources, reading_of(settings))
    with Progress(len(inputs.systems) + 2, quiet=arguments.quiet) as progress:
        return load_inputs(
            inputs,
            _settings(arguments, Reading),
            profile=arguments.profile or "",
            progress=progress,
        )


def _with_profile(arguments: argparse.Namespace) -> dict[str, Any]:
    profile = profile_named(arguments.profile).options if arguments.profile else {}
    reading = {k: v for k, v in profile.items() if hasattr(Reading, k)}
    return reading | _settings(arguments, Reading)


def _inputs(texts: Iterable[str], reading: Reading) -> Inputs:
    sources = named_sources(texts, reading.encoding)
    if reading.merged:
        found = named(sources)
        first = next(iter(found.values()))
        return Inputs(first, {n: s for n, s in found.items() if s is not first})
    gold, *systems = sources
    return Inputs(gold, named(without_gold(gold, systems)))


def _settings(arguments: argparse.Namespace, half: type[Reading | Scoring]) -> dict[str, Any]:
    """Return the options given that belong to one half, lists split at commas."""
    given = {k: v for k, v in vars(arguments).items() if hasattr(half, k) and v is not None}
    given.pop("labels", None)
    return {k: tuple(v.split(",")) if k in _LISTS else v for k, v in given.items()}


def _emit(report: Report, arguments: argparse.Namespace) -> None:
    if not getattr(arguments, "quiet", False):
        warn(report.warnings)
    emit(
        report,
        form=arguments.form,
        output=getattr(arguments, "output", None),
        table=getattr(arguments, "table", None),
    )


def say_unless(arguments: argparse.Namespace, text: str) -> None:
    """Say something to people unless they asked for quiet."""
    if not arguments.quiet:
        say(text)


RUN: Mapping[str, Callable[[str, argparse.Namespace], int]] = {
    "score": _analyse,
    "confusion": _analyse,
    "compare": _analyse,
    "agree": _analyse,
    "measure": _analyse,
    "errors": _analyse,
    "buckets": _buckets,
    "attributes": _attributes,
    "bins": _analyse,
    "changes": _changes,
    "oracle": _analyse,
    "validate": _validate,
    "load": _load,
    "demo": _demo,
    "formats": _formats,
    "profiles": _profiles,
}
