"""Statuses that a column of a table holds (``--status``), for each system in a file of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.corpus.statuses import EMPTY, KIND, NOT_RUN, OK, status_column
from coleval.errors import UsageError, unknown
from coleval.loading.readers.frames import texts
from coleval.loading.readers.long import statuses

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.loading.readers.model import TableFile


def with_statuses(
    name: str,
    systems: Mapping[str, tuple[TableFile, str]],
    columns: Mapping[str, pl.Series],
    rows: Mapping[str, pl.Series | None],
) -> tuple[dict[str, pl.Series], dict[str, pl.Series]]:
    """Return answers without those whose status is not ``ok``, and the columns of statuses."""
    answers, found = dict(columns), {}
    for system, (file, _) in systems.items():
        if sum(other is file for other, _ in systems.values()) > 1:
            raise UsageError(
                f"`{name}` is one column, but the table has answers of {len(systems)} systems",
                where=f"{file.path}: --status",
                remedy="give each system a file of its own, or write a long table: system, id, "
                "answer, status",
            )
        status = _status(name, file, columns[system], rows[system])
        # Answers may be lists, which have no other way of being none.
        empty = pl.Series([None], dtype=columns[system].dtype)
        answers[system] = columns[system].zip_with(status == OK, empty)
        found[status_column(system)] = status.cast(KIND)
    return answers, found


def _status(name: str, file: TableFile, answers: pl.Series, rows: pl.Series | None) -> pl.Series:
    if name not in file.context:
        raise unknown("column", name, file.context, where=f"{file.path}: --status")
    said = statuses(texts(file.context[name]), file.at)
    here = said if rows is None else said.gather(rows)
    frame = pl.DataFrame({"said": here, "answer": answers.is_not_null()})
    if rows is not None:
        frame = frame.with_columns(
            said=pl.when(rows.is_null()).then(pl.lit(NOT_RUN)).otherwise("said")
        )
    given = pl.col("said").is_not_null() & (pl.col("said") != OK)
    status = pl.when(given).then("said").when("answer").then(pl.lit(OK)).otherwise(pl.lit(EMPTY))
    return frame.select(status.alias("status")).to_series()
