"""Points where two numbers meet, named where there is room, and curves from one to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.render.chart_parts import (
    Panel,
    legend,
    level_lines,
    named,
    shape,
    short_names,
    stacked,
    tick_room,
    upright_lines,
)
from coleval.render.chart_scale import scale_of
from coleval.render.plots import COLOURS, heading
from coleval.render.svg import element, number, tooltip, wide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.render.plots import Mark, Plot

    Spot = tuple[float, float, Mark]

Box = tuple[float, float, float, float]
_HIGH, _TOP, _BELOW, _RIGHT = 300.0, 26.0, 42.0, 20.0
# A curve has so many signs of its series.
_SIGNS = 5
# More points than this have no names; more than that are a cloud.
_NAMED, _CLOUD = 60, 150
_CELLS = 24


def curves(plot: Plot) -> Panel:
    """Return a curve for each series, from one number to the next."""
    ground, spots = _on_axes(plot)
    drawn = [_curve(spots[series], k) for k, series in enumerate(plot.series)]
    key = legend(plot.series, plot.strokes, plot.width, shapes=True)
    return stacked([key, Panel(_TOP + _HIGH + _BELOW, ground + "".join(drawn), plot.width)])


def points(plot: Plot) -> Panel:
    """Return a point for each name where its two numbers meet, named where there is room."""
    ground, spots = _on_axes(plot)
    every = [spot for one in spots.values() for spot in one]
    return Panel(_TOP + _HIGH + _BELOW, ground + _scattered(every, plot.width), plot.width)


def _on_axes(plot: Plot) -> tuple[str, dict[str, list[Spot]]]:
    """Return the lines of both axes, and where the marks of each series are."""
    column, value = plot.figure.x, plot.figure.value
    if column is None:
        raise ValueError(f"{plot.title}: points and curves need a number across")
    both = [(mark.x, mark.value, mark) for mark in plot.marks]
    pairs = [(x, y, mark) for x, y, mark in both if x is not None and y is not None]
    bottom, right = _TOP + _HIGH, plot.width - _RIGHT
    scale = scale_of([y for _, y, _ in pairs], bottom, _TOP, kind=value.kind)
    left = tick_room(scale, value.kind)
    over = scale_of([x for x, _, _ in pairs], left, right, kind=column.kind)
    ground = level_lines(scale, left, right, value.kind, plot.axis)
    ground += upright_lines(over, _TOP, bottom, column.kind, heading(column), both=False)
    spots: dict[str, list[Spot]] = {series: [] for series in plot.series}
    for x, y, mark in pairs:
        spots[mark.series].append((over.at(x), scale.at(y), mark))
    return ground, spots


def _curve(spots: Sequence[Spot], k: int) -> str:
    """Return a line through the points, with a few signs of its series."""
    path = " ".join(f"{number(x)},{number(y)}" for x, y, _ in spots)
    gap = max(1, len(spots) // _SIGNS)
    signs = "".join(shape(k, x, y) for x, y, _ in spots[gap // 2 :: gap])
    dots = "".join(
        element("circle", tooltip(mark.tip), cx=x, cy=y, r=3, class_="touch")
        for x, y, mark in spots
    )
    return element("g", element("polyline", points=path) + signs + dots, class_=f"s{k % COLOURS}")


def _scattered(spots: Sequence[Spot], width: float) -> str:
    """Return the points, each with its name where nothing else is; a cloud of very many."""
    if len(spots) > _CLOUD:
        dots = (element("circle", tooltip(mark.tip), cx=x, cy=y, r=2.5) for x, y, mark in spots)
        return element("g", "".join(dots), class_="s0 cloud")
    names = [mark.name for _, _, mark in spots]
    short = short_names(names, _CELLS)
    # Points of one kind have no names of their own, and very many names cannot be read.
    bare = len(set(names)) < len(names) or len(names) > _NAMED
    taken = [_around(x, y) for x, y, _ in spots]
    parts = []
    for x, y, mark in spots:
        parts.append(element("g", shape(0, x, y, tooltip(mark.tip)), class_="s0"))
        size = wide(short.get(mark.name, mark.name))
        others = [box for box in taken if box != _around(x, y)]
        place = None if bare else _free(x, y, size, width, others)
        if place is not None:
            taken.append(_box(*place, size))
            parts.append(named(mark.name, short, *place))
    return "".join(parts)


def _free(
    x: float, y: float, size: float, right: float, taken: Sequence[Box]
) -> tuple[float, float] | None:
    """Return where a name may stand beside its point: on its right, else left, above, below."""
    places = ((x + 8, y + 4), (x - 8 - size, y + 4), (x + 6, y - 8), (x + 6, y + 16))
    for start, line in places:
        box = _box(start, line, size)
        if start >= 0 and start + size <= right and not any(_touch(box, o) for o in taken):
            return start, line
    return None


def _around(x: float, y: float) -> Box:
    return (x - 6, y - 6, x + 6, y + 6)


def _box(start: float, line: float, size: float) -> Box:
    return (start, line - 10, start + size, line + 3)


def _touch(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
