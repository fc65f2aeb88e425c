"""Mentions of CorefUD: sets of words and empty nodes that meet across files, and by their heads.

A mention of a system that is one of gold's stands in the row of gold's; those that are none of
gold's have rows of their own, shared by systems that have the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.lazy import LazyColumn
from coleval.corpus.options import NOMINAL
from coleval.corpus.problems import Problem
from coleval.counts.mention_matching import (
    DEPENDENT,
    EXACT,
    HEAD,
    LINEAR,
    MatchedSide,
    Sets,
    partners,
    words_in_common,
)
from coleval.errors import DataError, UsageError
from coleval.loading.readers.model import NODES, MentionWords
from coleval.loading.readers.steps import flat
from coleval.loading.tasks.mentions import NOUN, MentionLayer, once
from coleval.loading.tasks.tag import joined_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.options import Reading
    from coleval.loading.readers.model import MentionFile, Nodes
    from coleval.loading.tasks.mentions import Places

    Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CommonNodes:
    """Every word of gold and every empty node of any file, by place: rising, and each once.

    ``of`` has the place of each node of each file, ``home`` gold's number of each document of it,
    ``first`` the first place of the sentence. ``notes`` are words that are not gold's.
    """

    place: Numbers
    first: Numbers
    form: pl.Series
    lemma: pl.Series
    upos: pl.Series
    of: Mapping[str, Numbers]
    home: Mapping[str, Numbers]
    begins: Numbers
    notes: Mapping[str, tuple[Problem, ...]]

    def at(self, place: Numbers) -> Numbers:
        """Return the row of each place."""
        return np.searchsorted(self.place, place)

    def words_before(self, place: Numbers) -> Numbers:
        """Return how many words of its document are before each place."""
        words = self.place[self.place % NODES == 0]
        document = np.searchsorted(self.begins, place, side="right") - 1
        start = np.searchsorted(words, self.begins)
        return np.searchsorted(words, place) - start[document]


def common_nodes(files: Mapping[str, MentionFile], places: Places) -> CommonNodes:
    """Return the nodes of some files; raise where a system has other sentences than gold."""
    gold = files[""]
    assert gold.words is not None  # noqa: S101  - the caller has looked
    nodes = gold.words.nodes
    # The place in the corpus at which each document of gold begins.
    ends = np.flatnonzero(np.diff(nodes.document, append=-1))
    size = (nodes.place[ends] // NODES + 2) * NODES
    begins = np.cumsum(size) - size
    home = {n: np.array([places.place[d] for d in f.documents], np.int64) for n, f in files.items()}
    of, notes = {}, {}
    for name, file in files.items():
        own = nodes if file.words is None else file.words.nodes
        # A system in another format has gold's own words.
        documents = home[""] if file.words is None else home[name]
        of[name] = begins[documents[own.document]] + own.place
        notes[name] = _unlike(gold.path, nodes, of[""], file.path, own, of[name]) if name else ()
    every = [(of[n], f.words.nodes) for n, f in files.items() if f.words is not None]
    place = np.concatenate([own for own, _ in every])
    sentence = np.concatenate([own - one.place + one.first for own, one in every])
    kept, at = np.unique(place, return_index=True)
    form, lemma, upos = (
        pl.concat([getattr(one, name) for _, one in every]).gather(pl.Series(at))
        for name in ("form", "lemma", "upos")
    )
    return CommonNodes(kept, sentence[at], form, lemma, upos, of, home, begins, notes)


def _unlike(
    path: str, gold: Nodes, ours: Numbers, own_path: str, own: Nodes, theirs: Numbers
) -> tuple[Problem, ...]:
    """Return that words are not gold's; raise where sentences are not."""
    if own is gold:
        return ()
    here, there = np.flatnonzero(~gold.empty), np.flatnonzero(~own.empty)
    here = here[np.argsort(ours[here], kind="stable")]
    there = there[np.argsort(theirs[there], kind="stable")]
    for at in np.flatnonzero(ours[here] != theirs[there])[:1]:
        row, gold_row = int(there[at]), int(here[at])
        word, gold_word = (
            int((side.place[k] - side.first[k]) // NODES)
            for side, k in ((own, row), (gold, gold_row))
        )
        raise DataError(
            f"the sentences are not gold's: `{own.form[row]}` is word {word} of its sentence, "
            f"word {gold_word} in gold ({path}:{gold.line[gold_row]})",
            where=f"{own_path}:{own.line[row]}",
            remedy="keep gold's words and sentences; only empty nodes and entities may differ",
        )
    differ = (gold.form.gather(pl.Series(here)) != own.form.gather(pl.Series(there))).arg_true()
    if not len(differ):
        return ()
    at = differ[0]
    text = f"the word `{own.form[int(there[at])]}` is `{gold.form[int(here[at])]}` in gold"
    remedy = "words are matched by their numbers; are these the same texts?"
    line = int(own.line[there[at]])
    return (Problem(own_path, line, "tokens", text, remedy, len(differ), fatal=False),)


# Tags of Universal Dependencies that are nominal.
_NOMINAL = ("NOUN", "PROPN")


def settled(reading: Reading, files: Mapping[str, MentionFile]) -> Reading:
    """Return the options with how mentions are matched; raise where files cannot be matched so."""
    gold = files[""]
    if gold.words is not None:
        match = reading.mention_match or HEAD
        for name, file in files.items():
            if file.words is None and match != EXACT:
                raise UsageError(
                    f"mentions of `{name}` have no heads, which --mention-match {match} compares",
                    where=file.path,
                    remedy="write the system's mentions as CorefUD too, or use --mention-match "
                    "exact",
                )
        nominal = _NOMINAL if reading.nominal == NOMINAL else reading.nominal
        zeros = reading.zero_match or DEPENDENT
        return replace(reading, mention_match=match, zero_match=zeros, nominal=nominal)
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
    return replace(reading, mention_match="")


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


def worded_mentions(
    files: Mapping[str, MentionFile], places: Places, reading: Reading
) -> WordedMentions:
    """Return the mentions of CorefUD files, matched with gold's."""
    nodes = common_nodes(files, places)
    words = {name: _words_of(file, name, files[""], nodes) for name, file in files.items()}
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
        # The keys of those mentions of gold that its own are.
        key = 2 * side.same
        if name:
            found = partners(gold, side, match=reading.mention_match, zeros=reading.zero_match)
            key = np.where(found >= 0, 2 * gold.same[found], key + 1) if len(gold) else key + 1
        order = np.argsort(key, kind="stable")
        notes = (*layer.notes, *nodes.notes[name], *_headless(file, rows, reading))
        layers[name] = MentionLayer(key[order], layer.chain[order], notes)
    etype = None
    if words[""].etype is not None:
        nothing = {
            n: pl.repeat(None, len(f), dtype=pl.String, eager=True) for n, f in files.items()
        }
        etypes = [nothing[n] if one.etype is None else one.etype for n, one in words.items()]
        etype = pl.concat(etypes)
    return WordedMentions(layers, every, nodes, etype, overlaps)


def _words_of(file: MentionFile, name: str, gold: MentionFile, common: CommonNodes) -> MentionWords:
    """Return the words of a file's mentions, as words of gold where it has only first and last."""
    if file.words is not None:
        return file.words
    assert gold.words is not None  # noqa: S101  - the caller has looked
    nodes = gold.words.nodes
    offset = np.cumsum(gold.units) - gold.units
    first = offset[common.home[name][file.document]] + file.start
    size = (file.end - file.start + 1).astype(np.int64)
    node = np.flatnonzero(~nodes.empty)[flat(first, first + size)].astype(np.int64)
    begin = np.append(0, np.cumsum(size))
    return MentionWords(nodes, begin, node, np.full(len(file), -1, np.int64))


def _together(
    words: Mapping[str, MentionWords], nodes: CommonNodes, *, by_head: bool
) -> MatchedSide:
    """Return all mentions; ``same`` rises with the text, and tells heads apart if they count."""
    value = np.concatenate([nodes.of[name][one.node] for name, one in words.items()])
    begin = np.append(0, np.cumsum(np.concatenate([one.size for one in words.values()])))
    sets = Sets(begin.astype(np.int64), value)
    # As the scorer has it: the first word, where the file names no head.
    rows = [np.where(one.head >= 0, one.head, one.node[one.begin[:-1]]) for one in words.values()]
    every = list(zip(words, words.values(), rows, strict=True))
    head = np.concatenate([nodes.of[name][row] for name, _, row in every])
    zero = head % NODES != 0
    # The DEPS of the head of each zero.
    deps = pl.concat([one.nodes.edges.gather(pl.Series(row)) for _, one, row in every])
    some = pl.DataFrame({"mention": np.arange(len(deps)), "edge": deps}).filter(
        pl.Series(zero) & (deps != "_")
    )
    each = some.with_columns(pl.col("edge").str.split("|")).explode("edge", empty_as_null=True)
    each = each.with_columns(head=pl.col("edge").str.extract(r"^([^:]*)"))
    same = _ranked(sets, head if by_head else np.zeros_like(head))
    document = np.searchsorted(nodes.begins, head, side="right") - 1
    edges, above = (_sets(each, name, len(deps)) for name in ("edge", "head"))
    return MatchedSide(same, document, sets, head, zero, nodes.first[nodes.at(head)], edges, above)


def _sets(each: pl.DataFrame, column: str, n: int) -> Sets:
    code = pl.col(column).rank("dense").cast(pl.Int64)
    own = each.select("mention", code.alias("code")).unique().sort("mention", "code")
    size = np.bincount(own["mention"].to_numpy(), minlength=n)
    return Sets(np.append(0, np.cumsum(size)), own["code"].to_numpy())


def _ranked(sets: Sets, head: Numbers) -> Numbers:
    """Return a number for each mention that equal ones share: by first word, last word, size."""
    odd = np.flatnonzero(holes(sets))
    frame = pl.DataFrame(
        {
            "first": sets.value[sets.begin[:-1]],
            "last": sets.value[sets.begin[1:] - 1],
            "size": sets.size,
            "words": _spelled(sets, odd, pl.Series(sets.of(odd).value).cast(pl.String)),
            "head": head,
        }
    ).with_columns(pl.col("words").fill_null(""))
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


def _spelled(sets: Sets, rows: NDArray[np.intp], names: pl.Series) -> pl.Series:
    """Return the names of the words of some mentions, one after the other; null for others."""
    frame = pl.DataFrame({"mention": rows[sets.of(rows).owner], "name": names})
    texts = frame.group_by("mention", maintain_order=True).agg(pl.col("name").str.join(","))
    nothing = pl.repeat(None, len(sets.size), dtype=pl.String, eager=True)
    return nothing.scatter(texts["mention"], texts["name"]) if len(rows) else nothing


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


def columns_of(
    found: WordedMentions, key: Numbers, documents: Sequence[str], tags: Sequence[str]
) -> tuple[list[pl.Series], LazyColumn]:
    """Return the columns beside each key, and its text.

    ``tokens`` are the IDs of mentions with holes or empty nodes, null for others; ``zero`` tells
    those headed by an empty node; ``etype`` is gold's.
    """
    same, nodes = found.mentions.same, found.nodes
    # A mention for each key, gold's own where it has that: what is written last stays.
    table = np.zeros(int(same.max(initial=-1)) + 1, np.int64)
    table[same[::-1]] = np.arange(len(same))[::-1]
    rows = table[key >> 1]
    mentions = found.mentions.of(rows)
    words = mentions.words
    first, last = words.value[words.begin[:-1]], words.value[words.begin[1:] - 1]
    document = np.searchsorted(nodes.begins, first, side="right") - 1
    columns = [
        pl.Series("document", document.astype(np.uint32)).cat.to(pl.Enum(documents)),
        pl.Series("start", nodes.words_before(first).astype(np.uint32)),
        pl.Series("end", nodes.words_before(last + 1).astype(np.uint32)),
        pl.Series("words", words.size.astype(np.uint32)),
    ]
    odd = np.flatnonzero(holes(words))
    if len(odd):
        some = words.of(odd)
        # IDs as the sentence numbers its words: 3, and 3.1 for an empty node.
        within = some.value - nodes.first[nodes.at(some.value)]
        number, empty = pl.Series(within // NODES).cast(pl.String), pl.Series(within % NODES)
        ids = (number + "." + empty.cast(pl.String)).zip_with(empty > 0, number)
        columns.append(_spelled(words, odd, ids).alias("tokens"))
    if mentions.zero.any():
        columns.append(pl.Series("zero", mentions.zero))
    columns += _kinds(words.size == 1, nodes, mentions.head, tags)
    if found.etype is not None:
        nothing = pl.Series([None], dtype=pl.String)
        etype = found.etype.gather(pl.Series(rows)).zip_with(pl.Series(key % 2 == 0), nothing)
        columns.append(etype.alias("etype"))

    return columns, LazyColumn.of_whole(partial(_form, words, nodes))


def _form(words: Sets, nodes: CommonNodes) -> pl.Series:
    """Return the words of each mention, with spaces."""
    return joined_words(nodes.form, nodes.at(words.value), words.owner)


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
