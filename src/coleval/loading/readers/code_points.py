"""Texts as code points, and which of these are no white space: what texts have in common.

Tokens and texts of one source differ in white space as a rule, so places among the other
characters are what they can be compared by.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from coleval.loading.readers.steps import flat

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    Numbers = NDArray[np.integer]

# White_Space of Unicode.
_SPACES = (
    *range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F,
    0x205F, 0x3000,
)  # fmt: skip
NEWLINE = 0x0A


@dataclass(frozen=True)
class CodePoints:
    """The code points of some texts, one text after the other with a newline between."""

    texts: pl.Series

    @cached_property
    def size(self) -> Numbers:
        """Return how many code points each text has."""
        return self.texts.str.len_chars().fill_null(0).to_numpy().astype(np.int64)

    @cached_property
    def first(self) -> Numbers:
        """Return where each text begins, and one place more for the end."""
        return np.append(0, np.cumsum(self.size + 1))

    @cached_property
    def points(self) -> NDArray[np.uint32]:
        """Return the code points."""
        return points_of("\n".join(self.texts.fill_null("").to_list()))

    @cached_property
    def solid(self) -> NDArray[np.bool_]:
        """Tell which code points are no white space."""
        return is_solid(self.points)

    @cached_property
    def solid_places(self) -> Numbers:
        """Return the places of the code points that are no white space."""
        return np.flatnonzero(self.solid)

    @cached_property
    def solid_before(self) -> NDArray[np.int32]:
        """Return the number of code points in front of each place that are no white space."""
        before = np.zeros(len(self.points) + 1, np.int32)
        np.cumsum(self.solid, out=before[1:])
        return before


def points_of(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def is_solid(points: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Tell which code points are no white space."""
    table = np.ones(_SPACES[-1] + 2, np.bool_)
    table[list(_SPACES)] = False
    return table[np.minimum(points, _SPACES[-1] + 1)]


def text_at(points: NDArray[np.uint32], start: int, end: int) -> str:
    """Return the text of a stretch."""
    return points[start:end].astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def texts_at(points: NDArray[np.uint32], start: Numbers, end: Numbers) -> pl.Series:
    """Return the texts of many stretches, each on one line."""
    import polars as pl

    place = flat(start, end + 1)
    last = np.cumsum(end + 1 - start) - 1
    found = points[np.minimum(place, len(points) - 1)] if len(points) else place.astype(np.uint32)
    found[found == NEWLINE] = ord(" ")
    found[last] = NEWLINE
    lines = text_at(found, 0, len(found)).split("\n")
    return pl.Series("form", lines[:-1], dtype=pl.String)
