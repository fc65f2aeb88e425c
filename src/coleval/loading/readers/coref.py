"""CoNLL-2012 and SemEval-2010 columns: ``#begin document``, a unit a line, its brackets last.

A unit is a token, or a whole mention where a file has no text. Brackets may nest and cross and
close in any order; several of one chain close the last one opened first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from coleval.corpus.problems import raise_earliest, unreadable
from coleval.loading.readers.brackets import Brackets, coded, matched
from coleval.loading.readers.model import MentionFile
from coleval.loading.readers.names import check_documents
from coleval.loading.readers.source import check_not_empty
from coleval.loading.readers.text_blocks import (
    CutLines,
    bare_ends,
    blocks,
    last_fields,
    texts_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.source import Source
    from coleval.loading.readers.text_blocks import LineBlock

    Places = NDArray[np.int64]

BEGIN, END = "#begin document", "#end document"
NOTHING = ("-", "_", "*")
_NEWLINE, _HASH = b"\n#"
# By its number: whether a byte may be a last column without brackets, or stand before one.
_SILENT = np.isin(np.arange(256), [*"".join(NOTHING).encode()])
_GAP = np.isin(np.arange(256), [*b" \t\n"])
_PIECE = r"\([^()|]*\)?|[^()|]+\)"
_WHOLE = r"^(?:\|?(?:\([^()|]+\)?|[^()|]+\)))+$"
_NAME = re.compile(r"#begin document *\(?(.*?)\)? *;? *(?:part +(\S+?);?)? *$")


class _Header(NamedTuple):
    """A line that begins or ends a document, and how many units are before it."""

    line: int
    unit: int
    begins: bool
    text: str


@dataclass(slots=True)
class _CorefLines:
    """What the lines of a file say, block by block.

    ``fields`` are last columns with brackets, ``unit`` and ``line`` are where each of them stands,
    from 0. ``ends`` are the places at which lines end, ``others`` the lines that are no units.
    """

    path: str
    lines: int = 0
    units: int = 0
    size: int = 0
    text: bytearray = field(default_factory=bytearray)
    headers: list[_Header] = field(default_factory=list)
    fields: list[pl.Series] = field(default_factory=list)
    unit: list[Places] = field(default_factory=list)
    line: list[Places] = field(default_factory=list)
    ends: list[Places] = field(default_factory=list)
    others: list[Places] = field(default_factory=list)

    @property
    def kept(self) -> CutLines:
        """Return the lines, for who asks for those of some units."""
        ends, others = np.concatenate(self.ends), np.concatenate(self.others)
        return CutLines(self.path, self.text, ends, others)

    def add(self, block: LineBlock) -> None:
        """Add the lines of a block."""
        data = block.data
        end = np.flatnonzero(block.lines == _NEWLINE) + block.low
        # Most units say nothing, which two bytes tell: no others of these lines are looked at.
        silent = _SILENT[data[end - 1]] & _GAP[data[end - 2]]
        silent &= np.append(data[block.low], data[end[:-1] + 1]) != _HASH
        rows = np.flatnonzero(~silent)
        start = np.where(rows > 0, end[rows - 1] + 1, block.low)
        bare = bare_ends(data, start, end[rows])
        unit = bare > start
        for at in np.flatnonzero(data[start] == _HASH).tolist():
            text = data[start[at] : bare[at]].tobytes().decode("utf-8")
            if text.startswith((BEGIN, END)):
                unit[at] = False
                before = self.units + int(rows[at]) - int(np.count_nonzero(~unit[:at]))
                line = self.lines + int(rows[at]) + 1
                self.headers.append(_Header(line, before, text.startswith(BEGIN), text))
        # Lines that end in white space have not been looked at behind it.
        said = np.flatnonzero(unit & ~(_SILENT[data[bare - 1]] & _GAP[data[bare - 2]]))
        begin = last_fields(data, start[said], bare[said])
        self.fields.append(texts_of(data, begin, bare[said], self.path))
        self.line.append(rows[said] + self.lines)
        self.unit.append((self.units + rows - np.cumsum(~unit))[said])
        self.ends.append(end + (self.size - block.low))
        self.size += len(block.lines)
        self.others.append(rows[~unit] + self.lines)
        self.lines += len(end)
        self.units += len(end) - int((~unit).sum())


def read_coref(source: Source, selection: Selection, *, texts: bool = True) -> MentionFile:
    """Return the mentions of a file; its lines stay there for the text of mentions, if wanted."""
    lines = _CorefLines(source.path)
    for block in blocks(source):
        lines.add(block)
        if texts:
            lines.text += block.lines.data
    if not lines.units and not lines.headers:
        check_not_empty(source.text, source.path)
    kept = lines.kept
    source.forget()
    _check_places(lines.headers, kept)
    documents = [header for header in lines.headers if header.begins]
    names = tuple(_name(header.text) for header in documents)
    check_documents(names, [one.line for one in documents], source.path, "document and part")
    offset = np.array([header.unit for header in documents], np.int64)
    brackets = _brackets(lines, offset)
    first, last, chain, chains = matched(brackets, source.path)
    return MentionFile(
        path=source.path, documents=names, units=np.diff(offset, append=lines.units),
        document=brackets.document[first], start=brackets.position[first],
        end=brackets.position[last], chain=chain[first], line=brackets.line[first], names=chains,
        texts=kept.columns if texts else None,
        columns=_columns(kept, selection) if texts and lines.units else {},
    )  # fmt: skip


def _check_places(headers: list[_Header], kept: CutLines) -> None:
    """Raise for the first line that is where it cannot be."""
    inside, known, before = 0, False, 0
    for header in [*headers, _Header(0, len(kept), begins=False, text="")]:
        if header.unit > before and (not known or inside < 1):
            line, problem = kept.line(before), "the line is outside all documents"
            remedy = f"a document begins with `{BEGIN} (name); part 000`; other formats: --format"
            raise_earliest([unreadable(line, problem, remedy)], kept.path)
        inside += 1 if header.begins else -1
        known, before = known or header.begins, header.unit
        if inside > 1:
            problem = "a document begins inside another"
            raise_earliest([unreadable(header.line, problem, f"end each with `{END}`")], kept.path)


def _name(header: str) -> str:
    found = _NAME.match(header)
    name, part = found.groups() if found else (header.removeprefix(BEGIN).strip(), None)
    return name if part is None else f"{name}#{part}"


def _brackets(lines: _CorefLines, offset: Places) -> Brackets:
    """Return every bracket of a file, whose documents begin at the units ``offset``.

    Raise for the first last column that is no brackets.
    """
    line, unit = np.concatenate(lines.line) + 1, np.concatenate(lines.unit)
    # There are few texts: each is taken apart once.
    code_of, fields = coded(pl.concat(lines.fields))
    wrong = (~fields.str.contains(_WHOLE)).to_numpy()
    for at in np.flatnonzero(wrong[code_of])[:1]:
        problem = f"`{fields[int(code_of[at])]}` is not a chain annotation"
        remedy = "the last column is `-`, or brackets with names of chains: (1|(2) or 1)"
        raise_earliest([unreadable(int(line[at]), problem, remedy)], lines.path)
    pieces = fields.str.extract_all(_PIECE)
    flat = pieces.explode(empty_as_null=False)
    code, names = coded(flat.str.strip_chars("()"))
    size = pieces.list.len().to_numpy().astype(np.int64)
    begin = (np.cumsum(size) - size)[code_of]
    size = size[code_of]
    # Of each bracket the place of its column, and its own among those of all texts.
    row = np.repeat(np.arange(len(line)), size)
    piece = np.arange(len(row)) + (begin - np.cumsum(size) + size)[row]
    document = np.searchsorted(offset, unit, side="right") - 1
    return Brackets(
        opens=flat.str.starts_with("(").to_numpy()[piece],
        closes=flat.str.ends_with(")").to_numpy()[piece],
        code=code[piece],
        names=names,
        document=document.astype(np.int32)[row],
        position=(unit - offset[document]).astype(np.int32)[row],
        line=line.astype(np.uint32)[row],
    )


def _columns(kept: CutLines, selection: Selection) -> dict[str, int]:
    """Return the place of form, pos, lemma and head: those chosen, else what the layout is."""
    first = kept.lines(np.array([0]))[0]
    found = _layout(first.split("\t") if "\t" in first else first.split())
    return found | {k: column for k, column in selection.picks.items() if isinstance(column, int)}


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
