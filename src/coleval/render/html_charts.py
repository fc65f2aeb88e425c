"""Charts as a page has them: as wide as their place, light enough for a page of many."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from coleval.render.charts import chart
from coleval.render.plots import WIDTH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.render.plots import Plot

# Pixels: of a chart beside another one, and of a heat map of many columns.
NARROW, BROAD = 500.0, 1040.0
# Columns of a heat map that has its numbers in such a place, and rows and places of other charts.
_FEW, _SEVERAL, _CROWD = 6, 10, 30
# Tooltips of more marks than this are no longer than so many lines.
_MARKS, _LINES = 40, 3


def charts(every: Sequence[Plot], *, scripted: bool = False) -> str:
    """Return figures side by side where there is room; a page with a script has lighter ones."""
    several = len(every) > 1
    told = "".join(
        figure(replace(plot, scripted=scripted), _width(plot, several=several)) for plot in every
    )
    return f'<div class="charts">\n{told}</div>\n' if told else ""


def figure(plot: Plot, width: float) -> str:
    """Return a chart of that width."""
    look = "chart broad" if width > NARROW else "chart"
    return f'<figure class="{look}">\n{chart(_light(plot, width))}\n</figure>\n'


def is_narrow(every: Sequence[Plot]) -> bool:
    """Return whether there is one chart, which leaves room for a table's beside it."""
    return len(every) == 1 and _width(every[0], several=False) == NARROW


def _width(plot: Plot, *, several: bool) -> float:
    if plot.figure.kind != "heat map":
        return NARROW if several or len(plot.names) <= _CROWD else WIDTH
    columns = min(len(plot.series), len(plot.names)) if plot.figure.mirrored else len(plot.series)
    if columns > _SEVERAL:
        return BROAD
    return NARROW if several or columns <= _FEW else WIDTH


def _light(plot: Plot, width: float) -> Plot:
    """Return a plot whose tooltips are short where they are very many."""
    marks = plot.marks
    if len(marks) > _MARKS:
        marks = tuple(replace(mark, tip="\n".join(mark.tip.split("\n")[:_LINES])) for mark in marks)
    return replace(plot, width=width, brief=True, marks=marks)
