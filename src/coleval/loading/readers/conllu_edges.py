"""Enhanced graphs: empty nodes and edges checked as heads are, and edges over empty nodes as paths.

A word below ``8.1`` by ``nsubj``, which itself is below word 3 by ``conj``, is below word 3 by
``conj>nsubj``, as the evaluation of IWPT has it. Paths that read the same are one, so they are put
together node by node: those of a node are as many as differ, not as many as there are ways.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import unreadable
from coleval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from coleval.corpus.problems import Problem
    from coleval.loading.readers.conllu import ConlluLines

_EMPTY = r"^([0-9]+)\.([0-9]+)$"
_HEAD = r"^([0-9]+(?:\.[0-9]+)?):[^:\s]"
_OVER = r"(^|\|)[0-9]+\.[0-9]+:"
_NONE = "_"
# Sentences of treebanks have a few dozen paths, over at most five empty nodes each.
_MOST = 100_000
_LONGEST = 200
_REMEDY = "edges are HEAD:RELATION with | between them (3:nsubj|3.1:obj), `_` where there are none"


def empty_nodes(
    parts: pl.DataFrame, block: NDArray[np.integer], known: NDArray[np.integer]
) -> pl.DataFrame:
    """Return the empty nodes among other lines, with their sentences; -1 is one without words.

    ``block`` numbers the stretches between blank lines by line, ``known`` are those with words.
    """
    nodes = parts.filter(pl.col("id").str.contains(_EMPTY))
    if not len(nodes):
        return nodes.with_columns(sentence=pl.Series([], dtype=pl.Int32))
    own = block[nodes["line"].to_numpy() - 1]
    place = np.searchsorted(known, own)
    sentence = np.where(np.append(known, -1)[place] == own, place, -1)
    return nodes.with_columns(sentence=pl.Series(sentence, dtype=pl.Int32))


def node_problems(nodes: pl.DataFrame, size: NDArray[np.integer]) -> Iterator[Problem]:
    """Yield the first empty node beside no word of its sentence, and the first that is another."""
    if not len(nodes):
        return
    numbers = nodes["id"].str.extract_groups(_EMPTY).struct.unnest()
    word, place = (numbers[c].cast(pl.Int32, strict=False) for c in numbers.columns)
    length = _lengths(nodes, size)
    wrong = (~(word <= length) | place.is_null()).fill_null(value=True)
    for at in wrong.arg_true()[:1]:
        yield unreadable(
            int(nodes["line"][at]),
            f"the empty node {nodes['id'][at]} is after no word of this sentence of {length[at]}",
            "empty nodes are 3.1, 3.2 … after word 3, and 0.1 before the first word",
        )
    for at in nodes["form"].is_null().arg_true()[:1]:
        line = int(nodes["line"][at])
        yield unreadable(line, "the FORM is empty", "write `_` where there is none")
    first = nodes.select(pl.struct("sentence", "id").is_first_distinct()).to_series()
    for at in (~first).arg_true()[:1]:
        problem = f"there is an empty node {nodes['id'][at]} in this sentence already"
        yield unreadable(
            int(nodes["line"][at]), problem, "number empty nodes one after the other: 3.1, 3.2"
        )


def edge_problems(lines: ConlluLines, edges: str) -> Iterator[Problem]:
    """Yield the first edge from what is no word and no empty node of its sentence."""
    nodes, size = lines.nodes, lines.size
    columns = {"line": lines.line, "sentence": lines.sentence, edges: lines.words[edges]}
    known = nodes.select("sentence", head="id")
    for rows in (pl.DataFrame(columns), nodes):
        # Most files have no edges, and joins of nothing take as long as all other checks.
        if not (rows[edges] != _NONE).any():
            continue
        outside = _not_inside(rows.select("line", "sentence", deps=edges), size)
        wrong = outside.join(known, on=["sentence", "head"], how="anti", maintain_order="left")
        for line, edge, head, length in wrong.select("line", "edge", "head", "size").head(1).rows():
            of = "an empty node of this sentence"
            of = of if "." in (head or "") else f"a word of this sentence of {length}"
            problem = f"the head of `{edge}` in DEPS is not {of}"
            problem = f"`{edge}` in DEPS is not an edge" if head is None else problem
            yield unreadable(line, problem, _REMEDY)


def _not_inside(rows: pl.DataFrame, size: NDArray[np.integer]) -> pl.DataFrame:
    """Return the edges whose head is no word: with ``edge``, ``head`` and ``size``."""
    some = rows.filter(pl.col("deps") != _NONE)
    some = some.with_columns(_lengths(some, size), edge=pl.col("deps").str.split("|"))
    each = some.explode("edge", empty_as_null=True)
    each = each.with_columns(head=pl.col("edge").str.extract(_HEAD))
    inside = pl.col("head").cast(pl.Int32, strict=False) <= pl.col("size")
    return each.filter(~inside.fill_null(value=False))


def _lengths(rows: pl.DataFrame, size: NDArray[np.integer]) -> pl.Series:
    """Return the number of words in the sentence of each row, 0 where it is in none."""
    # -1 is the last place.
    return pl.Series("size", np.append(size, 0)[rows["sentence"].to_numpy()], dtype=pl.Int32)


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
            raise DataError(
                f"the edges in DEPS lead over empty nodes by more than {_MOST:,} paths, or over "
                f"more than {_LONGEST} of them",
                where=f"{path}:{int(line[k])}",
                remedy="check the DEPS of the empty nodes of this sentence",
            ) from None
    return deps.clone().scatter(over, replaced)


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
