"""Reading instances: gold with its systems in one table, or every system in a file of its own."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from coleval.corpus.items import RESERVED, check_name
from coleval.corpus.lazy import maker_of
from coleval.corpus.plain_names import settled
from coleval.corpus.selection import columns_option
from coleval.corpus.tasks import TASKS
from coleval.errors import DataError, UsageError, unknown
from coleval.loading.readers.formats import Format, detect, need
from coleval.loading.readers.frames import read_frame, texts
from coleval.loading.readers.headers import place_of
from coleval.loading.readers.ids import check_ids, listed, plain_numbers
from coleval.loading.readers.model import TableFile
from coleval.loading.readers.tables import read_table
from coleval.loading.tasks.label import NO_GOLD, instance_corpus, matrix_corpus
from coleval.loading.tasks.logs import log_corpus, log_format, read_log
from coleval.loading.tasks.numbers import table_of_numbers
from coleval.loading.tasks.segments import files_beside, segment_corpus

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from coleval.corpus.corpus import Corpus, Origin
    from coleval.corpus.options import Reading
    from coleval.loading.readers.source import Source
    from coleval.loading.sources import Inputs


def instances(
    inputs: Inputs,
    form: Format,
    reading: Reading,
    origins: Mapping[str, Origin],
    progress: Callable[[str], None],
) -> Corpus:
    """Return the corpus of instances or of a matrix."""
    progress("gold")
    if reading.task is None and form.task in TASKS and TASKS[form.task].texts:
        reading = replace(reading, task=form.task)
    if reading.task_kind.numeric:
        return table_of_numbers(inputs, reading, origins)
    if form.name == "matrix":
        return _matrix(inputs, form, reading, origins)
    role = ("gold",) if inputs.systems or inputs.alone else ("gold", "system")
    gold = read_gold(inputs.gold, form, reading, role)
    if any(log_format(source, reading) for source in inputs.systems.values()):
        return _of_logs(inputs, gold, reading, origins, progress)
    systems = _columns(gold, inputs.gold) | _files(inputs, form, reading, progress)
    if not systems and not inputs.alone:
        raise _no_system(gold)
    whole = {name: origins.get(name, origins[""]) for name in systems}
    if reading.task_kind.texts:
        own = {name: (file, file.columns[column]) for name, (file, column) in systems.items()}
        found = files_beside(inputs, reading)
        whole = {**whole, "": origins[""]}
        corpus = segment_corpus(reading, (gold, gold.columns["gold"]), own, found, whole, progress)
        # What is going to be kept is counted while it is said what is done.
        return replace(corpus, layers=dict(corpus.layers)) if inputs.hashed else corpus
    return instance_corpus(reading, gold, systems, {**whole, "": origins[""]})


def _of_logs(
    inputs: Inputs,
    gold: TableFile,
    reading: Reading,
    origins: Mapping[str, Origin],
    progress: Callable[[str], None],
) -> Corpus:
    """Return the corpus of logs whose instances are those of a table of gold."""
    # Columns that are chosen for gold are in gold's own file.
    own = reading.columns.of_system
    picks = {part: name for part, name in own.picks.items() if part != "gold"}
    reading_log = replace(reading, columns=replace(own, picks=picks))
    files = {}
    for name, source in inputs.systems.items():
        progress(name)
        files[source] = read_log(source, reading_log)
    by_path = {source.path: origins[name] for name, source in inputs.systems.items()}
    return log_corpus(reading, files, {**by_path, "": origins[""]}, gold)


def _no_system(gold: TableFile) -> UsageError:
    return UsageError(
        "there is gold but no system to compare with it",
        where=gold.path,
        remedy="name the systems' files, or their columns: "
        + columns_option([("gold", "G"), ("system", "S")], gold.path),
    )


def _matrix(
    inputs: Inputs, form: Format, reading: Reading, origins: Mapping[str, Origin]
) -> Corpus:
    if inputs.systems:
        raise UsageError(
            f"a matrix is one file; there are {1 + len(inputs.systems)}",
            where=inputs.gold.path,
            remedy="its columns are the systems",
        )
    file: TableFile = need(form, "table", inputs.gold)(inputs.gold, reading.selection)
    for name in file.columns:
        check_name(name, inputs.gold.path, column=True)
    return matrix_corpus(reading, file, origins)


def read_gold(
    source: Source, form: Format, reading: Reading, roles: tuple[str, ...] = ("gold",)
) -> TableFile:
    """Return the table of gold; a lone column of answers is gold, systems alone have none."""
    file = _read(source, form, reading, roles)
    if "gold" in file.columns:
        return file
    if "system" in roles:
        if reading.separator or any(isinstance(c.dtype, pl.List) for c in file.columns.values()):
            raise UsageError("sets of labels need gold", where=file.path,
                             remedy="name its column: --columns gold=NAME")  # fmt: skip
        nothing = pl.Series(NO_GOLD, [None], dtype=pl.String)
        gold = nothing.new_from_index(0, len(next(iter(file.columns.values()))))
        return replace(file, columns={"gold": gold, **file.columns})
    lone = next(iter(file.columns.values()))
    return TableFile(file.path, file.id, {"gold": lone}, file.context, file.line)


def _read(source: Source, form: Format, reading: Reading, roles: tuple[str, ...]) -> TableFile:
    read = partial(read_table, roles=roles) if form.name == "table" else need(form, "table", source)
    table: TableFile = read(source, reading.columns)
    return table


def _columns(gold: TableFile, source: Source) -> dict[str, tuple[TableFile, str]]:
    """Return the systems that are columns of gold's own table."""
    found = {}
    for column in gold.columns:
        if column != "gold":
            # An only system has the name of its file, or of its column in a data frame.
            own = column != "system" or source.frame is not None
            name = gold.columns[column].name if own else source.name
            found[check_name(name, gold.path, column=own)] = (gold, column)
    return found


def _files(
    inputs: Inputs,
    form: Format,
    reading: Reading,
    progress: Callable[[str], None],
) -> dict[str, tuple[TableFile, str]]:
    """Return the systems that come in files of their own, each in whatever format it has."""
    found = {}
    for name, source in inputs.systems.items():
        progress(name)
        kind = reading.task_kind
        theirs = form if reading.format else detect(source, kind.name if kind.texts else "label")
        own = replace(reading, columns=reading.columns.of_system)
        file = _read(source, theirs, own, ("system",))
        column = "system" if "system" in file.columns else next(iter(file.columns))
        found[name] = (file, column)
    return found


def with_table(corpus: Corpus, source: Source) -> Corpus:
    """Return the corpus with the other columns of a table, which names instances by their ids.

    Columns that are there already stay; an instance that the table does not name has none of them.
    """
    unit, items = next(iter(corpus.units.items()))
    lines = corpus.task_kind.texts and "id" not in items.context.columns
    if lines:
        # Segments are known by their numbers, from 1.
        number = pl.int_range(1, len(items) + 1, eager=True).cast(pl.String).alias("id")
        items = replace(items, context=pl.DataFrame([number, *items.context.get_columns()]))
    if corpus.spread is not None or "id" not in items.context.columns:
        raise UsageError(
            "the rows of the corpus have no ids that a table could name", where=source.path,
            remedy="name the column of ids: --columns id=NAME",
        )  # fmt: skip
    frame = read_frame(source)
    place = place_of("id", frame.data.columns)
    if place is None:
        raise unknown("column", "id", frame.data.columns, where=source.path)
    name, ids = frame.data.columns[place], texts(frame.data.to_series(place))
    ids = plain_numbers(ids) if corpus.reading.numbers else ids
    check_ids(TableFile(source.path, ids, {}, {}, frame.line))
    others = [column for column in frame.data.columns if column != name]
    free = [column for column in others if column not in items.context.columns]
    new = dict(zip(free, settled(free, RESERVED), strict=True))
    table = pl.DataFrame([ids.alias("id"), *(frame.typed(k).alias(v) for k, v in new.items())])
    own = items.context["id"].cast(pl.String)
    if not own.is_in(ids.implode()).any():
        raise DataError(
            f"none of its ids is one of the corpus: {listed(ids)}", where=source.path,
            remedy=f"those of the corpus are {listed(own)}",
        )  # fmt: skip
    columns = own.to_frame().join(table, on="id", how="left", maintain_order="left").drop("id")
    context = items.context.hstack(columns.get_columns())
    items, derived = replace(items, context=context), corpus.task_kind.derived_units
    units = {**corpus.units, unit: items} if derived is None else derived(maker_of(items))
    return replace(corpus, units=units)
