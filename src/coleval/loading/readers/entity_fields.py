"""The brackets of CorefUD: what each opens or closes, and the fields of those that open."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import raise_earliest, unreadable
from coleval.errors import DataError
from coleval.loading.readers.brackets import Brackets, coded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.corpus.problems import Problem
    from coleval.loading.readers.model import Nodes

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
    some = comments.filter(pl.col("id").str.contains(r"^#\s*global\.Entity\b"))
    found = []
    for line, text in some.select("line", "id").sort("line").iter_rows():
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
