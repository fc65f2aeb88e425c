"""Extents with several labels: which label of one layer meets which of another.

The item table is settled by gold and one system at a time, so no system changes what another is
counted. Two things need more: fewer labels leave other slots free, and two systems that give an
extent the same label are to meet in it, whatever gold and third systems say.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.far import additive, derived
from coleval.corpus.items import NOT_IN_TEXT
from coleval.counts.span_slots import slot_places

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items

_PLACE = ("document", "sentence", "start", "end", "tokens", "char_start", "char_end", "fragments")
# Strings that lists give have no place: they are extents of their texts by themselves.
_STRING = ("sentence", "form")
Run = tuple[int, int]


def _first(parts: list[list[Run]]) -> list[Run]:
    return next((runs[:1] for runs in parts if runs), [])


@additive(_first)
def crowded(items: Items, *, forms: bool = False) -> list[Run]:
    """Return the runs of rows that are one extent each, where they are several.

    Under ``forms`` rows of one place may be different strings, and a span that gold's tokens cut
    is an extent of its own: neither can be told from a second label, so both are left alone, but
    for spans whose characters are known. Of items in parts one run says that there are some.
    """
    place = _PLACE if "start" in items.context.columns else _STRING
    columns = [items.context[name] for name in place if name in items.context.columns]
    if forms or not items.of_spans or len(items) < 2 or not columns:
        return []
    same = np.ones(len(items) - 1, np.bool_)
    for column in columns:
        same &= column.eq_missing(column.shift(1)).to_numpy()[1:]
    if "cut_at" in items.context.columns and "char_start" not in items.context.columns:
        whole = items.context["cut_at"].is_null().to_numpy()
        same &= whole[1:] & whole[:-1]
    if NOT_IN_TEXT in items.context.columns:
        same &= ~items.context[NOT_IN_TEXT].to_numpy()[1:]
    edges = np.diff(np.concatenate([[False], same, [False]]).astype(np.int8))
    first, last = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    return list(zip(first.tolist(), (last + 1).tolist(), strict=True))


def slotted_anew(items: Items, *, forms: bool = False, by_label: bool = False) -> Items:
    """Return items whose crowded extents have the slots that their present labels call for.

    ``by_label`` gives each label a slot, so that equal ones of any layers meet, different ones not.
    """
    runs = crowded(items, forms=forms)
    if not runs:
        return items
    if items.far is not None:
        return derived(items, partial(slotted_anew, by_label=by_label))
    layers = _layers(items)
    slots = [_slots(layers, run, len(items.labels), by_label=by_label) for run in runs]
    index, place = _index(len(items), runs, [len(rows) for rows in slots])
    found = {name: codes[index] for name, codes in layers.items()}
    for at, rows in zip(place, slots, strict=True):
        for k, row in enumerate(rows):
            for name, codes in found.items():
                codes[at + k] = row.get(name, 0)
    return _with_layers(items.where(index), items, found)


def met(items: Items, pair: tuple[str, str], runs: Sequence[Run]) -> Items:
    """Return the items with two systems, whose equal labels meet in every crowded extent."""
    if items.far is not None:
        return derived(items, _met_anew, pair)
    a, b = (items.answers[name].copy() for name in pair)
    for low, high in runs:
        rows = _met(*(codes[low:high].tolist() for codes in (items.gold, a, b)))
        a[low:high], b[low:high] = rows
    return replace(items, answers={pair[0]: a, pair[1]: b}, judges=None)


def _met_anew(items: Items, pair: tuple[str, str]) -> Items:
    return met(items, pair, crowded(items))


def _met(gold: list[int], a: list[int], b: list[int]) -> tuple[list[int], list[int]]:
    """Return the labels of two systems by row, so that the fewest rows differ.

    What the base rule fixes stays: a right label is on gold's slot, and of the others as many as
    fit are on slots that gold leaves free; which of them, and where, is settled here.
    """
    slots = [k for k, label in enumerate(gold) if label] or [0]
    sides = tuple(_CrowdedSide.of(gold, slots, answers) for answers in (a, b))
    both = [k for k in slots if all(k in side.free for side in sides)]
    common = sorted((Counter(sides[0].rest) & Counter(sides[1].rest)).elements())
    inside, beyond = _best_split(sides, len(both), len(common))
    for place, label in zip(both[:inside], common, strict=False):
        for side in sides:
            side.put(place, label)
    others = [k for k in range(len(gold)) if k not in slots]
    for place, label in zip(others[:beyond], common[inside:], strict=False):
        for side in sides:
            side.put(place, label, within=False)
    for side in sides:
        # A slot on which the other system is right differs anyway.
        side.fill([k for k in slots if k in side.free and k not in both] + both, others)
    return sides[0].row, sides[1].row


@dataclass(slots=True)
class _CrowdedSide:
    """One system on one extent: its labels by row, those to be placed, gold's slots still free.

    ``inside`` is how many of them go to gold's slots yet.
    """

    row: list[int]
    rest: list[int]
    free: list[int]
    inside: int

    @classmethod
    def of(cls, gold: list[int], slots: list[int], answers: list[int]) -> _CrowdedSide:
        """Return a system whose right labels are in their places."""
        row = [g if g and g == answer else 0 for g, answer in zip(gold, answers, strict=True)]
        wrong = sorted(x for x, there in zip(answers, row, strict=True) if x and not there)
        free = [k for k in slots if not row[k]]
        return cls(row, wrong, free, min(len(wrong), len(free)))

    def put(self, place: int, label: int, *, within: bool = True) -> None:
        """Place a label on a slot of gold's, or beyond these."""
        self.row[place] = label
        self.rest.remove(label)
        self.inside -= within
        self.free = [k for k in self.free if k != place]

    def fill(self, slots: list[int], others: list[int]) -> None:
        """Place what is left, in the order of the labels."""
        for place in [k for k in slots if not self.row[k]][: self.inside]:
            self.row[place] = self.rest.pop(0)
        for place in [k for k in others if not self.row[k]][: len(self.rest)]:
            self.row[place] = self.rest.pop(0)


def _best_split(sides: tuple[_CrowdedSide, ...], both: int, common: int) -> tuple[int, int]:
    """Return how many equal labels meet on gold's slots, and how many beyond."""
    most = min(both, *(side.inside for side in sides))
    beyond = min(len(side.rest) - side.inside for side in sides)
    splits = [(k, min(beyond, common - k)) for k in range(min(most, common) + 1)]
    return min(splits, key=lambda split: (_differing(sides, both, *split), -sum(split)))


def _differing(sides: tuple[_CrowdedSide, ...], both: int, inside: int, beyond: int) -> int:
    """Return how many rows differ that need not: beside those where one system alone is right."""
    within = [side.inside - inside - (len(side.free) - both) for side in sides]
    outside = [len(side.rest) - side.inside - beyond for side in sides]
    return max(0, *within) + max(outside)


def _slots(
    layers: Mapping[str, Codes], run: Run, labels: int, *, by_label: bool
) -> list[dict[str, int]]:
    """Return the rows of an extent, each with the labels of the layers that have one there."""
    most = run[1] - run[0] + 1
    kinds = {n: _copies_numbered(codes[slice(*run)].tolist()) for n, codes in layers.items()}
    every = sorted({kind for own in kinds.values() for kind in own})
    number = {kind: k for k, kind in enumerate(every)}
    gold = [number[kind] for kind in kinds[""]]
    rows: dict[int, dict[str, int]] = {}
    for name, own in kinds.items():
        numbers = [number[kind] for kind in own]
        places = numbers if by_label else slot_places(numbers, gold, labels * most)
        for place, (label, _) in zip(places, own, strict=True):
            rows.setdefault(place, {})[name] = label
    return [rows[place] for place in sorted(rows)]


def _copies_numbered(labels: list[int]) -> list[tuple[int, int]]:
    """Return the labels that are there, sorted, each with its number among its equals."""
    there = sorted(label for label in labels if label)
    return [(label, k - there.index(label)) for k, label in enumerate(there)]


def _index(
    size: int, runs: Sequence[Run], sizes: Sequence[int]
) -> tuple[NDArray[np.intp], list[int]]:
    """Return the old row of every new one, and where each crowded extent begins now."""
    parts, place, behind, n = [], [], 0, 0
    for (low, high), rows in zip(runs, sizes, strict=True):
        parts += [np.arange(behind, low), np.full(rows, low)]
        n += low - behind
        place.append(n)
        n, behind = n + rows, high
    return np.concatenate([*parts, np.arange(behind, size)]).astype(np.intp), place


def _layers(items: Items) -> dict[str, Codes]:
    """Return the codes of gold (the empty name), the systems and, with a prefix, the judges."""
    judges = {f"\0{name}": codes for name, codes in (items.judges or {}).items()}
    return {"": items.gold, **items.answers, **judges}


def _with_layers(rows: Items, items: Items, layers: dict[str, Codes]) -> Items:
    judges = None if items.judges is None else {n: layers[f"\0{n}"] for n in items.judges}
    return replace(
        rows,
        gold=layers[""],
        answers={name: layers[name] for name in items.answers},
        judges=judges,
        group_count=items.group_count,
        rows=None,
    )
