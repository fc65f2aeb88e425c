"""CoNLL-2012 and SemEval-2010 columns: ``#begin document``, a unit a line, its brackets last.

A unit is a token, or a whole mention where a file has no text. Brackets may nest and cross and
close in any order; several of one chain close the last one opened first. Those of one chain of one
document are numbered by depth; at one depth they must alternate, and neighbours are a mention.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import raise_earliest, unreadable
from coleval.corpus.sorting import stable_order
from coleval.loading.readers.lines import read_lines, split
from coleval.loading.readers.model import MentionFile
from coleval.loading.readers.names import check_documents
from coleval.loading.readers.steps import steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.problems import Problem
    from coleval.corpus.selection import Selection
    from coleval.loading.readers.source import Source


BEGIN, END = "#begin document", "#end document"
NOTHING = ("-", "_", "*")
# How the line of a unit ends that has no mention.
_SILENT = [gap + nothing for gap in ("", " ", "\t") for nothing in NOTHING]
_LAST = r"([^ \t\r]+)$"
_PIECE = r"\([^()|]*\)?|[^()|]+\)"
_WHOLE = r"^(?:\|?(?:\([^()|]+\)?|[^()|]+\)))+$"
_NAME = re.compile(r"#begin document *\(?(.*?)\)? *;? *(?:part +(\S+?);?)? *$")


def read_coref(source: Source, selection: Selection, *, texts: bool = True) -> MentionFile:
    """Return the mentions of a file; its lines stay there for the text of mentions, if wanted."""
    lines = read_lines(source)
    source.forget()
    lines = lines.fill_null("").str.strip_chars_end(" \t\r")
    header = lines.str.starts_with(BEGIN) | lines.str.starts_with(END)
    is_unit = (lines != "") & ~header
    row = is_unit.arg_true().to_numpy()
    units = lines.filter(is_unit)
    headers = pl.DataFrame({"line": header.arg_true() + 1, "text": lines.filter(header)})
    headers = headers.with_columns(
        unit=np.searchsorted(row, header.arg_true().to_numpy()),
        begins=pl.col("text").str.starts_with(BEGIN),
    )
    _check_places(headers, row, source.path)
    documents = headers.filter("begins")
    names = tuple(map(_name, documents["text"]))
    check_documents(names, documents["line"].to_list(), source.path, "document and part")
    offset = documents["unit"].to_numpy().astype(np.int64)
    brackets = _brackets(units, row, offset, source.path)
    first, last, chain, chains = matched(brackets, source.path)
    return MentionFile(
        path=source.path, documents=names, units=np.diff(offset, append=len(row)),
        document=brackets.document[first], start=brackets.position[first],
        end=brackets.position[last], chain=chain[first], line=brackets.line[first], names=chains,
        texts=partial(_columns_of, units) if texts else None,
        columns=_layout(units[0], selection) if texts and len(units) else {},
    )  # fmt: skip


def _check_places(headers: pl.DataFrame, row: NDArray[np.integer], path: str) -> None:
    """Raise for the first line that is where it cannot be."""
    inside, known, before = 0, False, 0
    for line, _, unit, begins in [*headers.rows(), (0, "", len(row), False)]:
        if unit > before and (not known or inside < 1):
            remedy = f"a document begins with `{BEGIN} (name); part 000`; other formats: --format"
            problem = "the line is outside all documents"
            raise_earliest([unreadable(int(row[before]) + 1, problem, remedy)], path)
        inside += 1 if begins else -1
        known, before = known or begins, unit
        if inside > 1:
            problem = "a document begins inside another"
            raise_earliest([unreadable(line, problem, f"end each with `{END}`")], path)


def _name(header: str) -> str:
    found = _NAME.match(header)
    name, part = found.groups() if found else (header.removeprefix(BEGIN).strip(), None)
    return name if part is None else f"{name}#{part}"


def _brackets(
    units: pl.Series, row: NDArray[np.integer], offset: NDArray[np.int64], path: str
) -> Brackets:
    """Return every bracket of the units, whose documents begin at the units ``offset``.

    Raise for the first last column that is no brackets.
    """
    unit = (~units.str.tail(2).is_in(_SILENT)).arg_true().to_numpy().astype(np.int64)
    line = row[unit] + 1
    # There are few texts: each is taken apart once.
    code_of, fields = coded(units.gather(pl.Series(unit)).str.extract(_LAST))
    wrong = (~fields.str.contains(_WHOLE)).to_numpy()
    for at in np.flatnonzero(wrong[code_of])[:1]:
        problem = f"`{fields[int(code_of[at])]}` is not a chain annotation"
        remedy = "the last column is `-`, or brackets with names of chains: (1|(2) or 1)"
        raise_earliest([unreadable(int(line[at]), problem, remedy)], path)
    pieces = fields.str.extract_all(_PIECE)
    flat = pieces.explode(empty_as_null=False)
    code, names = coded(flat.str.strip_chars("()"))
    size = pieces.list.len().to_numpy().astype(np.int64)
    begin = (np.cumsum(size) - size)[code_of]
    size = size[code_of]
    # Of each bracket the place of its column, and its own among those of all texts.
    at = np.repeat(np.arange(len(line)), size)
    piece = np.arange(len(at)) + (begin - np.cumsum(size) + size)[at]
    document = np.searchsorted(offset, unit, side="right") - 1
    return Brackets(
        opens=flat.str.starts_with("(").to_numpy()[piece],
        closes=flat.str.ends_with(")").to_numpy()[piece],
        code=code[piece],
        names=names,
        document=document.astype(np.int32)[at],
        position=(unit - offset[document]).astype(np.int32)[at],
        line=line.astype(np.uint32)[at],
    )


def _columns_of(
    units: pl.Series, wanted: NDArray[np.integer], columns: Sequence[int]
) -> list[pl.Series]:
    """Return some columns of the lines of units, null where a line is shorter.

    Columns count from 1, or from the end below 0.
    """
    known, at = np.unique(wanted, return_inverse=True)
    fields = split(units.gather(pl.Series(known)))
    places = [column - 1 if column > 0 else column for column in columns]
    return [fields.list.get(place, null_on_oob=True).gather(at) for place in places]


def _layout(line: str, selection: Selection) -> dict[str, int]:
    """Return the place of form, pos, lemma and head: those chosen, else what the layout is.

    That is shown by the first line and its width.
    """
    first = line.split("\t") if "\t" in line else line.split()
    width = len(first)
    if width >= 5 and first[2].isdigit() and not first[0].isdigit():
        known = {"form": 4} | ({"pos": 5, "lemma": 7} if width >= 11 else {})
    elif width >= 3 and first[0].isdigit():
        known = {"form": 2} | ({"lemma": 3, "pos": 5, "head": 9} if width >= 15 else {})
    else:
        known = {"form": 1} if width == 2 else {}
    for part, column in known.items():
        # The predicted column is beside it where SemEval-2010 leaves gold's empty.
        if first[column - 1] in NOTHING and first[0].isdigit() and column > 2:
            known[part] = column + 1
    return known | {k: column for k, column in selection.picks.items() if isinstance(column, int)}


@dataclass(frozen=True, slots=True)
class Brackets:
    """Every bracket in reading order: what it does, to which chain, where; ``(1)`` does both.

    ``code`` is the place of the chain's name among ``names``, which are distinct.
    """

    opens: NDArray[np.bool_]
    closes: NDArray[np.bool_]
    code: NDArray[np.int32]
    names: pl.Series
    document: NDArray[np.int32]
    position: NDArray[np.int32]
    line: NDArray[np.uint32]

    def name(self, at: int) -> str:
        """Return the name of the chain of a bracket."""
        found: str = self.names[int(self.code[at])]
        return found


def coded(names: pl.Series) -> tuple[NDArray[np.int32], pl.Series]:
    """Return the place of each name among the distinct ones, and these."""
    known = names.unique().sort()
    code = names.cast(pl.Enum(known)).to_physical().to_numpy().astype(np.int32)
    return code, known


def matched(
    found: Brackets, path: str
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int64], pl.Series]:
    """Return what opens and closes each mention, in order, the chain of each bracket, its names.

    Raise for the first bracket without another.
    """
    chain, n = chain_numbers(found.document, found.code, len(found.names))
    open_, close = _pairs(found, chain, path)
    behind = np.where(found.opens & found.closes, np.arange(len(chain)), -1)
    behind[open_] = close
    first = np.flatnonzero(behind >= 0)
    code = np.zeros(n, np.int32)
    code[chain] = found.code
    return first, behind[first], chain, found.names.gather(pl.Series(code))


def chain_numbers(
    document: NDArray[np.int32], code: NDArray[np.int32], names: int
) -> tuple[NDArray[np.int64], int]:
    """Return a number for each (document, name) that is the same in no other document, and n."""
    if not len(code):
        return np.zeros(0, np.int64), 0
    key = document.astype(np.int64) * names + code
    known, chain = np.unique(key, return_inverse=True)
    return chain.astype(np.int64), len(known)


def _pairs(
    found: Brackets, chain: NDArray[np.int64], path: str
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the places of opening brackets and of those that close them."""
    single = np.flatnonzero(found.opens ^ found.closes)
    by_chain = single[stable_order(chain[single])]
    opens, own = found.opens[by_chain], chain[by_chain]
    depth = _depth(opens, own)
    deepest = int(depth.max(initial=0)) + 1
    order = stable_order(own * deepest + np.maximum(depth, 0))
    rows, opens = by_chain[order], opens[order]
    group = steps(chain[rows]) | steps(depth[order])
    raise_earliest(_lonely(found, rows, opens, group), path)
    return rows[0::2], rows[1::2]


def _depth(opens: NDArray[np.bool_], chain: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return at which depth of its chain a bracket is; a pair of brackets has one depth."""
    level = np.cumsum(np.where(opens, 1, -1))
    start = np.flatnonzero(steps(chain))
    before = np.where(start > 0, level[start - 1], 0)
    level = level - np.repeat(before, np.diff(np.append(start, len(chain))))
    return np.where(opens, level, level + 1)


def _lonely(
    found: Brackets, rows: NDArray[np.intp], opens: NDArray[np.bool_], group: NDArray[np.bool_]
) -> Iterator[Problem]:
    """Yield the first closing bracket that nothing opens, and the first that nothing closes."""
    after_open = np.zeros(len(rows), np.bool_)
    after_open[1:] = opens[:-1] & ~group[1:]
    before_close = np.zeros(len(rows), np.bool_)
    before_close[:-1] = ~opens[1:] & ~group[1:]
    stray = rows[~opens & ~after_open]
    for at in stray[np.argsort(stray)][:1]:
        yield unreadable(
            int(found.line[at]),
            f"`{found.name(at)})` closes a mention that is not open",
            f"open the mention with `({found.name(at)}` before it, in the same document",
        )
    unclosed = rows[opens & ~before_close]
    for at in unclosed[np.argsort(unclosed)][:1]:
        yield unreadable(
            int(found.line[at]),
            f"`({found.name(at)}` is never closed",
            f"close the mention with `{found.name(at)})`, in the same document",
        )
