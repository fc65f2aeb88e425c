"""Edges over empty nodes: as many paths as differ, however many ways there are."""

from __future__ import annotations

import time

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.errors import DataError
from coleval.loading.readers.conllu_edges import over_empty_nodes


def conllu(path, word, nodes):
    """Write a sentence of one word, with its DEPS and those of some empty nodes."""
    lines = [f"1\ta\t_\t_\t_\t_\t0\troot\t{word}\t_"]
    lines += [f"{node}\tx\t_\t_\t_\t_\t_\t_\t{deps}\t_" for node, deps in nodes.items()]
    path.write_text("\n".join(lines) + "\n\n")
    return str(path)


def layered(layers, relations):
    """Return layers of two empty nodes each, every one below both of the layer above."""
    nodes = {"1.1": "1:top", "1.2": "1:top"}
    for layer in range(1, layers):
        above = [f"1.{2 * layer - 1}", f"1.{2 * layer}"]
        deps = "|".join(f"{node}:{name}" for node, name in zip(above, relations, strict=True))
        nodes |= {f"1.{2 * layer + k}": deps for k in (1, 2)}
    last = [f"1.{2 * layers - 1}", f"1.{2 * layers}"]
    return "0:root|" + "|".join(f"{node}:end" for node in last), nodes


def test_thirty_layers_of_parallel_paths_are_one_path(tmp_path):
    path = conllu(tmp_path / "a.conllu", *layered(30, ["dep", "dep"]))
    start = time.process_time()
    corpus = coleval.load(path, {"s": path}, task="dep")
    rows = {row["metric"]: row for row in corpus.score().table().to_dicts()}
    assert rows["ELAS"]["gold"] == rows["ELAS"]["correct"] == 2
    assert time.process_time() - start < 10


@pytest.mark.parametrize("case", ["layers", "chain", "circle"])
def test_more_paths_than_anybody_meant_are_an_error_with_its_line(tmp_path, case):
    word, nodes = layered(30, ["a", "b"])
    if case == "chain":
        nodes = {f"1.{k}": f"1.{k - 1}:d" if k > 1 else "1:d" for k in range(1, 3000)}
        word = "0:root|1.2999:x"
    if case == "circle":
        every = "|".join(f"1.{k}:r{k}" for k in range(1, 21))
        nodes = {f"1.{k}": f"1:top|{every}" for k in range(1, 21)}
        word = "0:root|1.3:x"
    path = conllu(tmp_path / "a.conllu", word, nodes)
    with pytest.raises(DataError, match=r"a\.conllu:1: the edges in DEPS lead over empty nodes"):
        coleval.load(path, {"s": path}, task="dep")


def ways(edge, above, seen=()):
    """Return every way up, one by one, as the words of the definition have it."""
    head, _, relation = edge.partition(":")
    if "." not in head:
        return [edge]
    if head in seen or above[head] == "_":
        return []
    return [
        way
        for further in above[head].split("|")
        for way in ways(f"{further}>{relation}", above, (*seen, head))
    ]


NODES = [f"1.{k}" for k in range(1, 5)]
EDGE = st.builds("{}:{}".format, st.sampled_from(["0", "1", "2", *NODES, *NODES]),
                 st.sampled_from(["a", "b", "b:c"]))  # fmt: skip
DEPS = st.lists(EDGE, min_size=1, max_size=3).map("|".join)


@given(
    words=st.lists(DEPS, min_size=1, max_size=3),
    above=st.fixed_dictionaries({node: st.one_of(DEPS, DEPS, st.just("_")) for node in NODES}),
)
def test_paths_are_those_of_every_way_one_by_one(words, above):
    nodes = pl.DataFrame({"sentence": [0] * 4, "id": list(above), "deps": list(above.values())})
    zero = np.zeros(len(words), np.int32)
    found = over_empty_nodes(pl.Series("deps", words), zero, nodes, line=zero, path="x")
    for deps, paths in zip(words, found, strict=True):
        expected = [way for edge in deps.split("|") for way in ways(edge, above)]
        assert list(dict.fromkeys(paths.split("|"))) == (list(dict.fromkeys(expected)) or ["_"])
