"""The columns beside mentions of CorefUD: where each is, its words, its head, its kind."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.lazy import LazyColumn
from coleval.loading.readers.model import NODES
from coleval.loading.tasks.mention_sets import holes
from coleval.loading.tasks.mention_text import NOUN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from coleval.kernels.mention_matching import Sets
    from coleval.loading.tasks.mention_nodes import CommonNodes
    from coleval.loading.tasks.mention_sets import WordedMentions

    Numbers = NDArray[np.int64]


def columns_of(
    found: WordedMentions, key: Numbers, documents: Sequence[str], tags: Sequence[str]
) -> tuple[list[pl.Series], LazyColumn]:
    """Return the columns beside each key, and its text.

    ``tokens`` are the IDs of mentions with holes or empty nodes, null for others; ``zero`` tells
    those headed by an empty node; ``etype`` is gold's.
    """
    rows = found.shown(key)
    mentions, nodes = found.mentions.of(rows), found.nodes
    first = mentions.words.value[mentions.words.begin[:-1]]
    last = mentions.words.value[mentions.words.begin[1:] - 1]
    document = np.searchsorted(nodes.begins, first, side="right") - 1
    named = pl.Series("document", document.astype(np.uint32)).cat.to(pl.Enum(documents))
    columns = [
        named,
        pl.Series("start", nodes.words_before(first).astype(np.uint32)),
        pl.Series("end", nodes.words_before(last + 1).astype(np.uint32)),
        pl.Series("words", mentions.words.size.astype(np.uint32)),
    ]
    odd = np.flatnonzero(holes(mentions.words))
    if len(odd):
        columns.append(_tokens(mentions.words, odd, nodes))
    if found.mentions.zero.any():
        columns.append(pl.Series("zero", mentions.zero))
    columns += _kinds(mentions.words.size == 1, nodes, mentions.head, tags)
    if found.etype is not None:
        gold = pl.Series(key % 2 == 0)
        nothing = pl.Series([None], dtype=pl.String)
        columns.append(found.etype.gather(pl.Series(rows)).zip_with(gold, nothing).alias("etype"))
    form = LazyColumn.of_whole(partial(_form, mentions.words, nodes))
    return columns, form


def _tokens(words: Sets, odd: NDArray[np.intp], nodes: CommonNodes) -> pl.Series:
    """Return the IDs of the words of some mentions, as their sentence numbers them."""
    some = words.of(odd)
    within = some.value - nodes.first[nodes.at(some.value)]
    number = pl.Series(within // NODES).cast(pl.String)
    empty = pl.Series(within % NODES)
    ids = pl.DataFrame({"mention": odd[some.owner], "number": number, "empty": empty}).select(
        "mention",
        id=pl.when(pl.col("empty") > 0)
        .then(pl.format("{}.{}", "number", "empty"))
        .otherwise("number"),
    )
    texts = ids.group_by("mention", maintain_order=True).agg(pl.col("id").str.join(","))
    nothing = pl.repeat(None, len(words.size), dtype=pl.String, eager=True)
    return nothing.scatter(texts["mention"], texts["id"]).alias("tokens")


def _kinds(
    single: NDArray[np.bool_], nodes: CommonNodes, head: Numbers, tags: Sequence[str]
) -> list[pl.Series]:
    """Return ``nominal``, ``mention_type``, ``pos`` and ``lemma``: those of the head."""
    at = pl.Series(nodes.at(head))
    said = {"pos": nodes.upos.gather(at), "lemma": nodes.lemma.gather(at)}
    frame = pl.DataFrame(said).with_columns(single=single, form=nodes.form.gather(at))
    frame = frame.with_columns(pl.when(pl.col("pos", "lemma") != "_").then(pl.col("pos", "lemma")))
    lowered = pl.col("form").str.to_lowercase()
    noun = ~pl.col("single") | pl.col("pos").is_in(list(tags)).fill_null(value=False)
    kind = pl.when(noun).then(pl.lit(NOUN)).otherwise("pos")
    some = frame.select(
        noun.alias("nominal"),
        kind.alias("mention_type"),
        "pos",
        pl.coalesce("lemma", pl.when(pl.col("form") != "_").then(lowered)).alias("lemma"),
    )
    columns = some.get_columns()
    return columns if frame["pos"].null_count() < len(frame) else columns[:1]


def _form(words: Sets, nodes: CommonNodes) -> pl.Series:
    """Return the words of each mention, with spaces."""
    forms = nodes.form.gather(pl.Series(nodes.at(words.value)))
    frame = pl.DataFrame({"mention": words.owner, "form": forms})
    return frame.group_by("mention", maintain_order=True).agg(pl.col("form").str.join(" "))["form"]
