"""Two texts that should be one and are not: where they part, what both have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from unicodedata import normalize

import numpy as np

from coleval.corpus.problems import Problem
from coleval.loading.readers.code_points import text_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.loading.align.characters import Characters
    from coleval.loading.readers.code_points import CodePoints
    from coleval.loading.readers.model import OffsetFile, TokenFile

    Numbers = NDArray[np.integer]

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


_SHOWN_AROUND = 20
ALIGN = "--differing-text align goes by the characters that both have"


@dataclass(frozen=True, slots=True)
class TextSide:
    """Texts of one file: their code points, the record of each, and places without white space."""

    file: OffsetFile
    points: CodePoints
    record: Numbers
    places: Numbers

    def of_text(self, text: int) -> TextSide:
        """Return the places of one text alone."""
        low, high = np.searchsorted(self.places, self.points.first[text : text + 2])
        return TextSide(self.file, self.points, self.record, self.places[low:high])

    @property
    def characters(self) -> NDArray[np.uint32]:
        """Return the code points that are no white space."""
        return self.points.points[self.places]

    def at(self, number: int, text: int | None) -> tuple[int, int, str]:
        """Return record and place of a character, and what stands around it."""
        if number >= len(self.places):
            text = self._text(self.places[-1]) if text is None and len(self.places) else text or 0
            return int(self.record[text]), int(self.points.size[text]), "the end of the text"
        place = int(self.places[number])
        text = self._text(place)
        first, last = int(self.points.first[text]), int(self.points.first[text + 1]) - 1
        low, high = max(first, place - _SHOWN_AROUND // 2), min(last, place + _SHOWN_AROUND)
        shown = text_at(self.points.points, low, high).replace("\n", "⏎")
        shown = f"{'…' if low > first else ''}{shown}{'…' if high < last else ''}"
        return int(self.record[text]), place - first, f"`{shown}`"

    def _text(self, place: int) -> int:
        return int(np.searchsorted(self.points.first, place, side="right")) - 1


def other_text(
    gold: TextSide, system: TextSide, texts: tuple[int, int] | None = None, n: int = 1
) -> Problem:
    """Return where two sides part; ``texts`` are their numbers where single texts are compared."""
    ours, theirs = gold.characters, system.characters
    short = min(len(ours), len(theirs))
    unlike = np.flatnonzero(ours[:short] != theirs[:short])
    at = int(unlike[0]) if len(unlike) else short
    one, a, expected = gold.at(at, None if texts is None else texts[0])
    other, b, found = system.at(at, None if texts is None else texts[1])
    return Problem(
        system.file.path,
        int(system.file.line[other]),
        "texts",
        f"record {other + 1}: the text differs from gold's at character {b:,}: {found}, but gold "
        f"has {expected} ({gold.file.at(one)}, character {a:,})",
        f"gold and system must have the same text but for white space; {ALIGN}",
        n,
    )
