"""The figures of a table, as its analysis declares them; as a file of their own, and on a page."""

from __future__ import annotations

from dataclasses import replace
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from coleval.declare.tables import Shaped
from coleval.errors import UsageError
from coleval.render.chart_parts import stacked
from coleval.render.charts import chart, framed, panel_of
from coleval.render.html_assets import chart_style
from coleval.render.plots import plotted
from coleval.render.views import declared, left_out, shaping, shown_rows, summary, titled
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from coleval.corpus.report import Report
    from coleval.declare.figures import Figure
    from coleval.declare.tables import Table
    from coleval.render.plots import Plot


# Points of a cloud, and of each curve.
_MOST = {"points": 2000, "curves": 300}


def render(report: Report, table: str | None = None) -> str:
    """Return the figures of the named table, or of the first that has any, one below the other."""
    name = _chosen(report, table)
    drawn = plots(report, name)
    if len(drawn) == 1:
        return chart(drawn[0], style=chart_style()) + "\n"
    every = stacked(panel_of(plot) for plot in drawn)
    title = "; ".join(plot.title for plot in drawn)
    return framed(every, title, style=chart_style()) + "\n"


def with_figures(report: Report) -> list[str]:
    """Return the names of the tables that have something to draw."""
    return [name for name in report.tables if any(_fitting(report, name))]


def plots(report: Report, name: str) -> list[Plot]:
    """Return what is drawn of a table: a plot for each figure, and for each value apart."""
    drawn: list[Plot] = []
    for figure, frame in _fitting(report, name):
        drawn += _apart(figure, frame)
    note = left_out(*report.part(name)) if drawn else ""
    return [replace(plot, notes=(note, *plot.notes)) for plot in drawn] if note else drawn


def _chosen(report: Report, table: str | None) -> str:
    """Return the table to draw; raise if it has nothing to draw."""
    if table is not None:
        report.table(table)
    able = with_figures(report)
    if able and (table is None or table in able):
        return table or able[0]
    known = f"tables with figures: {', '.join(able)}" if able else "write a page: -o FILE.html"
    raise UsageError(
        f"`{table}` has no figure" if table else f"{report.command} has no figure here",
        where="--table" if table else "svg",
        remedy=known,
    )


def _fitting(report: Report, name: str) -> Iterator[tuple[Figure, pl.DataFrame]]:
    """Yield the figures of a table with their rows, where these have what is drawn."""
    whole, own = report.part(name)
    part = summary(whole)
    table = declared(part.command, own, part.table(own))
    for figure in table.drawings:
        frame = _rows(part, table, figure)
        if figure.suits(frame):
            yield figure.in_unit(frame), frame


def _rows(report: Report, table: Table, figure: Figure) -> pl.DataFrame:
    """Return the rows that a figure draws: its own, or those that the table shows."""
    place = figure.shaped_by or ("" if figure.raw else table.shaped_by)
    if not place:
        return report.table(table.name)
    found = resolve_name(place)(shaping(report))
    frame: pl.DataFrame = found.frame if isinstance(found, Shaped) else found
    return shown_rows(report, table, frame)


def _apart(figure: Figure, frame: pl.DataFrame) -> list[Plot]:
    """Return a plot for each value of the columns apart; a note says how many are not drawn."""
    keys = [key for key in figure.apart if key in frame.columns]
    parts = frame.partition_by(keys, maintain_order=True) if keys else [frame]
    parts = [part for part in parts if figure.suits(part)]
    drawn = []
    for part in parts[: figure.most]:
        values = {key: visible(str(part[key][0])) for key in keys}
        rows = _thinned(figure, _sorted(part, figure.falling))
        title, axis = (titled(words, part, values) for words in (figure.title, figure.axis))
        plot = plotted(replace(figure, axis=axis), rows, title)
        few = f"{rows.height:,} of {part.height:,} points are drawn"
        notes = (*plot.notes, few) if rows.height < part.height else plot.notes
        drawn.append(replace(plot, notes=notes))
    if len(parts) > figure.most:
        note = f"{len(parts) - figure.most:,} more figures of this kind are not drawn"
        drawn[-1] = replace(drawn[-1], notes=(*drawn[-1].notes, note))
    return drawn


def _sorted(frame: pl.DataFrame, falling: str) -> pl.DataFrame:
    if not falling:
        return frame
    return frame.sort(falling, descending=True, nulls_last=True, maintain_order=True)


def _thinned(figure: Figure, frame: pl.DataFrame) -> pl.DataFrame:
    """Return every k-th of very many points, and the last; of each series, if curves join them."""
    most = _MOST.get(figure.kind, frame.height)
    if frame.height <= most:
        return frame
    import polars as pl

    keys = [figure.series.name] if figure.series else []
    at, rows = pl.int_range(pl.len()), pl.len()
    if keys:
        at, rows = at.over(keys), rows.over(keys)
    nth = (rows / most).ceil().cast(pl.Int64)
    return frame.filter((at % nth == 0) | (at == rows - 1))
