"""A row for each name: bars, stacked bars, dots with whiskers, ranges from low to high."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from coleval.render.chart_parts import (
    Panel,
    element,
    gutter,
    label,
    legend,
    name_cells,
    named,
    scale_of,
    shape,
    short_names,
    stacked,
    tooltip,
    upright_lines,
    wide,
)
from coleval.render.plots import WIDTH

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from coleval.render.chart_parts import Scale
    from coleval.render.plots import Mark, Plot


# Rows are so high; of more than so many they are closer, and have ticks above them too.
_HIGH, _CLOSE, _MANY = 24.0, 17.0, 30
_BELOW = 40.0
_BETWEEN = 9.0
# The shape of a series is hollow so many shapes further on.
_HOLLOW = 4


@dataclass(frozen=True, slots=True)
class ChartRow:
    """The row of one name: its marks, and how high it is around its middle."""

    plot: Plot
    marks: Sequence[Mark]
    scale: Scale
    middle: float
    high: float


def rows(plot: Plot) -> Panel:
    """Return a chart with a row for each name."""
    kind = plot.figure.kind
    barred = kind in ("bars", "stacked bars")
    cells = name_cells(plot.width)
    side = gutter(plot.names, cells)
    left = side + _before(plot)
    # The ends of ranges are shares, whatever the distance between them.
    unit = "ratio" if kind == "ranges" else plot.figure.value.kind
    scale = scale_of(_reach(plot), left, plot.width - _right(plot), kind=unit, zero=barred)
    high = _row_height(plot)
    both = len(plot.names) > _MANY
    top = 24.0 if both else 4.0
    bottom = top + high * len(plot.names)
    short = short_names(plot.names, cells)
    names, parts = [], [_bands(plot, top, high)]
    parts.append(upright_lines(scale, top, bottom, unit, plot.axis, both=both))
    for k, name in enumerate(plot.names):
        middle = top + high * (k + 0.5)
        if k and len(plot.series) > 1 and not barred:
            parts.append(element("line", x1=0, y1=top + high * k, x2=plot.width, y2=top + high * k,
                                 class_="grid"))  # fmt: skip
        names.append(named(name, short, side - 8, middle + 4))
        parts.append(_DRAW[kind](ChartRow(plot, plot.of(name), scale, middle, high)))
    parts.append(element("g", "".join(names), text_anchor="end"))
    shapes = not barred
    key = legend(plot.series, plot.strokes if shapes else plot.fills, plot.width, shapes=shapes)
    return stacked([key, Panel(bottom + _BELOW, "".join(parts), plot.width)])


def _bands(plot: Plot, top: float, high: float) -> str:
    """Return the ground of every other run of rows with one band."""
    bands = [next((mark.band for mark in plot.of(name)), "") for name in plot.names]
    runs = [list(run) for _, run in groupby(range(len(bands)), key=bands.__getitem__)]
    return "".join(
        element("rect", x=0, y=top + high * run[0], width=plot.width, height=high * len(run),
                rx=3, class_="band")
        for run in runs[::2]
        if any(bands)
    )  # fmt: skip


def _row_height(plot: Plot) -> float:
    if plot.figure.kind == "dots" and len(plot.series) > 1:
        return max(_HIGH, _BETWEEN * len(plot.series) + 10)
    return _CLOSE if len(plot.names) > (_MANY if plot.width >= WIDTH else _MANY / 2) else _HIGH


def _reach(plot: Plot) -> list[float]:
    if plot.figure.kind == "ranges":
        return [end for mark in plot.marks for end in (mark.low, mark.high) if end is not None]
    if plot.figure.kind != "stacked bars":
        return plot.numbers()
    return [sum(mark.value or 0 for mark in plot.of(name)) for name in plot.names]


def _before(plot: Plot) -> float:
    """Return the room for the numbers on the left of bars below zero."""
    if plot.figure.kind != "bars":
        return 0.0
    return max((wide(mark.words) for mark in plot.marks if (mark.value or 0) < 0), default=0.0)


def _right(plot: Plot) -> float:
    """Return the room for the numbers on the right of the last tick."""
    if plot.figure.kind == "stacked bars":
        return 70
    return 24 + max((wide(mark.words) for mark in plot.marks), default=0.0)


def _bars(row: ChartRow) -> str:
    parts = []
    for mark in row.marks:
        if mark.value is None:
            continue
        zero, end = row.scale.at(0), row.scale.at(mark.value)
        bar = element(
            "rect",
            tooltip(mark.tip),
            x=min(zero, end),
            y=row.middle - row.high * 0.36,
            width=max(abs(end - zero), 0.5),
            height=row.high * 0.72,
            class_="plain",
            data_where=mark.where,
        )
        place, anchor = (end - 5, "end") if mark.value < 0 else (max(zero, end) + 5, None)
        words = label(mark.words, place, row.middle + 4, text_anchor=anchor, class_="dim")
        parts += [bar, words]
    return "".join(parts)


def _stacked(row: ChartRow) -> str:
    """Return a stretch for each series, its number on it where it has room; one tooltip for all."""
    start, parts, tips = 0.0, [], [*(mark.name for mark in row.marks[:1]), row.plot.axis]
    for k, series in enumerate(row.plot.series):
        for mark in (mark for mark in row.marks if mark.series == series and mark.value):
            end = start + (mark.value or 0)
            x, room = row.scale.at(start), row.scale.at(end) - row.scale.at(start)
            parts.append(_stretch(row, mark, k, x, room))
            tips.append(", ".join([f"{series}: {mark.words}", *mark.tip.split("\n")[3:]]))
            start = end
    total = f"{start:,.0f}" if row.plot.figure.value.kind == "count" else ""
    bar = element("g", tooltip("\n".join(tips)) + "".join(parts), text_anchor="middle")
    return bar + label(total, row.scale.at(start) + 6, row.middle + 4, class_="dim")


def _stretch(row: ChartRow, mark: Mark, k: int, x: float, room: float) -> str:
    top, high = row.middle - row.high * 0.4, row.high * 0.8
    look = row.plot.fills[k]
    if row.high < _HIGH or wide(mark.words) + 4 >= room:
        return element(
            "rect", x=x, y=top, width=room, height=high, class_=look, data_where=mark.where
        )
    box = element("rect", x=x, y=top, width=room, height=high)
    words = label(mark.words, x + room / 2, row.middle + 4)
    return element("g", box + words, class_=look, data_where=mark.where)


def _dots(row: ChartRow) -> str:
    many = len(row.plot.series)
    parts = []
    for mark in row.marks:
        if mark.value is None:
            continue
        k = row.plot.series.index(mark.series)
        y = row.middle + (k - (many - 1) / 2) * _BETWEEN if many > 1 else row.middle
        look = k if mark.sure else k + _HOLLOW
        dot = _whisker(mark, row.scale, y) + shape(look, row.scale.at(mark.value), y)
        parts.append(element("g", tooltip(mark.tip) + dot, class_=f"s{k}"))
    if many == 1 and row.marks:
        parts.append(_beside(row, row.marks[0]))
    return "".join(parts)


def _beside(row: ChartRow, mark: Mark) -> str:
    """Return the number of a row at the right end."""
    return label(mark.words, row.plot.width, row.middle + 4, class_="dim end")


def _whisker(mark: Mark, scale: Scale, y: float) -> str:
    if mark.low is None or mark.high is None:
        return ""
    start, end = scale.at(mark.low), scale.at(mark.high)
    ends = "".join(element("line", x1=x, y1=y - 4, x2=x, y2=y + 4) for x in (start, end))
    return element("line", x1=start, y1=y, x2=end, y2=y) + ends


def _ranges(row: ChartRow) -> str:
    parts = []
    for mark in row.marks:
        if mark.low is None or mark.high is None:
            continue
        start, end = row.scale.at(mark.low), row.scale.at(mark.high)
        line = element("line", x1=start, y1=row.middle, x2=end, y2=row.middle, class_="range")
        ends = shape(4, start, row.middle) + shape(0, end, row.middle)
        parts.append(element("g", tooltip(mark.tip) + line + ends, class_="s0"))
        parts.append(_beside(row, mark))
    return "".join(parts)


_DRAW: dict[str, Callable[[ChartRow], str]] = {
    "bars": _bars, "stacked bars": _stacked, "dots": _dots, "ranges": _ranges,
}  # fmt: skip
