"""Text that a page shows and never obeys: escaped, and no name turns the words around it.

What acts on a reader without being seen is made visible first; a run of words that is written
from right to left is set apart, so that what stands before it stays before it.
"""

from __future__ import annotations

import re
from html import escape
from itertools import groupby

from coleval.render.visible import shortened, visible

LONG, SHOWN = 160, 60
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff]"
)


def safe(text: str) -> str:
    """Return ``text`` as markup that shows it, nothing for nothing."""
    shown = visible(text) if text else ""
    if not _RIGHT_TO_LEFT.search(shown):
        return escape(shown)
    runs = ((turned, escape(" ".join(run))) for turned, run in groupby(shown.split(" "), _turned))
    return " ".join(f"<bdi>{run}</bdi>" if turned else run for turned, run in runs)


def _turned(word: str) -> bool:
    return bool(_RIGHT_TO_LEFT.search(word))


def quoted(text: str) -> str:
    """Return ``text`` for within the quotes of an attribute, nothing for nothing."""
    return escape(visible(text)) if text else ""


def clipped(text: str) -> str:
    """Return markup that opens on demand where ``text`` is very long."""
    if len(text) <= LONG:
        return safe(text)
    short = f"{safe(shortened(text, SHOWN))} <small>{len(text):,} characters</small>"
    return f"<details><summary>{short}</summary>{safe(text)}</details>"


def readable(text: str) -> str:
    """Return a sentence in which very long names are short, and whole when a pointer rests."""
    words = (
        safe(word) if len(word) <= SHOWN else
        f'<span title="{quoted(word)}">{safe(shortened(word, SHOWN // 2))}</span>'
        for word in text.split(" ")
    )  # fmt: skip
    return " ".join(words)


def anchor(name: str) -> str:
    """Return ``name`` as an id that no other name has."""
    return re.sub(r"[^\w.]", lambda found: f"-{ord(found[0]):x}-", name) or "-"
