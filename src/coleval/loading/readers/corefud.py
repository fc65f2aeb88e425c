"""CorefUD: CoNLL-U with the entities of words and empty nodes in MISC, as ``Entity=(e1-person-1-``.

``# global.Entity = eid-etype-head-other`` names the fields of an opening bracket; a closing one has
the name of the entity alone, ``e1[1/2]`` is the first of two parts. A mention is in one sentence.
Bridging and split antecedents are left where they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import raise_earliest, unreadable
from coleval.errors import DataError
from coleval.loading.readers.conllu_lines import columns_of, conllu_lines
from coleval.loading.readers.coref import Brackets, chain_numbers, coded, matched
from coleval.loading.readers.lines import one_line_end, whole_numbers
from coleval.loading.readers.model import NODES, MentionFile, MentionWords, Nodes
from coleval.loading.readers.names import unique

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.corpus.problems import Problem
    from coleval.corpus.selection import Selection
    from coleval.loading.readers.conllu_lines import ConlluLines
    from coleval.loading.readers.source import Source

    Numbers = NDArray[np.int64]


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


@dataclass(frozen=True, slots=True)
class Mentions:
    """The nodes of each mention, in the order in which they open; head is one of them, or -1."""

    eid: pl.Series
    begin: Numbers
    node: Numbers
    head: Numbers
    etype: pl.Series | None


@dataclass(frozen=True, slots=True)
class _Parts:
    """Stretches of nodes: the bracket that opens each, first and last node, sorted by mention.

    ``fresh`` tells the first part of each mention.
    """

    bracket: NDArray[np.intp]
    first: Numbers
    last: Numbers
    fresh: NDArray[np.bool_]


def mentions_of(found: EntityBrackets, nodes: Nodes, path: str) -> Mentions:
    """Return the mentions; raise for the first that is not whole."""
    open_, close, _, _ = matched(found.brackets, path)
    position = found.brackets.position.astype(np.int64)
    first, last = position[open_], position[close]
    raise_earliest(_long(found, nodes, open_, first, last), path)
    parts = _sorted(found, nodes, open_, first, last)
    raise_earliest(_incomplete(found, nodes, parts), path)
    size = parts.last - parts.first + 1
    begin = np.append(np.cumsum(size) - size, size.sum()).astype(np.int64)
    node = np.arange(int(begin[-1])) - np.repeat(begin[:-1] - parts.first, size)
    starts = np.flatnonzero(parts.fresh)
    limits = np.append(begin[starts], begin[-1])
    head = _heads(found, parts, starts, limits, path)
    own = pl.Series(parts.bracket[starts])
    etype = None if found.etype is None else found.etype.gather(own)
    # Where there is none, any node will do to be looked at.
    head = np.where(head < 0, -1, node[limits[:-1] + np.maximum(head, 0)])
    return Mentions(found.eid.gather(own), limits, node, head, etype)


def _long(
    found: EntityBrackets, nodes: Nodes, open_: NDArray[np.intp], first: Numbers, last: Numbers
) -> Iterator[Problem]:
    """Yield the first mention that does not end in the sentence in which it begins."""
    for at in np.flatnonzero(nodes.first[first] != nodes.first[last])[:1]:
        name = found.brackets.name(int(open_[at]))
        yield unreadable(
            int(nodes.line[first[at]]),
            f"the mention ({name} closes in another sentence, in line {nodes.line[last[at]]}",
            f"a mention is in one sentence: close it there with `{name})`",
        )


def _sorted(
    found: EntityBrackets, nodes: Nodes, open_: NDArray[np.intp], first: Numbers, last: Numbers
) -> _Parts:
    """Return the stretches by mention.

    Of the parts of one entity in one sentence, the first 1/2 goes with the first 2/2.
    """
    part, total = found.part[open_], found.parts[open_]
    frame = pl.DataFrame(
        {
            "at": np.arange(len(open_)),
            "document": nodes.document[first],
            "sentence": nodes.first[first],
            "eid": found.eid.gather(pl.Series(open_)),
            "total": total,
            "part": part,
        }
    )
    same = ["document", "sentence", "eid", "total"]
    several = frame.filter(pl.col("total") > 1)
    turn = several.with_columns(turn=pl.int_range(pl.len()).over([*same, "part"]))
    group = turn.with_columns(opened=pl.col("at").min().over([*same, "turn"])).select(
        "at", "opened", "part"
    )
    opened, place = np.arange(len(open_)), np.ones(len(open_), np.int64)
    opened[group["at"].to_numpy()] = group["opened"].to_numpy()
    place[group["at"].to_numpy()] = group["part"].to_numpy()
    order = np.lexsort((place, opened))
    fresh = np.diff(opened[order], prepend=-1) != 0
    return _Parts(open_[order], first[order], last[order], fresh)


def _incomplete(found: EntityBrackets, nodes: Nodes, parts: _Parts) -> Iterator[Problem]:
    """Yield the first mention of which a part is missing, or that has parts in another order."""
    starts = np.flatnonzero(parts.fresh)
    count = np.diff(np.append(starts, len(parts.fresh)))
    turn = np.arange(len(parts.fresh)) - np.repeat(starts, count) + 1
    total = found.parts[parts.bracket]
    wrong = (found.part[parts.bracket] != turn) | (np.repeat(count, count) != total)
    for at in np.flatnonzero(wrong)[:1]:
        mention = np.searchsorted(starts, at, side="right") - 1
        own = parts.bracket[starts[mention] : starts[mention] + count[mention]]
        lacking = sorted(set(range(1, int(total[at]) + 1)) - set(found.part[own].tolist()))
        eid = found.eid[int(parts.bracket[at])]
        name = f"{eid}[{lacking[0] if lacking else 1}/{total[at]}]"
        yield unreadable(
            int(nodes.line[parts.first[at]]),
            f"the mention of `{eid}` has no part {name} in this sentence",
            f"a mention in {total[at]} parts has {eid}[1/{total[at]}] to "
            f"{eid}[{total[at]}/{total[at]}], in this order",
        )
    crossed = ~parts.fresh[1:] & (parts.first[1:] <= parts.last[:-1])
    for at in np.flatnonzero(crossed)[:1] + 1:
        name = found.brackets.name(int(parts.bracket[at]))
        yield unreadable(
            int(nodes.line[parts.first[at]]),
            f"the part {name} begins before the part before it ends",
            "parts of a mention follow one another, without words in common",
        )


def _heads(
    found: EntityBrackets, parts: _Parts, starts: NDArray[np.intp], limits: Numbers, path: str
) -> Numbers:
    """Return the place of each head in its mention, from 0, -1 for none: the last part's."""
    ends = np.append(starts[1:], len(parts.fresh))[: len(starts)] - 1
    bracket = parts.bracket[ends]
    text = found.head.gather(pl.Series(bracket))
    number = whole_numbers(text)
    size = np.diff(limits)
    value = number.fill_null(0).to_numpy()
    wrong = text.is_not_null().to_numpy() & ((value < 1) | (value > size))
    raise_earliest(_no_head(found, bracket, text, size, wrong), path)
    return np.where(text.is_null().to_numpy(), -1, value - 1)


def _no_head(
    found: EntityBrackets,
    bracket: NDArray[np.intp],
    text: pl.Series,
    size: Numbers,
    wrong: NDArray[np.bool_],
) -> Iterator[Problem]:
    for at in np.flatnonzero(wrong)[:1]:
        words = "1 word" if size[at] == 1 else f"{size[at]} words"
        yield unreadable(
            int(found.brackets.line[bracket[at]]),
            f"the head `{text[int(at)]}` of a mention of `{found.eid[int(bracket[at])]}` is none "
            f"of its {words}",
            "the head is the number of a word in the mention, from 1",
        )


ENTITY = r"(?:^|\|)Entity=([^|]*)"
_HEADER = re.compile(r"^#\s*global\.Entity\s*=\s*(\S+)\s*$")
_PIECE = r"\([^()]+\)?|[^()]+\)"
_WHOLE = r"^(?:\([^()]+\)?|[^()]+\))+$"
_PART = r"^(.*)\[([0-9]{1,6})/([0-9]{1,6})\]$"
# Other names of fields: those of UD_English-GUM before CorefUD 1.0.
_FORMER = {"GRP": "eid", "entity": "etype"}
_EXAMPLE = "# global.Entity = eid-etype-head-other"


@dataclass(frozen=True, slots=True)
class EntityBrackets:
    """Every bracket: ``brackets`` have the whole name, ``eid`` the entity without its part.

    ``part`` of ``parts`` is 1 of 1 where a mention has no holes. ``head`` and ``etype`` are null
    where a bracket does not open, or does not say.
    """

    brackets: Brackets
    eid: pl.Series
    part: NDArray[np.int64]
    parts: NDArray[np.int64]
    head: pl.Series
    etype: pl.Series | None


def entity_brackets(
    nodes: Nodes, misc: pl.Series, comments: pl.DataFrame, path: str
) -> EntityBrackets:
    """Return the brackets of all nodes in their order; raise for the first that is none."""
    entity = misc.str.extract(ENTITY)
    where = entity.is_not_null().arg_true().to_numpy()
    headers = _headers(comments, path)
    texts = entity.gather(pl.Series(where))
    raise_earliest(_problems(texts, nodes.line[where], headers), path)
    pieces = texts.str.extract_all(_PIECE)
    flat = pieces.explode(empty_as_null=False)
    node = np.repeat(where, pieces.list.len().to_numpy())
    opens = flat.str.starts_with("(").to_numpy()
    fields = _fields(flat.str.strip_chars("()"), opens, nodes.line[node], headers)
    code, names = coded(fields["eid"].fill_null(""))
    brackets = Brackets(
        opens=opens,
        closes=flat.str.ends_with(")").to_numpy(),
        code=code,
        names=names,
        document=nodes.document[node],
        position=node.astype(np.int32),
        line=nodes.line[node],
    )
    raise_earliest(_nameless(brackets, flat), path)
    return _in_parts(brackets, fields, path)


def _headers(comments: pl.DataFrame, path: str) -> list[tuple[int, list[str]]]:
    """Return the lines that name fields, and what they name."""
    some = comments.filter(pl.col("text").str.contains(r"^#\s*global\.Entity\b"))
    found = []
    for line, text in some.select("line", "text").sort("line").iter_rows():
        named = _HEADER.match(text)
        fields = [_FORMER.get(f, f) for f in named[1].split("-")] if named else []
        if fields.count("eid") != 1 or fields.count("head") > 1 or fields.count("etype") > 1:
            raise DataError(
                f"`{text.strip()}` does not name the fields of entities",
                where=f"{path}:{line}",
                remedy=f"there is one eid among them, and each is there once: {_EXAMPLE}",
            )
        found.append((line, fields))
    return found


def _problems(
    texts: pl.Series, line: NDArray[np.uint32], headers: list[tuple[int, list[str]]]
) -> Iterator[Problem]:
    first = headers[0][0] if headers else np.iinfo(np.int64).max
    for at in np.flatnonzero(line < first)[:1]:
        yield unreadable(
            int(line[at]),
            f"`Entity={texts[int(at)]}` comes before any `# global.Entity`",
            f"name the fields of entities at the top: {_EXAMPLE}",
        )
    for at in (~texts.str.contains(_WHOLE)).arg_true()[:1]:
        yield unreadable(
            int(line[at]),
            f"`Entity={texts[at]}` is not a list of brackets",
            "a mention is opened by (e1-person-1- and closed by e1), or both: (e1-person-1-)",
        )


def _fields(
    text: pl.Series,
    opens: NDArray[np.bool_],
    line: NDArray[np.uint32],
    headers: list[tuple[int, list[str]]],
) -> pl.DataFrame:
    """Return name, head and type of each bracket, by the last header above it."""
    lists = text.str.split("-")
    known = {name for _, fields in headers for name in fields} & {"eid", "head", "etype"}
    at = np.searchsorted([number for number, _ in headers], line) - 1
    columns = {}
    for name in ("eid", "head", "etype"):
        value = pl.repeat(None, len(text), dtype=pl.String, eager=True)
        for number, (_, fields) in enumerate(headers if name in known else ()):
            if name in fields:
                mask = pl.Series(opens & (at == number))
                value = lists.list.get(fields.index(name), null_on_oob=True).zip_with(mask, value)
        columns[name] = value
    # A bracket that closes has the name alone.
    columns["eid"] = columns["eid"].zip_with(pl.Series(opens), text)
    frame = pl.DataFrame(columns)
    nothing = pl.col("head", "etype") == ""
    return frame.with_columns(pl.when(~nothing).then(pl.col("head", "etype")))


def _nameless(found: Brackets, flat: pl.Series) -> Iterator[Problem]:
    nameless = (found.names == "").to_numpy()[found.code]
    for at in np.flatnonzero(nameless)[:1]:
        yield unreadable(
            int(found.line[at]),
            f"`{flat[int(at)]}` has no eid",
            "an entity has a name: (e1-person-1-",
        )


def _in_parts(brackets: Brackets, fields: pl.DataFrame, path: str) -> EntityBrackets:
    """Return the brackets with the entities and the parts that names tell of."""
    eid, part, parts = brackets.names.str.extract_groups(_PART).struct.unnest().get_columns()
    whole = part.is_null()
    place = part.cast(pl.Int64).fill_null(1).to_numpy()
    total = parts.cast(pl.Int64).fill_null(1).to_numpy()
    wrong = (place < 1) | (place > total) | (~whole.to_numpy() & (total < 2))
    raise_earliest(_no_part(brackets, wrong), path)
    known = fields["etype"].null_count() < len(fields)
    code = brackets.code
    return EntityBrackets(
        brackets, brackets.names.zip_with(whole, eid).gather(pl.Series(code)), place[code],
        total[code], fields["head"], fields["etype"] if known else None,
    )  # fmt: skip


def _no_part(brackets: Brackets, wrong: NDArray[np.bool_]) -> Iterator[Problem]:
    names = brackets.names
    cut = names.str.contains(r"[\[\]]") & ~names.str.contains(_PART)
    for at in np.flatnonzero((wrong | cut.to_numpy())[brackets.code])[:1]:
        yield unreadable(
            int(brackets.line[at]),
            f"`{brackets.name(at)}` is not a part of a mention",
            "the parts of a mention with holes are e1[1/2] and e1[2/2]",
        )
