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

if TYPE_CHECKING:
    from coleval.coding import Codes
    from coleval.items import Items

Counts = NDArray[np.int64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Placed:
    """The bucket of gold's item and of each system's answer at every item; ``n`` buckets in all.

    ``answer`` holds a table and each item's row: the bucket of an answer is looked up under its
    own label if the table has two dimensions. ``own`` has the rows of single systems. ``agree``
    says that equal labels on one item are always in one bucket, gold's.
    """

    n: int
    gold: Codes
    answer: Codes
    row: Rows | None
    own: dict[str, Rows]
    agree: bool

    def at(self, items: Rows, codes: Codes, system: str = "") -> Codes:
        """Return the buckets of a system's answers at some items."""
        rows = self.own.get(system, self.row)
        place = items if rows is None else rows[items]
        return self.answer[place, codes] if self.answer.ndim == 2 else self.answer[place]


@dataclass(frozen=True, slots=True)
class BucketCounts:
    """Whole numbers that add up over disjoint documents: by bucket, and by system and bucket."""

    gold: Counts
    predicted: Counts
    tp: Counts


@dataclass(frozen=True, slots=True)
class _Events:
    """Items at which a system misses gold, or answers in vain; ``cut`` is where a system's end."""

    item: Rows
    code: Codes
    cut: Rows

    def of(self, system: int) -> slice:
        """Return where the events of a system stand."""
        return slice(int(self.cut[system]), int(self.cut[system + 1]))

    @property
    def owner(self) -> NDArray[np.int64]:
        """Return the number of the system of every event."""
        return np.repeat(np.arange(len(self.cut) - 1), np.diff(self.cut))


@dataclass(frozen=True, slots=True)
class Differences:
    """What systems miss and what they invent, listed once for all attributes."""

    items: Items
    there: Rows
    missed: _Events
    wrong: _Events


def differences(items: Items) -> Differences:
    """Return the differences between gold and every system."""
    layers = list(items.answers.values())
    differ = [np.flatnonzero(codes != items.gold) for codes in layers]
    missed = [rows[items.gold[rows] != 0] for rows in differ]
    wrong = [rows[codes[rows] != 0] for rows, codes in zip(differ, layers, strict=True)]
    return Differences(
        items,
        np.flatnonzero(items.gold),
        _listed(missed, [items.gold] * len(layers)),
        _listed(wrong, layers),
    )


def _listed(rows: list[Rows], layers: list[Codes]) -> _Events:
    codes = [codes[at] for codes, at in zip(layers, rows, strict=True)]
    empty = np.empty(0, np.intp)
    return _Events(
        np.concatenate([*rows, empty]).astype(np.intp, copy=False),
        np.concatenate([*codes, np.empty(0, np.uint8)]),
        np.cumsum([0, *map(len, rows)]),
    )


def bucket_counts(found: Differences, placed: Placed) -> BucketCounts:
    """Return the counts of all buckets and systems."""
    gold = np.bincount(placed.gold[found.there], minlength=placed.n)
    if not placed.agree:
        return _apart(found, placed, gold)
    tp = gold - _by_system(found.missed, placed.gold[found.missed.item], placed.n)
    wrong = placed.at(found.wrong.item, found.wrong.code)
    return BucketCounts(gold, tp + _by_system(found.wrong, wrong, placed.n), tp)


def _by_system(events: _Events, bucket: Codes, n: int) -> Counts:
    systems = len(events.cut) - 1
    key = bucket.astype(np.int64)
    key += events.owner * n
    return np.bincount(key, minlength=systems * n).reshape(systems, n)


def _apart(found: Differences, placed: Placed, gold: Counts) -> BucketCounts:
    """Return the counts where equal answers may stand in different buckets: not right, then."""
    tp, predicted = np.zeros((2, len(found.items.answers), placed.n), np.int64)
    for k, (name, codes) in enumerate(found.items.answers.items()):
        said = np.flatnonzero(codes)
        bucket = placed.at(said, codes[said], name)
        predicted[k] = np.bincount(bucket, minlength=placed.n)
        right = (codes[said] == found.items.gold[said]) & (bucket == placed.gold[said])
        tp[k] = np.bincount(bucket[right], minlength=placed.n)
    return BucketCounts(gold, predicted, tp)


def crossed(one: Placed, other: Placed) -> Placed:
    """Return two attributes as one: a bucket for every pair of theirs.

    Only where the bucket does not depend on who answers, nor on more than the label.
    """
    items = np.arange(len(one.gold))
    n = one.n * other.n
    kind = np.min_scalar_type(n)
    gold = one.gold.astype(kind) * kind.type(other.n) + other.gold
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


def bucket_units(found: Differences, placed: Placed, bucket: int, unit: Rows, size: int) -> ByUnit:
    """Return what one bucket holds in each unit."""
    there = found.there[placed.gold[found.there] == bucket]
    gold = np.bincount(unit[there], minlength=size)
    tp, predicted = np.zeros((2, len(found.items.answers), size), np.int64)
    for k, (name, codes) in enumerate(found.items.answers.items()):
        said = np.flatnonzero(codes)
        said = said[placed.at(said, codes[said], name) == bucket]
        predicted[k] = np.bincount(unit[said], minlength=size)
        right = (codes[said] == found.items.gold[said]) & (placed.gold[said] == bucket)
        tp[k] = np.bincount(unit[said[right]], minlength=size)
    return ByUnit(gold[None, :], predicted, tp)
