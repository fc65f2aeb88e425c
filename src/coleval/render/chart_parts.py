"""Charts as SVG, written by ourselves: axes, scales, legends, titles, notes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import ceil, floor, log10
from typing import TYPE_CHECKING

from coleval.render.plots import WIDTH
from coleval.render.visible import distinct, visible, width

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from coleval.declare.tables import Kind


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


_TICKS = 6
_STEPS = (1, 2, 2.5, 5, 10)
_DIGITS = 12
_SHARES = ("ratio", "points", "share")


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers from ``low`` to ``high`` on pixels from ``start`` to ``end``."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Return the pixel of a number."""
        part = (value - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)


def scale_of(
    numbers: Sequence[float], start: float, end: float, *, kind: Kind, zero: bool = False
) -> Scale:
    """Return a scale that has room for all numbers, and for ``zero`` if bars begin there.

    Its ends are ticks; counts have whole ticks only; shares of 1 do not go beyond 0 and 1.
    """
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if low == high:
        low, high = (low, low + 1.0) if zero or kind == "count" else _around(low, kind)
    step = _step(high - low, whole=kind == "count")
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    ticks = tuple(round(k * step, 12) for k in range(first, last + 1))
    if kind == "ratio":
        ticks = tuple(t for t in ticks if -1e-9 <= t <= 1 + 1e-9 or not 0 <= low <= high <= 1)
    # Of an end that was cut off, the numbers there still have room.
    return Scale(min(ticks[0], low), max(ticks[-1], high), start, end, ticks)


def _around(value: float, kind: Kind) -> tuple[float, float]:
    room = abs(value) * 0.1 or (0.1 if kind in _SHARES else 1.0)
    if kind == "ratio" and 0 <= value <= 1:
        return max(0.0, value - room), min(1.0, value + room)
    return value - room, value + room


def _step(span: float, *, whole: bool) -> float:
    """Return the round distance of ticks of which about six make the span."""
    rough = span / _TICKS
    size = 10.0 ** floor(log10(rough))
    step = next(size * k for k in _STEPS if size * k >= rough * (1 - 1e-9))
    return max(1.0, ceil(step)) if whole else step


def tick_words(ticks: Sequence[float], kind: Kind) -> list[str]:
    """Return the numbers at the ticks, all with the digits that the finest needs."""
    factor = 100 if kind in _SHARES else 1
    values = [tick * factor for tick in ticks]
    apart = min((abs(b - a) for a, b in pairwise(values)), default=1.0)
    digits = next((d for d in range(_DIGITS) if all(_whole(v, d, apart) for v in values)), _DIGITS)
    sign = "+" if kind == "points" else ""
    return [f"{v:{sign if v > 0 else ''},.{digits}f}".replace("-", "−") for v in values]


def _whole(value: float, digits: int, apart: float) -> bool:
    """Return whether rounding moves a tick by nothing that could be seen."""
    return abs(value - round(value, digits)) < 1e-4 * apart


# What XML cannot hold at all; all else that acts unseen is made visible before.
_NOT_XML = re.compile("[\ufffe\uffff]")
# A cell of a terminal is so wide in the letters of a chart, 12 px high.
LETTER = 6.7


def element(tag: str, content: str = "", /, **attributes: object) -> str:
    """Return an element with ``content``, which is markup; ``text_anchor`` is ``text-anchor``."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None and value != ""
    )
    return f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>"


def label(text: str, x: float, y: float, **attributes: object) -> str:
    """Return ``text`` as it may be shown, its letters on the line at ``y``."""
    return element("text", plain(text), x=x, y=y, **attributes)


def plain(text: str) -> str:
    """Return ``text`` as markup that shows it, nothing for nothing."""
    return escape(_NOT_XML.sub("\ufffd", visible(text))) if text else ""


def tooltip(lines: str) -> str:
    """Return what shows when a pointer rests on the element around it."""
    shown = "\n".join(plain(line) for line in lines.split("\n") if line)
    return f"<title>{shown}</title>" if shown else ""


def wide(text: str) -> float:
    """Return about how many pixels ``text`` takes."""
    return width(visible(text)) * LETTER if text else 0.0


def number(value: float) -> str:
    """Return a coordinate with at most one decimal, as short as it can be."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


def _value(value: object) -> str:
    return number(value) if isinstance(value, int | float) else plain(str(value))
