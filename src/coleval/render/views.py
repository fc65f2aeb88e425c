"""What is shown of a table, on a screen or in a paper: its list, its wide table or its chart.

How each table is read is declared where it is made; a table that nobody declares is listed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from coleval.corpus.excerpt import excerpt_of
from coleval.corpus.lazy import LazyMapping
from coleval.declare.tables import Table, text
from coleval.render import query_result
from coleval.render.listing import PLACE, listing, places_of
from coleval.render.sheet import PAGE, Sheet, rows_for
from coleval.render.visible import distinct, visible
from coleval.render.wide import wide_sheet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars as pl

    from coleval.corpus.excerpt import Excerpt
    from coleval.corpus.report import Report
    from coleval.declare.tables import Column, Shaped
    from coleval.render.sheet import View

# A name at the head of a column has so many cells.
LONGEST = 24


def views(report: Report, name: str, width: int, *, alone: bool = False) -> tuple[View, ...]:
    """Return what a screen of ``width`` cells, or paper, shows of a table.

    Nothing if it is shown within another one, unless it is asked for ``alone``: then at least the
    list of its rows.
    """
    # Only a screen leads with what matters; a page and paper have room for all.
    whole, own = (replace(report, leads=()) if width >= PAGE else report).part(name)
    part = summary(whole)
    frame = part.table(own)
    table = declared(part.command, own, frame)
    shown = _shown(part, table, frame, width, alone=alone)
    if alone and not shown:
        one = _in_one(table)
        plain = _headed(one.columns, {key: key for key in table.apart})
        limit = _limit(part, table, width)
        shown = (_list(replace(one, columns=plain), frame, width, limit),)
    if note := left_out(whole, own):
        shown = tuple(_of_excerpt(view, note) for view in shown)
    return tuple(_findable(view, name) for view in shown)


def summary(report: Report) -> Report:
    """Return a report whose tables have the rows on those systems and groups that are shown."""
    if report.shown is None and report.groups is None:
        return report
    makers = {name: partial(_summary, report, name) for name in report.tables}
    return replace(report, tables=LazyMapping(makers), every=report.tables)


def shaping(report: Report) -> Report:
    """Return a report with all rows of its tables, for what is worked out of these; but excerpts.

    What is too long to be made is not made for that.
    """
    if report.every is None:
        return report
    makers = {name: partial(report.all_rows, name) for name in report.tables}
    return replace(report, tables=LazyMapping(makers, keep=False))


def shown_rows(report: Report, table: Table, shaped: pl.DataFrame) -> pl.DataFrame:
    """Return those of the rows made for a table that are on systems and groups that are shown."""
    if report.every is None:
        return shaped
    found = _excerpt(report, table, shaped)
    return shaped if found is None else found.frame


def _summary(report: Report, name: str) -> pl.DataFrame:
    found = excerpt(report, name)
    return report.table(name) if found is None else found.frame


def excerpt(report: Report, name: str) -> Excerpt | None:
    """Return what is shown of a table, with the places of its rows among all; None if it is all."""
    if name in report.excerpts:
        return report.excerpts[name]
    if report.shown is None and report.groups is None:
        return None
    frame = report.table(name)
    return _excerpt(report, declared(report.command, name, frame), frame)


def _excerpt(report: Report, table: Table, frame: pl.DataFrame) -> Excerpt | None:
    if table.ranked_by in frame.columns:
        import polars as pl

        places = places_of(frame[table.ranked_by].to_list())
        frame = frame.with_columns(pl.Series(PLACE, places, pl.Int64))
    shown = report.shown if table.excerpted else None
    return excerpt_of(table.name, frame, shown, report.groups)


def left_out(report: Report, name: str) -> str:
    """Return which rows of a table are shown, and how to see the others; nothing if all are."""
    found = excerpt(report, name)
    return "" if found is None else f"{found.note}; --whole shows all"


def _of_excerpt(view: View, note: str) -> View:
    """Return a view of some rows of a table, of which the best is not that of all."""
    notes = (note, *view.notes)
    if not isinstance(view, Sheet) or not view.among:
        return replace(view, notes=notes)
    return replace(view, notes=notes, among=f"{view.among}, of those shown")


def declared(command: str, name: str, frame: pl.DataFrame) -> Table:
    """Return how a table of a command is read."""
    from coleval.analyses.commands import TABLES
    from coleval.analyses.registry import ANALYSES

    tables = ANALYSES[command].tables if command in ANALYSES else TABLES.get(command, ())
    fitting = [table for table in tables if table.name == name and table.suits(frame)]
    few = (table for table in fitting if not table.is_crowded(frame))
    chosen = next(few, _in_one(fitting[0]) if fitting else Table(name))
    return chosen.in_unit(frame)


def _in_one(table: Table) -> Table:
    """Return a table whose rows are in one list, for those who ask for it."""
    apart = tuple(map(text, table.apart)) if table.columns else ()
    title = _plain(table.title)
    return replace(table, columns=apart + table.columns, apart=(), title=title, inside=True)


def _shown(
    report: Report, table: Table, frame: pl.DataFrame, width: int, *, alone: bool
) -> tuple[View, ...]:
    if not alone and (table.inside or len(frame) < table.least):
        return ()
    drawn: tuple[View, ...] = table.picture(report, width) if table.picture else ()
    if drawn:
        return tuple(replace(view, notes=(*view.notes, *table.notes)) for view in drawn)
    every = frame
    if table.shaped_by:
        table, every = _shaped(table, resolve_name(table.shaped_by)(shaping(report)))
        frame = shown_rows(report, table, every)
    sheets = list(_sheets(report, table, frame, width, every))
    shown = sheets[: rows_for(width, table.screens) if table.screens else None]
    more = f"… and {len(sheets) - len(shown):,} more: --as csv --table {table.name}"
    if len(shown) < len(sheets):
        shown[-1] = replace(shown[-1], notes=(*shown[-1].notes, more))
    return tuple(shown)


def _shaped(table: Table, shaped: Shaped) -> tuple[Table, pl.DataFrame]:
    """Return how the rows are read that take the place of those of a table, and the rows."""
    title, columns = shaped.title or table.title, table.columns + shaped.columns
    notes = shaped.notes + table.notes
    return replace(table, title=title, columns=columns, notes=notes), shaped.frame


def _sheets(
    report: Report, table: Table, frame: pl.DataFrame, width: int, every: pl.DataFrame
) -> Iterator[Sheet]:
    """Yield a sheet for each value of the columns that are apart; sums are those of ``every``."""
    keys = [key for key in table.apart if key in frame.columns]
    if keys and frame.is_empty():
        return
    for part in frame.partition_by(keys, maintain_order=True) if keys else [frame]:
        values = {key: visible(str(part[key][0])) for key in keys}
        own = replace(
            table, title=titled(table.title, part, values), columns=_headed(table.columns, values)
        )
        if table.wide is None:
            yield _list(own, part, width, _limit(report, table, width))
        else:
            limit = _limit(report, table, width)
            summed = part if frame is every else every.join(
                part.select(keys).unique(), on=keys, how="semi") if keys else every  # fmt: skip
            yield wide_sheet(
                report, own, table.wide, part, width, whole=frame, limit=limit, summed=summed
            )


def _limit(report: Report, table: Table, width: int) -> int | None:
    """Return how many rows there is room for; paper has no limit unless there is a crowd."""
    if table.limit is None or report.whole:
        return None
    return rows_for(width, table.limit) if report.shown is None else table.limit


def titled(title: str, frame: pl.DataFrame, values: dict[str, str]) -> str:
    """Return a title with what it names: the number of rows, values of the columns apart."""
    on = f" on {values['corpus']}" if "corpus" in values else ""
    return _filled(title, {"n": len(frame), "on": on, **values})


def _headed(columns: tuple[Column, ...], values: dict[str, str]) -> tuple[Column, ...]:
    """Return columns with the values of those apart in the titles that name them, short."""
    short = distinct(values.values(), LONGEST)
    names = {key: short[value] for key, value in values.items()}
    return tuple(
        replace(column, title=_filled(column.title, names)) if "{" in column.title else column
        for column in columns
    )


def _filled(title: str, values: Mapping[str, object]) -> str:
    """Return a title with the values it names; other braces are those of somebody's name."""

    def value(found: re.Match[str]) -> str:
        return format(values[found[1]], found[2] or "") if found[1] in values else found[0]

    return re.sub(r"\{(\w+)(?::(,))?\}", value, title)


def _plain(title: str) -> str:
    """Return a title without what it would name."""
    return re.sub(r"\s*[·,]?\s*\{[^}]*\}( → \{[^}]*\})?[,·:]?\s*", " ", title).strip()


def _list(table: Table, frame: pl.DataFrame, width: int, limit: int | None) -> Sheet:
    frame = _rows(table, frame)
    if table.raw:
        return query_result.sheet(frame, name=table.name, limit=limit)
    sheet = listing(
        frame,
        name=table.name,
        title=table.title,
        columns=table.columns,
        ranked_by=table.ranked_by,
        limit=limit,
        width=width,
        table=table,
    )
    return replace(sheet, notes=(*sheet.notes, *table.notes))


def _rows(table: Table, frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows and columns of a list, in their order."""
    if table.filled:
        frame = frame.filter(frame[table.filled] > 0)
    if table.falling:
        frame = frame.sort(table.falling, descending=True, nulls_last=True, maintain_order=True)
    # A pair that is one of several has both of its names.
    same = [name for name in table.varying if name in frame.columns]
    return frame if same and frame.select(same).n_unique() > 1 else frame.drop(same)


def _findable(view: View, name: str) -> View:
    """Return ``view`` with notes that call its table what this report calls it."""
    called = f"--table {name}"
    notes = tuple(re.sub(r"--table \S+", lambda _: called, note) for note in view.notes)
    return replace(view, table=name, notes=notes)
