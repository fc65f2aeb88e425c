"""The elements of SVG: escaped text, short numbers, names that fit. No charts here."""

from __future__ import annotations

import re
from html import escape

from coleval.render.visible import visible, width

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
