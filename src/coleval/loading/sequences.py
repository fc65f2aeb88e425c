"""Tables of sequences with the answers of several systems: each column is a source of its own.

So a system is read by itself whether it is a file or a column: two at a time, and under a limit on
memory one after the other.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from coleval.corpus.items import check_name
from coleval.corpus.selection import columns_option
from coleval.errors import ColevalError, UsageError
from coleval.loading.readers.open_tables import OpenColumn
from coleval.loading.readers.sequences import columns_in, sources_of
from coleval.loading.sources import Inputs, stem
from coleval.loading.tasks.settling import format_beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coleval.corpus.options import Reading
    from coleval.loading.readers.formats import Format
    from coleval.loading.readers.sequence_columns import SequenceColumns
    from coleval.loading.readers.source import Source

_SEQUENCES = "sequences"


def of_columns(inputs: Inputs) -> bool:
    """Tell whether gold has been taken as a column of a table that is open."""
    return isinstance(inputs.gold.frame, OpenColumn)


def by_columns(inputs: Inputs, form: Format, reading: Reading) -> Inputs:
    """Return the inputs with a source for each column of answers in tables of sequences."""
    if form.name == _SEQUENCES and not inputs.systems and not inputs.alone:
        return _of_one_table(inputs.gold, reading)
    if form.tokens is None or reading.merged or (form.name == "table" and _is_table(reading)):
        return inputs
    systems: dict[str, Source] = {}
    for source in inputs.systems.values():
        for one in _systems(source, form, reading):
            if one.name in systems:
                raise _twice(one)
            systems[one.name] = one
    return replace(inputs, systems=systems)


def _is_table(reading: Reading) -> bool:
    return reading.task is None or reading.task_kind.of_tables


def _of_one_table(source: Source, reading: Reading) -> Inputs:
    """Return gold and the systems of a table that has all of them."""
    found = columns_in(source, reading.selection, "gold", "system")
    if not found.systems or found.gold is None:
        raise UsageError(
            "there is gold but no system to compare with it",
            where=source.path,
            remedy="name the files of the systems after it, or their columns: "
            + columns_option([("gold", str(found.gold)), ("system", "NAME")], source.path),
        )
    names = [source.name] if len(found.systems) == 1 and source.frame is None else found.systems
    answers = {
        check_name(name, source.path, column=True): column
        for name, column in zip(names, found.systems, strict=True)
    }
    # No system is called "", and gold keeps its name.
    every = sources_of(source, found, {"": found.gold, **answers})
    gold = replace(every.pop(""), name=source.name)
    return Inputs(gold, every)


def _systems(source: Source, form: Format, reading: Reading) -> Iterator[Source]:
    """Yield a source for each system of a file: one, unless it has several lists of answers."""
    columns = _columns(source, form, reading)
    found = () if columns is None else columns.systems
    if columns is None or len(found) == 1:
        yield source
        return
    if source.name != stem(source.path):
        raise UsageError(
            f"`{source.name}` would name {len(found)} lists: {', '.join(found)}",
            where=source.path,
            remedy="choose one, or leave the name out: "
            + columns_option([("system", found[0])], source.path),
        )
    answers = {check_name(column, source.path, column=True): column for column in found}
    yield from sources_of(source, columns, answers).values()


def _columns(source: Source, form: Format, reading: Reading) -> SequenceColumns | None:
    """Return the columns of a system's file of sequences, None for any other.

    What is wrong with a file is said when it is read, as that system's.
    """
    with suppress(ColevalError):
        if format_beside(form, source, reading).name == _SEQUENCES:
            return columns_in(source, reading.selection, "system")
    return None


def _twice(source: Source) -> UsageError:
    return UsageError(
        f"two systems are called `{source.name}`",
        where=source.path,
        remedy=f"give the file of one another name: {source.name}2=PATH",
    )
