"""Edges of enhanced graphs that lead over empty nodes: told as paths between words.

A word below ``8.1`` by ``nsubj``, which itself is below word 3 by ``conj``, is below word 3 by
``conj>nsubj``, as the evaluation of IWPT has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

_EMPTY = r"^\d+\.\d+$"
_OVER = r"(^|\|)\d+\.\d+:"
_NONE = "_"


def over_empty_nodes(deps: pl.Series, block: NDArray[np.integer], nodes: pl.DataFrame) -> pl.Series:
    """Return the DEPS of words without empty nodes; ``block`` tells the words' sentences.

    ``nodes`` has block, id and deps of other lines. Edges to nodes that are not there are left out.
    """
    some = (deps != _NONE).arg_true()
    over = some.filter(deps.gather(some).str.contains(_OVER)) if len(some) else some
    if not len(over):
        return deps
    empty = nodes.filter(pl.col("id").str.contains(_EMPTY))
    known = {(b, i): d or _NONE for b, i, d in empty.select("block", "id", "deps").iter_rows()}
    told = [_collapsed(deps[int(k)], int(block[int(k)]), known) for k in over]
    return deps.clone().scatter(over, told)


def _collapsed(deps: str, block: int, known: Mapping[tuple[int, str], str]) -> str:
    paths = [path for edge in deps.split("|") for path in _paths(edge, block, known, ())]
    return "|".join(paths) or _NONE


def _paths(
    edge: str, block: int, known: Mapping[tuple[int, str], str], seen: tuple[str, ...]
) -> list[str]:
    """Return the edges that one stands for; a circle of empty nodes leads nowhere."""
    head, _, relation = edge.partition(":")
    if "." not in head:
        return [edge]
    above = known.get((block, head), _NONE)
    if above == _NONE or head in seen:
        return []
    longer = [f"{e}>{relation}" for e in above.split("|")]
    return [path for e in longer for path in _paths(e, block, known, (*seen, head))]
