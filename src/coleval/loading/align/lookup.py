"""Where a string occurs in a text: as it is written, else without spaces, else in other case.

What is looked for begins and ends where tokens do, or where words do if the text has no tokens.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


# Scripts that write no spaces between words, and Hangul, which writes particles on to names:
# in these, a name may end wherever a letter does.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff]"
)


def inside_word(text: str, at: int) -> bool:
    """Tell whether a place is between two characters of one word.

    A combining mark belongs to the letter before it, in every script.
    """
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if unicodedata.category(after).startswith("M") and not before.isspace():
        return True
    if _UNSPACED.match(before) or _UNSPACED.match(after):
        return False
    return _of_word(before) and _of_word(after)


def _of_word(character: str) -> bool:
    """Tell whether a character is a letter, a digit, an underscore or a combining mark."""
    marks = character == "_" or unicodedata.category(character).startswith("M")
    return character.isalnum() or marks


Place = tuple[int, int]
# How a string was found, the best way first; a later way has all places that an earlier one has.
EXACT, SPACES, CASE, INSIDE, ABSENT, EMPTY = range(6)


@dataclass(frozen=True)
class SearchedText:
    """A text, and a byte for each place that says if a token begins or ends there.

    There are none where the text has no tokens: words are looked for then.
    """

    text: str
    starts: bytes | None = None
    ends: bytes | None = None

    def allows(self, start: int, end: int) -> bool:
        """Tell whether an entity may have these ends."""
        if self.starts is not None and self.ends is not None:
            return bool(self.starts[start] and self.ends[end])
        return not inside_word(self.text, start) and not inside_word(self.text, end)

    @cached_property
    def bare(self) -> tuple[str, list[int]]:
        """Return the text without white space, and the place of each of its characters."""
        at = [k for k, character in enumerate(self.text) if not character.isspace()]
        return "".join(map(self.text.__getitem__, at)), at

    @cached_property
    def folded(self) -> str:
        """Return the text without white space and case."""
        return fold_letters(self.bare[0])


def fold_letters(text: str) -> str:
    """Return a text without case, letter by letter: what would become longer stays as it is."""
    folded = text.casefold()
    if len(folded) == len(text):
        return folded
    return "".join(f if len(f := c.casefold()) == 1 else c for c in text)


def look_up(text: SearchedText, string: str, *, fold: bool = False) -> tuple[int, list[Place]]:
    """Return how a string is found in a text, and where; nowhere if it is not."""
    string = string.strip()
    if not string:
        return EMPTY, []
    exact = [(s, s + len(string)) for s in _starts(text.text, string)]
    if exact and (found := [place for place in exact if text.allows(*place)]):
        return EXACT, found
    bare = "".join(string.split())
    loose = list(_bare_places(text, text.bare[0], bare))
    if found := [place for place in loose if text.allows(*place)]:
        return SPACES, found
    if fold:
        loose = list(_bare_places(text, text.folded, fold_letters(bare)))
        if found := [place for place in loose if text.allows(*place)]:
            return CASE, found
    return INSIDE if exact or loose else ABSENT, []


def _starts(text: str, string: str) -> Iterator[int]:
    """Yield where a string begins, also inside of itself."""
    at = text.find(string)
    while at >= 0:
        yield at
        at = text.find(string, at + 1)


def _bare_places(text: SearchedText, searched: str, string: str) -> Iterator[Place]:
    at = text.bare[1]
    for start in _starts(searched, string):
        yield at[start], at[start + len(string) - 1] + 1
