"""For any two rows of a matrix, in how many places something holds: all pairs of them at once.

``n`` says how many units each place stands for, single ones first; without it, each is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Counts = NDArray[np.int64]
    Codes = NDArray[np.unsignedinteger]
    Pairs = NDArray[np.intp]

# From so many rows on, a matrix product counts faster than comparisons of any two.
_MANY = 128
# Up to so many codes there is a product for each.
_FEW = 12
# Answers in a product: single precision counts them exactly, in some megabytes.
_CELLS = 1 << 22
# From so many pairs on it pays to number the values first, so that less is compared.
_NUMBERED = 2048


def together(rows: NDArray[np.bool_], n: Counts | None = None) -> Counts:
    """Return for any two rows in how many places both are true, a matrix."""
    if len(rows) < _MANY:
        return compared(rows, np.logical_and, n)
    return products(rows, rows, n)


def products(rows: NDArray[np.bool_], others: NDArray[np.bool_], n: Counts | None = None) -> Counts:
    """Return for each row and each of some others in how many places both are true."""
    total, many = np.zeros((len(rows), len(others))), _many(n)
    first = rows.shape[1] - len(many)
    step = max(1, _CELLS // max(1, len(rows)))
    for low in range(0, first, step):
        there = slice(low, min(low + step, first))
        part = rows[:, there].astype(np.float32)
        same = rows is others
        total += part @ (part if same else others[:, there].astype(np.float32)).T
    for low in range(0, len(many), step):
        there = slice(first + low, first + low + step)
        total += (rows[:, there] * many[low : low + step].astype(np.float64)) @ others[:, there].T
    return total.astype(np.int64)


def _many(n: Counts | None) -> Counts:
    """Return the sizes of the last places, which are of several units."""
    return np.zeros(0, np.int64) if n is None else n[np.count_nonzero(n == 1) :]


def _count(holds: NDArray[np.bool_], many: Counts) -> int:
    """Return how many units something holds of: the last places are ``many`` each."""
    first = len(holds) - len(many)
    return int(np.count_nonzero(holds[:first])) + int(many @ holds[first:])


def compared(rows: NDArray[Any], compare: np.ufunc, n: Counts | None = None) -> Counts:
    """Return for any two rows in how many places the comparison holds, a matrix."""
    systems, many = len(rows), _many(n)
    total = np.zeros((systems, systems), np.int64)
    holds = np.empty(rows.shape[1], np.bool_)
    for a in range(systems):
        for b in range(a, systems):
            compare(rows[a], rows[b], out=holds)
            total[a, b] = total[b, a] = _count(holds, many)
    return total


def unequal(values: NDArray[Any], pairs: Pairs, n: Counts | None = None) -> Counts:
    """Return for each pair of rows in how many places their values differ."""
    if len(pairs) < _NUMBERED:
        return _each(values, values, pairs, np.not_equal, n)
    codes, size = _numbered(values, 0)
    if size > _FEW:
        return _each(codes, codes, pairs, np.not_equal, n)
    same = np.zeros((len(values), len(values)), np.int64)
    for code in range(1, size + 1):
        same += together(codes == code, n)
    units = values.shape[1] if n is None else int(n.sum())
    return units - same[pairs[:, 0], pairs[:, 1]]


def larger(
    values: NDArray[np.float64], pairs: Pairs, least: float, n: Counts | None = None
) -> tuple[Counts, Counts]:
    """Return in how many places the first of a pair is larger, by ``least``, and the second.

    NaN is neither.
    """
    if len(pairs) < _NUMBERED:
        return _by_least(values, pairs, least, _many(n))
    codes, size = _numbered(values, least)
    unknown = np.isnan(values)
    low, high = np.where(unknown, 0, codes), np.where(unknown, size, codes)
    low, high = low.astype(codes.dtype), high.astype(codes.dtype)
    if size > _FEW:
        back = pairs[:, ::-1]
        return _each(low, high, pairs, np.greater, n), _each(low, high, back, np.greater, n)
    more = np.zeros((len(values), len(values)), np.int64)
    for code in range(1, size):
        more += products(low > code, high == code, n)
    return more[pairs[:, 0], pairs[:, 1]], more[pairs[:, 1], pairs[:, 0]]


def _by_least(
    values: NDArray[np.float64], pairs: Pairs, least: float, many: Counts
) -> tuple[Counts, Counts]:
    counts = np.zeros((2, len(pairs)), np.int64)
    for at, (a, b) in enumerate(pairs):
        counts[0, at] = _count(values[a] > values[b] + least, many)
        counts[1, at] = _count(values[b] > values[a] + least, many)
    return counts[0], counts[1]


def _numbered(values: NDArray[Any], least: float) -> tuple[Codes, int]:
    """Return values as numbers from 1 in their order, and the last; as near as that is equal."""
    every = np.unique(np.concatenate([np.unique(row) for row in values]))
    starts = every[np.concatenate([[True], np.diff(every) > least])] if len(every) else every
    starts = starts[~np.isnan(starts)] if starts.dtype.kind == "f" else starts
    kind = np.min_scalar_type(len(starts) + 1)
    return np.searchsorted(starts, values, side="right").astype(kind), len(starts)


def _each(
    rows: NDArray[Any], others: NDArray[Any], pairs: Pairs, compare: np.ufunc, n: Counts | None
) -> Counts:
    many = _many(n)
    total, holds = np.zeros(len(pairs), np.int64), np.empty(rows.shape[1], np.bool_)
    for at, (a, b) in enumerate(pairs.tolist()):
        compare(rows[a], others[b], out=holds)
        total[at] = _count(holds, many)
    return total
