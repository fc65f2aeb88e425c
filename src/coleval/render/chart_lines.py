"""A line for each series over ordered names, its name at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.render.chart_parts import (
    Panel,
    every_nth,
    gutter,
    level_lines,
    named,
    shape,
    short_names,
    tick_room,
)
from coleval.render.chart_scale import scale_of
from coleval.render.plots import COLOURS, heading
from coleval.render.svg import element, label, number, tooltip, wide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.render.plots import Mark, Plot

_HIGH, _TOP, _BELOW = 300.0, 26.0, 42.0
# Names at the end of lines keep this distance.
_APART, _CELLS = 14.0, 24


def lines(plot: Plot) -> Panel:
    """Return a line for each series over names in their order, its name at its end."""
    bottom = _TOP + _HIGH
    scale = scale_of(plot.numbers(), bottom, _TOP, kind=plot.figure.value.kind)
    left = tick_room(scale, plot.figure.value.kind)
    right = plot.width - (gutter(plot.series, _CELLS) if len(plot.series) > 1 else 10)
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
    return Panel(bottom + _BELOW, "".join(parts), plot.width)


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
