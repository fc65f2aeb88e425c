"""Instances in any order and records of texts: which of gold's each row of a system is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import MISSING, Problem, raise_first, recover_from
from coleval.corpus.selection import columns_option
from coleval.errors import DataError
from coleval.loading.readers.ids import listed, plain_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.loading.readers.model import OffsetFile, TableFile

    Numbers = NDArray[np.integer]


def places_in(ids: pl.Series, texts: pl.Series) -> pl.Series:
    """Return the place of each text among ids that are there once, null for other texts."""
    table = pl.DataFrame({"id": ids, "at": pl.int_range(len(ids), eager=True)})
    rows = texts.rename("id").to_frame()
    return rows.join(table, on="id", how="left", maintain_order="left")["at"]


def not_in_gold(ids: pl.Series) -> str:
    """Return what messages say of ids that gold does not have."""
    several = "ids are" if len(ids) > 1 else "id is"
    return f"{len(ids):,} {several} not in gold: {listed(ids)}"


def rows_of(gold: TableFile, system: TableFile) -> pl.Series:
    """Return the system's row for each row of gold, null for ids it lacks; raise for unknown ids.

    Readers have made sure that no id comes twice.
    """
    if gold.id is None or system.id is None:
        if len(gold) != len(system):
            raise DataError(
                f"has {len(system):,} rows, gold has {len(gold):,} ({gold.path})",
                where=system.path,
                remedy="without ids the system needs one row for every gold row; or name the "
                "column of ids: " + columns_option([("id", "NAME")], system.path),
            )
        return pl.int_range(len(gold), eager=True)
    new = ~system.id.is_in(gold.id.implode())
    if new.any():
        unknown = system.id.filter(new)
        missing = gold.id.filter(~gold.id.is_in(system.id.implode()))
        more = f"; it lacks {len(missing):,} of gold's {len(gold):,}: {listed(missing)}"
        error = DataError(
            not_in_gold(unknown) + (more if len(missing) else ""),
            where=system.at(int(new.arg_max() or 0)),
            remedy=_remedy(gold.id, unknown),
        )
        recover_from(error, system.path)
    return places_in(system.id, gold.id)


def _remedy(gold: pl.Series, unknown: pl.Series) -> str:
    """Return what to do about ids that gold lacks: they may be written in another way."""
    if plain_numbers(unknown).is_in(plain_numbers(gold).implode()).all():
        return "numbers written otherwise than gold's? --numbers reads 0007 and 7.0 as 7"
    ours, theirs = (
        set(ids.cast(pl.String).str.replace_all(r"\d+", "0").str.replace_all(r"\pL+", "a").unique())
        for ids in (gold, unknown)
    )
    if ours.isdisjoint(theirs):
        return f"gold's ids look like `{gold[0]}`: write them in the same way"
    return "is this the output for another text?"


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


def paired_records(gold: OffsetFile, system: OffsetFile) -> Numbers | None:
    """Return gold's record of each record, None where only the texts as a whole are comparable.

    Records go by their ids; without ids by their order if there are as many, unless their texts say
    otherwise, or else by their texts.
    """
    if gold.joined or system.joined:
        _check_texts(system)
        return None
    if gold.ids is not None and system.ids is not None:
        record = places_in(gold.ids, system.ids)
        if record.null_count():
            _raise_unknown(gold.ids, system, system.ids, record.is_null())
        return record.to_numpy()
    n = len(gold.texts)
    in_order = n == len(system.texts)
    if in_order and not (gold.texts != system.texts).fill_null(value=False).any():
        return np.arange(n)
    found = _by_text(gold.texts, system.texts)
    if found is None and not in_order:
        counts = f"{len(system.texts):,} records, gold has {n:,} ({gold.path})"
        _raise(
            system, None, "records",
            f"has {counts}, and they have neither ids nor the same texts",
            "give the records of both files ids, or a line for every record of gold",
        )  # fmt: skip
    return np.arange(n) if found is None else found


def _check_texts(system: OffsetFile) -> None:
    """Raise for the first record without a text where texts are compared as a whole."""
    bare = system.texts.is_null().arg_true().to_list()
    if bare:
        _raise(
            system, bare[0], "texts",
            f"record {bare[0] + 1} has no text, and gold's tokens do not say which white space its "
            "offsets count",
            "keep the text in the records, or give gold as offsets too",
            len(bare),
        )  # fmt: skip


def _by_text(ours: pl.Series, theirs: pl.Series) -> Numbers | None:
    """Return gold's record of each text, None if some text is not gold's or is there twice."""
    if theirs.null_count() or ours.is_duplicated().any() or theirs.is_duplicated().any():
        return None
    found = places_in(ours, theirs)
    return None if found.null_count() else found.to_numpy()


def _raise_unknown(ours: pl.Series, system: OffsetFile, ids: pl.Series, new: pl.Series) -> None:
    _raise(
        system, int(new.arg_max() or 0), "ids",
        f"{not_in_gold(ids.filter(new))}; gold's are {listed(ours)}",
        "is this the output for another text? If ids are not those of gold, leave them out: "
        "records then pair by their texts",
        int(new.sum()),
    )  # fmt: skip


def _raise(
    system: OffsetFile, record: int | None, kind: str, problem: str, remedy: str, n: int = 1
) -> None:
    line = None if record is None else int(system.line[record])
    raise_first([Problem(system.path, line, kind, problem, remedy, n)])


def absent_records(gold: OffsetFile, system: OffsetFile, absent: Numbers | None) -> Problem | None:
    """Return the problem that a system lacks some of gold's records; none if it has all."""
    if absent is None or not len(absent):
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
