"""The best one-to-one pairing of chains (CEAF).

Most pairs are decided at a glance: one that is worth as much as the best rivals of both its chains
together is in some best pairing. Chains that it uses up decide others. Only what is left is
assigned, component by component of what overlaps, small ones of one shape all at once.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coleval.kernels.few_assignments import assigned_columns, few
from coleval.native.library import library

if TYPE_CHECKING:
    from collections.abc import Iterator

Numbers = NDArray[np.int64]
Rows = NDArray[np.intp]
Weights = NDArray[np.float64]
# Cells of a component up to which a full matrix is faster than a sparse one.
_DENSE = 90_000
# Less than one pair in so many is decided: then all others are assigned.
_SLOW = 50
# So many times the pairs may a table of groups have, or they are numbered anew.
_SPARSE = 8
# A component of so many rows, with so many ways to pair them, is tried in all of them.
_TRIED_ROWS, _TRIED = 4, 400


@dataclass(frozen=True, slots=True)
class Overlaps:
    """Pairs of chains that share ``n`` mentions, sorted by key and response, and their sizes."""

    key: Numbers
    response: Numbers
    n: Numbers
    key_size: Numbers
    response_size: Numbers


@dataclass(frozen=True, slots=True)
class Components:
    """The component of each pair, the place of its two chains in it, and how many there are."""

    number: Numbers
    row: Numbers
    column: Numbers
    rows: Numbers
    columns: Numbers


def best_pairs(shared: Overlaps) -> tuple[Numbers, tuple[Numbers, Numbers]]:
    """Return what the best pairings share: mentions (CEAFm), and mentions with sizes (CEAFe)."""
    sizes = shared.key_size + shared.response_size
    m = best(shared.key, shared.response, shared.n.astype(np.float64))
    e = best(shared.key, shared.response, 2 * shared.n / sizes)
    return shared.n[m], (shared.n[e], sizes[e])


def best(key: Numbers, response: Numbers, weight: Weights) -> Rows:
    """Return the pairs that a best one-to-one assignment has, each of some weight above 0."""
    chosen, left = _decided(key, response, weight)
    if not len(left):
        return chosen
    parts = components(key[left], response[left])
    return np.concatenate([chosen, *(left[own] for own in _assigned(parts, weight[left]))])


def _decided(key: Numbers, response: Numbers, weight: Weights) -> tuple[Rows, Rows]:
    """Return pairs that some best assignment has, and those of which nothing is decided.

    Were such a pair not in it, its two chains would be in two pairs at most, which are together
    worth no more.
    """
    found = _decided_in_c(key, response, weight)
    if found is not None:
        return found
    left = np.arange(len(key))
    chosen = [left[:0]]
    while len(left):
        k, r, w = _renumbered(key[left]), _renumbered(response[left]), weight[left]
        sure = np.flatnonzero(w >= _rivals(k, w) + _rivals(r, w))
        # Of equals the last is taken.
        sure = _last_of(k, _last_of(r, sure))
        chosen.append(left[sure])
        if len(sure) * _SLOW <= len(left):
            break
        left = left[~(_among(k, k[sure]) | _among(r, r[sure]))]
    decided = np.concatenate(chosen)
    open_ = ~(_among(key, key[decided]) | _among(response, response[decided]))
    return decided, np.flatnonzero(open_)


def _decided_in_c(key: Numbers, response: Numbers, weight: Weights) -> tuple[Rows, Rows] | None:
    """Return the same by a loop in C; None where there is none, or numbers are far apart."""
    loops, n = library(), len(key)
    most = [int(group.max(initial=-1)) + 1 for group in (key, response)]
    if loops is None or max(most) > _SPARSE * n:
        return None
    arrays = (*(np.ascontiguousarray(x, np.int64) for x in (key, response)),
              np.ascontiguousarray(weight, np.float64))  # fmt: skip
    chosen, left = np.empty((2, n), np.int64)
    lefts = ctypes.c_int64()
    loops.coleval_decided.restype = ctypes.c_int64
    count = loops.coleval_decided(
        *(ctypes.c_void_p(array.ctypes.data) for array in arrays), ctypes.c_int64(n),
        *map(ctypes.c_int64, most), ctypes.c_void_p(chosen.ctypes.data),
        ctypes.c_void_p(left.ctypes.data), ctypes.byref(lefts),
    )  # fmt: skip
    return None if count < 0 else (chosen[:count], left[: lefts.value])


def _renumbered(group: Numbers) -> Numbers:
    """Return numbers of groups that are not much larger than there are pairs."""
    if int(group.max()) < _SPARSE * len(group):
        return group
    return np.unique(group, return_inverse=True)[1]


def _rivals(group: Numbers, weight: Weights) -> Weights:
    """Return for each pair the largest weight of the others of its group, 0 where it is alone."""
    n = int(group.max()) + 1
    most = np.zeros(n)
    np.maximum.at(most, group, weight)
    tops = np.flatnonzero(weight == most[group])
    alone = np.bincount(group[tops], minlength=n) == 1
    second = np.zeros(n)
    lower = np.flatnonzero(weight < most[group])
    np.maximum.at(second, group[lower], weight[lower])
    top = np.zeros(len(group), np.bool_)
    top[tops] = True
    return np.where(top & alone[group], second[group], most[group])


def _last_of(group: Numbers, rows: Rows) -> Rows:
    """Return the last of some rows in each group."""
    last = np.full(int(group.max(initial=0)) + 1, -1, np.intp)
    last[group[rows]] = rows
    return rows[last[group[rows]] == rows]


def _among(group: Numbers, some: Numbers) -> NDArray[np.bool_]:
    there = np.zeros(int(group.max(initial=0)) + 1, np.bool_)
    there[some] = True
    return there[group]


def components(key: Numbers, response: Numbers) -> Components:
    """Return what pairs are connected to each other, by one or by several of them."""
    key, k = np.unique(key, return_inverse=True)
    response, r = np.unique(response, return_inverse=True)
    part = _connected(k, r + len(key), len(key) + len(response))
    count = int(part.max(initial=-1)) + 1
    row, rows = _places(part[: len(key)], count)
    column, columns = _places(part[len(key) :], count)
    return Components(part[k], row[k], column[r], rows, columns)


def _connected(one: Numbers, other: Numbers, nodes: int) -> Numbers:
    """Return the component of each node: nodes take the least number that they can reach."""
    least = np.arange(nodes)
    while True:
        before = least.copy()
        low = np.minimum(least[one], least[other])
        # What a node's own number stood for moves along, so that long chains are short at once.
        np.minimum.at(least, before[one], low)
        np.minimum.at(least, before[other], low)
        np.minimum.at(least, one, low)
        np.minimum.at(least, other, low)
        least = least[least]
        if (least == before).all():
            break
    return np.unique(least, return_inverse=True)[1]


def _places(part: NDArray[np.integer], count: int) -> tuple[Numbers, Numbers]:
    """Return the place of each node among those of its component, and how many each has."""
    sizes = np.bincount(part, minlength=count).astype(np.int64)
    order = np.argsort(part, kind="stable")
    place = np.empty(len(part), np.int64)
    place[order] = np.arange(len(part)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return place, sizes


def _assigned(parts: Components, weight: Weights) -> Iterator[Rows]:
    """Yield the pairs chosen in components, those of one small shape together."""
    order = np.argsort(parts.number, kind="stable")
    rows, columns = parts.rows, parts.columns
    shape = np.maximum(rows, columns) * _TRIED_ROWS * 2 + np.minimum(rows, columns)
    small = (np.minimum(rows, columns) <= _TRIED_ROWS) & (_ways(rows, columns) <= _TRIED)
    for one in np.unique(shape[small]).tolist():
        own = np.flatnonzero(small[parts.number] & (shape[parts.number] == one))
        yield _all_tried(parts, weight, own)
    large = order[~small[parts.number[order]]]
    cuts = np.flatnonzero(np.diff(parts.number[large])) + 1
    plain = few(rows[~small], columns[~small])
    for pairs in np.split(large, cuts) if len(large) else ():
        part = int(parts.number[pairs[0]])
        cells = (int(rows[part]), int(columns[part]))
        solve = full_assignment if cells[0] * cells[1] <= _DENSE else _sparse
        solve = _few_assigned if plain else solve
        yield pairs[solve(parts.row[pairs], parts.column[pairs], weight[pairs], cells)]


def _ways(rows: Numbers, columns: Numbers) -> Numbers:
    """Return in how many ways the smaller side can be paired, at most some of it."""
    low, high = np.minimum(rows, columns), np.maximum(rows, columns)
    ways = np.ones(len(rows), np.int64)
    for k in range(_TRIED_ROWS):
        ways *= np.where(k < low, np.minimum(high - k, _TRIED), 1)
    return ways


def _all_tried(parts: Components, weight: Weights, own: Rows) -> Rows:
    """Return the pairs chosen in components of one shape, of which all ways are tried."""
    part, at = np.unique(parts.number[own], return_inverse=True)
    turned = parts.rows[parts.number[own]] > parts.columns[parts.number[own]]
    low = np.where(turned, parts.column[own], parts.row[own])
    high = np.where(turned, parts.row[own], parts.column[own])
    shape = int(low.max()) + 1, int(high.max()) + 1
    cells = np.zeros((len(part), *shape))
    cells[at, low, high] = weight[own]
    ways = np.array(list(permutations(range(shape[1]), shape[0])))
    worth = np.zeros((len(part), len(ways)))
    for row in range(shape[0]):
        worth += cells[:, row, ways[:, row]]
    taken = ways[worth.argmax(axis=1)]
    return own[taken[at, low] == high]


def _few_assigned(row: Numbers, column: Numbers, weight: Weights, shape: tuple[int, int]) -> Rows:
    """Return what ``full_assignment`` would, of few rows and columns."""
    cells = np.zeros(shape)
    cells[row, column] = weight
    return np.flatnonzero(assigned_columns(cells)[row] == column)


def full_assignment(row: Numbers, column: Numbers, weight: Weights, shape: tuple[int, int]) -> Rows:
    """Return the cells that the best assignment of rows to columns has; others are worth 0."""
    from scipy.optimize import linear_sum_assignment

    cells = np.zeros(shape)
    cells[row, column] = weight
    chosen = np.full(shape[0], -1)
    rows, columns = linear_sum_assignment(cells, maximize=True)
    chosen[rows] = columns
    return np.flatnonzero(chosen[row] == column)


def _sparse(row: Numbers, column: Numbers, weight: Weights, shape: tuple[int, int]) -> Rows:
    """Return the same; every row may also stay alone, in a column of its own worth nothing.

    What is explicit must not be 0, so everything is worth 1 more: each row is matched once.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    alone = np.arange(shape[0])
    cells = csr_array(
        (
            np.concatenate([weight + 1, np.ones(shape[0])]),
            (np.concatenate([row, alone]), np.concatenate([column, alone + shape[1]])),
        ),
        shape=(shape[0], shape[0] + shape[1]),
    )
    rows, columns = min_weight_full_bipartite_matching(cells, maximize=True)
    chosen = np.empty(shape[0], np.int64)
    chosen[rows] = columns
    return np.flatnonzero(chosen[row] == column)
