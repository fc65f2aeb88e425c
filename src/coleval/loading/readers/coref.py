"""CoNLL-2012 and SemEval-2010 columns: ``#begin document``, a unit a line, its brackets last.

A unit is a token, or a whole mention where a file has no text. Brackets may nest and cross and
close in any order; several of one chain close the last one opened first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.problems import raise_earliest, unreadable
from coleval.loading.readers.brackets import Brackets, matched
from coleval.loading.readers.line_bytes import LineBytes, line_bytes
from coleval.loading.readers.model import MentionFile
from coleval.loading.readers.names import check_documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl
    from numpy.typing import NDArray

    from coleval.corpus.problems import Problem
    from coleval.corpus.selection import Selection
    from coleval.loading.readers.source import Source

BEGIN, END = "#begin document", "#end document"
_NOTHING = ("-", "_", "*")
_SILENT, _GAP = np.zeros(256, np.bool_), np.zeros(256, np.bool_)
_SILENT[list("".join(_NOTHING).encode())] = True
_GAP[list(b" \t")] = True
_PIECE = r"\([^()|]*\)?|[^()|]+\)"
_WHOLE = r"^(?:\|?(?:\([^()|]+\)?|[^()|]+\)))+$"
_NAME = re.compile(r"#begin document *\(?(.*?)\)? *;? *(?:part +(\S+?);?)? *$")
_PARTS = ("form", "pos", "lemma", "head")


def read_coref(source: Source, selection: Selection) -> MentionFile:
    """Return the mentions of a file; its lines stay there for the text of mentions."""
    lines = line_bytes(source)
    source.forget()
    begin, unit = _places(lines)
    rows = np.flatnonzero(unit)
    document = (np.cumsum(begin, dtype=np.int32) - 1)[rows]
    headers = np.flatnonzero(begin)
    names = _names(lines.at(headers).text(), headers, source.path)
    counts = np.bincount(document, minlength=len(names)).astype(np.int64)
    units = lines.at(rows)
    found = _brackets(units, rows, document, counts)
    first, last, chain, chains = matched(found, source.path)
    return MentionFile(
        path=source.path, documents=names, units=counts,
        document=found.document[first], start=found.position[first], end=found.position[last],
        chain=chain[first], line=found.line[first], names=chains,
        texts=lambda some: units.at(some).text(), columns=_columns(units, selection),
    )  # fmt: skip


def _places(lines: LineBytes) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which lines begin a document, and which are units."""
    begin, end = lines.begins(BEGIN.encode()), lines.begins(END.encode())
    inside = np.cumsum(begin, dtype=np.int32) - np.cumsum(end, dtype=np.int32)
    unit = ~(begin | end) & (lines.end > lines.start)
    raise_earliest(_misplaced(begin, unit, inside), lines.path)
    return begin, unit


def _misplaced(
    begin: NDArray[np.bool_], unit: NDArray[np.bool_], inside: NDArray[np.int32]
) -> Iterator[Problem]:
    """Yield the first line of each kind that is where it cannot be."""
    known = np.cumsum(begin, dtype=np.int32) > 0
    for at in np.flatnonzero(unit & (~known | (inside < 1)))[:1]:
        yield unreadable(
            int(at) + 1,
            "the line is outside all documents",
            f"a document begins with `{BEGIN} (name); part 000`; other formats: --format",
        )
    for at in np.flatnonzero(inside > 1)[:1]:
        yield unreadable(int(at) + 1, "a document begins inside another", f"end each with `{END}`")


def _names(headers: pl.Series, rows: NDArray[np.intp], path: str) -> tuple[str, ...]:
    """Return the documents' names with their parts; raise for one that comes twice."""
    names = [_name(text) for text in headers.to_list()]
    check_documents(names, (rows + 1).tolist(), path, "document and part")
    return tuple(names)


def _name(header: str) -> str:
    found = _NAME.match(header)
    name, part = found.groups() if found else (header.removeprefix(BEGIN).strip(), None)
    return name if part is None else f"{name}#{part}"


def _brackets(
    units: LineBytes,
    rows: NDArray[np.intp],
    document: NDArray[np.int32],
    counts: NDArray[np.int64],
) -> Brackets:
    """Return every bracket in the order of the file."""
    silent = _SILENT[units.last(1)] & _GAP[units.last(2)]
    where = np.flatnonzero(~silent)
    field = units.at(where).last_fields().text()
    raise_earliest(_unreadable(field, rows[where]), units.path)
    pieces = field.str.extract_all(_PIECE)
    flat = pieces.explode(empty_as_null=False)
    unit = np.repeat(where, pieces.list.len().to_numpy())
    offset = np.zeros(len(counts), np.int64)
    offset[1:] = np.cumsum(counts)[:-1]
    return Brackets(
        opens=flat.str.starts_with("(").to_numpy(),
        closes=flat.str.ends_with(")").to_numpy(),
        name=flat.str.strip_chars("()"),
        document=document[unit],
        position=(unit - offset[document[unit]]).astype(np.int32),
        line=(rows[unit] + 1).astype(np.uint32),
    )


def _unreadable(field: pl.Series, rows: NDArray[np.intp]) -> Iterator[Problem]:
    for at in (~field.str.contains(_WHOLE)).arg_true()[:1]:
        yield unreadable(
            int(rows[at]) + 1,
            f"`{field[at]}` is not a chain annotation",
            "the last column is `-`, or brackets with names of chains: (1|(2) or 1)",
        )


def _columns(units: LineBytes, selection: Selection) -> dict[str, int]:
    """Return the place of form, pos, lemma and head: those chosen, else what the layout is."""
    if not len(units):
        return {}
    found = _layout(_fields(units.at(np.array([0])).text()[0]))
    for part, column in {**selection.picks}.items():
        if isinstance(column, int):
            found[part] = column
    return found


def _fields(line: str) -> list[str]:
    return line.split("\t") if "\t" in line else line.split()


def _layout(first: list[str]) -> dict[str, int]:
    """Return the columns of a layout that its first line and its width show."""
    width = len(first)
    if width >= 5 and first[2].isdigit() and not first[0].isdigit():
        known = {"form": 4} | ({"pos": 5, "lemma": 7} if width >= 11 else {})
    elif width >= 3 and first[0].isdigit():
        known = {"form": 2} | ({"lemma": 3, "pos": 5, "head": 9} if width >= 15 else {})
    else:
        known = {"form": 1} if width == 2 else {}
    return {part: _filled(first, column) for part, column in known.items()}


def _filled(first: list[str], column: int) -> int:
    """Return the column, or the predicted one beside it where SemEval-2010 leaves gold's empty."""
    empty = first[column - 1] in _NOTHING and first[0].isdigit() and column > 2
    return column + 1 if empty else column


def fields_of(lines: pl.Series) -> pl.Series:
    """Return the fields of each line: at TABs if the first line has one, else at spaces."""
    tabbed = bool(len(lines)) and "\t" in lines[0]
    return lines.str.split("\t") if tabbed else lines.str.extract_all(r"\S+")


def column_of(fields: pl.Series, column: int) -> pl.Series:
    """Return one column, null where the line is shorter."""
    return fields.list.get(column - 1 if column > 0 else column, null_on_oob=True)
