"""A table ready to be drawn: every cell is text by now, with its background. No widths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coleval.declare.tables import CountedItems

BEST = "▲"
WORST = "▼"
WRONG = "✗"
DASH = "–"

# The width, in cells, of a page that scrolls: what is left out for less is in there.
PAGE = 2000
# Wider than all there is: paper has every row and column, and names in full.
PAPER = 1_000_000


@dataclass(frozen=True, slots=True)
class Stripe:
    """A stretch of a bar from ``start`` to ``end``, shares of its room; a dot where they are one.

    Several kinds have names, the first word a sign; ``text`` may stand on the stretch.
    """

    start: float
    end: float
    name: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell; ``shade`` from 0 to 1 is how strongly its background may be tinted.

    Of ``signed`` cells 0 is the greatest loss, 0.5 neither loss nor gain, 1 the greatest gain.
    ``bar`` is what ``text`` draws with characters, ``full`` what it was shortened from. A number
    may say which items it counts: on a page it leads to these.
    """

    text: str
    mark: str = ""
    shade: float | None = None
    dim: bool = False
    full: str = ""
    bar: tuple[Stripe, ...] = ()
    signed: bool = False
    counts: CountedItems | None = None


@dataclass(frozen=True, slots=True)
class Head:
    """A column's header, which may have two lines, and how the cells below it behave.

    ``elastic`` text may be shortened in the middle, or wraps if ``prose``; ``marked`` cells keep
    room for a mark; a ``tight`` column stands one space from the next. ``full`` is what ``text``
    is short for, ``column`` the column of the table, if it is one.
    """

    text: str
    right: bool = True
    elastic: bool = False
    marked: bool = False
    prose: bool = False
    tight: bool = False
    full: str = ""
    column: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One drawn table; ``notes`` are sentences below it.

    A marked cell is the best or the worst ``among`` something ("of its column"). Columns that do
    not fit are dropped from the right and named, or, where they are many of one ``crowd`` ("labels
    with less support"), counted. Rows that are ``fixed`` mean nothing in another order.
    ``table`` is what all of it is called where it is read.
    """

    name: str
    title: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    among: str = ""
    crowd: str = ""
    fixed: bool = False
    table: str = ""


@dataclass(frozen=True, slots=True)
class CardAnswer:
    """One answer to an item, and the systems that give it."""

    text: str
    right: bool
    systems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """An item in its sentence as a page shows it: words before, item, words behind; who says what.

    ``kind`` and ``dataset`` are what cards are filtered by, beside gold and the answers.
    """

    kind: str
    about: str
    words: tuple[str, str, str]
    gold: str
    solved: str
    place: str
    dataset: str
    answers: tuple[CardAnswer, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A headline, what is below it, and what to do about it; a page may have a ``card`` instead."""

    head: str
    body: str
    remedy: str = ""
    card: Card | None = None


@dataclass(frozen=True, slots=True)
class Prose:
    """A list that must be read in full: it wraps and is never shortened.

    Of ``marked`` texts the words ``[-left out-]`` and ``{+put in+}`` have colours.
    """

    name: str
    title: str
    paragraphs: tuple[Paragraph, ...]
    notes: tuple[str, ...] = ()
    table: str = ""
    marked: bool = False


View = Sheet | Prose


def rows_for(width: int, limit: int) -> int | None:
    """Return how many rows a screen or a page shows: ``limit``, but all of them on paper."""
    return None if width >= PAPER else limit


def filled(part: float, whole: float) -> tuple[Stripe, ...]:
    """Return a bar as long as ``part`` is of ``whole``."""
    return (Stripe(0, part / whole),) if part and whole else ()


_PALE = (237, 244, 252)
_MIDDLE = (112, 172, 219)
_STRONG = (8, 64, 129)
_BY_NIGHT = (27, 37, 50), (44, 92, 138), (150, 205, 250)
# Differences: what is lost, none, what is gained; apart for most eyes, and in grey on either side.
_LOST, _EVEN, _GAINED = (179, 88, 6), (246, 246, 244), (8, 80, 150)
_LOST_BY_NIGHT, _EVEN_BY_NIGHT, _GAINED_BY_NIGHT = (245, 160, 80), (34, 39, 46), (110, 180, 245)
STEPS = 20

Color = tuple[int, int, int]


# Terminals of 256 colours have no fine steps: of their cube, one hue that darkens step by step,
# and two from a light middle. Nearest colours would go from lavender over teal to purple.
_CUBE = ((0, 255), (0, 153), (0, 110), (0, 68), (15, 25), (15, 18))
_CUBE_TWO = ((15, 130), (0, 172), (0, 216), (0, 255), (0, 153), (0, 68), (15, 25))
# Of sixteen colours none is sure to be lighter than another: weight says what is strong.
_WEIGHTS = ("dim", "", "bold")


def on_terminal(shade: float, colors: str, *, signed: bool = False) -> str:
    """Return the style of a cell where there are ``truecolor``, ``256`` or fewer colours."""
    part = min(1.0, max(0.0, shade))
    if colors == "truecolor":
        return two_sided(part) if signed else tinted(part)
    if colors == "256":
        ramp = _CUBE_TWO if signed else _CUBE
        letters, ground = ramp[_level(part, len(ramp))]
        return f"color({letters}) on color({ground})"
    strength = abs(2 * part - 1) if signed else part
    return _WEIGHTS[_level(strength, len(_WEIGHTS))]


def _level(part: float, levels: int) -> int:
    return min(levels - 1, int(part * levels))


def tinted(shade: float) -> str:
    """Return the style of a cell with ``shade`` between 0 and 1."""
    return " on ".join(by_day(shade))


def by_day(shade: float) -> tuple[str, str]:
    """Return the colours of letters and ground on white paper."""
    letters = "#000000" if shade < 0.74 else "#ffffff"
    return letters, _ground(shade, (_PALE, _MIDDLE, _STRONG))


def step(shade: float) -> int:
    """Return which of ``STEPS`` equal steps from pale to strong a page has for ``shade``."""
    return round(STEPS * min(1.0, max(0.0, shade)))


def tinted_by_night(shade: float) -> str:
    """Return the style of a cell on a dark page: strong is bright."""
    letters = "#ffffff" if shade < 0.62 else "#000000"
    return f"{letters} on {_ground(shade, _BY_NIGHT)}"


def two_sided(shade: float) -> str:
    """Return the style of a difference: 0 the greatest loss, 0.5 none, 1 the greatest gain."""
    return _lettered(_ground(shade, (_LOST, _EVEN, _GAINED)))


def two_sided_by_night(shade: float) -> str:
    """Return the style of a difference on a dark page."""
    return _lettered(_ground(shade, (_LOST_BY_NIGHT, _EVEN_BY_NIGHT, _GAINED_BY_NIGHT)))


def _lettered(ground: str) -> str:
    """Return a ground with the letters that can be read on it best (WCAG 2.1, contrast)."""
    parts = (int(ground[k : k + 2], 16) / 255 for k in (1, 3, 5))
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    letters = "#ffffff" if 1.05 / (light + 0.05) > (light + 0.05) / 0.05 else "#000000"
    return f"{letters} on {ground}"


def _ground(shade: float, colors: tuple[Color, Color, Color]) -> str:
    pale, middle, strong = colors
    halves = (pale, middle) if shade < 0.5 else (middle, strong)
    red, green, blue = _between(*halves, 2 * shade % 1 if shade < 1 else 1.0)
    return f"#{red:02x}{green:02x}{blue:02x}"


def _between(start: Color, end: Color, way: float) -> Color:
    red, green, blue = (round(a + way * (b - a)) for a, b in zip(start, end, strict=True))
    return red, green, blue
