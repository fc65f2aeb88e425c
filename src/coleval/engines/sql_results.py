"""Columns that DuckDB returns as the counts that kernels return, and what it is handed as items."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.kernels.bins import BinCounts
from coleval.kernels.transitions import TransitionCounts

if TYPE_CHECKING:
    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items
    from coleval.kernels.active_rows import Counts
    from coleval.kernels.buckets import Placed

    Columns = dict[str, np.ndarray[Any, Any]]


def codes(column: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return codes with 0 for null."""
    return np.ma.filled(column, 0).astype(np.int64)


def tallied(place: Any, n: Any, size: int) -> np.ndarray[Any, Any]:
    """Return counts by place, 0 where there is none; the first place is that of null."""
    counts = np.zeros(size, np.int64)
    counts[codes(place)] = n
    return counts


def by_system(items: Items, system: Any, place: Any, n: Any, size: int) -> np.ndarray[Any, Any]:
    """Return a row of counts a system; rows of others, who only judge, are left out."""
    numbers = {name: k for k, name in enumerate(items.systems)}
    counts = np.zeros((len(numbers), size), np.int64)
    for name, at, number in zip(system.tolist(), codes(place).tolist(), n.tolist(), strict=True):
        if name in numbers:
            counts[numbers[name], at] = number
    return counts


def cells(items: Items, shown: Items, found: Columns, column: str) -> pl.DataFrame:
    """Return system, gold, answer (labels) and n, system after system as they were given."""
    label = pl.Series([None, *shown.labels], dtype=pl.String)
    numbers = {name: k for k, name in enumerate(items.systems)}
    owner = np.array([numbers[name] for name in found["system"].tolist()], np.int64)
    gold, answer = codes(found["gold"]), codes(found["answer"])
    order = np.lexsort((answer, gold, owner))
    names = pl.Series(list(items.systems), dtype=pl.String)
    return pl.DataFrame(
        {
            "system": names.gather(pl.Series(owner[order])),
            "gold": label.gather(pl.Series(gold[order])),
            "answer": label.gather(pl.Series(answer[order])),
            column: found["n"][order].astype(np.int64),
        }
    )


def transitions(kind: Any, columns: list[Any], mine: Any, *, plain: bool) -> TransitionCounts:
    """Return the cells of one pair in the order that the kernel has them."""
    gold, before, after, n = (column[mine] for column in columns)
    own = kind[mine]
    known = np.select([own == 0, own == 1], [after, before], gold) if plain else gold
    keys = (after, before, known) if plain else (after, before, gold, own)
    order = np.lexsort(keys)
    return TransitionCounts(*(part[order] for part in (own, gold, before, after, n)))


def mirrored(square: Any) -> Any:
    """Return a square whose lower half is its upper half."""
    return square + np.triu(square, 1).T


def error_table(errors: dict[str, Counts], base: int, kinds: int) -> pl.DataFrame:
    """Return system, gold, answer (codes, null for none) and kind of each error."""
    code = np.concatenate([np.zeros(0, np.int64), *errors.values()]).astype(np.int64)
    place, kind = np.divmod(code, kinds)
    gold, answer = np.divmod(place, base)
    names = pl.Series(list(errors), dtype=pl.String)
    owner = np.repeat(np.arange(len(errors)), [len(codes) for codes in errors.values()])
    table = pl.DataFrame(
        {"system": names.gather(pl.Series(owner)), "gold": gold, "answer": answer, "kind": kind}
    )
    return table.with_columns(pl.col("gold", "answer").replace(0, None), pl.col("kind").cast(str))


def alike(items: Items, gold: Codes, codes: Codes) -> Items:
    """Return items that tables show by one code for all systems."""
    return replace(items, gold=gold, answers={"": codes}, judges=None)


def in_buckets(items: Items, placed: Placed) -> Items:
    """Return items shown by their buckets, numbered from 1: gold's, and that of each answer."""
    gold = numbered(placed.gold, placed.n)
    rows = np.arange(len(items))
    if placed.answer.ndim == 1 and not placed.own:
        codes = placed.at(rows, items.gold)
        return alike(items, gold, numbered(codes, placed.n))
    answers = {n: numbered(placed.at(rows, codes, n), placed.n)
               for n, codes in items.answers.items()}  # fmt: skip
    return replace(items, gold=gold, answers=answers, judges=None)


def numbered(buckets: Codes, number: int) -> Codes:
    """Return buckets numbered from 1, for 0 is null."""
    return buckets.astype(np.min_scalar_type(number + 1)) + 1


def without_systems(items: Items) -> BinCounts:
    """Return the bins of items that no system answers."""
    none = np.zeros((0, 1), np.int64)
    there = int(np.count_nonzero(items.gold))
    return BinCounts(np.array([there]), none, np.array([len(items) - there]), none)
