"""The fragments of spans with holes: few spans have any, so they are kept beside the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.loading.readers.steps import steps

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    Numbers = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Pieces:
    """A row a fragment, in order: the span it is of, first place and the one behind the last."""

    span: Numbers
    start: Numbers
    end: Numbers

    @staticmethod
    def of(fragments: pl.Series | None, by: Numbers) -> Pieces:
        """Return the fragments as brat writes them, those of each span moved by so many places."""
        there = [] if fragments is None else fragments.is_not_null().arg_true().to_list()
        rows = [
            (span, *map(int, fragment.split(" ")))
            for span in there
            for fragment in fragments[span].split(";")  # type: ignore[index]
        ]
        span, start, end = np.array(rows, np.int64).reshape(-1, 3).T
        return Pieces(span, start + by[span], end + by[span])

    def __len__(self) -> int:
        """Return the number of fragments."""
        return len(self.span)

    def where(self, keep: NDArray[np.bool_]) -> Pieces:
        """Return some of the fragments."""
        return Pieces(self.span[keep], self.start[keep], self.end[keep])

    def moved(self, by: Numbers) -> Pieces:
        """Return the fragments, those of each span so many places on."""
        return Pieces(self.span, self.start + by[self.span], self.end + by[self.span])

    def at(self, start: Numbers, end: Numbers) -> Pieces:
        """Return the fragments in other places; spans in which nothing is left out have none now.

        Those that are empty there go, and those that touch become one.
        """
        there = end > start
        span, start, end = self.span[there], start[there], end[there]
        opens = steps(span)
        opens[1:] |= start[1:] != end[:-1]
        first = np.flatnonzero(opens)
        last = np.append(first[1:], len(span)) - 1 if len(first) else first
        merged = Pieces(span[first], start[first], end[last])
        _, place, times = np.unique(merged.span, return_inverse=True, return_counts=True)
        return merged.where(times[place] > 1)

    def and_also(self, other: Pieces) -> Pieces:
        """Return the fragments of these spans and of others."""
        span = np.concatenate([self.span, other.span])
        start, end = (np.concatenate(p) for p in ((self.start, other.start), (self.end, other.end)))
        order = np.lexsort((start, span))
        return Pieces(span[order], start[order], end[order])

    def texts(self) -> dict[int, str]:
        """Return the fragments of every span that has any, as brat writes them."""
        found: dict[int, list[str]] = {}
        for span, start, end in zip(*(c.tolist() for c in self._columns()), strict=True):
            found.setdefault(span, []).append(f"{start} {end}")
        return {span: ";".join(parts) for span, parts in found.items()}

    def _columns(self) -> tuple[Numbers, Numbers, Numbers]:
        return self.span, self.start, self.end
