"""Edges of enhanced graphs: checked as heads are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.corpus.problems import Problem


_EMPTY = r"^([0-9]+)\.([0-9]+)$"
_HEAD = r"^([0-9]+(?:\.[0-9]+)?):[^:\s]"
_NONE = "_"
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
    for at in _again(nodes)[:1]:
        problem = f"there is an empty node {nodes['id'][at]} in this sentence already"
        yield unreadable(
            int(nodes["line"][at]), problem, "number empty nodes one after the other: 3.1, 3.2"
        )


def _again(nodes: pl.DataFrame) -> pl.Series:
    """Return the nodes whose number another one of the sentence has."""
    first = nodes.select(pl.struct("sentence", "id").is_first_distinct()).to_series()
    return (~first).arg_true()


def edge_problems(
    words: pl.DataFrame, nodes: pl.DataFrame, size: NDArray[np.integer], edges: str
) -> Iterator[Problem]:
    """Yield the first edge from what is no word and no empty node of its sentence.

    ``words`` and ``nodes`` have line, sentence and a column of ``edges``.
    """
    known = nodes.select("sentence", head="id")
    for rows in (words, nodes):
        # Most files have no edges, and joins of nothing take as long as all other checks.
        if not (rows[edges] != _NONE).any():
            continue
        outside = _not_inside(rows.select("line", "sentence", deps=edges), size)
        wrong = outside.join(known, on=["sentence", "head"], how="anti", maintain_order="left")
        for line, edge, head, length in wrong.select("line", "edge", "head", "size").head(1).rows():
            yield unreadable(line, _what_is_wrong(edge, head, length), _REMEDY)


def _what_is_wrong(edge: str, head: str | None, size: int) -> str:
    if head is None:
        return f"`{edge}` in DEPS is not an edge"
    kind = "an empty node of this sentence" if "." in head else f"a word of this sentence of {size}"
    return f"the head of `{edge}` in DEPS is not {kind}"


def all_inside(deps: pl.Series, size: pl.Series) -> bool:
    """Tell whether all edges of some words are from words of their sentences of that size."""
    if not (deps != _NONE).any():
        return True
    rows = pl.DataFrame({"deps": deps, "sentence": np.arange(len(deps), dtype=np.int32)})
    return not len(_not_inside(rows, size.to_numpy()))


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
