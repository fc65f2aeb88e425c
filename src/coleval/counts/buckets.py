"""How many items each bucket holds, and how many of them each system has right.

Buckets are looked up once an item, not once an item and system. What differs between systems are
the gold items they do not get and the answers they give in vain: a tenth or so of all. Both are
listed once for all systems, so that one more attribute is one more count over the lists.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coleval.corpus.disk import DiskCodes
from coleval.counts.active_rows import error_rows
from coleval.counts.blocks import added

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items

Counts = NDArray[np.int64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Placed:
    """The bucket of gold's item and of each system's answer at every item; ``n`` buckets in all.

    ``answer`` holds a table and each item's row: the bucket of an answer is looked up under its
    own label if the table has two dimensions. ``own`` has the rows of single systems. ``agree``
    says that what is right is so whatever its bucket: equal labels are in one, or each counts in
    its own.
    """

    n: int
    gold: Codes
    answer: Codes
    row: Rows | None
    own: Mapping[str, Rows]
    agree: bool

    def at(self, items: Rows, codes: Codes, system: str = "") -> Codes:
        """Return the buckets of a system's answers at some items."""
        rows = self.own.get(system, self.row)
        place = items if rows is None else rows[items]
        return self.answer[place, codes] if self.answer.ndim == 2 else self.answer[place]


@dataclass(frozen=True, slots=True)
class BucketCounts:
    """Whole numbers that add up over disjoint documents: by bucket, and by system and bucket.

    ``tp`` are gold's items that a system has, ``right`` its answers that gold has; the same unless
    an answer has another bucket than gold's item.
    """

    gold: Counts
    predicted: Counts
    tp: Counts
    right: Counts


@dataclass(frozen=True, slots=True)
class _Events:
    """Items at which a system misses gold, or answers in vain; ``cut`` is where a system's end."""

    item: Rows
    code: Codes
    cut: Rows

    def of(self, system: int) -> slice:
        """Return where the events of a system stand."""
        return slice(int(self.cut[system]), int(self.cut[system + 1]))


@dataclass(frozen=True, slots=True)
class _Part:
    """A block of items, from the one numbered ``first``, and where systems differ from gold in it.

    Numbers of items are those among all items.
    """

    first: int
    layers: Mapping[str, Codes]
    there: Rows
    missed: _Events
    wrong: _Events

    def said(self, codes: Codes) -> tuple[Rows, Codes]:
        """Return the items that a layer answers, and what it says."""
        rows = np.flatnonzero(codes)
        return rows + self.first, codes[rows]


@dataclass(frozen=True, slots=True)
class Differences:
    """What systems miss and what they invent, block by block; listed once if all is in memory."""

    items: Items
    held: _Part | None

    def __iter__(self) -> Iterator[_Part]:
        """Yield the differences in each block."""
        if self.held is not None:
            yield self.held
            return
        first = 0
        for block in self.items.blocks():
            yield _part(block, first)
            first += len(block)


def differences(items: Items) -> Differences:
    """Return the differences between gold and every system."""
    held = None if isinstance(items.answers, DiskCodes) else _part(items, 0)
    return Differences(items, held)


def _part(items: Items, first: int) -> _Part:
    layers = list(items.answers.values())
    differ = [error_rows(items, name) for name in items.answers]
    missed = [rows[items.gold[rows] != 0] for rows in differ]
    wrong = [rows[codes[rows] != 0] for rows, codes in zip(differ, layers, strict=True)]
    return _Part(
        first,
        items.answers,
        np.flatnonzero(items.gold) + first,
        _listed(missed, [items.gold] * len(layers), first),
        _listed(wrong, layers, first),
    )


def _listed(rows: list[Rows], layers: list[Codes], first: int) -> _Events:
    codes = [codes[at] for codes, at in zip(layers, rows, strict=True)]
    empty = np.empty(0, np.intp)
    return _Events(
        np.concatenate([*rows, empty]).astype(np.intp, copy=False) + first,
        np.concatenate([*codes, np.empty(0, np.uint8)]),
        np.cumsum([0, *map(len, rows)]),
    )


def bucket_counts(found: Differences, placed: Placed) -> BucketCounts:
    """Return the counts of all buckets and systems."""
    return added(_counts(part, found.items.gold, placed) for part in found)


def _counts(found: _Part, whole: Codes, placed: Placed) -> BucketCounts:
    """Return the counts of a block; ``whole`` is gold's answer to every item."""
    gold = np.bincount(placed.gold[found.there], minlength=placed.n)
    if not placed.agree:
        return _apart(found, whole, placed, gold)
    tp = gold - _by_system(found.missed, placed.gold[found.missed.item], placed.n)
    if placed.own:
        return _by_own(found, placed, gold, tp)
    wrong = placed.at(found.wrong.item, found.wrong.code)
    return BucketCounts(gold, tp + _by_system(found.wrong, wrong, placed.n), tp, tp)


def _by_own(found: _Part, placed: Placed, gold: Counts, tp: Counts) -> BucketCounts:
    """Return the counts where each system's answers stand in buckets of their own."""
    predicted, right = np.zeros((2, *tp.shape), np.int64)
    for k, (name, codes) in enumerate(found.layers.items()):
        (said, answer), wrong = found.said(codes), found.wrong.of(k)
        in_vain = placed.at(found.wrong.item[wrong], found.wrong.code[wrong], name)
        predicted[k] = np.bincount(placed.at(said, answer, name), minlength=placed.n)
        right[k] = predicted[k] - np.bincount(in_vain, minlength=placed.n)
    return BucketCounts(gold, predicted, tp, right)


def _by_system(events: _Events, bucket: Codes, n: int) -> Counts:
    counts = np.zeros((len(events.cut) - 1, n), np.int64)
    for system in range(len(counts)):
        counts[system] = np.bincount(bucket[events.of(system)], minlength=n)
    return counts


def _apart(found: _Part, whole: Codes, placed: Placed, gold: Counts) -> BucketCounts:
    """Return the counts where equal answers may stand in different buckets: not right, then."""
    tp, predicted = np.zeros((2, len(found.layers), placed.n), np.int64)
    for k, (name, codes) in enumerate(found.layers.items()):
        said, answer = found.said(codes)
        bucket = placed.at(said, answer, name)
        predicted[k] = np.bincount(bucket, minlength=placed.n)
        right = (answer == whole[said]) & (bucket == placed.gold[said])
        tp[k] = np.bincount(bucket[right], minlength=placed.n)
    return BucketCounts(gold, predicted, tp, tp)


def crossed(one: Placed, other: Placed, layers: Mapping[str, Codes]) -> Placed:
    """Return two attributes as one: a bucket for every pair of theirs; ``layers`` answer."""
    items = np.arange(len(one.gold))
    n = one.n * other.n
    kind = np.min_scalar_type(n)
    gold = one.gold.astype(kind) * kind.type(other.n) + other.gold
    if one.own or other.own:
        own = {
            name: one.at(items, codes, name).astype(kind) * kind.type(other.n)
            + other.at(items, codes, name)
            for name, codes in layers.items()
        }
        return Placed(n, gold, np.arange(n, dtype=kind), None, own, agree=True)
    labels = max(_labels(one), _labels(other))
    if not labels:
        zero = np.zeros(len(items), np.uint8)
        a, b = one.at(items, zero), other.at(items, zero)
        return Placed(n, gold, a.astype(kind) * kind.type(other.n) + b, None, {}, agree=True)
    columns = [np.full(len(items), code, np.uint32) for code in range(labels)]
    tables = [one.at(items, c).astype(kind) * kind.type(other.n) + other.at(items, c)
              for c in columns]  # fmt: skip
    return Placed(n, gold, np.stack(tables, axis=1), None, {}, agree=True)


def _labels(placed: Placed) -> int:
    return placed.answer.shape[1] if placed.answer.ndim == 2 else 0


@dataclass(frozen=True, slots=True)
class ByUnit:
    """Counts of one bucket by resampling unit: one row for gold, a row a system for the others."""

    gold: Counts
    predicted: Counts
    tp: Counts
    right: Counts


def bucket_units(
    found: Differences, placed: Placed, bucket: int, unit: NDArray[np.integer], size: int
) -> ByUnit:
    """Return what one bucket holds in each unit."""
    there = np.flatnonzero(found.items.gold)
    there = there[placed.gold[there] == bucket]
    gold = np.bincount(unit[there], minlength=size)
    tp, predicted, right = np.zeros((3, len(found.items.answers), size), np.int64)
    for k, (name, codes) in enumerate(found.items.answers.items()):
        said = np.flatnonzero(codes)
        said = said[placed.at(said, codes[said], name) == bucket]
        predicted[k] = np.bincount(unit[said], minlength=size)
        hit = codes[said] == found.items.gold[said]
        both = said[hit & (placed.gold[said] == bucket)]
        tp[k] = right[k] = np.bincount(unit[both], minlength=size)
        if placed.agree and placed.own:
            right[k] = np.bincount(unit[said[hit]], minlength=size)
            found_there = there[codes[there] == found.items.gold[there]]
            tp[k] = np.bincount(unit[found_there], minlength=size)
    return ByUnit(gold[None, :], predicted, tp, right)
