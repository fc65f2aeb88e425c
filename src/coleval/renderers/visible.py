r"""Text as it may be shown: control characters escaped, widths in terminal cells.

Names come from file names and files of strangers. A newline, a TAB or a terminal escape in one
is shown as ``\n``, ``\t``, ``\x1b``; so is what turns the writing direction around.
"""

from __future__ import annotations

import unicodedata

from rich.cells import cell_len

_JOINERS = "\u200c\u200d"  # they shape Persian, Indic scripts and emoji, and hide nothing
_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def visible(text: str) -> str:
    """Return ``text`` on one line with nothing in it that acts on a terminal; `""` if empty."""
    if text.isascii() and text.isprintable():
        return text or '""'
    return "".join(_escaped(character) for character in text)


def _escaped(character: str) -> str:
    if unicodedata.category(character) not in _HIDDEN or character in _JOINERS:
        return character
    return character.encode("unicode_escape").decode("ascii")


def width(text: str) -> int:
    """Return how many cells of a terminal ``text`` takes."""
    return len(text) if text.isascii() else cell_len(text)


def padded(text: str, cells: int, *, right: bool) -> str:
    """Return ``text`` filled up with spaces to ``cells``, on its left side if ``right``."""
    room = " " * (cells - width(text))
    return room + text if right else text + room


def shortened(text: str, cells: int) -> str:
    """Return ``text`` in at most ``cells``, both ends kept and ``…`` for what is between."""
    if width(text) <= cells:
        return text
    if cells <= 1:
        return "…"[:cells]
    tail = _tail(text, (cells - 1) // 2)
    return f"{head(text, cells - 1 - width(tail))}…{tail}"


def head(text: str, cells: int) -> str:
    """Return the longest beginning of ``text`` that takes no more than ``cells``."""
    longest = min(len(text), 4 * cells)  # accents take no room, yet a thousand of them no more time
    return next((text[:k] for k in range(longest, 0, -1) if width(text[:k]) <= cells), "")


def _tail(text: str, cells: int) -> str:
    longest = min(len(text), 4 * cells)
    tails = (text[-k:] for k in range(longest, 0, -1))
    return next((t for t in tails if width(t) <= cells and width(t[0]) > 0), "")


def wrapped(text: str, cells: int) -> list[str]:
    """Return ``text`` in lines of at most ``cells``, broken at spaces and only else in words."""
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if width(joined) <= cells:
            lines[-1] = joined
        else:
            lines[-1:] = [*filter(None, lines[-1:]), *_chopped(word, cells)]
    return lines


def _chopped(word: str, cells: int) -> list[str]:
    parts = []
    while width(word) > cells:
        part = head(word, cells) or word[0]
        parts.append(part)
        word = word[len(part) :]
    return [*parts, word]
