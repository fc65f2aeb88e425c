"""``coleval.load``: from sources to a corpus, whatever the task."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from coleval.corpus.disk import on_disk, shelf
from coleval.corpus.effects import Call, check_effects
from coleval.corpus.forking import check_process
from coleval.corpus.lazy import LazyMapping
from coleval.corpus.limit import limit_of
from coleval.corpus.options import Reading, changed, reject_unknown
from coleval.corpus.profiles import profile_named
from coleval.corpus.selection import Selection
from coleval.corpus.signature import with_hashes
from coleval.declare.counting import COUNTING_OPTIONS, several
from coleval.declare.describing import checked
from coleval.declare.options import options_of
from coleval.errors import ColevalError, UsageError, warn_python
from coleval.loading.cells import Cells, are_cells, cells_of_mappings, cells_of_paths, no_gold
from coleval.loading.offset_files import any_offsets, read_offset_files
from coleval.loading.readers.class_names import given_names
from coleval.loading.readers.formats import Format, detect, need
from coleval.loading.readers.source import AUTO
from coleval.loading.sequences import by_columns, of_columns
from coleval.loading.sources import (
    Inputs,
    from_python,
    gold_source,
    listed,
    named,
    origin,
    paired,
    with_names,
)
from coleval.loading.tasks.logs import log_corpus, read_logs
from coleval.loading.tasks.settling import format_of

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus, Origin
    from coleval.corpus.disk import Shelf
    from coleval.corpus.limit import MemoryLimit
    from coleval.corpus.training import Training
    from coleval.declare.keywords import LoadOptions
    from coleval.loading.sources import Inputs
    from coleval.loading.tasks.layers import Reader


Progress = Callable[[str], None]


@checked
def load(
    gold: Any,
    systems: Any = None,
    *,
    profile: str = "",
    progress: Callable[[str], None] | None = None,
    memory: str | int | None = None,
    **options: Unpack[LoadOptions],
) -> Corpus:
    """Return the corpus of a gold file and any number of systems.

    ``gold`` is a path or a data frame (Polars, pandas, Arrow, DuckDB, or one of Spark, which counts
    it where it is: a row for each sentence, with lists); ``systems`` a mapping of
    names to paths or frames, a list of paths, or a glob. Of one frame or table alone the column
    ``gold`` is gold, and those that answer with its labels are systems, unless ``columns`` says
    otherwise. Logs of answers have gold themselves: any of them comes first. Under a limit on
    ``memory`` (``"2GB"``) files are read one by one, and answers are kept in a temporary directory.
    """
    if type(gold).__module__.startswith("pyspark.sql"):
        from coleval.loading.distant import load_distant

        return load_distant(gold, systems, _with_profile(profile, options), profile)
    limit = limit_of(memory)
    inputs = inputs_of(gold, systems, reading_of(_with_profile(profile, options)))
    corpus = load_inputs(inputs, options, profile=profile, progress=progress, limit=limit)
    # Between the caller and this is what checks keywords.
    warn_python(corpus.warnings, 4)
    return corpus


def inputs_of(gold: Any, systems: Any, reading: Reading) -> Inputs | Cells:
    """Return what a caller names: a gold with its systems, or several of them."""
    encoding = reading.encoding
    if isinstance(gold, Mapping):
        return cells_of_mappings(gold, systems, encoding)
    texts = [gold, *listed(systems)]
    if all(isinstance(t, str | Path) for t in texts) and are_cells(list(map(str, texts))):
        return cells_of_paths(str(gold), with_names(systems), encoding, reading)
    return paired(gold_source(gold, encoding), from_python(systems, encoding), reading)


def load_inputs(
    inputs: Inputs | Cells,
    options: Mapping[str, Any],
    *,
    profile: str = "",
    progress: Progress | None = None,
    limit: MemoryLimit | None = None,
    free: Collection[str] = (),
) -> Corpus:
    """Return the corpus of some inputs; given options go before those of the profile.

    Options given have to have an effect, unless they are ``free``.
    """
    check_process()
    settings = _with_profile(profile, options)
    reading = reading_of(settings)
    corpus = _read_or_skip(inputs, reading, progress or _silent, limit)
    if reading.skip:
        # A run that is left out is missing, and the others are to be scored.
        settings = {"missing": "wrong", **settings}
    declared = {**options_of(Reading), **COUNTING_OPTIONS}
    check_effects(Call("", corpus, settings), declared, options, free)
    scoring = {k: v for k, v in settings.items() if not hasattr(Reading, k)}
    return replace(corpus.scored_by(scoring), profile=profile)


def _silent(_: str) -> None:
    """Show no progress."""


def _read_or_skip(
    inputs: Inputs | Cells, reading: Reading, progress: Progress, limit: MemoryLimit | None
) -> Corpus:
    """Return the corpus of some inputs; only if they cannot be read is each of them checked."""
    try:
        corpus = read(inputs, reading, progress, limit)
    except ColevalError:
        if not reading.skip:
            raise
        from coleval.loading.skipping import check_some_are_left, without_invalid

        inputs, left_out = without_invalid(inputs, reading)
        check_some_are_left(inputs, left_out)
        corpus = read(inputs, reading, _silent, limit)
        corpus = replace(corpus, gold=replace(corpus.gold, notes=corpus.gold.notes + left_out))
    if reading.encoding == AUTO:
        from coleval.loading.encodings import encoding_notes

        notes = (*corpus.gold.notes, *encoding_notes(inputs).values())
        corpus = replace(corpus, gold=replace(corpus.gold, notes=notes))
    return corpus


def _with_profile(profile: str, options: Mapping[str, Any]) -> dict[str, Any]:
    base = dict(profile_named(profile).options) if profile else {}
    return base | {k: v for k, v in options.items() if v is not None}


def reading_of(settings: Mapping[str, Any]) -> Reading:
    """Return the reading options among some settings; raise for a name that is none."""
    reject_unknown(settings)
    given = dict(settings)
    if given.get("columns") is not None:
        given["columns"] = Selection.of(given["columns"])
    if given.get("names"):
        given["names"] = given_names(given["names"])
    for name in ("outside", "nominal", "statistics"):
        if isinstance(given.get(name), str):
            given[name] = tuple(given[name].split(","))
    if given.get("references"):
        given["references"] = tuple(map(str, several(given["references"])))
    reading: Reading = changed(Reading(), given)
    return reading.checked()


def read(
    inputs: Inputs | Cells, reading: Reading, progress: Progress, limit: MemoryLimit | None = None,
) -> Corpus:  # fmt: skip
    """Return the corpus of some inputs, its answers on disk if memory is limited."""
    if isinstance(inputs, Cells):
        return _read_cells(inputs, reading, progress, limit)
    if limit is None:
        return _read(inputs, reading, progress, None)
    own = shelf(limit)
    corpus = _read(inputs, reading, limit.watched(progress), own)
    limit.check("reading")
    if corpus.limit is not None or corpus.task_kind.source_unit:
        return replace(corpus, limit=limit)
    units = {name: lambda name=name: on_disk(corpus.units[name], own) for name in corpus.units}
    return replace(corpus, units=LazyMapping(units), limit=limit)


def _read_cells(
    cells: Cells, reading: Reading, progress: Progress, limit: MemoryLimit | None
) -> Corpus:  # fmt: skip
    from coleval.loading.grid import read_cells

    golds = [inputs.gold for inputs in cells.inputs.values()]
    forms = {gold.path: format_of(gold, reading) for gold in golds}
    _of_one_format({path: form.name for path, form in forms.items()})
    own = None if limit is None else shelf(limit)
    form = forms[golds[0].path]
    # Nothing is said of the files of one cell: the cell is the step.
    read_cell = partial(_read, progress=_silent, own=None)
    return read_cells(cells, form, reading, read_cell, progress, own)


def _of_one_format(forms: Mapping[str, str]) -> None:
    """Raise if gold files are of several formats: their items would not be of one kind."""
    first, form = next(iter(forms.items()))
    other = next((path for path, name in forms.items() if name != form), None)
    if other is not None:
        raise UsageError(
            f"looks like format `{forms[other]}`, but {first} like `{form}`",
            where=other,
            remedy=f"name the format of all of them (--format {form}), or evaluate them apart",
        )


def _read(inputs: Inputs, reading: Reading, progress: Progress, own: Shelf | None) -> Corpus:
    """Return the corpus of some inputs, with hashes of its answers."""
    return with_hashes(_of_format(inputs, reading, progress, own))


def _of_format(inputs: Inputs, reading: Reading, progress: Progress, own: Shelf | None) -> Corpus:
    """Return the corpus of some inputs; the format of gold and the task decide how."""
    form = format_of(inputs.gold, reading)
    if form.long is not None:
        return read_log_corpus(inputs, reading, progress)
    no_gold(inputs, form.name)
    if not reading.merged and any_offsets(inputs, form, reading):
        _need_systems(inputs)
        return read_offset_files(inputs, form, reading, _origins(inputs), progress)
    return _of_table_or_lines(by_columns(inputs, form, reading), form, reading, progress, own)


def _of_table_or_lines(
    inputs: Inputs, form: Format, reading: Reading, progress: Progress, own: Shelf | None
) -> Corpus:
    if form.mentions is not None:
        return _mention_files(inputs, form, reading, progress)
    if form.spans is not None:
        return _span_files(inputs, form, reading, progress)
    may_be_table = reading.task is None or reading.task_kind.of_tables
    if form.tokens is None or (form.table is not None and may_be_table):
        from coleval.loading.tasks.instances import instances

        return instances(inputs, form, reading, _origins(inputs), progress)
    if (reading.merged and not of_columns(inputs)) or (
        form.table is not None and not inputs.systems
    ):
        return _merged(inputs, form, reading, progress)
    return _tokens(inputs, form, reading, progress, own)


def _tokens(
    inputs: Inputs, form: Format, reading: Reading, progress: Progress, own: Shelf | None = None
) -> Corpus:
    from coleval.loading.tasks.layers import gold_layer, open_gold, read_systems

    _need_systems(inputs)
    progress("gold")
    with ThreadPoolExecutor(1) as pool:
        hashing = _hashing(pool, inputs)
        settled, reader = open_gold(inputs.gold, form, reading)
        if own is not None and settled.task_kind.tagged_text:
            corpus = _one_by_one(settled, reader, inputs, own, hashing, progress)
            if corpus is not None:
                return corpus
        elif own is not None:
            own.limit.check_trees([s.path for s in (inputs.gold, *inputs.systems.values())])
        layers = {"": gold_layer(reader)}
        layers |= read_systems(reader, inputs.systems, progress)
        origins = hashing.result()
    return settled.task_kind.of_token_files(settled, reader, layers, origins, progress)


def _one_by_one(
    reading: Reading, reader: Reader, inputs: Inputs, own: Shelf,
    hashing: Future[dict[str, Origin]], progress: Progress,
) -> Corpus | None:  # fmt: skip
    """Return the corpus of files read one by one, None if they have to be read again."""
    from coleval.loading.tasks.tokens import OtherTokensError, streamed

    try:
        return streamed(reading, reader, inputs.systems, own, hashing.result, progress)
    except OtherTokensError as error:
        if any(source.path == "-" for source in inputs.systems.values()):
            raise UsageError(
                "a system with other tokens than gold's must be aligned together with all others",
                where=str(error),
                remedy="leave out --memory, or read no system from standard input",
            ) from None
        return None


def _merged(inputs: Inputs, form: Format, reading: Reading, progress: Progress) -> Corpus:
    from coleval.loading.tasks.layers import read_merged_files
    from coleval.loading.tasks.tokens import token_corpus

    progress("files")
    every = [inputs.gold, *inputs.systems.values()]
    sources = named(every) if inputs.gold.frame is None else {s.path: s for s in every}
    settled, reader, layers = read_merged_files(sources, form, reading)
    by_path = {s.path: origin(s, hashed=s is inputs.gold) for s in sources.values()}
    origins = {name: by_path[layer.path] for name, layer in layers.items()}
    return token_corpus(settled, reader, layers, origins, progress)


def _span_files(inputs: Inputs, form: Format, reading: Reading, progress: Progress) -> Corpus:
    from coleval.loading.tasks.span_files import span_corpus

    _need_systems(inputs)
    read_spans = need(form, "spans", inputs.gold)
    files = {"": read_spans(inputs.gold, reading.columns)}
    for name, source in inputs.systems.items():
        progress(name)
        files[name] = read_spans(source, reading.columns)
    return span_corpus(reading, files, _origins(inputs))


def _mention_files(inputs: Inputs, form: Format, reading: Reading, progress: Progress) -> Corpus:
    from coleval.loading.tasks.coref import coref_corpus

    _need_systems(inputs)
    with ThreadPoolExecutor(2) as pool:
        hashing = _hashing(pool, inputs)
        read_gold = need(form, "mentions", inputs.gold)
        running = {"": pool.submit(read_gold, inputs.gold, reading.columns)}
        for name, source in inputs.systems.items():
            # A system may be of another format, and needs no text.
            own = detect(source, "coref") if reading.format is None else form
            running[name] = pool.submit(
                need(own, "mentions", source), source, reading.columns, texts=False
            )
        files = {}
        for name, file in running.items():
            progress(name or "gold")
            files[name] = file.result()
        return coref_corpus(reading, files, hashing.result())


def _origins(inputs: Inputs) -> dict[str, Origin]:
    found = {"": origin(inputs.gold, hashed=True)}
    systems = inputs.systems.items()
    return found | {name: origin(source, hashed=inputs.hashed) for name, source in systems}


def _hashing(pool: ThreadPoolExecutor, inputs: Inputs) -> Future[dict[str, Origin]]:
    """Return the origins of all inputs, found beside what is read."""
    found = pool.submit(_origins, inputs)
    if any(s.is_stream for s in (inputs.gold, *inputs.systems.values())):
        # What comes by a pipe can be read once: hash it before it is let go.
        found.result()
    return found


def _need_systems(inputs: Inputs) -> None:
    if not inputs.systems and not inputs.alone:
        raise UsageError(
            "there is gold but no system to compare with it",
            where=inputs.gold.path,
            remedy="name the files of the systems after gold, or use --merged",
        )


def load_training(train: Any, corpus: Corpus, columns: str = "") -> Training:
    """Return the training data of a path or a frame, read as the corpus' gold was."""
    from coleval.loading.tasks.training import read_training

    source = gold_source(train, corpus.reading.encoding)
    sha256 = origin(source, hashed=True).sha256
    return read_training(source, corpus.reading, columns, sha256)


def read_log_corpus(inputs: Inputs, reading: Reading, progress: Progress) -> Corpus:
    """Return the corpus of logs; no file needs to be hashed for a gold that all of them have."""
    origins = {path: origin(source) for path, source in inputs.systems.items()}
    origins |= dict.fromkeys(("", inputs.gold.path), origin(inputs.gold))
    return log_corpus(reading, read_logs(inputs, reading, progress), origins)
