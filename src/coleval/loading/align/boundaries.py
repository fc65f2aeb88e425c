"""Where words may begin and end in a text: what keeps ``US`` from standing in ``USE``."""

from __future__ import annotations

import re
import unicodedata

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
