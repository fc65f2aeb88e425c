"""The hard cases: clusters of more than one gold span and one of the system that overlap.

Most clusters look like many others once their place in the text is taken away, so that a rule
is asked once a shape. ``ClusterRule`` may serve any number of systems.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from coleval.annotate.pool import Fate, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from coleval.annotate.extents import Extents


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
