"""Opening and closing brackets of chains into mentions, all documents at once.

Brackets of one chain of one document are numbered by depth; at one depth they must alternate,
open and close, and neighbours are a mention.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import raise_earliest, unreadable
from coleval.loading.readers.steps import steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.corpus.problems import Problem


# So many times the brackets may a table of all names in all documents have, or they are sorted.
_SPARSE = 8


@dataclass(frozen=True, slots=True)
class Brackets:
    """Every bracket in reading order: what it does, to which chain, where; ``(1)`` does both."""

    opens: NDArray[np.bool_]
    closes: NDArray[np.bool_]
    name: pl.Series
    document: NDArray[np.int32]
    position: NDArray[np.int32]
    line: NDArray[np.uint32]


def matched(
    found: Brackets, path: str
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int64], pl.Series]:
    """Return what opens and closes each mention, in order, the chain of each bracket, its names.

    Raise for the first bracket without another.
    """
    chain, names = _chains(found)
    whole = np.flatnonzero(found.opens & found.closes)
    open_, close = _pairs(found, chain, path)
    first = np.concatenate([whole, open_])
    last = np.concatenate([whole, close])
    order = np.argsort(first, kind="stable")
    return first[order], last[order], chain, names


def chain_numbers(document: NDArray[np.int32], name: pl.Series) -> tuple[NDArray[np.int64], int]:
    """Return a number for each (document, name) that is the same in no other document, and n."""
    if not len(name):
        return np.zeros(0, np.int64), 0
    names = name.unique().sort()
    code = name.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64)
    key = document.astype(np.int64) * len(names) + code
    space = (int(document[-1]) + 1) * len(names)
    if space > _SPARSE * len(key):
        known, chain = np.unique(key, return_inverse=True)
        return chain.astype(np.int64), len(known)
    there = np.zeros(space, np.bool_)
    there[key] = True
    number = np.cumsum(there) - 1
    return number[key], int(number[-1]) + 1


def _chains(found: Brackets) -> tuple[NDArray[np.int64], pl.Series]:
    chain, n = chain_numbers(found.document, found.name)
    first = np.zeros(n, np.int64)
    first[chain] = np.arange(len(chain))
    return chain, found.name.gather(pl.Series(first))


def _pairs(
    found: Brackets, chain: NDArray[np.int64], path: str
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the places of opening brackets and of those that close them."""
    single = np.flatnonzero(found.opens ^ found.closes)
    by_chain = single[np.argsort(chain[single], kind="stable")]
    opens = found.opens[by_chain]
    depth = _depth(opens, chain[by_chain])
    order = np.lexsort((np.arange(len(by_chain)), depth, chain[by_chain]))
    rows, opens = by_chain[order], opens[order]
    group = steps(chain[rows]) | steps(depth[order])
    raise_earliest(_lonely(found, rows, opens, group), path)
    return rows[0::2], rows[1::2]


def _depth(opens: NDArray[np.bool_], chain: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return at which depth of its chain a bracket is; a pair of brackets has one depth."""
    level = np.cumsum(np.where(opens, 1, -1))
    start = np.flatnonzero(steps(chain))
    before = np.where(start > 0, level[start - 1], 0)
    level = level - np.repeat(before, np.diff(np.append(start, len(chain))))
    return np.where(opens, level, level + 1)


def _lonely(
    found: Brackets, rows: NDArray[np.intp], opens: NDArray[np.bool_], group: NDArray[np.bool_]
) -> Iterator[Problem]:
    """Yield the first closing bracket that nothing opens, and the first that nothing closes."""
    after_open = np.zeros(len(rows), np.bool_)
    after_open[1:] = opens[:-1] & ~group[1:]
    before_close = np.zeros(len(rows), np.bool_)
    before_close[:-1] = ~opens[1:] & ~group[1:]
    stray = rows[~opens & ~after_open]
    for at in stray[np.argsort(stray)][:1]:
        yield unreadable(
            int(found.line[at]),
            f"`{found.name[int(at)]})` closes a mention that is not open",
            f"open the mention with `({found.name[int(at)]}` before it, in the same document",
        )
    unclosed = rows[opens & ~before_close]
    for at in unclosed[np.argsort(unclosed)][:1]:
        yield unreadable(
            int(found.line[at]),
            f"`({found.name[int(at)]}` is never closed",
            f"close the mention with `{found.name[int(at)]})`, in the same document",
        )
