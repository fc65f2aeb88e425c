"""Instances in any order and records of texts: which of gold's each row of a system is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import MISSING, Problem
from coleval.corpus.selection import columns_option
from coleval.errors import DataError
from coleval.loading.readers.ids import listed, plain_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.loading.readers.model import OffsetFile, TableFile

    Numbers = NDArray[np.integer]


def rows_of(gold: TableFile, system: TableFile) -> pl.Series:
    """Return the system's row for each row of gold, null for ids it lacks; raise for unknown ids.

    Readers have made sure that no id comes twice.
    """
    if gold.id is None or system.id is None:
        return pl.Series(_by_row(gold, system))
    theirs = pl.DataFrame({"id": system.id, "row": np.arange(len(system))})
    found = (
        gold.id.rename("id")
        .to_frame()
        .join(theirs, on="id", how="left", maintain_order="left")["row"]
    )
    _all_known(gold, system)
    return found


def absent_of(gold: TableFile, system: TableFile, rows: pl.Series) -> Problem | None:
    """Return the problem that a system lacks some of gold's ids; none if it has all."""
    if not rows.null_count() or gold.id is None:
        return None
    missing = gold.id.filter(rows.is_null())
    return Problem(
        system.path,
        None,
        MISSING,
        f"lacks {len(missing):,} of gold's {len(gold):,} ids: {listed(missing)}",
        "every gold instance needs an answer",
        len(missing),
    )


def _by_row(gold: TableFile, system: TableFile) -> NDArray[np.int64]:
    if len(gold) != len(system):
        raise DataError(
            f"has {len(system):,} rows, gold has {len(gold):,} ({gold.path})",
            where=system.path,
            remedy=(
                "without ids the system needs one row for every gold row; or name the column of "
                "ids: " + columns_option([("id", "NAME")], system.path)
            ),
        )
    return np.arange(len(gold))


def _all_known(gold: TableFile, system: TableFile) -> None:
    assert gold.id is not None and system.id is not None  # noqa: S101, PT018
    unknown = system.id.filter(~system.id.is_in(gold.id.implode()))
    if len(unknown):
        row = int(system.id.is_in(unknown.implode()).arg_true()[0])
        several = "ids are" if len(unknown) > 1 else "id is"
        raise DataError(
            f"{len(unknown):,} {several} not in gold: {listed(unknown)}" + _lacking(gold, system),
            where=system.at(row),
            remedy="numbers written otherwise than gold's? --numbers reads 0007 and 7.0 as 7"
            if plain_numbers(unknown).is_in(plain_numbers(gold.id).implode()).all()
            else "is this the output for another text?",
        )


def _lacking(gold: TableFile, system: TableFile) -> str:
    """Return what is said of gold's ids that a system lacks, beside those that are too many."""
    assert gold.id is not None and system.id is not None  # noqa: S101, PT018
    missing = gold.id.filter(~gold.id.is_in(system.id.implode()))
    if not len(missing):
        return ""
    return f"; it lacks {len(missing):,} of gold's {len(gold):,}: {listed(missing)}"


_NAMED = 5


@dataclass(frozen=True, slots=True)
class Records:
    """The gold record of every record, None where only the texts as a whole are comparable.

    ``absent`` are gold's records that the system lacks.
    """

    record: Numbers | None
    absent: Numbers
    problems: tuple[Problem, ...] = ()


def records(gold: OffsetFile, system: OffsetFile) -> Records:
    """Return how records are paired; what keeps them from it is a problem in the result."""
    if gold.joined or system.joined:
        return _as_a_whole(system)
    if gold.ids is not None and system.ids is not None:
        return _by_id(gold, gold.ids, system, system.ids)
    found = _by_position(gold, system)
    if found is None:
        found = _by_text(gold, system)
    return _paired(gold, found) if found is not None else _unpaired(gold, system)


def _as_a_whole(system: OffsetFile) -> Records:
    """Return that texts are compared as a whole, for which the system needs some."""
    bare = system.texts.is_null().arg_true()
    if len(bare):
        problem = Problem(
            system.path,
            int(system.line[int(bare[0])]),
            "texts",
            f"record {int(bare[0]) + 1} has no text, and gold's tokens do not say which white "
            "space its offsets count",
            "keep the text in the records, or give gold as offsets too",
            len(bare),
        )
        return _failed(problem)
    return Records(None, np.empty(0, np.int64))


def _by_id(gold: OffsetFile, ours: pl.Series, system: OffsetFile, theirs: pl.Series) -> Records:
    known = pl.DataFrame({"id": ours, "record": np.arange(len(ours))})
    found = theirs.rename("id").to_frame().join(known, on="id", how="left", maintain_order="left")
    record = found["record"]
    if record.null_count():
        return _failed(_unknown(ours, system, theirs.filter(record.is_null()), record))
    return _paired(gold, record.to_numpy().astype(np.int64))


def _by_position(gold: OffsetFile, system: OffsetFile) -> Numbers | None:
    """Return gold's records in order if there are as many, unless their texts say otherwise."""
    n = len(gold.texts)
    if len(system.texts) != n:
        return None
    unlike = (gold.texts != system.texts).fill_null(value=False)
    if unlike.any() and (found := _by_text(gold, system)) is not None:
        return found
    return np.arange(n)


def _by_text(gold: OffsetFile, system: OffsetFile) -> Numbers | None:
    """Return gold's record of each text, None if some text is not gold's or is there twice."""
    ours, theirs = gold.texts, system.texts
    if theirs.null_count() or ours.is_duplicated().any() or theirs.is_duplicated().any():
        return None
    known = pl.DataFrame({"text": ours, "record": np.arange(len(ours))})
    found = theirs.rename("text").to_frame().join(
        known, on="text", how="left", maintain_order="left"
    )["record"]  # fmt: skip
    return None if found.null_count() else found.to_numpy().astype(np.int64)


def _paired(gold: OffsetFile, record: Numbers) -> Records:
    absent = np.ones(len(gold.texts), np.bool_)
    absent[record] = False
    return Records(record, np.flatnonzero(absent))


def _unknown(ours: pl.Series, system: OffsetFile, new: pl.Series, record: pl.Series) -> Problem:
    at = int(record.is_null().arg_true()[0])
    several = "ids are" if len(new) > 1 else "id is"
    gold = f"gold's are {listed(ours)}"
    return Problem(
        system.path,
        int(system.line[at]),
        "ids",
        f"{len(new):,} {several} not in gold: {listed(new)}; {gold}",
        "is this the output for another text? If ids are not those of gold, leave them out: "
        "records then pair by their texts",
        len(new),
    )


def _unpaired(gold: OffsetFile, system: OffsetFile) -> Records:
    counts = f"{len(system.texts):,} records, gold has {len(gold.texts):,} ({gold.path})"
    problem = Problem(
        system.path,
        None,
        "records",
        f"has {counts}, and they have neither ids nor the same texts",
        "give the records of both files ids, or a line for every record of gold",
    )
    return _failed(problem)


def _failed(problem: Problem) -> Records:
    nothing = np.empty(0, np.int64)
    return Records(nothing, nothing, (problem,))


def absent_records(gold: OffsetFile, system: OffsetFile, absent: Numbers) -> Problem | None:
    """Return the problem that a system lacks some of gold's records; none if it has all."""
    if not len(absent):
        return None
    names = gold.ids.gather(pl.Series(absent)) if gold.ids is not None else absent + 1
    which = listed(pl.Series(names).cast(pl.String))
    return Problem(
        system.path,
        None,
        MISSING,
        f"lacks {len(absent):,} of gold's {len(gold.texts):,} records: {which}",
        "every gold record needs an answer, be it without spans",
        len(absent),
    )
