"""CorefUD: CoNLL-U with the entities of words and empty nodes in MISC, as ``Entity=(e1-person-1-``.

``# global.Entity = eid-etype-head-other`` names the fields of an opening bracket; a closing one has
the name of the entity alone, ``e1[1/2]`` is the first of two parts. A mention is in one sentence.
Bridging and split antecedents are left where they are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import raise_earliest, unreadable
from coleval.errors import DataError
from coleval.loading.readers.conllu import column_named, columns_of, conllu_lines
from coleval.loading.readers.coref import Brackets, chain_numbers, coded, matched
from coleval.loading.readers.lines import one_line_end, whole_numbers
from coleval.loading.readers.model import NODES, MentionFile, MentionWords, Nodes
from coleval.loading.readers.names import unique
from coleval.loading.readers.steps import flat, steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.corpus.problems import Problem
    from coleval.corpus.selection import Selection
    from coleval.loading.readers.conllu import ConlluLines
    from coleval.loading.readers.source import Source

    Numbers = NDArray[np.int64]

_TEXT = ("form", "lemma", "upos", "deps")
_ID = r"^([0-9]+)\.([0-9]+)$"
ENTITY = r"(?:^|\|)Entity=([^|]*)"
_HEADER = re.compile(r"^#\s*global\.Entity\s*=\s*(\S+)\s*$")
_PIECE = r"\([^()]+\)?|[^()]+\)"
_WHOLE = r"^(?:\([^()]+\)?|[^()]+\))+$"
_PART = r"^(.*)\[([0-9]{1,6})/([0-9]{1,6})\]$"
# Other names of fields: those of UD_English-GUM before CorefUD 1.0.
_FORMER = {"GRP": "eid", "entity": "etype"}
_EXAMPLE = "# global.Entity = eid-etype-head-other"


def read_corefud(source: Source, selection: Selection, *, texts: bool = True) -> MentionFile:  # noqa: ARG001
    """Return the mentions of a file in the order in which they open, with their words and heads."""
    path, data = source.path, one_line_end(source.text)
    columns = columns_of(data, path)
    if "misc" not in columns:
        raise DataError(
            "no column is called MISC, which holds the entities",
            where=path,
            remedy="CorefUD has the columns of CoNLL-U; other formats: --format",
        )
    # Lemmas and parts of speech are those of UPOS, or those chosen.
    chosen = {"pos": "upos", "lemma": "lemma", "form": "form"}
    for part, column in selection.picks.items():
        if part in chosen:
            chosen[part] = column_named(column, "--columns", columns)
    chosen = {part: column for part, column in chosen.items() if column in columns}
    wanted = {"misc", *(c for c in _TEXT if c in columns), *chosen.values()}
    edges = "deps" if "deps" in columns else ""
    rows = conllu_lines(data, path, wanted, edges=edges, columns=columns)
    source.forget()
    number, names = rows.documents
    document = np.zeros(len(rows.line), np.int32) if number is None else number
    names = names or unique([""])
    nodes, misc = _nodes(rows, document, path, chosen)
    tokens = rows.parts.filter(pl.col("id").str.contains("-", literal=True))
    some = tokens.filter(pl.col("misc").str.contains(ENTITY))
    for line, name in some.select("line", "id").head(1).iter_rows():
        problem = f"the token {name} has an Entity="
        remedy = (
            "entities are those of words and empty nodes: move it to the first or the last word"
        )
        raise_earliest([unreadable(line, problem, remedy)], path)
    brackets, said = _brackets(nodes, misc, rows.comments, path)
    bracket, begin, node, head = _mentions(brackets, said, nodes, path)
    said = said[pl.Series(bracket)]
    first, last = node[begin[:-1]], node[begin[1:] - 1]
    home = nodes.document[first]
    code, known = coded(said["eid"])
    chain, _ = chain_numbers(home, code, len(known))
    place = np.zeros(int(chain.max(initial=-1)) + 1, np.int64)
    place[chain] = np.arange(len(chain))
    # The number of each word in its document; of an empty node, that of the word before.
    words = np.cumsum(~nodes.empty)
    begins = np.flatnonzero(steps(nodes.document))
    before = np.where(begins > 0, words[begins - 1], 0)
    unit = words - np.repeat(before, np.diff(np.append(begins, len(nodes))))
    unit = np.maximum(unit - 1, 0).astype(np.int32)
    return MentionFile(
        path=path,
        documents=names,
        units=np.bincount(document, minlength=len(names)).astype(np.int64),
        document=home,
        start=unit[first],
        end=unit[last],
        chain=chain,
        line=nodes.line[first],
        names=said["eid"].gather(pl.Series(place)),
        texts=None,
        columns={},
        words=MentionWords(nodes, begin, node, head, said.get_column("etype", default=None)),
    )


def _nodes(
    rows: ConlluLines, document: NDArray[np.int32], path: str, chosen: dict[str, str]
) -> tuple[Nodes, pl.Series]:
    """Return words and empty nodes in their order, and what each has in MISC."""
    number = (np.arange(len(rows.line)) - rows.first[rows.sentence] + 1).astype(np.int64)
    ids = rows.nodes["id"].str.extract_groups(_ID).struct.unnest()
    before, empty = (ids[name].cast(pl.Int64).to_numpy() for name in ids.columns)
    for at in np.flatnonzero((empty >= NODES) | (empty < 1))[:1]:
        raise DataError(
            f"the empty node {rows.nodes['id'][int(at)]} has no number from 1 to {NODES - 1}",
            where=f"{path}:{rows.nodes['line'][int(at)]}",
            remedy="number empty nodes one after the other: 3.1, 3.2",
        )
    sentence = np.concatenate([rows.sentence, rows.nodes["sentence"].to_numpy()])
    home = document[rows.first][sentence]
    # Each sentence has a place before its first word, for empty nodes that are there.
    base = rows.first.astype(np.int64) + np.arange(len(rows.first))
    begins = np.flatnonzero(np.diff(document[rows.first], prepend=-1))
    base -= base[begins][document[rows.first]]
    start = base[sentence] * NODES
    place = start + np.concatenate([number * NODES, before * NODES + empty])
    order = np.lexsort((place, home))
    frames = []
    for frame in (rows.words, rows.nodes):
        columns = {
            name: frame[chosen[name]] if name in chosen else pl.repeat("_", len(frame), eager=True)
            for name in ("form", "lemma", "pos")
        }
        known = frame is rows.nodes and "deps" in frame.columns
        none = pl.repeat(None, len(frame), dtype=pl.String, eager=True)
        deps = frame["deps"] if known else none
        frames.append(pl.DataFrame({**columns, "deps": deps, "misc": frame["misc"]}))
    text = pl.concat(frames)[pl.Series(order)]
    line = np.concatenate([rows.line, rows.nodes["line"].to_numpy().astype(np.uint32)])
    nodes = Nodes(
        home[order].astype(np.int32), place[order], start[order], line[order],
        text["form"], text["lemma"], text["pos"], text["deps"],
    )  # fmt: skip
    return nodes, text["misc"]


def _mentions(
    found: Brackets, said: pl.DataFrame, nodes: Nodes, path: str
) -> tuple[NDArray[np.intp], Numbers, Numbers, Numbers]:
    """Return the opening bracket of each mention, where its nodes begin, these, and its head.

    Raise for the first that is not whole.
    """
    open_, close, _, _ = matched(found, path)
    first, last = (found.position[at].astype(np.int64) for at in (open_, close))
    for at in np.flatnonzero(nodes.first[first] != nodes.first[last])[:1]:
        name, line = found.name(int(open_[at])), nodes.line[last[at]]
        problem = f"the mention ({name} closes in another sentence, in line {line}"
        remedy = f"a mention is in one sentence: close it there with `{name})`"
        raise_earliest([unreadable(int(nodes.line[first[at]]), problem, remedy)], path)
    # Stretches by mention. Of the parts of one entity in one sentence, the first 1/2 goes with the
    # first 2/2.
    own = said[pl.Series(open_)].select("eid", "part", "parts")
    frame = own.with_columns(
        at=np.arange(len(open_)), document=nodes.document[first], sentence=nodes.first[first]
    )
    same = ["document", "sentence", "eid", "parts"]
    several = frame.filter(pl.col("parts") > 1)
    turn = several.with_columns(turn=pl.int_range(pl.len()).over([*same, "part"]))
    group = turn.with_columns(opened=pl.col("at").min().over([*same, "turn"]))
    opened, place = np.arange(len(open_)), np.ones(len(open_), np.int64)
    opened[group["at"].to_numpy()] = group["opened"].to_numpy()
    place[group["at"].to_numpy()] = group["part"].to_numpy()
    order = np.lexsort((place, opened))
    fresh = np.diff(opened[order], prepend=-1) != 0
    bracket, first, last, starts = open_[order], first[order], last[order], np.flatnonzero(fresh)
    own = own[pl.Series(order)].with_columns(line=nodes.line[first])
    raise_earliest(_incomplete(found, own, bracket, starts, fresh, (first, last)), path)
    size = last - first + 1
    begin = np.append(0, np.cumsum(size)).astype(np.int64)
    limits = begin[np.append(starts, len(size))]
    node = flat(first, last + 1)
    # The place of each head in its mention, from 1, is said by the last part.
    heads = bracket[np.append(starts[1:], len(fresh))[: len(starts)] - 1]
    text = said["head"].gather(pl.Series(heads))
    value, size = whole_numbers(text).fill_null(0).to_numpy(), np.diff(limits)
    none = text.is_null().to_numpy()
    for at in np.flatnonzero(~none & ((value < 1) | (value > size)))[:1]:
        words = "1 word" if size[at] == 1 else f"{size[at]} words"
        eid = said["eid"][int(heads[at])]
        problem = f"the head `{text[int(at)]}` of a mention of `{eid}` is none of its {words}"
        remedy = "the head is the number of a word in the mention, from 1"
        raise_earliest([unreadable(int(found.line[heads[at]]), problem, remedy)], path)
    # Where there is none, any node will do to be looked at.
    head = np.where(none, -1, node[limits[:-1] + np.where(none, 0, value - 1)])
    return bracket[starts], limits, node, head


def _incomplete(
    found: Brackets,
    own: pl.DataFrame,
    bracket: NDArray[np.intp],
    starts: NDArray[np.intp],
    fresh: NDArray[np.bool_],
    extent: tuple[Numbers, Numbers],
) -> Iterator[Problem]:
    """Yield the first mention of which a part is missing, or that has parts in another order."""
    count = np.diff(np.append(starts, len(fresh)))
    turn = np.arange(len(fresh)) - np.repeat(starts, count) + 1
    part, total = own["part"].to_numpy(), own["parts"].to_numpy()
    wrong = (part != turn) | (np.repeat(count, count) != total)
    for at in np.flatnonzero(wrong)[:1].tolist():
        mention = np.searchsorted(starts, at, side="right") - 1
        there = part[starts[mention] : starts[mention] + count[mention]].tolist()
        lacking = sorted(set(range(1, int(total[at]) + 1)) - set(there))
        eid = own["eid"][at]
        name = f"{eid}[{lacking[0] if lacking else 1}/{total[at]}]"
        yield unreadable(
            own["line"][at],
            f"the mention of `{eid}` has no part {name} in this sentence",
            f"a mention in {total[at]} parts has {eid}[1/{total[at]}] to "
            f"{eid}[{total[at]}/{total[at]}], in this order",
        )
    first, last = extent
    crossed = ~fresh[1:] & (first[1:] <= last[:-1])
    for at in (np.flatnonzero(crossed)[:1] + 1).tolist():
        yield unreadable(
            own["line"][at],
            f"the part {found.name(int(bracket[at]))} begins before the part before it ends",
            "parts of a mention follow one another, without words in common",
        )


def _brackets(
    nodes: Nodes, misc: pl.Series, comments: pl.DataFrame, path: str
) -> tuple[Brackets, pl.DataFrame]:
    """Return the brackets of all nodes in their order, and what they say.

    That is ``eid``, ``part`` of ``parts`` (1 of 1 where a mention has no holes), and ``head`` and
    ``etype``, null where a bracket does not open, or does not say. Raise for the first one that is
    none.
    """
    entity = misc.str.extract(ENTITY)
    where = entity.is_not_null().arg_true().to_numpy()
    headers = _headers(comments, path)
    texts, line = entity.gather(pl.Series(where)), nodes.line[where]
    problems = []
    top = headers[0][0] if headers else np.iinfo(np.int64).max
    for at in np.flatnonzero(line < top)[:1].tolist():
        problem = f"`Entity={texts[at]}` comes before any `# global.Entity`"
        remedy = f"name the fields of entities at the top: {_EXAMPLE}"
        problems.append(unreadable(int(line[at]), problem, remedy))
    for at in (~texts.str.contains(_WHOLE)).arg_true()[:1].to_list():
        problem = f"`Entity={texts[at]}` is not a list of brackets"
        remedy = "a mention is opened by (e1-person-1- and closed by e1), or both: (e1-person-1-)"
        problems.append(unreadable(int(line[at]), problem, remedy))
    raise_earliest(problems, path)
    pieces = texts.str.extract_all(_PIECE)
    text = pieces.explode(empty_as_null=False)
    node = np.repeat(where, pieces.list.len().to_numpy())
    opens, line = text.str.starts_with("(").to_numpy(), nodes.line[node]
    said = _fields(text.str.strip_chars("()"), opens, line, headers)
    code, names = coded(said["eid"].fill_null(""))
    closes = text.str.ends_with(")").to_numpy()
    document = nodes.document[node]
    brackets = Brackets(opens, closes, code, names, document, node.astype(np.int32), line)
    for at in np.flatnonzero((names == "").to_numpy()[code])[:1].tolist():
        problem, remedy = f"`{text[at]}` has no eid", "an entity has a name: (e1-person-1-"
        raise_earliest([unreadable(int(line[at]), problem, remedy)], path)
    parts = names.str.extract_groups(_PART).struct.rename_fields(["own", "part", "parts"])
    by_name = parts.struct.unnest().select(
        pl.coalesce("own", names.alias("eid")).alias("eid"),
        pl.col("part", "parts").cast(pl.Int64).fill_null(1),
        whole=pl.col("part").is_null(),
    )
    part, total = pl.col("part"), pl.col("parts")
    cut = names.str.contains(r"[\[\]]")
    wrong = by_name.select(
        (part < 1) | (part > total) | (~pl.col("whole") & (total < 2)) | (pl.col("whole") & cut)
    ).to_series()
    for at in np.flatnonzero(wrong.to_numpy()[code])[:1].tolist():
        problem = f"`{brackets.name(at)}` is not a part of a mention"
        remedy = "the parts of a mention with holes are e1[1/2] and e1[2/2]"
        raise_earliest([unreadable(int(line[at]), problem, remedy)], path)
    own = by_name.drop("whole")[pl.Series(code)]
    lacks = ["etype"] if said["etype"].null_count() == len(said) else []
    return brackets, own.hstack(said.drop("eid", *lacks))


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


def _fields(
    text: pl.Series,
    opens: NDArray[np.bool_],
    line: NDArray[np.uint32],
    headers: list[tuple[int, list[str]]],
) -> pl.DataFrame:
    """Return name, head and type of each bracket, by the last header above it."""
    lists = text.str.split("-")
    at = np.searchsorted([number for number, _ in headers], line) - 1
    columns = {}
    for name in ("eid", "head", "etype"):
        value = pl.repeat(None, len(text), dtype=pl.String, eager=True)
        for number, (_, fields) in enumerate(headers):
            if name in fields:
                mask = pl.Series(opens & (at == number))
                value = lists.list.get(fields.index(name), null_on_oob=True).zip_with(mask, value)
        columns[name] = value
    # A bracket that closes has the name alone.
    columns["eid"] = columns["eid"].zip_with(pl.Series(opens), text)
    nothing = pl.col("head", "etype") == ""
    return pl.DataFrame(columns).with_columns(pl.when(~nothing).then(pl.col("head", "etype")))
