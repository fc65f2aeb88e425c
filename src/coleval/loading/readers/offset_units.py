"""Offsets that count UTF-16 units or bytes, as code points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    Numbers = NDArray[np.integer]

UNITS = ("codepoints", "utf16", "bytes")
_BYTES = (0x80, 0x800, 0x10000)
_UNIT_NAMES = {"codepoints": "characters", "utf16": "UTF-16 units", "bytes": "bytes"}


class TextUnits:
    """How many units of some kind each text has, and which code point each unit begins."""

    def __init__(self, texts: pl.Series, unit: str) -> None:
        """Count the units of all texts."""
        self.unit = unit
        self.points = texts.str.len_chars().fill_null(0).to_numpy().astype(np.int64)
        self.size = self.points
        self._before: Numbers | None = None
        if unit == "codepoints":
            return
        width = _widths("".join(texts.drop_nulls().to_list()), unit)
        self._first = np.append(0, np.cumsum(self.points))
        self._before = np.append(0, np.cumsum(width))
        self.size = np.diff(self._before[self._first])

    @property
    def called(self) -> str:
        """Return what messages call the units."""
        return _UNIT_NAMES[self.unit]

    def as_points(self, text: NDArray[np.integer], offset: Numbers) -> Numbers:
        """Return offsets in some texts as code points, -1 for one that is inside a code point."""
        if self._before is None:
            return offset
        first = self._first[text]
        place = self._before[first] + offset
        found = np.searchsorted(self._before, place)
        inside = self._before[np.minimum(found, len(self._before) - 1)] != place
        return np.where(inside, -1, found - first)


def _widths(text: str, unit: str) -> NDArray[np.int64]:
    """Return how many units each code point has."""
    points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    edges = _BYTES if unit == "bytes" else _BYTES[-1:]
    width = np.ones(len(points), np.int64)
    for edge in edges:
        width += points >= edge
    return width
