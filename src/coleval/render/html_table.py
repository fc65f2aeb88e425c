"""A table on a page: its charts, and behind them, one click away, the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.render.charts import is_heat_map
from coleval.render.figures import plots
from coleval.render.fitting import taken
from coleval.render.html_charts import charts, is_narrow
from coleval.render.html_text import anchor, safe
from coleval.render.html_view import drawn, untinted
from coleval.render.sheet import PAGE, Prose, Sheet
from coleval.render.views import views

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.corpus.report import Report
    from coleval.render.plots import Plot
    from coleval.render.sheet import View

# Cells of a table that has room in half of a page.
_HALF = 66
# The rows of these are what people look for: they are open.
_ANSWERS = ("leaderboard", "overall", "score.overall", "score.ranking")


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
    known = plots(report, name)
    every = [p for p in known if shown is None or _is_new(p, shown)]
    listed: Sequence[View] = views(report, name, PAGE)
    if name not in _ANSWERS and not alone and any(map(is_heat_map, every)):
        listed = [untinted(view) for view in listed]
    command = report.part(name)[0].command
    told = "".join(drawn(view, own, command=command, terms=shown is not None) for view in listed)
    # A chapter leaves out what only programs read; it can be had as csv.
    rows = told or ("" if shown is not None else _folded(report, name, own, opened=alone))
    foot = _remedy(report, name) if remedy else ""
    opened = alone or name in _ANSWERS
    if known and told:
        rows, foot = _behind(rows + foot, opened=opened), ""
    half = shown is not None and not opened and _halved(every, listed)
    place, look = anchor(name), ' class="half"' if half else "" if told else ' class="inner"'
    heading = f'<h{level} id="{place}">{safe(own)}</h{level}>\n'
    # What people look for is above its charts.
    drawings = charts(every, scripted=remedy)
    shown_first = (rows, drawings) if opened and every and told else (drawings, rows)
    body = f"{heading}{''.join(shown_first)}{foot}"
    return f'<section data-table="{place}"{look}>\n{body}</section>\n'


def _is_new(plot: Plot, shown: frozenset[str]) -> bool:
    """Return whether a report has not got a figure elsewhere."""
    return plot.figure.overview not in shown and not plot.figure.aside


def _halved(every: Sequence[Plot], shown: Sequence[View]) -> bool:
    """Return whether a table takes half of the page: one narrow chart, or few narrow columns."""
    if every:
        return is_narrow(every)
    sheets = [view for view in shown if isinstance(view, Sheet)]
    if any(p.card for view in shown if isinstance(view, Prose) for p in view.paragraphs):
        return False
    return bool(shown) and all(view.heads and taken(view) < _HALF for view in sheets)


def _behind(rows: str, *, opened: bool) -> str:
    """Return the rows behind a chart."""
    state = " open" if opened else ""
    return f'<details class="rows"{state}><summary>numbers as a table</summary>\n{rows}</details>\n'


def _folded(report: Report, name: str, own: str, *, opened: bool) -> str:
    """Return a table that is not for screens, open if it was named; a word where it is empty."""
    if not report.rows(name):
        return '<p class="dim">no rows</p>\n'
    shown = views(report, name, PAGE, alone=True)
    rows = sum(len(view.rows) for view in shown if isinstance(view, Sheet))
    told = f"for programs: {_counted(rows, 'row')} of the table as it is stored"
    figures = "".join(drawn(view, own) for view in shown)
    state = " open" if opened else ""
    return f"<details{state}><summary>{told}</summary>{figures}</details>\n"


def _remedy(report: Report, name: str) -> str:
    rows, columns = report.rows(name), _columns(report, name)
    command = f"coleval {report.command} … --as csv --table {name}"
    size = f"{_counted(rows, 'row')} × {_counted(columns, 'column')}"
    return f'<p class="csv" data-csv="{anchor(name)}">{size}: <code>{safe(command)}</code></p>\n'


def _columns(report: Report, name: str) -> int:
    excerpt = report.excerpts.get(name)
    return (report.table(name) if excerpt is None else excerpt.frame).width


def _counted(n: int, name: str) -> str:
    return f"{n:,} {name}{'' if n == 1 else 's'}"
