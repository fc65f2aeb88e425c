r"""Text as it may be shown: control characters escaped, widths in terminal cells.

Names come from file names and files of strangers. A newline, a TAB or a terminal escape in one
is shown as ``\n``, ``\t``, ``\x1b``; so is what turns the writing direction around.
"""

from __future__ import annotations

import unicodedata
from itertools import count, takewhile
from typing import TYPE_CHECKING

from rich.cells import cell_len

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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


def distinct(texts: Iterable[str], cells: int) -> dict[str, str]:
    """Return each text in at most ``cells``, and no two of them the same: all names of a table.

    Texts that would look alike are cut so that the first place where they differ is seen; where
    that is not enough, they are numbered. Only in a handful of cells may two become one.
    """
    every = list(dict.fromkeys(texts))
    short = {text: shortened(text, cells) for text in every}
    first = _alike(every, short)
    for both_ends in (False, True):
        # Where beginnings are not enough, as of runs of several models, ends may tell them apart.
        again = {text for group in _alike(every, short) for text in group}
        for group in (group for group in first if again & set(group)):
            near = _near(group, cells, both_ends=both_ends)
            short |= dict(zip(group, (shortened(text, cells) for text in near), strict=True))
    for group in _alike(every, short):
        taken = {short[text] for text in every if text not in group}
        numbers = (f"~{k}" for k in count(1))
        short |= {text: _numbered(text, cells, numbers, taken) for text in group}
    return short


def _alike(texts: Iterable[str], short: Mapping[str, str]) -> list[list[str]]:
    """Return the groups of texts that are shortened to the same."""
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(short[text], []).append(text)
    return [group for group in groups.values() if len(group) > 1]


def _near(group: Sequence[str], cells: int, *, both_ends: bool = False) -> list[str]:
    """Return texts with most of what they begin with alike left out, or more of their ends."""
    first, last = min(group), max(group)
    common = sum(1 for _ in takewhile(lambda two: two[0] == two[1], zip(first, last, strict=False)))
    kept = head(group[0], max(1, cells // 4))
    if common - len(kept) < 2:
        return [f"{head(text, cells - 1)}…" for text in group]
    rests = [text[common - 1 :] for text in group]
    room = cells - width(kept) - 1
    if both_ends:
        tails = [shortened(rest, room) for rest in rests]
    else:
        tails = [r if width(r) <= room else f"{head(r, room - 1)}…" for r in rests]
    return [f"{kept}…{tail}" for tail in tails]


def _numbered(text: str, cells: int, numbers: Iterator[str], taken: set[str]) -> str:
    """Return a text with a number that makes it unlike all others."""
    for number in numbers:
        found = f"{shortened(text, max(0, cells - len(number)))}{number}"
        if found not in taken:
            break
    return head(found, cells)


def head(text: str, cells: int) -> str:
    """Return the longest beginning of ``text`` that takes no more than ``cells``."""
    if text[:cells].isascii() and text[cells : cells + 1].isascii():
        return text[: max(0, cells)]
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
