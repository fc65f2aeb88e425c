"""What the metrics of coreference are made of: whole numbers about the chains of key and response.

Every metric is a function of the overlaps of chains and of their sizes. Overlaps come from one
sort; sums of fractions are kept by denominator, so that counts add up over documents and are
rounded once.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from coleval.corpus.coding import Codes


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
    several = np.flatnonzero((rows[component] > 1) & (columns[component] > 1))
    several = several[np.argsort(component[several], kind="stable")]
    part, low = np.unique(component[several], return_index=True)
    row, column = place[row[several]], (place[column] - rows[component])[several]
    # Where one side is a single chain, that goes with its heaviest pair.
    heaviest = np.lexsort((-weight, component))
    first = heaviest[np.unique(component[heaviest], return_index=True)[1]]
    chosen = [first[(rows[component[first]] == 1) | (columns[component[first]] == 1)]]
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


Numbers = NDArray[np.int64]
Fractions = dict[int, int]
# Fractions are rounded to such parts where they are added up by unit, as whole numbers in any
# order: floats hold the sums of 2^29 mentions exactly, and no chain is off by more than 1/2^25.
PARTS_OF_ONE = 1 << 24
# So many times the mentions may a table of all keys have, or keys are sorted.
_SPARSE = 8
# Whole numbers below this are exact as floats.
_EXACT = 2.0**53


@dataclass(frozen=True, slots=True)
class ChainSide:
    """What is asked of one side: how much there is, and how much of it the other side confirms.

    ``b3`` and ``lea`` are sums of fractions by denominator, or sums by unit as all else then.
    """

    mentions: Any
    chains: Any
    links: Any
    apart: Any
    b3: Any
    lea: Any


@dataclass(frozen=True, slots=True)
class ChainCounts:
    """Both sides, and what they share; ``ceaf_e`` is a sum of fractions by denominator."""

    key: ChainSide
    response: ChainSide
    mentions: Any
    joined: Any
    links: Any
    apart: Any
    ceaf_m: Any
    ceaf_e: Any


class Addends(NamedTuple):
    """Numbers to be summed up, each of a document; fractions have denominators ``below``."""

    above: Numbers
    document: Numbers
    below: Numbers | None = None


@dataclass(frozen=True, slots=True)
class Chains:
    """The chain of each mention as a number without gaps, -1 for none, and what chains are."""

    of: Numbers
    size: Numbers
    document: Numbers


def chains(document: NDArray[np.integer], codes: Codes, *, singletons: bool = True) -> Chains:
    """Return the chains of one layer; ``codes`` tell apart those of one document."""
    there = np.flatnonzero(codes)
    most = int(codes.max(initial=0)) + 1
    key = document[there].astype(np.int64) * most + codes[there]
    known, number, size = _distinct(key)
    of = np.full(len(codes), -1, np.int64)
    of[there] = number
    found = Chains(of, size, known // most)
    return found if singletons else _without_singletons(found)


def _distinct(key: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return the distinct keys, the place of each key among them, and how often each occurs."""
    if int(key.max(initial=0)) > _SPARSE * len(key):
        known, number, size = np.unique(key, return_inverse=True, return_counts=True)
        return known, number, size
    counts = np.bincount(key)
    known = np.flatnonzero(counts)
    place = np.cumsum(counts > 0) - 1
    return known, place[key], counts[known]


def _without_singletons(found: Chains) -> Chains:
    kept = found.size > 1
    number = np.append(np.where(kept, np.cumsum(kept) - 1, -1), -1)
    return Chains(number[found.of], found.size[kept], found.document[kept])


def chain_counts(key: Chains, response: Chains) -> ChainCounts:
    """Return the counts of a response against a key."""
    return _counts(key, response, _summed)


def _summed(these: Addends) -> int | Fractions:
    return int(these.above.sum()) if these.below is None else _fractions(these.above, these.below)


def chain_counts_by_unit(key: Chains, response: Chains, unit: Numbers, n: int) -> list[Numbers]:
    """Return the counts of each of ``n`` units, a row each; ``unit`` is that of each document."""

    def by_unit(these: Addends) -> Numbers:
        value = these.above
        if these.below is not None:
            value = np.rint(value * PARTS_OF_ONE / these.below)
        return np.bincount(unit[these.document], value, minlength=n).astype(np.int64)

    one, other, *shared = astuple(_counts(key, response, by_unit))
    return [*one, *other, *shared]


def counts_of_sums(rows: NDArray[np.float64]) -> ChainCounts:
    """Return the counts that sums of such rows are, each of any shape."""
    sides = len(fields(ChainSide))
    key, response, shared = rows[:sides], rows[sides : 2 * sides], rows[2 * sides :]
    return ChainCounts(
        ChainSide(*key[:4], *key[4:] / PARTS_OF_ONE),
        ChainSide(*response[:4], *response[4:] / PARTS_OF_ONE),
        *(*shared[:-1], shared[-1] / PARTS_OF_ONE),
    )


def _counts(key: Chains, response: Chains, summed: Callable[[Addends], Any]) -> ChainCounts:
    shared = overlaps(key, response)
    sizes, home = shared.key_size + shared.response_size, key.document[shared.key]
    m = best(shared.key, shared.response, shared.n.astype(np.float64))
    e = best(shared.key, shared.response, 2 * shared.n / sizes)
    links = summed(Addends(_pairs(shared.n), home))
    inside, outside = (
        summed(Addends(_pairs(_sums_of(own, shared.n, len(side.size))), side.document))
        for side, own in ((key, shared.key), (response, shared.response))
    )
    return ChainCounts(
        key=_side(key, shared.key, shared, summed),
        response=_side(response, shared.response, shared, summed),
        mentions=summed(Addends(shared.n, home)),
        joined=summed(Addends(shared.n - 1, home)),
        links=links,
        apart=summed(_apart(home, shared.n)) - inside - outside + links,
        ceaf_m=summed(Addends(shared.n[m], home[m])),
        ceaf_e=summed(Addends(2 * shared.n[e], home[e], sizes[e])),
    )


def chains_added(parts: Sequence[ChainCounts]) -> ChainCounts:
    """Return the counts of disjoint documents together."""
    key, response = (
        ChainSide(**_sums([getattr(part, side) for part in parts])) for side in ("key", "response")
    )
    return ChainCounts(key, response, **_sums(parts, apart=("key", "response")))


def _sums(parts: Sequence[Any], apart: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the sums of fields: of numbers, or of numerators by denominator."""
    found: dict[str, Any] = {}
    for name in (field.name for field in fields(parts[0]) if field.name not in apart):
        values = [getattr(part, name) for part in parts]
        found[name] = sum(values) if isinstance(values[0], int) else _fraction_sums(values)
    return found


def _fraction_sums(parts: Sequence[Fractions]) -> Fractions:
    found: Fractions = {}
    for part in parts:
        for below, above in part.items():
            found[below] = found.get(below, 0) + above
    return found


def overlaps(key: Chains, response: Chains) -> Overlaps:
    """Return how many mentions each chain of the key shares with each chain of the response."""
    both = np.flatnonzero((key.of >= 0) & (response.of >= 0))
    width = max(len(response.size), 1)
    pair, n = np.unique(key.of[both] * width + response.of[both], return_counts=True)
    k, r = np.divmod(pair, width)
    return Overlaps(k, r, n.astype(np.int64), key.size[k], response.size[r])


def _side(
    side: Chains, own: Numbers, shared: Overlaps, summed: Callable[[Addends], Any]
) -> ChainSide:
    size, n, home = side.size[own], shared.n, side.document[own]
    alone = (shared.key_size == 1) & (shared.response_size == 1)
    links = summed(Addends(_pairs(side.size), side.document))
    return ChainSide(
        mentions=summed(Addends(side.size, side.document)),
        chains=summed(Addends(np.ones_like(side.size), side.document)),
        links=links,
        apart=summed(_apart(side.document, side.size)) - links,
        b3=summed(Addends(n * n, home, size)),
        lea=summed(Addends(np.where(size > 1, n * (n - 1), alone), home, np.maximum(size - 1, 1))),
    )


def _apart(document: Numbers, n: Numbers) -> Addends:
    """Return the pairs of mentions of each document, of numbers of these."""
    every = _pairs(_sums_of(document, n, 0))
    return Addends(every, np.arange(len(every)))


def _sums_of(group: Numbers, n: Numbers, groups: int) -> Numbers:
    return np.bincount(group, n, minlength=groups).astype(np.int64)


def _pairs(n: Numbers) -> Numbers:
    return n * (n - 1) // 2


def _fractions(above: Numbers, below: Numbers) -> Fractions:
    """Return the sums of numerators by denominator."""
    most = int(below.max(initial=0))
    if most > _SPARSE * len(below) or float(above.max(initial=0)) * len(above) >= _EXACT:
        known, at = np.unique(below, return_inverse=True)
        total = np.zeros(len(known), np.int64)
        np.add.at(total, at, above)
        return dict(zip(known.tolist(), total.tolist(), strict=True))
    known = np.flatnonzero(np.bincount(below))
    sums = np.bincount(below, above)[known].astype(np.int64)
    return dict(zip(known.tolist(), sums.tolist(), strict=True))
