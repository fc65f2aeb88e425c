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
from coleval.corpus.sorting import stable_order
from coleval.loading.readers.steps import steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.corpus.problems import Problem


# So many times the brackets may a table of all names in all documents have, or they are sorted.
_SPARSE = 8


@dataclass(frozen=True, slots=True)
class Brackets:
    """Every bracket in reading order: what it does, to which chain, where; ``(1)`` does both.

    ``code`` is the place of the chain's name among ``names``, which are distinct.
    """

    opens: NDArray[np.bool_]
    closes: NDArray[np.bool_]
    code: NDArray[np.int32]
    names: pl.Series
    document: NDArray[np.int32]
    position: NDArray[np.int32]
    line: NDArray[np.uint32]

    def name(self, at: int) -> str:
        """Return the name of the chain of a bracket."""
        found: str = self.names[int(self.code[at])]
        return found


def coded(names: pl.Series) -> tuple[NDArray[np.int32], pl.Series]:
    """Return the place of each name among the distinct ones, and these."""
    known = names.unique().sort()
    code = names.cast(pl.Enum(known)).to_physical().to_numpy().astype(np.int32)
    return code, known


def matched(
    found: Brackets, path: str
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int64], pl.Series]:
    """Return what opens and closes each mention, in order, the chain of each bracket, its names.

    Raise for the first bracket without another.
    """
    chain, n = chain_numbers(found.document, found.code, len(found.names))
    open_, close = _pairs(found, chain, path)
    behind = np.where(found.opens & found.closes, np.arange(len(chain)), -1)
    behind[open_] = close
    first = np.flatnonzero(behind >= 0)
    code = np.zeros(n, np.int32)
    code[chain] = found.code
    return first, behind[first], chain, found.names.gather(pl.Series(code))


def chain_numbers(
    document: NDArray[np.int32], code: NDArray[np.int32], names: int
) -> tuple[NDArray[np.int64], int]:
    """Return a number for each (document, name) that is the same in no other document, and n."""
    if not len(code):
        return np.zeros(0, np.int64), 0
    key = document.astype(np.int64) * names + code
    space = (int(document[-1]) + 1) * names
    if space > _SPARSE * len(key):
        known, chain = np.unique(key, return_inverse=True)
        return chain.astype(np.int64), len(known)
    there = np.zeros(space, np.bool_)
    there[key] = True
    number = np.cumsum(there) - 1
    return number[key], int(number[-1]) + 1


def _pairs(
    found: Brackets, chain: NDArray[np.int64], path: str
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the places of opening brackets and of those that close them."""
    single = np.flatnonzero(found.opens ^ found.closes)
    by_chain = single[stable_order(chain[single])]
    opens, own = found.opens[by_chain], chain[by_chain]
    if _alternate(opens, own):
        return by_chain[0::2], by_chain[1::2]
    depth = _depth(opens, own)
    deepest = int(depth.max(initial=0)) + 1
    order = stable_order(own * deepest + np.maximum(depth, 0))
    rows, opens = by_chain[order], opens[order]
    group = steps(chain[rows]) | steps(depth[order])
    raise_earliest(_lonely(found, rows, opens, group), path)
    return rows[0::2], rows[1::2]


def _alternate(opens: NDArray[np.bool_], chain: NDArray[np.int64]) -> bool:
    """Tell whether what opens and what closes a chain take turns: no mention is in another."""
    if len(opens) % 2 or not opens[0::2].all() or opens[1::2].any():
        return False
    return bool((chain[0::2] == chain[1::2]).all())


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
            f"`{found.name(at)})` closes a mention that is not open",
            f"open the mention with `({found.name(at)}` before it, in the same document",
        )
    unclosed = rows[opens & ~before_close]
    for at in unclosed[np.argsort(unclosed)][:1]:
        yield unreadable(
            int(found.line[at]),
            f"`({found.name(at)}` is never closed",
            f"close the mention with `{found.name(at)})`, in the same document",
        )
