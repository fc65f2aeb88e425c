"""Changes between systems: from which label to which, differing answers, boundaries, flips."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.far import in_parts
from coleval.kernels.active_rows import ActiveBlocks, ActiveRows, Counts, Rows, active_rows
from coleval.kernels.blocks import added, frames, merged
from coleval.kernels.combining import held
from coleval.kernels.span_slots import SpanReaches, overlapping_pairs
from coleval.statistics.pairwise import compared, together

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items


CORRECTION, NEW_ERROR, CHANGED_ERROR = 0, 1, 2
_DENSE = 1 << 20

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TransitionCounts:
    """How often items of one kind and transition occur between two systems, never 0 times.

    ``gold`` is 0 unless both are wrong: else it is what one of the two says.
    """

    kind: Counts
    gold: Counts
    before: Counts
    after: Counts
    n: Counts


@dataclass(frozen=True, slots=True)
class _LabelTable:
    """What cells are made of: ``gold`` is shifted to its place; ``kinds`` if labels do not tell."""

    active: ActiveRows
    gold: Codes
    answers: Codes
    size: int
    kinds: bool


def transitions(
    items: Items, shown: Items, pairs: Iterable[Pair], found: ActiveBlocks | None = None
) -> Iterator[TransitionCounts]:
    """Yield the cells of each pair of systems; ``items`` say what differs, ``shown`` the labels."""
    every = list(pairs)
    counted: list[list[tuple[Counts, Counts]]] = [[] for _ in every]
    size, kinds = len(shown.labels) + 1, shown is not items
    for active in active_rows(items) if found is None else found:
        table = _table(active, shown, kinds=kinds)
        for cells, keys in zip(counted, _keys(table, every), strict=True):
            cells.append(_counted(keys, dense=size**3 <= _DENSE))
    for parts in counted:
        yield _cells(size, *merged(parts), kinds=kinds)


def change_kinds(items: Items, pair: tuple[str, str]) -> NDArray[np.uint8]:
    """Return for each item 0 where two systems agree, else 1 more than the kind of the change."""
    before, after = (items.answers[name] for name in pair)
    wrong = np.where(before == items.gold, NEW_ERROR, CHANGED_ERROR)
    kind = np.where(after == items.gold, CORRECTION, wrong)
    return np.where(before == after, 0, 1 + kind).astype(np.uint8)


def _keys(table: _LabelTable, pairs: Iterable[Pair]) -> Iterator[Codes]:
    """Yield for each pair the cells of the items on which the two differ."""
    shifted: dict[int, Codes] = {}
    for before, after in pairs:
        if before not in shifted:
            answers = table.answers[before].astype(table.gold.dtype)
            shifted = {before: table.gold + answers * table.gold.dtype.type(table.size)}
        at = np.flatnonzero(table.active.answers[before] != table.active.answers[after])
        key = (shifted[before] + table.answers[after]).take(at)
        yield _with_kind(table, key, at, (before, after))


def _table(active: ActiveRows, shown: Items, *, kinds: bool) -> _LabelTable:
    codes = (active.gold, active.answers)
    if kinds:
        codes = active.as_shown(shown)
    size = len(shown.labels) + 1
    kind = np.min_scalar_type(3 * size**3)
    gold = codes[0].astype(kind) * kind.type(size * size)
    return _LabelTable(active, gold, codes[1], size, kinds=kinds)


def _with_kind(table: _LabelTable, key: Codes, at: Rows, pair: Pair) -> Codes:
    if not table.kinds:
        return key
    before, after = (table.active.right[system][at] for system in pair)
    kind = np.where(after, CORRECTION, np.where(before, NEW_ERROR, CHANGED_ERROR))
    bare = np.where(kind == CHANGED_ERROR, key, key % key.dtype.type(table.size**2))
    return bare + kind.astype(key.dtype) * key.dtype.type(table.size**3)


def _cells(size: int, cell: Counts, n: Counts, *, kinds: bool) -> TransitionCounts:
    rest, after = np.divmod(cell, size)
    rest, before = np.divmod(rest, size)
    kind, gold = np.divmod(rest, size)
    if not kinds:
        error = np.where(before == gold, NEW_ERROR, CHANGED_ERROR)
        kind = np.where(after == gold, CORRECTION, error)
    return TransitionCounts(kind, np.where(kind == CHANGED_ERROR, gold, 0), before, after, n)


def _counted(key: Codes, *, dense: bool) -> tuple[Counts, Counts]:
    """Return the distinct keys in order and how often each occurs."""
    if not dense:
        found, n = np.unique(key, return_counts=True)
        return found.astype(np.int64), n
    counts = np.bincount(key)
    cell = np.flatnonzero(counts)
    return cell, counts[cell]


_COUNTED = ("change", "label_before", "label_after")


def boundaries(items: Items, before: int, after: int) -> pl.DataFrame:
    """Return change (``shorter``, ``longer``, ``moved``), both labels, n, corrected, broken."""
    if items.far is not None:
        add = partial(frames, sums=("n", "corrected", "broken"))
        return in_parts(add, boundaries, items, before, after)
    old, new = (items.answers[items.systems[at]] for at in (before, after))
    gone = _spans(items, np.flatnonzero((old != 0) & (new == 0)), old)
    come = _spans(items, np.flatnonzero((old == 0) & (new != 0)), new)
    matched = _matched(_overlapping(gone, come))
    label = pl.Series([None, *items.labels], dtype=pl.String)
    return (
        matched.group_by(_COUNTED)
        .agg(
            n=pl.len().cast(pl.Int64),
            corrected=pl.col("right_after").sum().cast(pl.Int64),
            broken=pl.col("right").sum().cast(pl.Int64),
        )
        .pipe(_named, label)
    )


def _named(counts: pl.DataFrame, label: pl.Series) -> pl.DataFrame:
    return counts.with_columns(
        label.gather(counts[side]).alias(side) for side in ("label_before", "label_after")
    )


def _spans(
    items: Items, rows: NDArray[np.intp], answers: NDArray[np.unsignedinteger]
) -> pl.DataFrame:
    place = items.context[pl.Series(rows)].select("sentence", "start", "end")
    return place.with_columns(
        pl.col("start", "end").cast(pl.Int64),
        label=pl.Series(answers[rows], dtype=pl.UInt32),
        right=pl.Series(answers[rows] == items.gold[rows]),
        row=pl.Series(rows, dtype=pl.Int64),
    )


def _overlapping(gone: pl.DataFrame, come: pl.DataFrame) -> pl.DataFrame:
    """Return every pair of a vanished and an appeared span that share tokens, best pair first."""
    start, end = pl.col("start"), pl.col("end")
    first, second = overlapping_pairs(SpanReaches.of(gone), SpanReaches.of(come))
    after = come[pl.Series(second)].drop("sentence").rename(lambda name: f"{name}_after")
    pairs = pl.concat([gone[pl.Series(first)], after], how="horizontal")
    shared = pl.min_horizontal("end", "end_after") - pl.max_horizontal("start", "start_after")
    inside = (pl.col("start_after") >= start) & (pl.col("end_after") <= end)
    around = (pl.col("start_after") <= start) & (pl.col("end_after") >= end)
    change = pl.when(inside).then(pl.lit("shorter")).when(around).then(pl.lit("longer"))
    return pairs.with_columns(
        shared=shared,
        other=pl.col("label") != pl.col("label_after"),
        change=change.otherwise(pl.lit("moved")),
    ).sort("other", "shared", "row", "row_after", descending=[False, True, False, False])


def _matched(pairs: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs that are left when each span is taken once, in the order of the pairs."""
    used: tuple[set[int], set[int]] = (set(), set())
    kept = []
    for at, (row, row_after) in enumerate(pairs.select("row", "row_after").iter_rows()):
        if row not in used[0] and row_after not in used[1]:
            used[0].add(row)
            used[1].add(row_after)
            kept.append(at)
    chosen = pairs[kept] if kept else pairs.clear()
    return chosen.rename({"label": "label_before"})


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Counts of items for systems (``right``) and pairs of them; they add up over documents.

    ``absent`` are those that neither gold nor either of the two answers: they are no items for
    the pair, though each of the three agrees with the others.
    """

    total: int
    right: Counts
    both: Counts
    different: Counts
    absent: Counts


def pair_counts(items: Items, found: ActiveBlocks | None = None) -> PairCounts:
    """Return the counts of all pairs of systems."""
    return added(
        _pair_counts(active) for active in (active_rows(items) if found is None else found)
    )


def _pair_counts(active: ActiveRows) -> PairCounts:
    right = np.count_nonzero(active.right, axis=1)
    absent = np.zeros((len(right), len(right)), np.int64)
    if not active.everything:
        absent = together((active.answers == 0) & (active.gold == 0)) + active.agreed_empty
    return PairCounts(
        active.size,
        right + active.agreed,
        together(active.right) + active.agreed,
        compared(active.answers, np.not_equal),
        absent,
    )


def flips(items: Items, found: ActiveBlocks | None = None) -> list[dict[str, int | str]]:
    """Return a row for each system but the first, in the order they are given.

    ``held`` is how many items all earlier ones have right, ``flips`` how many of these it breaks;
    ``firsts`` are those that none of the earlier has right and it has. Among spans and the like
    the items are gold's.
    """
    parts = (_flips(active) for active in (active_rows(items) if found is None else found))
    counts = np.sum(list(parts), axis=0).tolist()
    return [
        {"system": system, "earlier": at, "held": held_, "flips": broken, "firsts": first}
        for at, (system, (held_, broken, first)) in enumerate(
            zip(items.systems[1:], counts, strict=True), 1
        )
    ]


def _flips(active: ActiveRows) -> Counts:
    """Return held, flips and firsts of each system but the first, a row a system."""
    there, others = held(active)
    found = np.zeros((len(active.right) - 1, 3), np.int64)
    every, some = active.right[0] & there, active.right[0].copy()
    for row, own in zip(found, active.right[1:], strict=True):
        row[0] = np.count_nonzero(every) + others
        row[1] = np.count_nonzero(every & ~own)
        row[2] = np.count_nonzero(own & ~some & there)
        every &= own
        some |= own
    return found


def transition_lists(parts: list[list[TransitionCounts]]) -> list[TransitionCounts]:
    """Return the cells of each pair of systems, summed."""
    return [_transitions(list(same)) for same in zip(*parts, strict=True)]


def _transitions(parts: list[TransitionCounts]) -> TransitionCounts:
    if len(parts) == 1:
        return parts[0]
    names = ("kind", "gold", "before", "after")
    frame = pl.concat(
        [pl.DataFrame({name: getattr(p, name).astype(np.int64) for name in (*names, "n")})
         for p in parts]
    )  # fmt: skip
    summed = frame.group_by(names).agg(pl.col("n").sum())
    return TransitionCounts(*(summed[name].to_numpy() for name in (*names, "n")))
