"""Span items: a row for each extent that gold or any system proposes, the answer is its label.

Where one layer puts several labels on one extent (stacked tags, nested fields), the extent has
one item for each gold label; a system's labels meet equal gold labels first, what is left takes
gold labels still free, and the rest are items of their own. That looks at gold and one system
only, so no system changes what another is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coleval.corpus.coding import Codes, width
from coleval.corpus.lazy import LazyMapping, maker_of
from coleval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import polars as pl

    Numbers = NDArray[np.int64]

Keys = NDArray[np.int64]
Keep = Callable[[str, Codes], Codes]
# So many keys that gold does not have are gathered before those that are equal become one.
_MANY = 1 << 22


@dataclass(frozen=True, slots=True)
class Proposed:
    """The spans of one layer: a key for each extent and a type code, sorted by key.

    ``copy`` counts those that equal the span before them, where equals are spans of their own.
    """

    key: Keys
    kind: NDArray[np.int32]
    duplicates: int = 0
    copy: NDArray[np.int32] | None = None


@dataclass(frozen=True, slots=True)
class Slots:
    """The items: their extent's key, and every layer's type code (0 for none)."""

    key: Keys
    codes: dict[str, Codes]


def _as_it_is(_: str, codes: Codes) -> Codes:
    return codes


def proposed(key: Keys, kind: NDArray[np.int32], *, multiset: bool = False) -> Proposed:
    """Return spans sorted by extent and type; the same span twice counts once, or as a multiset."""
    if np.all(key[1:] > key[:-1]):
        return Proposed(key, kind)
    order = np.lexsort((kind, key))
    key, kind = key[order], kind[order]
    again = np.zeros(len(key), np.bool_)
    again[1:] = (key[1:] == key[:-1]) & (kind[1:] == kind[:-1])
    if multiset and again.any():
        at = np.arange(len(key), dtype=np.int32)
        copy = at - np.maximum.accumulate(np.where(again, np.int32(0), at))
        return Proposed(key, kind, int(again.sum()), copy)
    return Proposed(key[~again], kind[~again], int(again.sum()))


def slots(
    gold: Proposed,
    systems: Mapping[str, Proposed],
    labels: Sequence[str],
    *,
    bits: int,
    keep: Keep = _as_it_is,
) -> Slots:
    """Return the item of every extent, and which type each layer gives it.

    Keys hold the first token above ``bits`` bits; what is below tells extents apart. Systems are
    looked at one by one, and of each only what ``keep`` returns is kept.
    """
    makers = {name: partial(systems.__getitem__, name) for name in systems}
    layers: Mapping[str, Proposed] = LazyMapping({"": maker_of(gold), **makers}, keep=False)
    if any(layer.copy is not None for layer in layers.values()):
        return _copied(layers, labels, bits=bits, keep=keep)
    crowded = _crowded(layers.values())
    spread = _bits(len(labels)) if len(crowded) else 0
    if spread:
        places = _CrowdedExtents.of(gold, crowded, labels)
        makers = {name: partial(_spread_one, places, layers, name) for name in layers}
        layers = LazyMapping(makers, keep=False)
    lookups = sum(len(layer.key) for layer in layers.values())
    index = _Index.of(layers[""].key, bits + spread, lookups)
    index = _Index.of(_union(index, layers), bits + spread, lookups)
    codes = {n: keep(n, _placed(index, layer, len(labels))) for n, layer in layers.items()}
    return Slots(index.key >> spread, codes)


def _copied(
    layers: Mapping[str, Proposed], labels: Sequence[str], *, bits: int, keep: Keep
) -> Slots:
    """Return the items where copies are spans of their own: each meets the copy of its number."""
    most = max(int(c.copy.max()) for c in layers.values() if c.copy is not None)
    n = len(labels)
    numbered = {name: partial(_numbered_one, layers, name, n) for name in layers}
    gold = numbered.pop("")()

    def merged(name: str, codes: Codes) -> Codes:
        """Return copies as what they are copies of."""
        own = np.where(codes > 0, (codes.astype(np.int64) - 1) % n + 1, 0)
        return keep(name, own.astype(width(n)))

    systems = LazyMapping(numbered, keep=False)
    return slots(gold, systems, [*labels] * (most + 1), bits=bits, keep=merged)


def _numbered_one(layers: Mapping[str, Proposed], name: str, labels: int) -> Proposed:
    return _numbered(layers[name], labels)


def _spread_one(places: _CrowdedExtents, layers: Mapping[str, Proposed], name: str) -> Proposed:
    return _spread(places, layers[name])


def _numbered(layer: Proposed, labels: int) -> Proposed:
    """Return a layer whose copies have types of their own, behind all others."""
    if layer.copy is None:
        return layer
    kind = layer.kind + layer.copy * np.int32(labels)
    order = np.lexsort((kind, layer.key))
    return Proposed(layer.key[order], kind[order], layer.duplicates)


def _union(gold: _Index, layers: Mapping[str, Proposed]) -> Keys:
    """Return gold's keys and those of all systems, sorted; new ones are gathered as they come."""
    new = [np.empty(0, np.int64)]
    for name, layer in layers.items():
        if name:
            new.append(layer.key[~gold.has(layer.key)])
        if sum(map(len, new[1:])) > _MANY:
            new = [_distinct(new)]
    return _distinct([gold.key, *new])


def _distinct(keys: list[Keys]) -> Keys:
    every = np.concatenate(keys)
    every.sort()
    fresh = np.ones(len(every), np.bool_)
    fresh[1:] = every[1:] != every[:-1]
    return every[fresh]


def _placed(index: _Index, layer: Proposed, labels: int) -> Codes:
    codes = np.zeros(len(index.key), width(labels))
    codes[index.find(layer.key)] = layer.kind
    return codes


@dataclass(frozen=True, slots=True)
class _Index:
    """Sorted keys and where the keys of each first token begin: faster than binary search."""

    key: Keys
    bits: int
    first: NDArray[np.int32] | None

    @classmethod
    def of(cls, key: Keys, bits: int, lookups: int) -> _Index:
        """Return an index; for few lookups it is not worth its table, and has none."""
        tokens = int(key[-1] >> bits) + 1 if len(key) else 0
        if lookups < tokens:
            return cls(key, bits, None)
        # Each place as often as there are tokens up to the next key: no table of counts as well.
        steps = np.diff(key >> bits, prepend=-1, append=tokens)
        return cls(key, bits, np.repeat(np.arange(len(key) + 1, dtype=np.int32), steps))

    def find(self, key: Keys) -> NDArray[np.int64]:
        """Return where each key stands, or some place where it does not if it is not there."""
        if self.first is None or len(self.key) == 0:
            return np.searchsorted(self.key, key)
        token = np.minimum(key >> self.bits, len(self.first) - 2)
        at = self.first[token].astype(np.int64)
        last = self.first[token + 1] - 1
        behind = np.flatnonzero((at < last) & (self.key[np.minimum(at, len(self.key) - 1)] < key))
        while len(behind):
            at[behind] += 1
            ahead = at[behind]
            behind = behind[(ahead < last[behind]) & (self.key[ahead] < key[behind])]
        return at

    def has(self, key: Keys) -> NDArray[np.bool_]:
        """Tell which keys are there."""
        if len(self.key) == 0:
            return np.zeros(len(key), np.bool_)
        at = np.minimum(self.find(key), len(self.key) - 1)
        return self.key[at] == key


def _among(key: Keys, known: Keys) -> NDArray[np.bool_]:
    at = np.searchsorted(known, key)
    return known[np.minimum(at, len(known) - 1)] == key


def _crowded(layers: Iterable[Proposed]) -> Keys:
    """Return the extents to which some layer gives more than one label."""
    found = [layer.key[1:][layer.key[1:] == layer.key[:-1]] for layer in layers]
    return np.unique(np.concatenate(found))


def _bits(labels: int) -> int:
    return (2 * labels + 1).bit_length()


@dataclass(frozen=True, slots=True)
class _CrowdedExtents:
    """The places there are in crowded extents: for each of gold's labels one, at least one.

    ``label`` is extent and label as one number, sorted, with label 0 for an extent without gold.
    """

    crowded: Keys
    rank: Keys
    extent: Keys
    place: Keys
    label: Keys

    @staticmethod
    def of(gold: Proposed, crowded: Keys, labels: Sequence[str]) -> _CrowdedExtents:
        """Return the places for gold's labels in the order of their names, not of the file."""
        rank = np.zeros(len(labels) + 1, np.int64)
        rank[1 + np.array(sorted(range(len(labels)), key=labels.__getitem__))] = range(1, len(rank))
        _, extent, kind = _of_crowded(gold, crowded, rank)
        bare = np.setdiff1d(np.arange(len(crowded)), extent)
        label = np.concatenate([extent * len(rank) + kind, bare * len(rank)])
        label.sort()
        extent = label // len(rank)
        return _CrowdedExtents(crowded, rank, extent, _ordinal(extent), label)

    def taken_by(self, layer: Proposed) -> tuple[NDArray[np.intp], Keys]:
        """Return a layer's rows in crowded extents, and the place that each one's label takes.

        Labels that gold has too take gold's place, others what is left over, in their order, and
        then places of their own.
        """
        rows, extent, kind = _of_crowded(layer, self.crowded, self.rank)
        label = extent * len(self.rank) + kind
        at = np.minimum(np.searchsorted(self.label, label), len(self.label) - 1)
        same = self.label[at] == label
        place = np.where(same, self.place[at], len(self.rank) - 1 + kind)
        free = np.ones(len(self.label), np.bool_)
        free[at[same]] = False
        others, left = np.flatnonzero(~same), np.flatnonzero(free)
        first = np.searchsorted(self.extent[left], extent[others])
        next_ = first + _ordinal(extent[others])
        fits = next_ < np.searchsorted(self.extent[left], extent[others], side="right")
        place[others[fits]] = self.place[left[next_[fits]]]
        return rows, place


def _of_crowded(layer: Proposed, crowded: Keys, rank: Keys) -> tuple[NDArray[np.intp], Keys, Keys]:
    """Return a layer's rows in crowded extents, by extent and label, with both as numbers."""
    rows = np.flatnonzero(_among(layer.key, crowded))
    extent = np.searchsorted(crowded, layer.key[rows])
    kind = rank[layer.kind[rows]]
    order = np.lexsort((kind, extent))
    return rows[order], extent[order], kind[order]


def _ordinal(sorted_: Keys) -> Keys:
    """Return how many equal ones there are before each of some sorted numbers."""
    at = np.arange(len(sorted_))
    first = np.ones(len(sorted_), np.bool_)
    first[1:] = sorted_[1:] != sorted_[:-1]
    return at - np.maximum.accumulate(np.where(first, at, 0))


def _spread(places: _CrowdedExtents, layer: Proposed) -> Proposed:
    """Return the layer with a place behind each key: the item among those of its extent."""
    place = np.zeros(len(layer.key), np.int64)
    rows, place_of = places.taken_by(layer)
    place[rows] = place_of
    key = (layer.key << _bits(len(places.rank) - 1)) | place
    order = np.argsort(key, kind="stable")
    return Proposed(key[order], layer.kind[order], layer.duplicates)


def slot_places(kinds: list[int], gold: list[int], labels: int) -> list[int]:
    """Return the item each label of an extent goes to: gold's k-th label is item k."""
    taken = {gold.index(kind) for kind in kinds if kind in gold}
    free = [k for k in range(max(len(gold), 1)) if k not in taken]
    out = []
    for kind in kinds:
        if kind in gold:
            out.append(gold.index(kind))
        elif free:
            out.append(free.pop(0))
        else:
            out.append(labels + kind)
    return out


# More pairs than so many a span, on the average, are not listed: a thousand spans in each other
# are a million pairs, and those of a hundred thousand are more than any memory holds.
_DEEP, _MANY_STEPS = 64, 1 << 17


@dataclass(frozen=True, slots=True)
class SpanReaches:
    """Where spans begin and end: the sentence, and the places in it."""

    sentence: Numbers
    start: Numbers
    end: Numbers

    @staticmethod
    def of(frame: pl.DataFrame, rows: NDArray[np.integer] | None = None) -> SpanReaches:
        """Return the extents of a frame with these columns, or of some of its rows."""
        columns = (frame[name].to_numpy() for name in ("sentence", "start", "end"))
        chosen = (column if rows is None else column[rows] for column in columns)
        return SpanReaches(*(column.astype(np.int64) for column in chosen))


def overlapping_pairs(one: SpanReaches, other: SpanReaches) -> tuple[Numbers, Numbers]:
    """Return the numbers of spans of both lists that share tokens of one sentence, in no order."""
    size = int(max(one.end.max(initial=0), other.end.max(initial=0))) + 1
    a, b = _begun_inside(one, other, size, "left")
    # Those that begin together were found already.
    d, c = _begun_inside(other, one, size, "right")
    a, b = np.concatenate([a, c]), np.concatenate([b, d])
    shared = (one.start[a] < other.end[b]) & (other.start[b] < one.end[a])
    return (a, b) if shared.all() else (a[shared], b[shared])


def _begun_inside(
    outer: SpanReaches, inner: SpanReaches, size: int, side: str
) -> tuple[Numbers, Numbers]:
    """Return the pairs of which the inner one begins in the outer; ``right``: behind its start."""
    begun = inner.sentence * size + inner.start
    order = np.argsort(begun, kind="stable")
    begun = begun[order]
    base = outer.sentence * size
    low = np.searchsorted(begun, base + outer.start, side=side)  # type: ignore[call-overload]
    high = np.maximum(np.searchsorted(begun, base + outer.end), low)
    n = high - low
    if n.sum() > _DEEP * max(_MANY_STEPS, len(low) + len(begun)):
        raise DataError(
            f"{len(low):,} spans overlap {len(begun):,} others {n.sum():,} times: too often to "
            "look at each pair",
            remedy="leave out the longest spans; `score` and `bins` need no pairs",
        )
    owner = np.repeat(np.arange(len(low)), n)
    place = np.arange(len(owner)) - np.repeat(np.cumsum(n) - n, n) + low[owner]
    return owner, order[place]
