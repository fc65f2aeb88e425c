"""A heat map: names down, series across, the number in each cell where it has room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.render.chart_parts import WIDTH, Panel, gutter, named, short_names, stacked
from coleval.render.columns import ratio
from coleval.render.plots import heading
from coleval.render.svg import element, label, number, plain, tooltip, wide
from coleval.render.tint import STEPS, step

if TYPE_CHECKING:
    from coleval.render.plots import Mark, Plot

_HIGH, _CLOSE, _MANY = 24.0, 17.0, 30
_NARROW, _WIDE = 15.0, 84.0
_HEAD, _SLANT = 22, 0.72
_RAMP = 200.0


def heat_map(plot: Plot) -> Panel:
    """Return a heat map; one hue for sizes, two for differences on both sides of zero."""
    left = max(gutter(plot.names), wide(_across(plot)) + 10)
    room = (WIDTH - left) / max(1, len(plot.series))
    high = _CLOSE if len(plot.names) > _MANY else _HIGH
    words = _words(plot, room)
    widest = max((wide(text) for text in words.values()), default=0.0) + 10
    place = min(max(room, _NARROW), max(_WIDE, widest))
    heads, above, over = _heads(plot, left, place)
    short = short_names(plot.names)
    parts = [heads]
    cells = {(mark.name, mark.series): mark for mark in plot.marks}
    for k, name in enumerate(plot.names):
        y = above + high * k
        parts.append(named(name, short, left - 8, y + high / 2 + 4, text_anchor="end"))
        for j, series in enumerate(plot.series):
            mark = cells.get((name, series))
            if mark is not None and mark.value is not None:
                text = words.get(mark.words, "")
                parts.append(_cell(plot, mark, left + place * j, y, place, high, text))
    across = max(WIDTH, left + place * len(plot.series) + over)
    drawn = Panel(above + high * len(plot.names) + 8, "".join(parts), across)
    return stacked([_ramp(plot), drawn])


def _cell(plot: Plot, mark: Mark, x: float, y: float, place: float, high: float, text: str) -> str:
    rect = element("rect", x=x, y=y, width=place - 1, height=high - 1)
    words = label(text, x + (place - 1) / 2, y + high / 2 + 3.5, text_anchor="middle")
    content = tooltip(mark.tip) + rect + (words if text else "")
    return element("g", content, class_=_shade(plot, mark) if mark.sure else "unsure")


def _shade(plot: Plot, mark: Mark) -> str:
    low, high = _ends(plot)
    value = mark.value or 0.0
    part = (value - low) / (high - low) if high > low else 0.5
    if plot.figure.value.kind == "count":
        # A few cells hold most items, and differences among the others shall be seen.
        part = part**0.5
    return f"{'d' if _two_sided(plot) else 'h'}{step(part)}"


def _two_sided(plot: Plot) -> bool:
    return plot.figure.value.kind == "points"


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
    above = 20.0 if level else widest * _SLANT + 14
    parts = []
    for k, name in enumerate(plot.series):
        x = left + place * (k + 0.5)
        if level:
            parts.append(named(name, short, x, above - 7, text_anchor="middle"))
        else:
            turned = f"rotate(-45 {number(x)} {number(above - 6)})"
            parts.append(named(name, short, x, above - 6, transform=turned))
    parts.append(label(_across(plot), left - 8, above - 7, text_anchor="end", class_="dim"))
    return "".join(parts), above, 0.0 if level else max(0.0, widest * _SLANT - place / 2)


def _across(plot: Plot) -> str:
    return f"{heading(plot.figure.series)} →" if plot.figure.series else ""


def _ramp(plot: Plot) -> Panel:
    """Return what the colours mean, from the lowest to the highest number."""
    low, high = _ends(plot)
    first, last = (_end_words(plot, value) for value in (low, high))
    hue = "d" if _two_sided(plot) else "h"
    size = _RAMP / (STEPS + 1)
    start = wide(first) + 8
    boxes = "".join(
        element("g", element("rect", x=start + k * size, y=2, width=size + 0.3, height=12),
                class_=f"{hue}{k}")
        for k in range(STEPS + 1)
    )  # fmt: skip
    end = start + _RAMP + 8
    unsure = any(not mark.sure for mark in plot.marks)
    key = f"{last}   {plot.axis}"
    if unsure:
        x = end + wide(key) + 24
        box = element("g", element("rect", x=x, y=2, width=22, height=12), class_="unsure")
        boxes += box + label("not significant", x + 28, 12, class_="dim")
    ends = label(first, 0, 12, class_="dim") + label(key, end, 12, class_="dim")
    return Panel(28, boxes + ends)


def _end_words(plot: Plot, value: float) -> str:
    from coleval.render.columns import written

    column = plot.figure.value
    return plain(written(column, {column.name: int(value) if column.kind == "count" else value}))
