"""Two texts that should be one and are not: where they part, what both have."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import normalize

import numpy as np

from coleval.corpus.problems import Problem

if TYPE_CHECKING:
    from coleval.loading.align.characters import Characters
    from coleval.loading.readers.model import TokenFile

_SHOWN = 20
_FORMS = ("NFC", "NFKC")


def other_characters(
    gold: TokenFile, ours: Characters, system: TokenFile, theirs: Characters
) -> Problem | None:
    """Return where the characters part, None if it is not characters that files should go by.

    Where no token was cut otherwise before that place, what is wrong is a token, not a character.
    """
    form = next((f for f in _FORMS if _normal(ours, f) == _normal(theirs, f)), None)
    at = _parting(ours.text, theirs.text)
    if form is None and not _cut_otherwise(ours, theirs, at):
        return None
    a, b = _word(ours, at), _word(theirs, at)
    return Problem(
        system.path,
        int(system.line[b]),
        "characters",
        f"the text differs from gold's at `{system.form[b]}`: it continues with "
        f"`{_context(theirs, at)}`, gold with `{_context(ours, at)}` ({gold.at(a)})",
        f"the two differ in Unicode form only: --normalise {form.lower()}"
        if form
        else "gold and system must have the same text, though tokenisation may differ; "
        "was text lost, added or rewritten here?",
    )


def _normal(side: Characters, form: str) -> str:
    return normalize(form, side.text.decode())  # type: ignore[arg-type]


def _parting(ours: bytes, theirs: bytes) -> int:
    """Return the first byte that differs, or the length of the shorter text."""
    n = min(len(ours), len(theirs))
    a, b = (np.frombuffer(side, np.uint8, n) for side in (ours, theirs))
    unlike = np.flatnonzero(a != b)
    return int(unlike[0]) if len(unlike) else n


def _cut_otherwise(ours: Characters, theirs: Characters, at: int) -> bool:
    """Tell whether tokens that lie before a place are cut in another way."""
    return not np.array_equal(ours.high[ours.high < at], theirs.high[theirs.high < at])


def _word(side: Characters, at: int) -> int:
    """Return the word that a place is in, the last one behind the end."""
    return min(int(np.searchsorted(side.end, at, side="right")), len(side.token) - 1)


def _context(side: Characters, at: int) -> str:
    """Return some characters from the one that holds a place."""
    while at and at < len(side.text) and side.text[at] & 0xC0 == 0x80:
        at -= 1
    return side.text[at : at + 4 * _SHOWN].decode(errors="ignore")[:_SHOWN] or "the end of the text"
