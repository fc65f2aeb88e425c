"""Systems in the order in which they were given, instead of the best first.

The table that ranks them keeps who was best: its last column is ``rank``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from coleval.declare.options import declared, option

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars as pl

    from coleval.corpus.report import Report
    from coleval.declare.tables import Table
    from coleval.render.sheet import View

RANK, GIVEN = "rank", "given"
_FIRST = r"best first( by \w+)?|most solved first"


@declared
class Ordered:
    """In which order systems stand."""

    order: Literal["best", "given"] = option(
        default="best", group="order of systems", metavar="ORDER", values=("best", GIVEN),
        choose=True, kind="order of systems",
        help="order of the systems: best (the best one first, default) or given (as on the "
        "command line)",
        in_python="order of the systems: best (the best one first) or given (as they were loaded)",
    )  # fmt: skip


def in_order(frame: pl.DataFrame, systems: Sequence[str]) -> pl.DataFrame:
    """Return the rows with their systems (and the systems that are keys) in this order."""
    import polars as pl

    place = {name: at for at, name in enumerate(systems)}
    keys = [
        pl.col(name).replace_strict(place, default=None, return_dtype=pl.Int64)
        for name in ("key", "system")
        if name in frame.columns
    ]
    return frame.sort(keys, maintain_order=True) if keys else frame


def with_rank(frame: pl.DataFrame, ranked_by: str) -> pl.DataFrame:
    """Return a table of the best first with their places from 1; equal scores share one."""
    import polars as pl

    scores = [ranked_by] if ranked_by else []
    first = frame.select("system", *scores).unique("system", keep="first", maintain_order=True)
    place = first.with_row_index(RANK, offset=1).with_columns(pl.col(RANK).cast(pl.Int64))
    if ranked_by:
        least = pl.col(RANK).min().over(ranked_by)
        known = pl.col(ranked_by).is_not_null()
        place = place.with_columns(pl.when(known).then(least).otherwise(RANK).alias(RANK))
    return frame.join(place.select("system", RANK), on="system", how="left", maintain_order="left")


def ranked_by(tables: Iterable[Table], name: str, frame: pl.DataFrame) -> str:
    """Return the column by which a table is declared to rank, nothing if by none."""
    return _best_first(tables, name, frame).ranked_by


def given_views(tables: Iterable[Table], name: str, report: Report, width: int) -> tuple[View, ...]:
    """Return what is shown of a table with its systems as given: ranks, and another title."""
    from dataclasses import replace

    frame = report.table(name)
    views = _as_usual(_best_first(tables, name, frame), report, frame, width)
    return tuple(replace(view, title=_retitled(view.title)) for view in views)


def _best_first(tables: Iterable[Table], name: str, frame: pl.DataFrame) -> Table:
    """Return how a table is read where the best system is first."""
    plain = (table for table in tables if table.name == name and table.where != RANK)
    return next(table for table in plain if table.suits(frame))


def _as_usual(table: Table, report: Report, frame: pl.DataFrame, width: int) -> tuple[View, ...]:
    from coleval.declare.tables import count
    from coleval.render.listing import listing
    from coleval.render.sheet import rows_for
    from coleval.render.wide import wide_sheet

    if table.picture is not None:
        shown: tuple[View, ...] = table.picture(report, width)
        return shown
    if table.wide is not None:
        limit = rows_for(width, table.limit) if table.limit else None
        return (wide_sheet(report, table, table.wide, frame, width, limit=limit),)
    columns = (count(RANK, "#"), *table.columns)
    sheet = listing(
        frame, name=table.name, title=table.title, columns=columns, width=width, table=table
    )
    return (sheet,)


def _retitled(title: str) -> str:
    return re.sub(_FIRST, "in the order given", title)
