"""Upright bars on an axis of ordered values, such as bins: plain, or stacked by series."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.render.chart_parts import (
    Panel,
    every_nth,
    legend,
    level_lines,
    named,
    short_names,
    stacked,
    tick_room,
)
from coleval.render.chart_scale import scale_of
from coleval.render.plots import WIDTH, heading
from coleval.render.svg import element, label, tooltip, wide

if TYPE_CHECKING:
    from coleval.render.chart_scale import Scale
    from coleval.render.plots import Plot

_HIGH, _TOP, _BELOW = 260.0, 34.0, 42.0
# Bars are no wider than this, and have so much of their place.
_WIDEST, _PART = 90.0, 0.8
_CELLS = 16


def columns(plot: Plot) -> Panel:
    """Return a chart with a bar for each name, from left to right."""
    heights = {name: sum(mark.value or 0 for mark in plot.of(name)) for name in plot.names}
    # A narrow chart is lower too.
    bottom = _TOP + _HIGH * min(1.0, 0.35 + 0.65 * plot.width / WIDTH)
    column = plot.figure.value
    scale = scale_of(list(heights.values()), bottom, _TOP, kind=column.kind, zero=True)
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
    return stacked([key, Panel(bottom + _BELOW, "".join(parts) + title, plot.width)])


def _bar(plot: Plot, name: str, middle: float, room: float, scale: Scale) -> str:
    start, parts = 0.0, []
    many = len(plot.series) > 1
    for k, series in enumerate(plot.series):
        for mark in (mark for mark in plot.of(name) if mark.series == series and mark.value):
            end = start + (mark.value or 0)
            top, foot = sorted((scale.at(start), scale.at(end)))
            parts.append(
                element("rect", tooltip(mark.tip), x=middle - room / 2, y=top, width=room,
                        height=max(foot - top, 0.5), class_=plot.fills[k] if many else "plain")
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
