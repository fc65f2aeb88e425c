"""A heat map: names down, series across, the number in each cell where it has room."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import ceil, floor
from typing import TYPE_CHECKING

from coleval.render.chart_parts import Panel, gutter, named, short_names, stacked
from coleval.render.columns import ratio, written
from coleval.render.plots import heading
from coleval.render.svg import element, label, number, tooltip, wide
from coleval.render.tint import STEPS, step
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from coleval.render.plots import Mark, Plot

_HIGH, _CLOSE, _MANY = 24.0, 17.0, 30
_NARROW, _WIDE = 15.0, 84.0
_HEAD, _SLANT = 22, 0.72
_RAMP = 200.0
# On a page, more cells than this have no elements of their own.
_SEVERAL = 150
_STEEP, _SLANTED = -90, 19.0


def heat_map(plot: Plot) -> Panel:
    """Return a heat map; one hue for sizes, two for differences on both sides of zero."""
    # Whole pixels make sharp edges and short files.
    left = float(ceil(max(gutter(plot.names), wide(_across(plot)) + 10)))
    room = (plot.width - left) / max(1, len(plot.series))
    words = _words(plot, room)
    widest = max((wide(text) for text in words.values()), default=0.0) + 10
    place = float(floor(min(max(room, _NARROW), max(_WIDE, widest))))
    heads, above, over = _heads(plot, left, place)
    high = _CLOSE if len(plot.names) > _MANY else _HIGH
    short = short_names(plot.names)
    names = [heads]
    for k, name in enumerate(plot.names):
        y = above + high * k + high / 2 + 4
        names.append(named(name, short, left - 8, y, text_anchor="end"))
    cells = _together if plot.brief and len(plot.marks) > _SEVERAL else _apart
    drawn = "".join(names) + cells(plot, _HeatGrid(left, above, place, high), words)
    across = max(plot.width, left + place * len(plot.series) + over)
    return stacked([_ramp(plot), Panel(above + high * len(plot.names) + 8, drawn, across)])


@dataclass(frozen=True, slots=True)
class _HeatGrid:
    """Where cells are: the first one's corner, and how wide and high each is."""

    left: float
    above: float
    place: float
    high: float


def _places(plot: Plot, grid: _HeatGrid) -> Iterator[tuple[Mark, float, float]]:
    """Yield the marks that have a number, with the corners of their cells, row by row."""
    there = {(mark.name, mark.series): mark for mark in plot.marks}
    for k, name in enumerate(plot.names):
        for j, series in enumerate(plot.series):
            mark = there.get((name, series))
            if mark is not None and mark.value is not None:
                yield mark, grid.left + grid.place * j, grid.above + grid.high * k


def _apart(plot: Plot, grid: _HeatGrid, words: Mapping[str, str]) -> str:
    """Return an element for each cell, with its tooltip."""
    shade = _shading(plot)
    cells = (
        element(
            "g",
            tooltip(mark.tip) + _cell(x, y, grid.place, grid.high, words.get(mark.words, "")),
            class_=shade(mark),
        )
        for mark, x, y in _places(plot, grid)
    )
    return element("g", "".join(cells), text_anchor="middle")


def _together(plot: Plot, grid: _HeatGrid, words: Mapping[str, str]) -> str:
    """Return an element for each shade: cells that are very many would make a page heavy.

    A page's script finds what is under a pointer by the names and numbers of all cells.
    """
    shade, wide, high = _shading(plot), number(grid.place - 1), number(grid.high - 1)
    paths, texts = defaultdict(list), defaultdict(list)
    for mark, x, y in _places(plot, grid):
        own = shade(mark)
        paths[own].append(f"M{number(x)} {number(y)}h{wide}v{high}h-{wide}z")
        shown = words.get(mark.words, "")
        if shown:
            line = label(shown, x + grid.place // 2, y + grid.high // 2 + 4)
            texts[own].append(line)
    parts = [
        element("g", element("path", d="".join(paths[own])) + "".join(texts[own]), class_=own)
        for own in paths
    ]
    there = {(mark.name, mark.series): mark.words for mark in plot.marks}
    lines = [[there.get((name, series), "") for series in plot.series] for name in plot.names]
    corners = (grid.left, grid.above, grid.place, grid.high)
    return element(
        "g",
        "".join(parts),
        text_anchor="middle",
        class_="cells",
        data_grid=" ".join(map(number, corners)),
        data_rows="|".join(map(_unbroken, plot.names)),
        data_columns="|".join(map(_unbroken, plot.series)),
        data_words="|".join(",".join(map(_plain, line)) for line in lines),
        data_about=plot.axis,
    )


def _unbroken(name: str) -> str:
    return visible(name).replace("|", "/") if name else ""


def _plain(words: str) -> str:
    return words.replace(",", "")


def _cell(x: float, y: float, place: float, high: float, words: str) -> str:
    rect = element("rect", x=x, y=y, width=place - 1, height=high - 1)
    return rect + (label(words, x + place // 2, y + high // 2 + 4) if words else "")


def _shading(plot: Plot) -> Callable[[Mark], str]:
    """Return the function from a mark to the class of its cell."""
    low, high = _ends(plot)
    hue = "d" if _two_sided(plot) else "h"
    # A few cells hold most items, and differences among the others shall be seen.
    power = 0.5 if plot.figure.value.kind == "count" else 1.0

    def shade(mark: Mark) -> str:
        part = ((mark.value or 0.0) - low) / (high - low) if high > low else 0.5
        return f"{hue}{step(part**power)}" if mark.sure else "unsure"

    return shade


def _two_sided(plot: Plot) -> bool:
    return plot.figure.signed or plot.figure.value.kind == "points"


def _ends(plot: Plot) -> tuple[float, float]:
    values = [mark.value for mark in plot.marks if mark.value is not None and mark.sure]
    if _two_sided(plot):
        most = max(map(abs, values), default=0.0)
        return -most, most
    low = min(values, default=0.0)
    return (min(low, 0.0) if plot.figure.value.kind == "count" else low), max(values, default=0.0)


def _words(plot: Plot, room: float) -> dict[str, str]:
    """Return what stands in the cells by what their tooltips say: fewer digits, or nothing."""
    kind = plot.figure.value.kind
    values = {mark.words: mark.value for mark in plot.marks if mark.value is not None}
    forms = [{words: words for words in values}]
    if kind == "ratio":
        forms += [{w: ratio(v, digits) for w, v in values.items()} for digits in (1, 0)]
    if kind == "points":
        forms += [{w: f"{100 * v:+.{digits}f}" for w, v in values.items()} for digits in (1, 0)]
    if kind == "decimal":
        forms += [{w: f"{v:.{digits}f}" for w, v in values.items()} for digits in (2, 1)]
    fitting = (form for form in forms if all(wide(text) + 4 <= room for text in form.values()))
    return next(fitting, {})


def _heads(plot: Plot, left: float, place: float) -> tuple[str, float, float]:
    """Return the names of the columns, how high they are, how far the last one stands out."""
    short = short_names(plot.series, _HEAD)
    widest = max(map(wide, short.values()), default=0.0)
    level = widest + 4 <= place
    # Slanted names of narrow columns would touch.
    angle, slant = (_STEEP, 0.0) if place < _SLANTED else (-45, _SLANT)
    above = 20.0 if level else float(ceil(widest * (slant or 1.0) + 14))
    parts = []
    for k, name in enumerate(plot.series):
        x = left + place * (k + 0.5)
        if level:
            parts.append(named(name, short, x, above - 7, text_anchor="middle"))
        else:
            x += 4 if angle == _STEEP else 0
            turned = f"rotate({angle} {number(x)} {number(above - 6)})"
            parts.append(named(name, short, x, above - 6, transform=turned))
    parts.append(label(_across(plot), left - 8, above - 7, text_anchor="end", class_="dim"))
    return "".join(parts), above, 0.0 if level else max(0.0, widest * slant - place / 2)


def _across(plot: Plot) -> str:
    return f"{heading(plot.figure.series)} →" if plot.figure.series else ""


def _ramp(plot: Plot) -> Panel:
    """Return what the colours mean, from the lowest to the highest number."""
    x, parts = 0.0, []
    if any(mark.sure for mark in plot.marks):
        first, last = (_end_words(plot, value) for value in _ends(plot))
        key = f"{last}   {plot.axis}"
        start = wide(first) + 8
        end = start + _RAMP + 8
        parts = [label(first, 0, 12, class_="dim"), label(key, end, 12, class_="dim")]
        hue, size = "d" if _two_sided(plot) else "h", _RAMP / (STEPS + 1)
        for k in range(STEPS + 1):
            box = element("rect", x=start + k * size, y=2, width=size + 0.3, height=12)
            parts.append(element("g", box, class_=f"{hue}{k}"))
        x = end + wide(key) + 24
    if not all(mark.sure for mark in plot.marks):
        box = element("rect", x=x, y=2, width=22, height=12)
        parts.append(element("g", box, class_="unsure"))
        parts.append(label("not significant", x + 28, 12, class_="dim"))
    return Panel(28, "".join(parts), plot.width)


def _end_words(plot: Plot, value: float) -> str:
    column = plot.figure.value
    return written(column, {column.name: int(value) if column.kind == "count" else value})
