"""Mentions of CorefUD: sets of words and empty nodes that meet across files, and by their heads.

A mention of a system that is one of gold's stands in the row of gold's; those that are none of
gold's have rows of their own, shared by systems that have the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.options import NOMINAL
from coleval.corpus.problems import Problem
from coleval.errors import UsageError
from coleval.kernels.mention_matching import (
    DEPENDENT,
    EXACT,
    HEAD,
    LINEAR,
    MatchedSide,
    Sets,
    partners,
    words_in_common,
)
from coleval.loading.readers.model import NODES
from coleval.loading.tasks.mention_nodes import CommonNodes, common_nodes, worded
from coleval.loading.tasks.mentions import MentionLayer, once

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.corpus.options import Reading
    from coleval.loading.readers.model import MentionFile, MentionWords
    from coleval.loading.tasks.mentions import Places

    Numbers = NDArray[np.int64]

# Tags of Universal Dependencies that are nominal.
_NOMINAL = ("NOUN", "PROPN")


@dataclass(frozen=True, slots=True)
class WordedMentions:
    """The mentions of all files, gold's first, with a layer for each file.

    A key of a layer is twice the ``same`` of a mention, and one more for what is none of gold's.
    """

    layers: Mapping[str, MentionLayer]
    mentions: MatchedSide
    nodes: CommonNodes
    etype: pl.Series | None
    overlaps: Mapping[str, tuple[int, int]]

    def shown(self, key: Numbers) -> Numbers:
        """Return a mention for each key, gold's own where it has that."""
        same = self.mentions.same
        table = np.zeros(int(same.max(initial=-1)) + 1, np.int64)
        # What is written last stays.
        table[same[::-1]] = np.arange(len(same))[::-1]
        return table[key >> 1]


def settled(reading: Reading, files: Mapping[str, MentionFile]) -> Reading:
    """Return the options with how mentions are matched; raise where files cannot be matched so."""
    if files[""].words is None:
        _only_exact(reading, files)
        return replace(reading, mention_match="")
    match = reading.mention_match or HEAD
    for name, file in files.items():
        if file.words is None and match != EXACT:
            raise UsageError(
                f"mentions of `{name}` have no heads, which --mention-match {match} compares",
                where=file.path,
                remedy="write the system's mentions as CorefUD too, or use --mention-match exact",
            )
    nominal = _NOMINAL if reading.nominal == NOMINAL else reading.nominal
    zeros = reading.zero_match or DEPENDENT
    return replace(reading, mention_match=match, zero_match=zeros, nominal=nominal)


def _only_exact(reading: Reading, files: Mapping[str, MentionFile]) -> None:
    gold = files[""]
    for given, flag in ((reading.mention_match, "mention"), (reading.zero_match, "zero")):
        if given not in ("", EXACT, LINEAR):
            raise UsageError(
                f"gold's mentions have neither heads nor empty nodes, which --{flag}-match {given} "
                "compares",
                where=gold.path,
                remedy=f"leave --{flag}-match out, or give gold as CorefUD (--format corefud)",
            )
    for name, file in files.items():
        if file.words is not None:
            raise UsageError(
                f"`{name}` is CorefUD, and gold is not ({gold.path})",
                where=file.path,
                remedy="give gold as CorefUD too, or the system in the format of gold",
            )


def worded_mentions(
    files: Mapping[str, MentionFile], places: Places, reading: Reading
) -> WordedMentions:
    """Return the mentions of CorefUD files, matched with gold's."""
    nodes = common_nodes(files, places)
    words = {name: worded(file, name, files, nodes) for name, file in files.items()}
    every = _together(words, nodes, by_head=reading.mention_match == HEAD)
    layers: dict[str, MentionLayer] = {}
    overlaps = {}
    begin, gold = 0, every
    for name, file in files.items():
        own = np.arange(begin, begin := begin + len(file))
        document = nodes.home[name][file.document]
        rows, layer = once(file, every.same[own], every.words.size[own], document, reading)
        side = every.of(own[rows])
        gold = gold if name else side
        words_of_side = len(side.words.value)
        shared = words_in_common(gold, side) if name else words_of_side
        overlaps[name] = (shared, words_of_side)
        notes = (*layer.notes, *nodes.notes[name], *_headless(file, rows, reading))
        layers[name] = _on_gold(replace(layer, notes=notes), gold, side, reading)
    etypes = [_etype(words[name], len(file)) for name, file in files.items()]
    known = words[""].etype is not None
    return WordedMentions(layers, every, nodes, pl.concat(etypes) if known else None, overlaps)


def _on_gold(
    layer: MentionLayer, gold: MatchedSide, side: MatchedSide, reading: Reading
) -> MentionLayer:
    """Return a layer with the keys of those mentions of gold that its own are."""
    own = 2 * side.same
    if side is not gold:
        found = partners(gold, side, match=reading.mention_match, zeros=reading.zero_match)
        own = np.where(found >= 0, 2 * gold.same[found], own + 1) if len(gold) else own + 1
    order = np.argsort(own, kind="stable")
    return MentionLayer(own[order], layer.chain[order], layer.notes)


def _together(
    words: Mapping[str, MentionWords], nodes: CommonNodes, *, by_head: bool
) -> MatchedSide:
    """Return all mentions; ``same`` rises with the text, and tells heads apart if they count."""
    value = np.concatenate([nodes.of[name][one.node] for name, one in words.items()])
    begin = np.append(0, np.cumsum(np.concatenate([one.size for one in words.values()])))
    sets = Sets(begin.astype(np.int64), value)
    first = value[begin[:-1]]
    heads = [nodes.of[n][np.maximum(one.head, 0)] for n, one in words.items()]
    head = np.concatenate(heads)
    named = np.concatenate([one.head for one in words.values()]) >= 0
    # As the scorer has it: the first word, where the file names none.
    head = np.where(named, head, first)
    zero = head % NODES != 0
    edges, above = _edges(_deps(words, zero))
    same = _ranked(sets, head if by_head else np.zeros_like(head))
    sentence = nodes.first[nodes.at(head)]
    document = np.searchsorted(nodes.begins, head, side="right") - 1
    return MatchedSide(same, document, sets, head, zero, sentence, edges, above)


def _deps(words: Mapping[str, MentionWords], zero: NDArray[np.bool_]) -> pl.Series:
    """Return the DEPS of the head of each zero, null for other mentions."""
    parts = []
    for one in words.values():
        head = np.where(one.head >= 0, one.head, one.node[one.begin[:-1]])
        parts.append(one.nodes.edges.gather(pl.Series(head)))
    deps = pl.concat(parts)
    nothing = pl.Series([None], dtype=pl.String)
    return deps.zip_with(pl.Series(zero) & (deps != "_"), nothing)


def _edges(deps: pl.Series) -> tuple[Sets, Sets]:
    """Return the edges above each zero, and the heads of these."""
    some = pl.DataFrame({"mention": np.arange(len(deps)), "edge": deps.str.split("|")})
    each = some.drop_nulls().explode("edge", empty_as_null=True)
    each = each.with_columns(head=pl.col("edge").str.extract(r"^([^:]*)"))
    return _sets(each, "edge", len(deps)), _sets(each, "head", len(deps))


def _sets(each: pl.DataFrame, column: str, n: int) -> Sets:
    code = pl.col(column).rank("dense").cast(pl.Int64)
    own = each.select("mention", code.alias("code")).unique().sort("mention", "code")
    size = np.bincount(own["mention"].to_numpy(), minlength=n)
    return Sets(np.append(0, np.cumsum(size)), own["code"].to_numpy())


def _ranked(sets: Sets, head: Numbers) -> Numbers:
    """Return a number for each mention that equal ones share: by first word, last word, size."""
    size = sets.size
    frame = pl.DataFrame(
        {
            "first": sets.value[sets.begin[:-1]],
            "last": sets.value[sets.begin[1:] - 1],
            "size": size,
            "words": _spelled(sets, np.flatnonzero(holes(sets))),
            "head": head,
        }
    )
    known = frame.unique().sort(frame.columns).with_row_index("same")
    found = frame.join(known, on=frame.columns, how="left", maintain_order="left")
    return found["same"].cast(pl.Int64).to_numpy()


def holes(sets: Sets) -> NDArray[np.bool_]:
    """Tell which mentions are more than words one after the other: with holes, or empty nodes."""
    odd = sets.value % NODES != 0
    inside = np.ones(len(sets.value), np.bool_)
    inside[sets.begin[:-1]] = False
    odd |= inside & (np.diff(sets.value, prepend=0) != NODES)
    return np.bincount(sets.owner[odd], minlength=len(sets.size)) > 0


def _spelled(sets: Sets, rows: NDArray[np.intp]) -> pl.Series:
    """Return the places of some mentions as text, nothing for others."""
    some = sets.of(rows)
    frame = pl.DataFrame({"mention": rows[some.owner], "place": some.value})
    texts = frame.group_by("mention", maintain_order=True).agg(
        pl.col("place").cast(pl.String).str.join(",")
    )
    nothing = pl.repeat("", len(sets.size), eager=True)
    return nothing.scatter(texts["mention"], texts["place"]) if len(rows) else nothing


def _headless(file: MentionFile, rows: NDArray[np.intp], reading: Reading) -> tuple[Problem, ...]:
    """Return that heads of mentions are not there, where they count."""
    if file.words is None or reading.mention_match == EXACT:
        return ()
    lacking = np.sort(rows[(file.words.head[rows] < 0) & (file.words.size[rows] > 1)])
    if not len(lacking):
        return ()
    text = "a mention of several words has no head"
    remedy = "its first word counts as its head, as in the CorefUD scorer"
    line = int(file.line[lacking[0]])
    return (Problem(file.path, line, "heads", text, remedy, len(lacking), fatal=False),)


def _etype(words: MentionWords, n: int) -> pl.Series:
    nothing = pl.repeat(None, n, dtype=pl.String, eager=True)
    return nothing if words.etype is None else words.etype
