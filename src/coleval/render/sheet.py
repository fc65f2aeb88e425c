"""A table ready to be drawn: every cell is text by now. No widths and no colours yet."""

from __future__ import annotations

from dataclasses import dataclass

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
    ``bar`` is what ``text`` draws with characters, ``full`` what it was shortened from.
    """

    text: str
    mark: str = ""
    shade: float | None = None
    dim: bool = False
    full: str = ""
    bar: tuple[Stripe, ...] = ()
    signed: bool = False


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
    """A list that must be read in full: it wraps and is never shortened."""

    name: str
    title: str
    paragraphs: tuple[Paragraph, ...]
    notes: tuple[str, ...] = ()
    table: str = ""


View = Sheet | Prose


def rows_for(width: int, limit: int) -> int | None:
    """Return how many rows a screen or a page shows: ``limit``, but all of them on paper."""
    return None if width >= PAPER else limit


def filled(part: float, whole: float) -> tuple[Stripe, ...]:
    """Return a bar as long as ``part`` is of ``whole``."""
    return (Stripe(0, part / whole),) if part and whole else ()
