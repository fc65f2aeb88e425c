"""Edges over empty nodes as paths of words.

A word below ``8.1`` by ``nsubj``, which itself is below word 3 by ``conj``, is below word 3 by
``conj>nsubj``, as the evaluation of IWPT has it. Paths that read the same are one, so they are put
together node by node: those of a node are as many as differ, not as many as there are ways.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from coleval.errors import DataError
from coleval.late_classes import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

_OVER = r"(^|\|)[0-9]+\.[0-9]+:"
_NONE = "_"
# Sentences of treebanks have a few dozen paths, over at most five empty nodes each.
_MOST = 100_000
_LONGEST = 200


class _TooManyError(Exception):
    """The empty nodes of a sentence make more paths than anybody meant."""


def over_empty_nodes(
    deps: pl.Series,
    sentence: NDArray[np.integer],
    nodes: pl.DataFrame,
    *,
    line: NDArray[np.integer],
    path: str,
) -> pl.Series:
    """Return the DEPS of words without empty nodes, as paths of relations.

    ``nodes`` has sentence and id of the empty nodes, and their edges in a column of the same name;
    edges from one without any of its own are left out. ``line`` and ``path`` are for messages.
    """
    some = (deps != _NONE).arg_true()
    over = some.filter(deps.gather(some).str.contains(_OVER)) if len(some) else some
    if not len(over):
        return deps
    graphs = _graphs(nodes, deps.name)
    replaced = []
    for k in over.to_list():
        try:
            replaced.append(graphs[int(sentence[k])].collapsed(deps[k]))
        except _TooManyError:
            raise _too_many(f"{path}:{int(line[k])}") from None
    return deps.clone().scatter(over, replaced)


def _too_many(where: str) -> DataError:
    return DataError(
        f"the edges in DEPS lead over empty nodes by more than {_MOST:,} paths, or over more than "
        f"{_LONGEST} of them",
        where=where,
        remedy="check the DEPS of the empty nodes of this sentence",
    )


def _graphs(nodes: pl.DataFrame, edges: str) -> dict[int, _Graph]:
    above: dict[int, dict[str, list[tuple[str, str]]]] = {}
    for sentence, node, deps in nodes.select("sentence", "id", edges).iter_rows():
        parts = [] if (deps or _NONE) == _NONE else [e.partition(":") for e in deps.split("|")]
        above.setdefault(sentence, {})[node] = [(head, relation) for head, _, relation in parts]
    return {sentence: _Graph(known, _circular(known)) for sentence, known in above.items()}


def _circular(above: Mapping[str, list[tuple[str, str]]]) -> frozenset[str]:
    """Return the nodes that are in a circle, or below one, or far below the words."""
    left = {node: {head for head, _ in edges if "." in head} for node, edges in above.items()}
    for _ in range(_LONGEST):
        for node in [node for node, heads in left.items() if not heads & left.keys()]:
            del left[node]
    return frozenset(left)


@dataclass(slots=True)
class _Graph:
    """The edges above the empty nodes of one sentence; paths are kept once they are made."""

    above: Mapping[str, list[tuple[str, str]]]
    circular: frozenset[str]
    made: dict[tuple[str, frozenset[str]], list[str]] = field(default_factory=dict)
    count: int = 0

    def collapsed(self, deps: str) -> str:
        """Return the edges of a word, those over empty nodes as paths."""
        edges = [edge.partition(":") for edge in deps.split("|")]
        pairs = [(head, relation) for head, _, relation in edges]
        return "|".join(self._joined(pairs, frozenset(), 0)) or _NONE

    def _joined(self, edges: list[tuple[str, str]], seen: frozenset[str], depth: int) -> list[str]:
        """Return the distinct paths that some edges end, in order."""
        paths: dict[str, None] = {}
        for head, relation in edges:
            if "." not in head:
                paths[f"{head}:{relation}"] = None
                continue
            for path in self._paths(head, seen, depth):
                paths[f"{path}>{relation}"] = None
        return list(paths)

    def _paths(self, node: str, seen: frozenset[str], depth: int) -> list[str]:
        """Return the paths down to an empty node; a circle of them leads nowhere."""
        if node in seen:
            return []
        if (node, seen) not in self.made:
            # Elsewhere it makes no difference which nodes a path has come by.
            inner = seen | {node} if node in self.circular else seen
            self._check(1, depth)
            found = self.made[node, seen] = self._joined(self.above[node], inner, depth + 1)
            self._check(len(found), depth)
        return self.made[node, seen]

    def _check(self, more: int, depth: int) -> None:
        self.count += more
        if self.count > _MOST or depth > _LONGEST:
            raise _TooManyError
