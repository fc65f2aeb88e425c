"""CoNLL-2012 and SemEval-2010 columns: ``#begin document``, a unit a line, its brackets last.

A unit is a token, or a whole mention where a file has no text. Brackets may nest and cross and
close in any order; several of one chain close the last one opened first.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from coleval.corpus.problems import raise_earliest, unreadable
from coleval.loading.readers.asked_columns import AskedColumns
from coleval.loading.readers.brackets import Brackets, coded, matched
from coleval.loading.readers.coref_lines import BEGIN, END, NOTHING, CorefHeader, coref_lines
from coleval.loading.readers.coref_native import native_coref
from coleval.loading.readers.model import MentionFile
from coleval.loading.readers.names import check_documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from ctypes import CDLL

    from numpy.typing import NDArray

    from coleval.corpus.problems import Problem
    from coleval.corpus.selection import Selection
    from coleval.loading.readers.coref_lines import CorefLines
    from coleval.loading.readers.coref_native import NativeCoref, NativeLines
    from coleval.loading.readers.cut_lines import CutLines
    from coleval.loading.readers.source import Source

_PIECE = r"\([^()|]*\)?|[^()|]+\)"
_WHOLE = r"^(?:\|?(?:\([^()|]+\)?|[^()|]+\)))+$"
# So many units that say something are looked at together.
_SHARE = 1 << 17
# The first unit stands in the first bytes of a file.
_HEAD = 1 << 14
_NAME = re.compile(r"#begin document *\(?(.*?)\)? *;? *(?:part +(\S+?);?)? *$")
_PLAIN_NAMES = re.compile(r"^#begin document \(([^();\n]*)\); part ([^\s;]+)$", re.MULTILINE)


def read_coref(
    source: Source, selection: Selection, *, texts: bool = True,
    others: Callable[[], NDArray[np.int64] | None] | None = None,
) -> MentionFile:  # fmt: skip
    """Return the mentions of a file; its lines stay there for the text of mentions, if wanted.

    Of a large file ``others`` tells which units are a mention of one word elsewhere: what lines say
    of these is asked for later.
    """
    ask = None if others is None else partial(_asked, source, selection, others)
    sure = native_coref(source, keep=texts, ask=ask)
    if sure is not None:
        source.forget()
        return _mention_file(sure, selection, source.path)
    lines = coref_lines(source, keep=texts)
    _check_places(lines, source)
    source.forget()
    begins = [header for header in lines.headers if header.begins]
    names = _names(begins, source.path)
    offset = np.array([header.unit for header in begins], np.int64)
    raise_earliest(_unreadable(lines), source.path)
    found = _mentions(lines, offset, source.path)
    kept = lines.kept
    return MentionFile(
        path=source.path, documents=names, units=np.diff(offset, append=lines.units),
        document=found.document, start=found.start, end=found.end, chain=found.chain,
        line=found.line, names=found.names, texts=None if kept is None else kept.columns,
        columns=_columns(kept, selection),
    )  # fmt: skip


def _asked(
    source: Source, selection: Selection, others: Callable[[], NDArray[np.int64] | None],
    loops: CDLL,
) -> AskedColumns | None:  # fmt: skip
    """Return what is asked of lines while they are read, by the first of them; None for nothing."""
    first = _first_line(source.beginning(_HEAD))
    places = {} if first is None else _places(first, selection)
    hint = others() if "pos" in places and "head" not in places else None
    if hint is None:
        return None
    columns = [places[part] for part in ("pos", "form", "lemma") if places.get(part, 0) > 0]
    return AskedColumns(loops, columns, hint)


def _first_line(beginning: bytes) -> str | None:
    """Return the first line that is a unit."""
    for line in beginning.decode("utf-8", "replace").split("\n")[:-1]:
        bare = line.rstrip(" \t\r")
        if bare and not bare.startswith((BEGIN, END)):
            return bare
    return None


def _mention_file(found: NativeCoref, selection: Selection, path: str) -> MentionFile:
    """Return what was read in C; raise for documents of one name."""
    names = _header_names(found.headers)
    check_documents(names, found.header_line.tolist(), path, "document and part")
    kept = found.kept
    return MentionFile(
        path=path, documents=names, units=np.diff(found.offset, append=found.units),
        document=found.document, start=found.start, end=found.end, chain=found.chain,
        line=found.line, names=found.names, texts=None if kept is None else kept.columns,
        columns=_columns(kept, selection),
    )  # fmt: skip


def _header_names(headers: str) -> tuple[str, ...]:
    """Return the names of documents by the lines that begin them: all at once, if all are plain."""
    plain = _PLAIN_NAMES.findall(headers)
    if len(plain) == headers.count("\n"):
        return tuple(f"{name}#{part}" for name, part in plain)
    return tuple(map(_name, headers.split("\n")[:-1]))


def _check_places(lines: CorefLines, source: Source) -> None:
    """Raise for the first line that is where it cannot be."""
    inside, known, before = 0, False, 0
    for header in [*lines.headers, CorefHeader(0, lines.units, begins=False, text="")]:
        if header.unit > before and (not known or inside < 1):
            raise_earliest([_outside(lines, before, source)], source.path)
        inside += 1 if header.begins else -1
        known, before = known or header.begins, header.unit
        if inside > 1:
            problem = "a document begins inside another"
            raise_earliest(
                [unreadable(header.line, problem, f"end each with `{END}`")], source.path
            )


def _outside(lines: CorefLines, unit: int, source: Source) -> Problem:
    """Return that a unit is in no document."""
    kept = lines.kept or coref_lines(source, keep=True).kept
    return unreadable(
        0 if kept is None else kept.line(unit),
        "the line is outside all documents",
        f"a document begins with `{BEGIN} (name); part 000`; other formats: --format",
    )


def _names(headers: list[CorefHeader], path: str) -> tuple[str, ...]:
    """Return the documents' names with their parts; raise for one that comes twice."""
    names = [_name(header.text) for header in headers]
    check_documents(names, [header.line for header in headers], path, "document and part")
    return tuple(names)


def _name(header: str) -> str:
    found = _NAME.match(header)
    name, part = found.groups() if found else (header.removeprefix(BEGIN).strip(), None)
    return name if part is None else f"{name}#{part}"


class _MentionColumns(NamedTuple):
    """Mentions as ``MentionFile`` has them."""

    document: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    chain: NDArray[np.int64]
    line: NDArray[np.uint32]
    names: pl.Series


def _mentions(lines: CorefLines, offset: NDArray[np.int64], path: str) -> _MentionColumns:
    """Return all mentions: some documents at a time, which takes little memory, again and again."""
    pieces = _BracketPieces.of(lines.fields)
    parts, chains = [], 0
    for documents, rows in _shares(lines, offset):
        found = pieces.brackets(lines, rows, offset[documents])
        first, last, chain, names = matched(found, path)
        parts.append(
            _MentionColumns(
                found.document[first] + np.int32(documents.start),
                found.position[first],
                found.position[last],
                chain[first] + chains,
                found.line[first],
                names,
            )
        )
        chains += len(names)
    return _MentionColumns(
        document=np.concatenate([part.document for part in parts]),
        start=np.concatenate([part.start for part in parts]),
        end=np.concatenate([part.end for part in parts]),
        chain=np.concatenate([part.chain for part in parts]),
        line=np.concatenate([part.line for part in parts]),
        names=pl.concat([part.names for part in parts]),
    )


def _shares(lines: CorefLines, offset: NDArray[np.int64]) -> Iterator[tuple[slice, slice]]:
    """Yield stretches of documents, and of the units that say something in them."""
    begins = np.append(np.searchsorted(lines.unit, offset), len(lines.unit))
    at = 0
    while at < len(offset) or not at:
        last = int(np.searchsorted(begins, begins[at] + _SHARE, side="right")) - 1
        last = min(max(last, at + 1), len(offset))
        yield slice(at, last), slice(int(begins[at]), int(begins[last]))
        at = max(last, 1)


class _BracketPieces(NamedTuple):
    """The brackets of each text of a last column, which are ``size`` from ``begin`` on."""

    size: NDArray[np.int32]
    begin: NDArray[np.int32]
    opens: NDArray[np.bool_]
    closes: NDArray[np.bool_]
    code: NDArray[np.int32]
    names: pl.Series

    @classmethod
    def of(cls, fields: pl.Series) -> _BracketPieces:
        """Return the brackets of some texts."""
        pieces = fields.str.extract_all(_PIECE)
        count = pieces.list.len().to_numpy().astype(np.int32)
        flat = pieces.explode(empty_as_null=False)
        opens, closes = flat.str.starts_with("("), flat.str.ends_with(")")
        code, names = coded(flat.str.strip_chars("()"))
        begin = np.cumsum(count, dtype=np.int32) - count
        return cls(count, begin, opens.to_numpy(), closes.to_numpy(), code, names)

    def brackets(self, lines: CorefLines, rows: slice, offset: NDArray[np.int64]) -> Brackets:
        """Return every bracket of some documents in the order of the file."""
        field = lines.field[rows]
        size = self.size[field]
        row = np.repeat(np.arange(len(size), dtype=np.int32), size)
        first = self.begin[field] - (np.cumsum(size, dtype=np.int32) - size)
        piece = first[row] + np.arange(len(row), dtype=np.int32)
        unit = lines.unit[rows][row]
        within = np.diff(np.searchsorted(unit, offset), append=len(unit))
        return Brackets(
            opens=self.opens[piece],
            closes=self.closes[piece],
            code=self.code[piece],
            names=self.names,
            document=np.repeat(np.arange(len(offset), dtype=np.int32), within),
            position=(unit - np.repeat(offset.astype(unit.dtype), within)).astype(np.int32),
            line=lines.line[rows][row].astype(np.uint32),
        )


def _unreadable(lines: CorefLines) -> Iterator[Problem]:
    wrong = (~lines.fields.str.contains(_WHOLE)).to_numpy()
    for at in np.flatnonzero(wrong[lines.field])[:1] if wrong.any() else ():
        yield unreadable(
            int(lines.line[at]),
            f"`{lines.fields[int(lines.field[at])]}` is not a chain annotation",
            "the last column is `-`, or brackets with names of chains: (1|(2) or 1)",
        )


def _columns(kept: CutLines | NativeLines | None, selection: Selection) -> dict[str, int]:
    """Return the place of form, pos, lemma and head: those chosen, else what the layout is."""
    if kept is None or not len(kept):
        return {}
    return _places(kept.columns(np.array([0]), [0])[0].series[0], selection)


def _places(first: str, selection: Selection) -> dict[str, int]:
    """Return the columns that are chosen, else those that the first line shows."""
    found = _layout(_fields(first))
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
    empty = first[column - 1] in NOTHING and first[0].isdigit() and column > 2
    return column + 1 if empty else column
