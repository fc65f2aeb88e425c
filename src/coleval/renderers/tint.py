"""Cell backgrounds from pale to strong, with letters that can be read on them.

One hue getting darker: it survives colour blindness and a black-and-white printer.
"""

from __future__ import annotations

_PALE = (237, 244, 252)
_MIDDLE = (112, 172, 219)
_STRONG = (8, 64, 129)


def tinted(shade: float) -> str:
    """Return the style of a cell with ``shade`` between 0 and 1."""
    halves = (_PALE, _MIDDLE) if shade < 0.5 else (_MIDDLE, _STRONG)
    red, green, blue = _between(*halves, 2 * shade % 1 if shade < 1 else 1.0)
    letters = "#000000" if shade < 0.74 else "#ffffff"
    return f"{letters} on #{red:02x}{green:02x}{blue:02x}"


def _between(
    start: tuple[int, int, int], end: tuple[int, int, int], way: float
) -> tuple[int, int, int]:
    red, green, blue = (round(a + way * (b - a)) for a, b in zip(start, end, strict=True))
    return red, green, blue
