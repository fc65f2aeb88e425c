"""Lines over ordered names, curves over numbers, points where two numbers meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.render.chart_parts import (
    WIDTH,
    Panel,
    every_nth,
    gutter,
    level_lines,
    named,
    shape,
    short_names,
    tick_room,
    upright_lines,
)
from coleval.render.chart_scale import scale_of
from coleval.render.plots import COLOURS, heading
from coleval.render.svg import element, label, number, tooltip, wide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.render.plots import Mark, Plot

Box = tuple[float, float, float, float]

_HIGH, _TOP, _BELOW = 300.0, 26.0, 42.0
# Names at the end of lines keep this distance; a curve has no more points than this.
_APART, _POINTS = 14.0, 300
_CELLS, _NAMED = 24, 60


def lines(plot: Plot) -> Panel:
    """Return a line for each series over names in their order, its name at its end."""
    bottom = _TOP + _HIGH
    scale = scale_of(plot.numbers(), bottom, _TOP, kind=plot.figure.value.kind)
    left = tick_room(scale, plot.figure.value.kind)
    right = WIDTH - (gutter(plot.series, _CELLS) if len(plot.series) > 1 else 10)
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
    return Panel(bottom + _BELOW, "".join(parts))


def _drawn(spots: Sequence[tuple[float, float, Mark]], k: int) -> str:
    path = " ".join(f"{number(x)},{number(y)}" for x, y, _ in spots)
    line = element("polyline", points=path) if len(spots) > 1 else ""
    dots = "".join(shape(k, x, y, tooltip(mark.tip)) for x, y, mark in spots)
    return element("g", line + dots, class_=f"s{k % COLOURS}")


def _ends(plot: Plot, ends: dict[str, float], right: float) -> str:
    """Return the names of series beside the ends of their lines, none upon another."""
    if len(plot.series) < 2:
        return ""
    short = short_names(plot.series, _CELLS)
    order = sorted(ends, key=ends.__getitem__)
    places = spread([ends[name] for name in order], _APART, _TOP + _HIGH + 10)
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
    short = short_names(plot.names, _CELLS)
    widest = max(map(wide, short.values()), default=0.0)
    nth = every_nth(len(across), place * len(across), widest)
    names = "".join(
        named(name, short, x, bottom + 16, text_anchor="middle")
        for k, (name, x) in enumerate(across.items())
        if k % nth == 0
    )
    title = heading(plot.figure.name)
    return names + label(title, middle, bottom + 35, text_anchor="middle", class_="dim")


def curves(plot: Plot) -> Panel:
    """Return a curve for each series, from one number to the next, its name at its end."""
    return _numeric(plot, joined=True)


def points(plot: Plot) -> Panel:
    """Return a point for each name where its two numbers meet, named where there is room."""
    return _numeric(plot, joined=False)


def _numeric(plot: Plot, *, joined: bool) -> Panel:
    column = plot.figure.x
    if column is None:
        raise ValueError(f"{plot.title}: points and curves need a number across")
    bottom = _TOP + _HIGH
    marks = [mark for mark in plot.marks if mark.value is not None and mark.x is not None]
    values = [mark.value for mark in marks if mark.value is not None]
    scale = scale_of(values, bottom, _TOP, kind=plot.figure.value.kind)
    left = tick_room(scale, plot.figure.value.kind)
    keyed = joined and len(plot.series) > 1
    right = WIDTH - (gutter(plot.series, _CELLS) if keyed else 20)
    over = scale_of([mark.x for mark in marks if mark.x is not None], left, right,
                    kind=column.kind)  # fmt: skip
    parts = [level_lines(scale, left, right, plot.figure.value.kind, plot.axis)]
    parts.append(upright_lines(over, _TOP, bottom, column.kind, heading(column), both=False))
    ends: dict[str, float] = {}
    spots = {
        series: [
            (over.at(mark.x), scale.at(mark.value), mark)
            for mark in plot.joined(series)
            if mark.value is not None and mark.x is not None
        ]
        for series in plot.series
    }
    if not joined:
        every = [spot for one in spots.values() for spot in one]
        return Panel(bottom + _BELOW, "".join([*parts, _scattered(every, right)]))
    for k, (series, one) in enumerate(spots.items()):
        parts.append(_curve(one, k))
        if one:
            ends[series] = one[-1][1]
    return Panel(bottom + _BELOW, "".join([*parts, _ends(plot, ends, right)]))


def _curve(spots: Sequence[tuple[float, float, Mark]], k: int) -> str:
    """Return a line through all points, or through so many of them that they can be seen."""
    nth = max(1, -(-len(spots) // _POINTS))
    kept = [spot for at, spot in enumerate(spots) if at % nth == 0 or at == len(spots) - 1]
    path = " ".join(f"{number(x)},{number(y)}" for x, y, _ in kept)
    dots = "".join(
        element("circle", tooltip(mark.tip), cx=x, cy=y, r=3, class_="touch") for x, y, mark in kept
    )
    return element("g", element("polyline", points=path) + dots, class_=f"s{k % COLOURS}")


def _scattered(spots: Sequence[tuple[float, float, Mark]], right: float) -> str:
    """Return the points, each with its name where nothing else is."""
    names = [mark.name for _, _, mark in spots]
    short = short_names(names, _CELLS)
    # Points of one kind have no names of their own, and very many names cannot be read.
    bare = len(set(names)) < len(names) or len(names) > _NAMED
    taken = [_around(x, y) for x, y, _ in spots]
    parts = []
    for x, y, mark in spots:
        dot = element("g", shape(0, x, y, tooltip(mark.tip)), class_="s0")
        size = wide(short.get(mark.name, mark.name))
        others = [box for box in taken if box != _around(x, y)]
        place = None if bare else _free(x, y, size, right + 20, others)
        if place is not None:
            taken.append(_box(*place, size))
            dot += named(mark.name, short, *place)
        parts.append(dot)
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
