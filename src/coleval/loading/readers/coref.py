"""CoNLL-2012 and SemEval-2010 columns: ``#begin document``, a unit a line, its brackets last.

A unit is a token, or a whole mention where a file has no text. Brackets may nest and cross and
close in any order; several of one chain close the last one opened first.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import raise_earliest, unreadable
from coleval.loading.readers.brackets import Brackets, coded, matched
from coleval.loading.readers.lines import read_lines, split
from coleval.loading.readers.model import MentionFile
from coleval.loading.readers.names import check_documents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.source import Source

BEGIN, END = "#begin document", "#end document"
NOTHING = ("-", "_", "*")
# How the line of a unit ends that says nothing.
_SILENT = [gap + nothing for gap in ("", " ", "\t") for nothing in NOTHING]
_LAST = r"([^ \t\r]+)$"
_PIECE = r"\([^()|]*\)?|[^()|]+\)"
_WHOLE = r"^(?:\|?(?:\([^()|]+\)?|[^()|]+\)))+$"
_NAME = re.compile(r"#begin document *\(?(.*?)\)? *;? *(?:part +(\S+?);?)? *$")


def read_coref(source: Source, selection: Selection, *, texts: bool = True) -> MentionFile:
    """Return the mentions of a file; its lines stay there for the text of mentions, if wanted."""
    lines = read_lines(source).fill_null("").str.strip_chars_end(" \t\r")
    source.forget()
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
