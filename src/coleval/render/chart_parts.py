"""What charts share: size, axes with their lines, names beside them, a legend, shapes of series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from coleval.render.chart_scale import tick_words
from coleval.render.plots import WIDTH
from coleval.render.svg import LETTER, element, label, number, tooltip, wide
from coleval.render.visible import distinct, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from coleval.declare.tables import Kind
    from coleval.render.chart_scale import Scale

# Pixels: a line of text is so high.
LINE = 18.0
# A name has so many cells of a terminal.
NAME = 32
_SWATCH = 12.0
_SIZE = 4.5


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of a chart, drawn from its upper left corner."""

    height: float
    markup: str
    width: float = WIDTH


def stacked(panels: Iterable[Panel]) -> Panel:
    """Return panels one below the other."""
    top, widest, parts = 0.0, 0.0, []
    for panel in panels:
        if panel.markup:
            parts.append(element("g", panel.markup, transform=f"translate(0 {number(top)})"))
        top, widest = top + panel.height, max(widest, panel.width)
    return Panel(top, "\n".join(parts), widest)


def lines_of(
    texts: Sequence[str], *, class_: str, high: float = LINE, width: float = WIDTH
) -> Panel:
    """Return lines of text from the left."""
    markup = "".join(
        label(text, 0, high * (k + 0.75), class_=class_) for k, text in enumerate(texts)
    )
    return Panel(high * len(texts), markup, width)


def short_names(names: Sequence[str], cells: int = NAME) -> dict[str, str]:
    """Return each name as it is drawn, no two of them alike."""
    return distinct((visible(name) if name else "" for name in names), cells)


def name_cells(width: float) -> int:
    """Return how many cells a name has before the rows of a chart: more in a wide one."""
    return max(NAME - 6, int(width / 16))


def gutter(names: Sequence[str], cells: int = NAME) -> float:
    """Return how much room the names take that stand before an axis."""
    return max(map(wide, short_names(names, cells).values()), default=0.0) + 10


def named(name: str, short: dict[str, str], x: float, y: float, **attributes: object) -> str:
    """Return a name, cut where it is long, and whole when a pointer rests on it."""
    shown = short.get(visible(name) if name else "", name)
    if shown == name or not name:
        return label(shown, x, y, **attributes)
    text = label(shown, x, y, **attributes)
    return text.replace("</text>", f"{tooltip(name)}</text>")


def upright_lines(
    scale: Scale, top: float, bottom: float, kind: Kind, title: str, *, both: bool
) -> str:
    """Return the lines of an axis of values from left to right, ticks below them, a title."""
    words = tick_words(scale.ticks, kind)
    parts = []
    for tick, word in zip(scale.ticks, words, strict=True):
        x = scale.at(tick)
        parts.append(_line(x, top, x, bottom, zero=tick == 0 and scale.low < 0))
        parts.append(label(word, x, bottom + 15, class_="dim"))
        if both:
            parts.append(label(word, x, top - 5, class_="dim"))
    parts.append(label(title, (scale.start + scale.end) / 2, bottom + 33, class_="dim"))
    return element("g", "".join(parts), text_anchor="middle")


def level_lines(scale: Scale, left: float, right: float, kind: Kind, title: str) -> str:
    """Return the lines of an axis of values from below to above, ticks on their left."""
    words = tick_words(scale.ticks, kind)
    parts = []
    for tick, word in zip(scale.ticks, words, strict=True):
        y = scale.at(tick)
        parts.append(_line(left, y, right, y, zero=tick == 0 and scale.low < 0))
        parts.append(label(word, left - 6, y + 4, class_="dim end"))
    return "".join(parts) + label(title, 0, 10, class_="dim")


def tick_room(scale: Scale, kind: Kind) -> float:
    """Return how much room the numbers on the left of an axis take."""
    return max(map(wide, tick_words(scale.ticks, kind))) + 12


def _line(x1: float, y1: float, x2: float, y2: float, *, zero: bool) -> str:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_="zero" if zero else "grid")


def legend(
    series: Sequence[str], classes: Sequence[str], width: float, *, shapes: bool = False
) -> Panel:
    """Return what the colours mean, in as many lines as it takes; nothing for a single series."""
    if len(series) < 2:
        return Panel(0, "", width)
    short = short_names(series)
    x, y, parts = 0.0, 4.0, []
    for k, name in enumerate(series):
        room = _SWATCH + 6 + wide(short.get(visible(name), name)) + 14
        if x and x + room > width:
            x, y = 0.0, y + LINE
        mark = shape(k, x + 6, y + 6) if shapes else _square(x, y)
        parts.append(element("g", mark, class_=classes[k]))
        parts.append(named(name, short, x + _SWATCH + 5, y + 10.5))
        x += room
    return Panel(y + LINE + 8, "".join(parts), width)


def _square(x: float, y: float) -> str:
    return element("rect", x=x, y=y, width=_SWATCH, height=_SWATCH, rx=2)


def shape(k: int, x: float, y: float, content: str = "") -> str:
    """Return the shape of series ``k``: colour is not all that tells them apart."""
    r = _SIZE
    hollow = "hollow" if k % 8 >= 4 else None
    if k % 4 == 0:
        return element("circle", content, cx=x, cy=y, r=r, class_=hollow)
    if k % 4 == 1:
        size = 2 * r - 1
        return element("rect", content, x=x - r + 0.5, y=y - r + 0.5, width=size, height=size,
                       class_=hollow)  # fmt: skip
    r += 1
    corners = [(0, -r), (r, 0), (0, r), (-r, 0)] if k % 4 == 2 else [(0, -r), (r, r), (-r, r)]
    path = " ".join(f"{number(x + dx)},{number(y + dy)}" for dx, dy in corners)
    return element("polygon", content, points=path, class_=hollow)


def every_nth(count: int, room: float, widest: float) -> int:
    """Return which of ``count`` names in a row are written so that none touches the next."""
    if not count:
        return 1
    fitting = max(1, int(room / (widest + LETTER)))
    return max(1, -(-count // fitting))
