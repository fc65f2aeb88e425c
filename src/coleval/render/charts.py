"""Charts as SVG, written by ourselves: a title that says what is counted, the drawing, notes.

Colours are classes of ``assets/chart.css``: by day, by night, on paper. Numbers are tooltips; the
text for those who see no picture is the title.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from coleval.render.chart_heat import heat_map
from coleval.render.chart_parts import Panel, element, lines_of, number, stacked
from coleval.render.chart_rows import rows
from coleval.render.chart_shapes import columns, curves, lines, points
from coleval.render.plots import COLOURS
from coleval.render.visible import visible, wrapped

if TYPE_CHECKING:
    from coleval.render.plots import Plot

_SPACE = "http://www.w3.org/2000/svg"
_MARGIN = 12.0
# Letters of a title and of a note take so many pixels on average.
_TITLE_LETTER, _NOTE_LETTER = 8.0, 6.3
_AFTER = 6.0
# A heat map with more columns than this, and fewer rows, is turned.
_ACROSS = 45


def chart(plot: Plot, *, style: str = "") -> str:
    """Return the SVG of a plot; one that stands alone brings the ``style`` of its colours."""
    panel = stacked([_title(plot), _body(plot), _notes(plot)])
    return framed(panel, plot.title, style=style)


def framed(panel: Panel, title: str, *, style: str = "") -> str:
    """Return an SVG element around what is drawn, with a margin."""
    width, height = panel.width + 2 * _MARGIN, panel.height + 2 * _MARGIN
    ground = element("rect", width="100%", height="100%", class_="page") if style else ""
    moved = element("g", panel.markup, transform=f"translate({_MARGIN:g} {_MARGIN:g})")
    return element(
        "svg",
        f"{f'<style>{style}</style>' if style else ''}{ground}\n{moved}\n",
        xmlns=_SPACE,
        class_="coleval-chart",
        role="img",
        aria_label=title,
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=width,
        height=height,
    )


def panel_of(plot: Plot) -> Panel:
    """Return a plot with its title and its notes, to stand below another one."""
    return stacked([_title(plot), _body(plot), _notes(plot), Panel(2 * _MARGIN, "", plot.width)])


def _title(plot: Plot) -> Panel:
    cells = int(plot.width / _TITLE_LETTER)
    shown = wrapped(visible(plot.title), cells) if plot.title else []
    return stacked(
        [lines_of(shown, class_="title", width=plot.width), Panel(_AFTER, "", plot.width)]
    )


def _notes(plot: Plot) -> Panel:
    cells = int(plot.width / _NOTE_LETTER)
    shown = [line for note in plot.notes for line in wrapped(visible(note), cells)]
    return lines_of(shown, class_="dim", high=16, width=plot.width)


def is_heat_map(plot: Plot) -> bool:
    """Return whether a plot is drawn as cells with a shade each: too many lines are, too."""
    crowded = len(plot.series) > COLOURS
    return plot.figure.kind == "heat map" or (plot.figure.kind in ("lines", "dots") and crowded)


def _body(plot: Plot) -> Panel:
    if not any(mark.value is not None for mark in plot.marks):
        return lines_of(["nothing to draw"], class_="dim", width=plot.width)
    kind = plot.figure.kind
    if is_heat_map(plot):
        across = len(plot.series) > _ACROSS and len(plot.series) > len(plot.names)
        return heat_map(_turned(plot) if kind == "lines" or across else plot)
    if kind == "lines":
        return lines(plot)
    if kind == "curves":
        return curves(plot)
    if kind == "points":
        return points(plot)
    return columns(plot) if plot.figure.upright else rows(plot)


def _turned(plot: Plot) -> Plot:
    """Return a plot whose series are names: many lines are a heat map with a row each."""
    marks = tuple(replace(mark, name=mark.series, series=mark.name) for mark in plot.marks)
    figure = plot.figure
    turned = replace(figure, name=figure.series or figure.name, series=figure.name)
    return replace(plot, figure=turned, names=plot.series, series=plot.names, marks=marks)
