"""The distinct extents of several layers' spans, in reading order, and which each span has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.loading.readers.pieces import Pieces

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.loading.align.offsets import PlacedSpans

    Numbers = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class SpanExtents:
    """Where every distinct extent is among gold's code points; ``rank`` has those of each layer."""

    start: Numbers
    end: Numbers
    pieces: Pieces
    rank: Mapping[str, NDArray[np.int64]]

    def __len__(self) -> int:
        """Return the number of extents."""
        return len(self.start)

    def at(self, rows: NDArray[np.integer]) -> SpanExtents:
        """Return some of the extents, each as often as it is asked for."""
        owner = self.pieces.span
        low, high = np.searchsorted(owner, rows), np.searchsorted(owner, rows, side="right")
        times = high - low
        span = np.repeat(np.arange(len(rows)), times)
        place = np.repeat(low - np.cumsum(times) + times, times) + np.arange(len(span))
        pieces = Pieces(span, self.pieces.start[place], self.pieces.end[place])
        return SpanExtents(self.start[rows], self.end[rows], pieces, {})


def extents_of(layers: Mapping[str, PlacedSpans]) -> SpanExtents:
    """Return the extents of all layers: first place, end, and the fragments of those with holes."""
    longest = max(int((y.end - y.start).max(initial=0)) for y in layers.values())
    bits = longest.bit_length()
    numbers, more = _holes(layers)
    keys = {
        name: (((y.start << bits) | (y.end - y.start)) << more) | numbers[name]
        for name, y in layers.items()
    }
    every = np.unique(np.concatenate(list(keys.values())))
    rank = {name: np.searchsorted(every, key) for name, key in keys.items()}
    start = every >> (bits + more)
    end = start + ((every >> more) & ((1 << bits) - 1))
    return SpanExtents(start, end, _pieces(layers, rank), rank)


def _holes(layers: Mapping[str, PlacedSpans]) -> tuple[dict[str, NDArray[np.int64]], int]:
    """Return a number for each list of fragments, 0 for no holes, and how many bits it needs."""
    texts = {name: {**placed.pieces.texts(), **placed.lost} for name, placed in layers.items()}
    every = sorted({text for found in texts.values() for text in found.values()}, key=_by_place)
    number = {text: k for k, text in enumerate(every, 1)}
    found: dict[str, NDArray[np.int64]] = {}
    for name, placed in layers.items():
        found[name] = np.zeros(len(placed.start), np.int64)
        for span, text in texts[name].items():
            found[name][span] = number[text]
    return found, len(every).bit_length()


def _by_place(fragments: str) -> list[int]:
    return [int(number) for part in fragments.split(";") for number in part.split(" ")]


def _pieces(layers: Mapping[str, PlacedSpans], rank: Mapping[str, Numbers]) -> Pieces:
    """Return the fragments of the distinct extents."""
    frames = [
        pl.DataFrame({"span": rank[name][y.pieces.span], "start": y.pieces.start,
                      "end": y.pieces.end})
        for name, y in layers.items()
    ]  # fmt: skip
    every = pl.concat(frames).unique().sort("span", "start")
    return Pieces(*(every[name].to_numpy().astype(np.int64) for name in every.columns))
