"""A heat map: names down, series across, the number in each cell where it has room."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import ceil, floor
from typing import TYPE_CHECKING

from coleval.render.chart_parts import (
    Panel,
    element,
    gutter,
    label,
    named,
    number,
    short_names,
    stacked,
    tooltip,
    wide,
)
from coleval.render.listing import ratio, written
from coleval.render.plots import heading
from coleval.render.sheet import STEPS, step
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from coleval.render.plots import Mark, Plot

_HIGH, _CLOSE, _MANY = 24.0, 17.0, 30
_NARROW, _WIDE = 15.0, 84.0
_HEAD, _SLANT = 22, 0.72
_RAMP = 210.0
# On a page, more cells than this have no elements of their own: a script, where there is one,
# knows what is under a pointer; in a notebook their tooltips are all there is.
_SEVERAL, _SEVERAL_UNAIDED = 80, 150
# Of more cells than this a page's script writes the numbers; its table has them without one.
_WRITTEN = 400
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
    names = element("g", "".join(
        named(name, short, left - 8, above + high * k + high / 2 + 4)
        for k, name in enumerate(plot.names)
    ), text_anchor="end")  # fmt: skip
    several = _SEVERAL if plot.scripted else _SEVERAL_UNAIDED
    cells = _together if plot.brief and len(plot.marks) > several else _apart
    drawn = heads + names + cells(plot, _HeatGrid(left, above, place, high), words)
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
            data_where=mark.where,
        )
        for mark, x, y in _places(plot, grid)
    )
    return element("g", "".join(cells), text_anchor="middle")


def _together(plot: Plot, grid: _HeatGrid, words: Mapping[str, str]) -> str:
    """Return an element for each shade: cells that are very many would make a page heavy.

    A page's script finds what is under a pointer by the names and numbers of all cells, and
    writes the numbers into them that are too many to be written twice.
    """
    by_script = plot.scripted and len(plot.marks) > _WRITTEN
    stretches, texts = _stretches(plot, grid), {} if by_script else _texts(plot, grid, words)
    parts = [
        element("g", element("path", d=path) + texts.get(own, ""), class_=own)
        for own, path in stretches.items()
    ]
    there = {(mark.name, mark.series): mark.words for mark in plot.marks}
    told = _lines(plot, there)
    shown = _lines(plot, {at: words.get(text, "") for at, text in there.items()})
    # What stands in the cells already is read from there.
    numbers = None if shown == told and not by_script else told
    written = "=" if shown == told else shown
    return element(
        "g",
        "".join(parts),
        text_anchor="middle",
        class_="cells",
        # Rows of an even height have their middle between two pixels.
        transform="translate(0 .5)" if grid.high % 2 == 0 else None,
        stroke_width=grid.high - 1,
        stroke_dasharray=f"{number(grid.place - 1)} 1",
        data_grid=" ".join(map(number, (grid.left, grid.above, grid.place, grid.high))),
        data_rows="|".join(map(_unbroken, plot.names)),
        data_columns="|".join(map(_unbroken, plot.series)),
        data_words=numbers,
        data_shown=written if by_script and words else None,
        data_about=plot.axis,
    )


def _stretches(plot: Plot, grid: _HeatGrid) -> dict[str, str]:
    """Return a path for each shade: a dashed line, as broad as a row, for cells side by side."""
    shade = _shading(plot)
    runs: dict[str, list[tuple[float, float, int]]] = defaultdict(list)
    for mark, x, y in _places(plot, grid):
        own = runs[shade(mark)]
        start, row, many = own[-1] if own else (0.0, -1.0, 0)
        if row == y and start + grid.place * many == x:
            own[-1] = start, row, many + 1
        else:
            own.append((x, y, 1))
    return {own: "".join(_stretch(*run, grid) for run in every) for own, every in runs.items()}


def _stretch(x: float, y: float, many: int, grid: _HeatGrid) -> str:
    return f"M{number(x)},{number(y + (grid.high - 1) // 2)}h{number(grid.place * many - 1)}"


def _texts(plot: Plot, grid: _HeatGrid, words: Mapping[str, str]) -> dict[str, str]:
    """Return what stands in the cells of each shade."""
    shade, texts = _shading(plot), defaultdict(list)
    for mark, x, y in _places(plot, grid):
        shown = words.get(mark.words, "")
        if shown:
            line = label(shown, x + grid.place // 2, y + grid.high // 2 + 4)
            texts[shade(mark)].append(line)
    return {own: "".join(lines) for own, lines in texts.items()}


def _lines(plot: Plot, words: Mapping[tuple[str, str], str]) -> str:
    """Return the words of all cells, row by row."""
    rows = ((words.get((name, series), "") for series in plot.series) for name in plot.names)
    return "|".join(";".join(row) for row in rows)


def _unbroken(name: str) -> str:
    return visible(name).replace("|", "/") if name else ""


def _cell(x: float, y: float, place: float, high: float, words: str) -> str:
    wide, down = number(place - 1), number(high - 1)
    box = element("path", d=f"M{number(x)},{number(y)}h{wide}v{down}h-{wide}z")
    return box + (label(words, x + place // 2, y + high // 2 + 4) if words else "")


def _shading(plot: Plot) -> Callable[[Mark], str]:
    """Return the function from a mark to the class of its cell."""
    low, high = _ends(plot)
    hue = "v" if _two_sided(plot) else "h"
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
            parts.append(named(name, short, x, above - 7))
        else:
            x += 4 if angle == _STEEP else 0
            turned = f"rotate({angle} {number(x)} {number(above - 6)})"
            parts.append(named(name, short, x, above - 6, transform=turned))
    names = element("g", "".join(parts), text_anchor="middle" if level else None)
    across = label(_across(plot), left - 8, above - 7, text_anchor="end", class_="dim")
    return names + across, above, 0.0 if level else max(0.0, widest * slant - place / 2)


def _across(plot: Plot) -> str:
    return f"{heading(plot.figure.series)} →" if plot.figure.series else ""


def _ramp(plot: Plot) -> Panel:
    """Return what the colours mean, from the lowest to the highest number."""
    x, parts = 0.0, []
    if any(mark.sure for mark in plot.marks):
        first, last = (_end_words(plot, value) for value in _ends(plot))
        key = f"{last}   {plot.axis}"
        start = ceil(wide(first) + 8)
        end = start + _RAMP + 8
        parts = [label(first, 0, 12, class_="dim"), label(key, end, 12, class_="dim")]
        hue, size = "v" if _two_sided(plot) else "h", _RAMP / (STEPS + 1)
        for k in range(STEPS + 1):
            path = f"M{number(start + k * size)},2h{number(size)}v12h-{number(size)}z"
            parts.append(element("path", class_=f"{hue}{k}", d=path))
        x = end + wide(key) + 24
    if not all(mark.sure for mark in plot.marks):
        box = element("rect", x=x, y=2, width=22, height=12)
        parts.append(element("g", box, class_="unsure"))
        parts.append(label("not significant", x + 28, 12, class_="dim"))
    return Panel(28, "".join(parts), plot.width)


def _end_words(plot: Plot, value: float) -> str:
    column = plot.figure.value
    return written(column, {column.name: int(value) if column.kind == "count" else value})
