"""Texts that should be the same and are not: the record, the character, what is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.problems import Problem
from coleval.loading.readers.code_points import text_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.loading.readers.code_points import CodePoints
    from coleval.loading.readers.model import OffsetFile

    Numbers = NDArray[np.integer]

_SHOWN = 20
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
        low, high = max(first, place - _SHOWN // 2), min(last, place + _SHOWN)
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
