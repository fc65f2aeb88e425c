"""A table on a page: its charts, and behind them, one click away, the rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from coleval.render.charts import chart
from coleval.render.figures import plots
from coleval.render.html_text import anchor, safe
from coleval.render.html_view import drawn
from coleval.render.sheet import PAGE, Sheet
from coleval.render.views import views

if TYPE_CHECKING:
    from coleval.corpus.report import Report
    from coleval.render.plots import Plot

# Pixels: of a chart beside another one, and of a heat map of many columns.
NARROW, BROAD = 500.0, 1040.0
_MANY = 10
# The rows of these are what people look for: they are open.
_ANSWERS = ("score.overall", "score.ranking")


def section(
    report: Report,
    name: str,
    *,
    level: int,
    remedy: bool = True,
    alone: bool = False,
    shown: frozenset[str] | None = None,
) -> str:
    """Return a table with its charts; of a chapter, those of places ``shown`` before not."""
    own = name.rpartition(".")[2]
    every = plots(report, name)
    charts = _charts([plot for plot in every if plot.figure.overview not in (shown or ())])
    told = "".join(drawn(view, own, terms=shown is not None) for view in views(report, name, PAGE))
    rows = told or _folded(report, name, own, opened=alone)
    foot = _remedy(report, name) if remedy else ""
    if charts and told:
        rows = _behind(report, name, rows + foot, opened=alone or name in _ANSWERS)
        foot = ""
    place = anchor(name)
    heading = f'<h{level} id="{place}">{safe(own)}</h{level}>\n'
    return f'<section data-table="{place}">\n{heading}{charts}{rows}{foot}</section>\n'


def _charts(every: list[Plot]) -> str:
    """Return figures side by side where there are several; numbers are their tooltips."""
    several = len(every) > 1
    told = "".join(
        f'<figure class="chart">\n{chart(replace(plot, width=_width(plot, several=several)))}\n'
        "</figure>\n"
        for plot in every
    )
    return f'<div class="charts">\n{told}</div>\n' if told else ""


def _width(plot: Plot, *, several: bool) -> float:
    if plot.figure.kind == "heat map" and min(len(plot.series), len(plot.names)) > _MANY:
        return BROAD
    return NARROW if several else plot.width


def _behind(report: Report, name: str, rows: str, *, opened: bool) -> str:
    """Return the rows behind a chart."""
    height, columns = report.table(name).shape
    size = f"{_counted(height, 'row')} × {_counted(columns, 'column')}"
    state = " open" if opened else ""
    return f'<details class="rows"{state}><summary>table: {size}</summary>\n{rows}</details>\n'


def _folded(report: Report, name: str, own: str, *, opened: bool) -> str:
    """Return a table that is not for screens, open if it was named; a word where it is empty."""
    if report.table(name).is_empty():
        return '<p class="dim">no rows</p>\n'
    shown = views(report, name, PAGE, alone=True)
    rows = sum(len(view.rows) for view in shown if isinstance(view, Sheet))
    told = f"for programs: {_counted(rows, 'row')} of the table as it is stored"
    figures = "".join(drawn(view, own) for view in shown)
    state = " open" if opened else ""
    return f"<details{state}><summary>{told}</summary>{figures}</details>\n"


def _remedy(report: Report, name: str) -> str:
    rows, columns = report.table(name).shape
    command = f"coleval {report.command} … --as csv --table {name}"
    size = f"{_counted(rows, 'row')} × {_counted(columns, 'column')}"
    return f'<p class="csv" data-csv="{anchor(name)}">{size}: <code>{safe(command)}</code></p>\n'


def _counted(n: int, name: str) -> str:
    return f"{n:,} {name}{'' if n == 1 else 's'}"
