"""From the arguments of a command to a corpus: a store that is opened, or files that are read."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coleval.analyses.running import shared_options
from coleval.cli.console import Progress, say
from coleval.corpus.limit import MemoryLimit, limit_of, size_of
from coleval.corpus.options import Reading, Scoring
from coleval.corpus.paths import address_name, is_address, is_file
from coleval.corpus.profiles import profile_named
from coleval.declare.counting import TreeCounting
from coleval.errors import UsageError
from coleval.store.manifest import FILE
from coleval.store.opening import open_store

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Mapping, Sequence

    from coleval.corpus.corpus import Corpus
    from coleval.declare.analysis import Analysis
    from coleval.loading.cells import Cells
    from coleval.loading.sources import Inputs

_LISTS = ("exclude", "outside", "nominal", "functional")


def corpus_of(arguments: argparse.Namespace, options: type = TreeCounting) -> Corpus:
    """Return the corpus of the sources: a store if the only one is a store, else files read now.

    It is counted by those options of a command that say how items are counted.
    """
    _second_gold(arguments)
    store = store_of(arguments.source)
    if store is None:
        corpus = read_corpus(arguments, arguments.source)
    else:
        corpus = _opened(arguments, store)
    names = shared_options(options)
    given = {name: getattr(arguments, name, None) for name in names}
    return corpus.scored_by({name: value for name, value in given.items() if value is not None})


def _second_gold(arguments: argparse.Namespace) -> None:
    """Read a file that gold is held against (``--against``) as one more system, by its name."""
    path = getattr(arguments, "against", None) or ""
    file = address_name(path) if is_address(path) else Path(path).name
    if (is_file(path) or is_address(path)) and not getattr(arguments, "merged", None):
        name = f"against-{file.partition('.')[0]}"
        arguments.source = [*arguments.source, f"{name}={path}"]
        arguments.against = name


def given_of(analysis: Analysis[..., Any], arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options given that an analysis has."""
    given = {name: getattr(arguments, name, None) for name in analysis.declared}
    return {name: value for name, value in given.items() if value is not None}


def _opened(arguments: argparse.Namespace, store: Path) -> Corpus:
    """Return a store's corpus, counted by the profile; raise for files that were read otherwise."""
    corpus = open_store(store, memory=limit_on(arguments))
    given = settings_of(arguments, Reading)
    profile = profile_named(arguments.profile).options if arguments.profile else {}
    if given or profile:
        _check_reading(corpus, store, with_profile(arguments), given, arguments.profile)
    if not profile:
        return corpus
    counting = {name: value for name, value in profile.items() if hasattr(Scoring, name)}
    return replace(corpus.scored_by(counting), profile=arguments.profile)


def _check_reading(
    corpus: Corpus, store: Path, settings: Mapping[str, Any], given: Collection[str], profile: str
) -> None:
    """Raise for an option of reading, or one of a profile, by which the store was not read."""
    from coleval.loading.loading import reading_of

    reading = reading_of(settings)
    for name, value in settings.items():
        if name == "task":
            # What mentions are for follows from their format, whatever task a profile has.
            agrees = value == corpus.task or (name not in given and corpus.task_kind.mentions)
        else:
            agrees = getattr(reading, name) == getattr(corpus.reading, name)
        if not agrees:
            flag = f"--{name.replace('_', '-')}"
            option = flag if name in given else f"--profile {profile} ({flag} {value})"
            raise UsageError(
                f"{option} sets how files are read, but these files have already been read",
                where=str(store),
                remedy="load the files again with it: coleval load … --fresh",
            )


def store_of(sources: list[str]) -> Path | None:
    """Return the store if it is the only source, else None."""
    if len(sources) == 1 and is_file(Path(sources[0]) / FILE):
        return Path(sources[0])
    return None


def read_corpus(
    arguments: argparse.Namespace, sources: list[str], *, hashed: bool = False
) -> Corpus:
    """Return the corpus of some files, read now, and ``hashed`` meanwhile where it will be kept.

    A table may have neither gold nor systems if only columns of it are measured.
    """
    # Imported now: a store needs no readers.
    from coleval.loading.loading import reading_of
    from coleval.loading.sources import Inputs

    inputs = inputs_of(sources, reading_of(with_profile(arguments)))
    if hashed and isinstance(inputs, Inputs):
        inputs = replace(inputs, hashed=True)
    _say_which_gold(arguments, sources, inputs)
    try:
        return _read_inputs(arguments, inputs)
    except UsageError:
        column = _measured_column(arguments)
        if not column or not isinstance(inputs, Inputs):
            raise
        # A corpus needs a column as gold, and nothing counts what it says.
        arguments.columns = {"gold": column, column: column}
        corpus = _read_inputs(arguments, replace(inputs, alone=True))
        say_unless(arguments, f"{sources[0]} is read without gold and systems")
        return corpus


def _read_inputs(arguments: argparse.Namespace, inputs: Inputs | Cells) -> Corpus:
    from coleval.loading.loading import load_inputs

    shared = getattr(arguments, "progress", None)
    with nullcontext(shared) if shared else Progress(quiet=arguments.quiet) as progress:
        return load_inputs(
            inputs,
            settings_of(arguments, Reading),
            profile=arguments.profile or "",
            progress=progress.expect(inputs.steps),
            limit=limit_on(arguments),
            free=getattr(arguments, "free", ()),
        )


def _measured_column(arguments: argparse.Namespace) -> str:
    """Return a column that `measure` reads if it needs neither gold nor systems, else ""."""
    pairs = getattr(arguments, "correlate", None) or ()
    columns = [*(name for pair in pairs for name in pair), getattr(arguments, "perplexity", "")]
    of_gold = ("columns", "rank", "scores", "minimal_pairs", "means", "vectors", "by", "merged")
    several = len(arguments.source) > 1 or arguments.source == ["-"]
    if several or any(getattr(arguments, name, None) for name in of_gold):
        return ""
    return next(filter(None, columns), "")


def _say_which_gold(
    arguments: argparse.Namespace, sources: list[str], inputs: Inputs | Cells
) -> None:
    """Say which file is gold where a directory was named for it."""
    gold = getattr(inputs, "gold", None)
    if gold is not None and Path(sources[0]).is_dir():
        others = sum(1 for path in Path(sources[0]).iterdir() if path.is_file()) - 1
        rest = f"; the {others} other files are systems" if others > 0 else ""
        say_unless(arguments, f"gold is {gold.path}, the first file of the directory{rest}")


def limit_on(arguments: argparse.Namespace) -> MemoryLimit | None:
    """Return the limit on memory, None without one; that of ``sql`` is DuckDB's own."""
    return limit_of(getattr(arguments, "memory_limit", None))


def kept(arguments: argparse.Namespace) -> None:
    """Raise if the limit on memory was passed; no result is printed then."""
    size = getattr(arguments, "memory_limit", None)
    if size is not None:
        MemoryLimit(size_of(size), before=0).check("the command")


def with_profile(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the reading options: those of the profile, and those given, which go before."""
    profile = profile_named(arguments.profile).options if arguments.profile else {}
    reading = {k: v for k, v in profile.items() if hasattr(Reading, k)}
    return reading | settings_of(arguments, Reading)


def inputs_of(texts: Sequence[str], reading: Reading) -> Inputs | Cells:
    """Return gold and the systems that some SOURCE arguments name, or several golds with theirs."""
    from coleval.loading.cells import are_cells, cells_of
    from coleval.loading.sources import Inputs, named, named_sources, paired

    if not reading.merged and are_cells(texts):
        return cells_of(texts, reading.encoding, reading)
    sources = named_sources(texts, reading.encoding)
    if reading.merged:
        found = named(sources)
        first = next(iter(found.values()))
        return Inputs(first, {n: s for n, s in found.items() if s is not first})
    gold, *systems = sources
    return paired(gold, systems, reading)


def settings_of(arguments: argparse.Namespace, half: type[Reading | Scoring]) -> dict[str, Any]:
    """Return the options given that belong to one half, lists split at commas."""
    given = {k: v for k, v in vars(arguments).items() if hasattr(half, k) and v is not None}
    given.pop("labels", None)
    return {k: tuple(v.split(",")) if k in _LISTS else v for k, v in given.items()}


def say_unless(arguments: argparse.Namespace, text: str) -> None:
    """Say something to people unless they asked for quiet."""
    if not arguments.quiet:
        say(text)
