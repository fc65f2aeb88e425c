"""The best one-to-one pairing of chains (CEAF) or mentions, by scipy's solver."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Rows = NDArray[np.intp]
Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Overlaps:
    """Pairs of chains that share ``n`` mentions, sorted by key and response, and their sizes."""

    key: Numbers
    response: Numbers
    n: Numbers
    key_size: Numbers
    response_size: Numbers


def best_pairs(shared: Overlaps) -> tuple[Numbers, tuple[Numbers, Numbers]]:
    """Return what the best pairings share: mentions (CEAFm), and mentions with sizes (CEAFe)."""
    sizes = shared.key_size + shared.response_size
    m = best(shared.key, shared.response, shared.n.astype(np.float64))
    e = best(shared.key, shared.response, 2 * shared.n / sizes)
    return shared.n[m], (shared.n[e], sizes[e])


def best(key: Numbers, response: Numbers, weight: Weights) -> Rows:
    """Return the pairs that a best one-to-one assignment has, each of some weight above 0.

    Pairs that are not connected, by one another or by way of others, are assigned apart.
    """
    if not len(key):
        return np.zeros(0, np.intp)
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    keys, row = np.unique(key, return_inverse=True)
    column = len(keys) + np.unique(response, return_inverse=True)[1]
    nodes = int(column.max()) + 1
    graph = coo_array((np.ones(len(row)), (row, column)), shape=(nodes, nodes))
    of_node = connected_components(graph, directed=False)[1]
    # The place of each node in its component, where keys come before responses.
    order = np.argsort(of_node, kind="stable")
    place = np.empty(nodes, np.int64)
    place[order] = np.arange(nodes)
    place -= np.searchsorted(of_node[order], of_node)
    rows = np.bincount(of_node[: len(keys)])
    columns = np.bincount(of_node[len(keys) :])
    component = of_node[row]
    several = np.flatnonzero((rows[component] > 1) | (columns[component] > 1))
    several = several[np.argsort(component[several], kind="stable")]
    part, low = np.unique(component[several], return_index=True)
    row, column = place[row[several]], (place[column] - rows[component])[several]
    chosen = [np.flatnonzero((rows[component] == 1) & (columns[component] == 1))]
    for one, own in zip(part, map(slice, low, [*low[1:], len(several)]), strict=True):
        cells, pairs = (rows[one], columns[one]), several[own]
        chosen.append(pairs[full_assignment(row[own], column[own], weight[pairs], cells)])
    return np.concatenate(chosen)


def full_assignment(row: Numbers, column: Numbers, weight: Weights, shape: tuple[int, int]) -> Rows:
    """Return the cells that the best assignment of rows to columns has; others are worth 0."""
    from scipy.optimize import linear_sum_assignment

    cells = np.zeros(shape)
    cells[row, column] = weight
    chosen = np.full(shape[0], -1)
    rows, columns = linear_sum_assignment(cells, maximize=True)
    chosen[rows] = columns
    return np.flatnonzero(chosen[row] == column)
