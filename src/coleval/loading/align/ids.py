"""Aligning by id: instances in any order, each exactly once in gold and in the system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import MISSING, Problem, recover_from
from coleval.corpus.selection import columns_option
from coleval.errors import DataError
from coleval.loading.readers.ids import listed, plain_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.loading.readers.model import TableFile


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
        error = DataError(
            f"{len(unknown):,} {several} not in gold: {listed(unknown)}" + _lacking(gold, system),
            where=system.at(row),
            remedy=_remedy(gold.id, unknown),
        )
        recover_from(error, system.path)


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


def _lacking(gold: TableFile, system: TableFile) -> str:
    """Return what is said of gold's ids that a system lacks, beside those that are too many."""
    assert gold.id is not None and system.id is not None  # noqa: S101, PT018
    missing = gold.id.filter(~gold.id.is_in(system.id.implode()))
    if not len(missing):
        return ""
    return f"; it lacks {len(missing):,} of gold's {len(gold):,}: {listed(missing)}"
