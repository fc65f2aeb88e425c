"""Where span items stand, as numbers; clusters of spans that overlap."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.annotate.pool import Fate, Span
from coleval.corpus.items import CHARACTER

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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


@dataclass(frozen=True, slots=True)
class Entries:
    """Spans that are not right, cluster by cluster: their item, label and side."""

    item: NDArray[np.intp]
    label: NDArray[np.int64]
    gold: NDArray[np.bool_]
    cluster: NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of spans."""
        return len(self.item)

    def where(self, keep: NDArray[np.bool_] | NDArray[np.intp]) -> Entries:
        """Return some of the spans."""
        return Entries(self.item[keep], self.label[keep], self.gold[keep], self.cluster[keep])


@dataclass(slots=True)
class ClusterRule:
    """A rule for the spans of a cluster, which is asked once a shape."""

    rule: Callable[[Sequence[Span]], list[Fate]]
    _of_shape: Callable[[bytes], bytes] = field(init=False)

    def __post_init__(self) -> None:
        """Begin with no shape known."""
        # A cache of a method would hold its own owner.
        self._of_shape = cache(partial(_fates_of_shape, self.rule))

    def fates(self, entries: Entries, where: Extents) -> NDArray[np.int32]:
        """Return kind, partner (a place in ``entries``, -1 for none) and counts, a row a span."""
        first = np.flatnonzero(np.diff(entries.cluster, prepend=-1))
        size = np.diff(np.append(first, len(entries)))
        start = np.repeat(first, size)
        raw, step = self._shapes(entries, where, start)
        ends = np.append(first[1:], len(entries)) * step
        keys = [raw[a:b] for a, b in zip((first * step).tolist(), ends.tolist(), strict=True)]
        whole = _whole(entries, where, first)
        fates_of_each = [
            self._of_shape(key) if sound else self._with_holes(entries, where, at, at + n)
            for key, sound, at, n in zip(keys, whole, first.tolist(), size.tolist(), strict=True)
        ]
        fates = np.frombuffer(b"".join(fates_of_each), np.int32).reshape(-1, 3).copy()
        fates[:, 1] += np.where(fates[:, 1] >= 0, start, 0).astype(np.int32)
        return fates

    def _shapes(
        self, entries: Entries, where: Extents, start: NDArray[np.intp]
    ) -> tuple[bytes, int]:
        """Return side, label and place in the cluster of each span as bytes, and bytes a span."""
        begin, end = where.begin[entries.item], where.end[entries.item]
        base = begin[start]
        shape = np.empty((len(entries), 4), np.int32)
        for at, column in enumerate((entries.gold, entries.label, begin - base, end - base)):
            shape[:, at] = column
        return shape.tobytes(), 4 * shape.itemsize

    def _with_holes(self, entries: Entries, where: Extents, first: int, last: int) -> bytes:
        """Return the fates of a cluster in which some span has holes."""
        items = entries.item[first:last].tolist()
        base = int(where.begin[items[0]])
        spans = []
        for at, item in enumerate(items, first):
            begin, end = int(where.begin[item]) - base, int(where.end[item]) - base
            mask = where.mask(item) << begin
            spans.append(Span(begin, end, mask, int(entries.label[at]), bool(entries.gold[at])))
        return _solved(self.rule, spans)


def _fates_of_shape(rule: Callable[[Sequence[Span]], list[Fate]], shape: bytes) -> bytes:
    rows = np.frombuffer(shape, np.int32).reshape(-1, 4).tolist()
    spans = [
        Span(begin, end, ((1 << (end - begin)) - 1) << begin, label, bool(gold))
        for gold, label, begin, end in rows
    ]
    return _solved(rule, spans)


def _solved(rule: Callable[[Sequence[Span]], list[Fate]], spans: Sequence[Span]) -> bytes:
    """Return the rule's answers in the order of ``spans``; the rule sees them sorted."""
    order = sorted(range(len(spans)), key=lambda at: spans[at])
    fates = rule([spans[at] for at in order])
    answer = np.empty((len(spans), 3), np.int32)
    for at, fate in zip(order, fates, strict=True):
        partner = order[fate.partner] if fate.partner >= 0 else -1
        answer[at] = fate.kind, partner, fate.counts
    return answer.tobytes()


def _whole(entries: Entries, where: Extents, first: NDArray[np.intp]) -> list[bool]:
    """Tell which clusters have no span with holes."""
    if where.holes is None or not len(first):
        return [True] * len(first)
    holes = where.holes[entries.item]
    return (~np.logical_or.reduceat(holes, first)).tolist()
