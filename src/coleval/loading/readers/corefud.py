"""CorefUD: CoNLL-U with the entities of words and empty nodes in MISC, as ``Entity=(e1-person-1-``.

``# global.Entity = eid-etype-head-other`` names the fields of an opening bracket; a closing one has
the name of the entity alone. A mention is in one sentence. Bridging and split antecedents are
left where they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import raise_earliest, unreadable
from coleval.errors import DataError
from coleval.loading.readers.brackets import chain_numbers, coded
from coleval.loading.readers.conllu_lines import columns_of, conllu_lines
from coleval.loading.readers.entity_parts import ENTITY, Mentions, entity_brackets, mentions_of
from coleval.loading.readers.lines import one_line_end
from coleval.loading.readers.model import NODES, MentionFile, MentionWords, Nodes
from coleval.loading.readers.names import unique

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.corpus.problems import Problem
    from coleval.corpus.selection import Selection
    from coleval.loading.readers.conllu_lines import ConlluLines
    from coleval.loading.readers.source import Source

_TEXT = ("form", "lemma", "upos", "deps")
_ID = r"^([0-9]+)\.([0-9]+)$"


def read_corefud(source: Source, selection: Selection, *, texts: bool = True) -> MentionFile:  # noqa: ARG001
    """Return the mentions of a file, with their words and heads."""
    data = one_line_end(source.text)
    columns = columns_of(data, source.path)
    if "misc" not in columns:
        raise DataError(
            "no column is called MISC, which holds the entities",
            where=source.path,
            remedy="CorefUD has the columns of CoNLL-U; other formats: --format",
        )
    edges = "deps" if "deps" in columns else ""
    chosen = _chosen(selection, columns)
    wanted = {"misc", *(c for c in _TEXT if c in columns), *chosen.values()}
    rows = conllu_lines(data, source.path, wanted, edges=edges, columns=columns)
    source.forget()
    documents, names = rows.documents
    own = np.zeros(len(rows.line), np.int32) if documents is None else documents
    names = names or unique([""])
    nodes, misc = _nodes(rows, own, source.path, chosen)
    raise_earliest(_entity_of_token(rows), source.path)
    found = entity_brackets(nodes, misc, rows.comments, source.path)
    return _file(source.path, names, nodes, mentions_of(found, nodes, source.path), own)


def _chosen(selection: Selection, columns: tuple[str, ...]) -> dict[str, str]:
    """Return the columns of lemmas and parts of speech: UPOS, or those chosen."""
    from coleval.corpus.selection import position

    parts = {"pos": "upos", "lemma": "lemma", "form": "form"}
    for part, column in selection.picks.items():
        if part in parts:
            name = column.lower() if isinstance(column, str) else column
            at = position(name, header=columns, width=len(columns), where="--columns")
            parts[part] = columns[at]
    return {part: column for part, column in parts.items() if column in columns}


def _nodes(
    rows: ConlluLines, document: NDArray[np.int32], path: str, chosen: dict[str, str]
) -> tuple[Nodes, pl.Series]:
    """Return words and empty nodes in their order, and what each has in MISC."""
    word, empty = _numbers(rows, path)
    sentence = np.concatenate([rows.sentence, rows.nodes["sentence"].to_numpy()])
    home = document[rows.first][sentence]
    # Each sentence has a place before its first word, for empty nodes that are there.
    base = rows.first.astype(np.int64) + np.arange(len(rows.first))
    begins = np.flatnonzero(np.diff(document[rows.first], prepend=-1))
    base -= base[begins][document[rows.first]]
    start = base[sentence] * NODES
    place = start + word * NODES + empty
    order = np.lexsort((place, home))
    text = _text(rows, chosen)[pl.Series(order)]
    line = np.concatenate([rows.line, rows.nodes["line"].to_numpy().astype(np.uint32)])
    nodes = Nodes(
        home[order].astype(np.int32), place[order], start[order], line[order],
        text["form"], text["lemma"], text["pos"], text["deps"],
    )  # fmt: skip
    return nodes, text["misc"]


def _numbers(rows: ConlluLines, path: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return of words and empty nodes the number of the word, and that of the empty node."""
    own = (np.arange(len(rows.line)) - rows.first[rows.sentence] + 1).astype(np.int64)
    ids = rows.nodes["id"].str.extract_groups(_ID).struct.unnest()
    before, empty = (ids[name].cast(pl.Int64).to_numpy() for name in ids.columns)
    for at in np.flatnonzero((empty >= NODES) | (empty < 1))[:1]:
        raise DataError(
            f"the empty node {rows.nodes['id'][int(at)]} has no number from 1 to {NODES - 1}",
            where=f"{path}:{rows.nodes['line'][int(at)]}",
            remedy="number empty nodes one after the other: 3.1, 3.2",
        )
    return np.concatenate([own, before]), np.concatenate([np.zeros(len(own), np.int64), empty])


def _text(rows: ConlluLines, chosen: dict[str, str]) -> pl.DataFrame:
    """Return form, lemma, part of speech, edges and MISC of words, then of empty nodes."""
    frames = []
    for frame, edges in ((rows.words, None), (rows.nodes, "deps")):
        columns = {
            name: frame[chosen[name]] if name in chosen else pl.repeat("_", len(frame), eager=True)
            for name in ("form", "lemma", "pos")
        }
        known = edges if edges in frame.columns else None
        deps = frame[known] if known else pl.repeat(None, len(frame), dtype=pl.String, eager=True)
        frames.append(pl.DataFrame({**columns, "deps": deps, "misc": frame["misc"]}))
    return pl.concat(frames)


def _entity_of_token(rows: ConlluLines) -> Iterator[Problem]:
    """Yield the first token of several words that has an entity: those are of words."""
    tokens = rows.parts.filter(pl.col("id").str.contains("-", literal=True))
    some = tokens.filter(pl.col("misc").str.contains(ENTITY))
    for line, name in some.select("line", "id").head(1).iter_rows():
        yield unreadable(
            line,
            f"the token {name} has an Entity=",
            "entities are those of words and empty nodes: move it to the first or the last word",
        )


def _file(
    path: str,
    names: tuple[str, ...],
    nodes: Nodes,
    found: Mentions,
    document: NDArray[np.int32],
) -> MentionFile:
    """Return the mentions in the order in which they open."""
    first, last = found.node[found.begin[:-1]], found.node[found.begin[1:] - 1]
    home = nodes.document[first]
    code, known = coded(found.eid)
    chain, _ = chain_numbers(home, code, len(known))
    name = np.zeros(int(chain.max(initial=-1)) + 1, np.int64)
    name[chain] = np.arange(len(chain))
    unit = _units(nodes)
    return MentionFile(
        path=path,
        documents=names,
        units=np.bincount(document, minlength=len(names)).astype(np.int64),
        document=home,
        start=unit[first],
        end=unit[last],
        chain=chain,
        line=nodes.line[first],
        names=found.eid.gather(pl.Series(name)),
        texts=None,
        columns={},
        words=MentionWords(nodes, found.begin, found.node, found.head, found.etype),
    )


def _units(nodes: Nodes) -> NDArray[np.int32]:
    """Return the number of each word in its document; of an empty node, that of the word before."""
    words = np.cumsum(~nodes.empty)
    begins = np.flatnonzero(np.diff(nodes.document, prepend=-1))
    before = np.where(begins > 0, words[begins - 1], 0)
    own = words - np.repeat(before, np.diff(np.append(begins, len(nodes))))
    return np.maximum(own - 1, 0).astype(np.int32)
