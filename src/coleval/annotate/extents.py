"""Where span items stand, as numbers that compare across sentences; spans of two never overlap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.items import CHARACTER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.items import Items

_RECORD = ("dataset", "part", "document")


@dataclass(frozen=True, slots=True)
class Extents:
    """First token and first token behind each item; ``tokens`` of those that have holes.

    ``crowded`` items share their extent with another: several labels on it, or other holes.
    ``sorted`` if items follow each other in reading order.
    """

    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    crowded: NDArray[np.bool_]
    holes: NDArray[np.bool_] | None
    tokens: pl.Series | None
    sorted: bool

    def mask(self, item: int) -> int:
        """Return the tokens of an item as bits, its first token the lowest."""
        if self.holes is None or self.tokens is None or not self.holes[item]:
            return (1 << int(self.end[item] - self.begin[item])) - 1
        tokens = _numbers(self.tokens[item])
        return sum(1 << (token - tokens[0]) for token in set(tokens))


def extents(
    items: Items, offset: NDArray[np.int64] | None = None, *, whole: bool = False
) -> Extents:
    """Return the extents of span items; ``offset`` is each sentence's first token in the text.

    Without it sentences are taken apart, so that no span of one reaches into another. Spans of
    characters are placed by these. ``whole`` tokens are counted even where spans cut them.
    """
    if items.unit == CHARACTER:
        return _by_characters(items.context)
    context = items.context
    start, end = (context[name].to_numpy().astype(np.int64) for name in ("start", "end"))
    sentence = context["sentence"].to_numpy().astype(np.int64)
    first = sentence * (int(end.max(initial=0)) + 1) if offset is None else offset[sentence]
    tokens = context["tokens"] if "tokens" in context.columns else None
    holes = None if tokens is None else tokens.is_not_null().to_numpy()
    begin, end = first + start, first + end
    if "cut_at" in context.columns and not whole:
        begin, end = _quartered(begin, end, context["cut_at"])
    return _extents(begin, end, holes, tokens)


def _numbers(text: str) -> list[int]:
    """Return the tokens of a list (``3,5``), or the characters of fragments (``0 5;10 15``)."""
    if " " not in text:
        return [int(token) for token in text.split(",")]
    parts = [part.split(" ") for part in text.split(";")]
    return [place for low, high in parts for place in range(int(low), int(high))]


def _by_characters(context: pl.DataFrame) -> Extents:
    """Return extents by the characters of records, which are taken apart."""
    start, end = (context[n].to_numpy().astype(np.int64) for n in ("char_start", "char_end"))
    names = [name for name in _RECORD if name in context.columns]
    record = np.zeros(len(context), np.int64)
    if names:
        rank = pl.struct(names).rank("dense")
        record = context.select(rank.alias("record"))["record"].to_numpy().astype(np.int64)
    first = record * (int(end.max(initial=0)) + 1)
    pieces = context["fragments"] if "fragments" in context.columns else None
    holes = None if pieces is None else pieces.is_not_null().to_numpy()
    return _extents(first + start, first + end, holes, pieces)


def _quartered(
    begin: NDArray[np.int64], end: NDArray[np.int64], cut: pl.Series
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return extents in quarters of tokens: an end that cuts a token lies a quarter inside it."""
    start, stop = (cut.is_in([side, "both"]).fill_null(value=False) for side in ("start", "end"))
    return 4 * begin + start.to_numpy(), 4 * end - stop.to_numpy()


def _extents(
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    holes: NDArray[np.bool_] | None,
    tokens: pl.Series | None,
) -> Extents:
    earlier = begin[1:] < begin[:-1]
    earlier |= (begin[1:] == begin[:-1]) & (end[1:] < end[:-1])
    if not earlier.any():
        return Extents(begin, end, _crowded(begin, end), holes, tokens, sorted=True)
    order = np.lexsort((end, begin))
    crowded = np.empty(len(begin), np.bool_)
    crowded[order] = _crowded(begin[order], end[order])
    return Extents(begin, end, crowded, holes, tokens, sorted=False)


def _crowded(begin: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which of some sorted extents are those of a neighbour, too."""
    same = (begin[1:] == begin[:-1]) & (end[1:] == end[:-1])
    crowded = np.zeros(len(begin), np.bool_)
    crowded[1:] = same
    crowded[:-1] |= same
    return crowded
