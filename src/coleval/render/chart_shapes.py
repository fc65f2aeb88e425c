"""Charts over an axis: upright bars, a line for each series, points and curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.render.chart_parts import (
    Panel,
    element,
    every_nth,
    gutter,
    label,
    legend,
    level_lines,
    named,
    number,
    scale_of,
    shape,
    short_names,
    stacked,
    tick_room,
    tooltip,
    upright_lines,
    wide,
)
from coleval.render.plots import COLOURS, WIDTH, heading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.render.chart_parts import Scale
    from coleval.render.plots import Mark, Plot

    Spot = tuple[float, float, Mark]

_BARS_HIGH, _BARS_TOP, _BARS_BELOW = 260.0, 34.0, 42.0
# Bars are no wider than this, and have so much of their place.
_WIDEST, _PART = 90.0, 0.8
_CELLS = 16


def columns(plot: Plot) -> Panel:
    """Return a chart with a bar for each name, from left to right."""
    heights = {name: sum(mark.value or 0 for mark in plot.of(name)) for name in plot.names}
    # A narrow chart is lower too.
    bottom = _BARS_TOP + _BARS_HIGH * min(1.0, 0.35 + 0.65 * plot.width / WIDTH)
    column = plot.figure.value
    scale = scale_of(list(heights.values()), bottom, _BARS_TOP, kind=column.kind, zero=True)
    left = tick_room(scale, column.kind)
    place = min(_WIDEST, (plot.width - left) / max(1, len(plot.names)))
    right = left + place * len(plot.names)
    parts = [level_lines(scale, left, right, column.kind, plot.axis)]
    for k, name in enumerate(plot.names):
        parts.append(_bar(plot, name, left + place * (k + 0.5), place * _PART, scale))
    parts += [_sums(plot, heights, left, place, scale), _names(plot, left, place, bottom)]
    title = label(heading(plot.figure.name), (left + right) / 2, bottom + 35,
                  text_anchor="middle", class_="dim")  # fmt: skip
    key = legend(plot.series, plot.fills, plot.width)
    return stacked([key, Panel(bottom + _BARS_BELOW, "".join(parts) + title, plot.width)])


def _bar(plot: Plot, name: str, middle: float, room: float, scale: Scale) -> str:
    start, parts = 0.0, []
    many = len(plot.series) > 1
    for k, series in enumerate(plot.series):
        for mark in (mark for mark in plot.of(name) if mark.series == series and mark.value):
            end = start + (mark.value or 0)
            top, foot = sorted((scale.at(start), scale.at(end)))
            parts.append(
                element("rect", tooltip(mark.tip), x=middle - room / 2, y=top, width=room,
                        height=max(foot - top, 0.5), class_=plot.fills[k] if many else "plain",
                        data_where=mark.where)
            )  # fmt: skip
            start = end
    return "".join(parts)


def _sums(plot: Plot, heights: dict[str, float], left: float, place: float, scale: Scale) -> str:
    """Return the numbers above the bars, where all of them have room."""
    if plot.figure.value.kind != "count":
        return ""
    words = {name: f"{height:,.0f}" for name, height in heights.items()}
    if any(wide(text) > place for text in words.values()):
        return ""
    return "".join(
        label(text, left + place * (k + 0.5), scale.at(heights[name]) - 5,
              text_anchor="middle", class_="dim")
        for k, (name, text) in enumerate(words.items())
    )  # fmt: skip


def _names(plot: Plot, left: float, place: float, bottom: float) -> str:
    short = short_names(plot.names, _CELLS)
    nth = every_nth(len(plot.names), place * len(plot.names), max(map(wide, short.values())))
    return "".join(
        named(name, short, left + place * (k + 0.5), bottom + 16, text_anchor="middle")
        for k, name in enumerate(plot.names)
        if k % nth == 0
    )


_LINES_HIGH, _LINES_TOP, _LINES_BELOW = 300.0, 26.0, 42.0
# Names at the end of lines keep this distance.
_APART, _SERIES_CELLS = 14.0, 24


def lines(plot: Plot) -> Panel:
    """Return a line for each series over names in their order, its name at its end."""
    bottom = _LINES_TOP + _LINES_HIGH
    scale = scale_of(plot.numbers(), bottom, _LINES_TOP, kind=plot.figure.value.kind)
    left = tick_room(scale, plot.figure.value.kind)
    right = plot.width - (gutter(plot.series, _SERIES_CELLS) if len(plot.series) > 1 else 10)
    place = (right - left) / max(1, len(plot.names))
    across = {name: left + place * (k + 0.5) for k, name in enumerate(plot.names)}
    parts = [level_lines(scale, left, right, plot.figure.value.kind, plot.axis)]
    ends: dict[str, float] = {}
    for k, series in enumerate(plot.series):
        spots = [
            (across[mark.name], scale.at(mark.value), mark)
            for mark in sorted(plot.joined(series), key=lambda mark: across[mark.name])
            if mark.value is not None
        ]
        parts.append(_drawn(spots, k))
        if spots:
            ends[series] = spots[-1][1]
    parts += [_ends(plot, ends, right), _below(plot, across, place, bottom, (left + right) / 2)]
    return Panel(bottom + _LINES_BELOW, "".join(parts), plot.width)


def _drawn(spots: Sequence[tuple[float, float, Mark]], k: int) -> str:
    path = " ".join(f"{number(x)},{number(y)}" for x, y, _ in spots)
    line = element("polyline", points=path) if len(spots) > 1 else ""
    dots = "".join(shape(k, x, y, tooltip(mark.tip)) for x, y, mark in spots)
    return element("g", line + dots, class_=f"s{k % COLOURS}")


def _ends(plot: Plot, ends: dict[str, float], right: float) -> str:
    """Return the names of series beside the ends of their lines, none upon another."""
    if len(plot.series) < 2:
        return ""
    short = short_names(plot.series, _SERIES_CELLS)
    order = sorted(ends, key=ends.__getitem__)
    places = spread([ends[name] for name in order], _APART, _LINES_TOP + _LINES_HIGH + 10)
    parts = []
    for name, y in zip(order, places, strict=True):
        k = plot.series.index(name)
        mark = element("g", shape(k, right + 4, y), class_=f"s{k % COLOURS}")
        parts += [mark, named(name, short, right + 13, y + 4)]
    return "".join(parts)


def spread(places: Sequence[float], apart: float, lowest: float) -> list[float]:
    """Return places in order, moved as little as it takes to be ``apart``, none below the end."""
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + apart) if moved else place)
    for k in range(len(moved) - 1, -1, -1):
        limit = lowest if k == len(moved) - 1 else moved[k + 1] - apart
        moved[k] = min(moved[k], limit)
    return moved


def _below(plot: Plot, across: dict[str, float], place: float, bottom: float, middle: float) -> str:
    short = short_names(plot.names, _SERIES_CELLS)
    widest = max(map(wide, short.values()), default=0.0)
    nth = every_nth(len(across), place * len(across), widest)
    names = "".join(
        named(name, short, x, bottom + 16, text_anchor="middle")
        for k, (name, x) in enumerate(across.items())
        if k % nth == 0
    )
    title = heading(plot.figure.name)
    return names + label(title, middle, bottom + 35, text_anchor="middle", class_="dim")


Box = tuple[float, float, float, float]
_POINTS_HIGH, _POINTS_TOP, _POINTS_BELOW, _RIGHT = 300.0, 26.0, 42.0, 20.0
# A curve has so many signs of its series.
_SIGNS = 5
# More points than this have no names; more than that are a cloud.
_NAMED, _CLOUD = 60, 150
_NAME_CELLS = 24


def curves(plot: Plot) -> Panel:
    """Return a curve for each series, from one number to the next."""
    ground, spots = _on_axes(plot)
    drawn = [_curve(spots[series], k) for k, series in enumerate(plot.series)]
    key = legend(plot.series, plot.strokes, plot.width, shapes=True)
    return stacked(
        [
            key,
            Panel(_POINTS_TOP + _POINTS_HIGH + _POINTS_BELOW, ground + "".join(drawn), plot.width),
        ]
    )


def points(plot: Plot) -> Panel:
    """Return a point for each name where its two numbers meet, named where there is room."""
    ground, spots = _on_axes(plot)
    every = [spot for one in spots.values() for spot in one]
    return Panel(
        _POINTS_TOP + _POINTS_HIGH + _POINTS_BELOW,
        ground + _scattered(every, plot.width),
        plot.width,
    )


def _on_axes(plot: Plot) -> tuple[str, dict[str, list[Spot]]]:
    """Return the lines of both axes, and where the marks of each series are."""
    column, value = plot.figure.x, plot.figure.value
    if column is None:
        raise ValueError(f"{plot.title}: points and curves need a number across")
    both = [(mark.x, mark.value, mark) for mark in plot.marks]
    pairs = [(x, y, mark) for x, y, mark in both if x is not None and y is not None]
    bottom, right = _POINTS_TOP + _POINTS_HIGH, plot.width - _RIGHT
    scale = scale_of([y for _, y, _ in pairs], bottom, _POINTS_TOP, kind=value.kind)
    left = tick_room(scale, value.kind)
    over = scale_of([x for x, _, _ in pairs], left, right, kind=column.kind)
    ground = level_lines(scale, left, right, value.kind, plot.axis)
    ground += upright_lines(over, _POINTS_TOP, bottom, column.kind, heading(column), both=False)
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
    short = short_names(names, _NAME_CELLS)
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
