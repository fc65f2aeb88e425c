"""The best one-to-one pairing of chains (CEAF), component by component of what overlaps.

Chains that share no mention never meet, so an assignment is wanted only where several chains of
both sides hang together. A component with one chain on a side takes its best overlap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterator

Numbers = NDArray[np.int64]
Rows = NDArray[np.intp]
Weights = NDArray[np.float64]
# Cells of a component up to which a full matrix is faster than a sparse one.
_DENSE = 90_000


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
    if not len(sizes):
        return shared.n, (shared.n, sizes)
    parts = components(shared.key, shared.response)
    m = best(parts, shared.n.astype(np.float64))
    e = best(parts, 2 * shared.n / sizes)
    return shared.n[m], (shared.n[e], sizes[e])


def components(key: Numbers, response: Numbers) -> Components:
    """Return what pairs are connected to each other, by one or by several of them."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    key, k = np.unique(key, return_inverse=True)
    response, r = np.unique(response, return_inverse=True)
    size = len(key) + len(response)
    graph = coo_array((np.ones(len(k), np.int8), (k, r + len(key))), shape=(size, size))
    count, part = connected_components(graph, directed=False)
    row, rows = _places(part[: len(key)], count)
    column, columns = _places(part[len(key) :], count)
    return Components(part[k].astype(np.int64), row[k], column[r], rows, columns)


def _places(part: NDArray[np.integer], count: int) -> tuple[Numbers, Numbers]:
    """Return the place of each node among those of its component, and how many each has."""
    sizes = np.bincount(part, minlength=count).astype(np.int64)
    order = np.argsort(part, kind="stable")
    place = np.empty(len(part), np.int64)
    place[order] = np.arange(len(part)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return place, sizes


def best(parts: Components, weight: Weights) -> Rows:
    """Return the pairs that a best assignment has, of equal ones without rivals the last."""
    hard = ((parts.rows > 1) & (parts.columns > 1))[parts.number]
    easy, rest = np.flatnonzero(~hard), np.flatnonzero(hard)
    order = easy[np.lexsort((weight[easy], parts.number[easy]))]
    last = np.diff(parts.number[order], append=-1) != 0
    return np.concatenate([order[last], *_assigned(parts, weight, rest)])


def _assigned(parts: Components, weight: Weights, rest: Rows) -> Iterator[Rows]:
    """Yield the pairs chosen in each component that needs an assignment."""
    order = rest[np.argsort(parts.number[rest], kind="stable")]
    cuts = np.flatnonzero(np.diff(parts.number[order])) + 1
    for pairs in np.split(order, cuts) if len(order) else ():
        part = int(parts.number[pairs[0]])
        shape = (int(parts.rows[part]), int(parts.columns[part]))
        solve = full_assignment if shape[0] * shape[1] <= _DENSE else _sparse
        yield pairs[solve(parts.row[pairs], parts.column[pairs], weight[pairs], shape)]


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
