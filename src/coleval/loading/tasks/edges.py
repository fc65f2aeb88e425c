"""Enhanced dependencies: any number of edges a word, each matched once (ELAS, EULAS)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.items import Items
from coleval.corpus.tree_answers import answer, answers, head_of, relation_of
from coleval.kernels.span_slots import proposed, slots
from coleval.loading.tasks.trees import heads_as_gold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.corpus.coding import Coder, Codes
    from coleval.loading.align.model import Alignment
    from coleval.loading.readers.model import TokenFile

_NONE = "_"


@dataclass(frozen=True, slots=True)
class Edges:
    """The word that each edge leads to, and the code of its relation and head."""

    word: NDArray[np.int64]
    codes: Codes


def edges_of(gold: TokenFile, file: TokenFile, alignment: Alignment, coder: Coder) -> Edges:
    """Return the edges of a file, their heads as gold's words; none where it has no DEPS.

    An edge that is written twice, or two paths over empty nodes that read the same, are one.
    """
    deps = file.columns.get("deps")
    at = None if deps is None else (deps != _NONE).arg_true()
    if deps is None or at is None or not len(at):
        return Edges(np.empty(0, np.int64), np.empty(0, np.uint8))
    there = pl.DataFrame({"word": at.cast(pl.Int64), "edge": deps.gather(at)})
    each = there.with_columns(pl.col("edge").str.split("|")).explode("edge", empty_as_null=True)
    parts = each.select(
        "word",
        head=pl.col("edge").str.extract(r"^([0-9]+):").cast(pl.Int32),
        relation=pl.col("edge").str.extract(r"^[0-9]+:(.*)$"),
    )
    parts = _once(parts)
    word = parts["word"].to_numpy()
    head = heads_as_gold(gold, file, alignment, parts["head"], word)
    return Edges(word, coder.encode(answers(parts["relation"], head)))


def _once(parts: pl.DataFrame) -> pl.DataFrame:
    """Return rows in their order, those that are there already left out."""
    again = parts.is_duplicated()
    return parts.unique(keep="first", maintain_order=True) if again.any() else parts


def universal_path(label: str) -> str:
    """Return an edge without the subtypes of its relations."""
    steps = (step.partition(":")[0] for step in relation_of(label).split(">"))
    return answer(">".join(steps), head_of(label))


def edge_items(
    edges: Mapping[str, Edges],
    rows: Mapping[str, NDArray[np.integer]],
    labels: list[str],
    home: pl.DataFrame,
) -> Items:
    """Return the edges as items: gold's and those of systems that meet none of gold's.

    Edges of one word with one label are as many edges: without subtypes, ``nmod:of`` and
    ``nmod:in`` are two ``nmod``. ``home`` is where each word of gold is.
    """
    layers = {
        name: proposed(rows[name][e.word].astype(np.int64), e.codes.astype(np.int32), multiset=True)
        for name, e in edges.items()
    }
    gold = layers.pop("")
    found = slots(gold, layers, labels, bits=0)
    codes = dict(found.codes)
    context = home[pl.Series(found.key)].with_columns(start=pl.Series(found.key))
    items = Items("edge", context, (), codes.pop(""), codes)
    return items.sorted_labels(labels)
