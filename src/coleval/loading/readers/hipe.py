"""HIPE files: a header line, ``# key = value`` comments, documents, sentence ends in MISC.

A line is a comment if it starts with ``# `` and has text in no other column, or is ``#`` alone: a
token may begin with ``#``. Documents start at their ``document_id``; without such comments the file
is one document, and the boundaries come from gold.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.selection import Selection, position
from coleval.errors import DataError, UsageError
from coleval.loading.readers.documents import comment_columns
from coleval.loading.readers.lines import blank, read_lines
from coleval.loading.readers.model import TokenFile
from coleval.loading.readers.steps import dense

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.loading.readers.source import Source

DEFAULT = "NE-COARSE-LIT"
_DOCUMENT = re.compile(r"^# *(?:[\w-]+:)?document_id *= *(.*?)\s*$")


def read_hipe(source: Source, selection: Selection, role: str = "gold") -> TokenFile:
    """Return the tokens of a HIPE file with the column of ``role``, NE-COARSE-LIT by default."""
    lines = read_lines(source)
    top = int((~blank(lines)).arg_max() or 0)
    header = (lines[top] or "").rstrip("\r").split("\t")
    wanted = {role: selection.pick(role, DEFAULT), **selection.context}
    where = f"{source.path}:{top + 1}"
    place = {"form": 0} | {
        name: position(column, header=header, width=len(header), where=where)
        for name, column in wanted.items()
    }
    if header[place[role]].startswith("NEL-"):
        raise UsageError(
            f"column `{header[place[role]]}` has entity links, which are not evaluated yet",
            where=where,
            remedy=f"choose a column of entities: --columns label={DEFAULT}",
        )
    fields = lines.fill_null("").str.strip_chars_end("\r").str.split("\t")
    comment = _comments(lines, fields)
    there = ~blank(lines) & ~comment
    there[top] = False
    _check(lines, fields, there, max(place.values()), source)
    rows = there.arg_true().to_numpy()
    if len(rows) == 0:
        raise DataError("has no tokens", where=source.path, remedy="is it the right file?")
    kept = fields.filter(there)
    columns = {name: kept.list.get(at) for name, at in place.items()}
    form, answer = columns.pop("form"), {role: columns.pop(role)}
    document, names = _documents(lines, comment, rows)
    sentence = _sentences(kept, header, document)
    line = (rows + 1).astype(np.uint32)
    if role == "gold":
        said = pl.DataFrame({"text": lines}).with_row_index("line", 1).filter(comment)
        whole = np.zeros(len(rows), np.int32) if document is None else document
        columns = comment_columns(said, line, whole, taken=columns) | columns
    return TokenFile(source.path, form, sentence, line, answer, document, names, columns)


def looks_hipe(first: bytes) -> bool:
    """Tell whether a first line is HIPE's header."""
    return first.startswith(b"TOKEN\tNE-")


def _comments(lines: pl.Series, fields: pl.Series) -> pl.Series:
    text = lines.fill_null("")
    lonely = fields.list.eval(pl.element().filter(pl.element() != "")).list.len() <= 1
    return (text.str.starts_with("# ") & lonely) | (text.str.strip_chars_end("\r ") == "#")


def _check(
    lines: pl.Series, fields: pl.Series, there: pl.Series, last: int, source: Source
) -> None:
    short = (there & (fields.list.len() <= last)).arg_true()
    if len(short):
        at = int(short[0])
        raise DataError(
            f"`{lines[at][:60]}` has {fields.list.len()[at]} columns, {last + 1} are needed",
            where=f"{source.path}:{at + 1}",
            remedy="HIPE columns are separated by TABs",
        )


def _documents(
    lines: pl.Series, comment: pl.Series, rows: NDArray[np.integer]
) -> tuple[NDArray[np.int32] | None, tuple[str, ...]]:
    found = ((int(k), _DOCUMENT.match(lines[int(k)])) for k in comment.arg_true())
    starts = [(k, match.group(1)) for k, match in found if match]
    if not starts:
        return None, ()
    number = np.searchsorted([k for k, _ in starts], rows, side="right")
    document = dense(number)
    first = np.flatnonzero(np.diff(number, prepend=-1))
    names = [starts[max(int(number[k]) - 1, 0)][1] for k in first]
    return document, tuple(_unique(names))


def _unique(names: list[str]) -> list[str]:
    seen: dict[str, int] = {}
    out = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return out


def _sentences(
    kept: pl.Series, header: list[str], document: NDArray[np.int32] | None
) -> NDArray[np.int32]:
    """Return sentence numbers: a sentence ends at EndOfSentence in MISC, and with its document."""
    ends = np.zeros(len(kept), np.bool_)
    if "MISC" in header:
        misc = kept.list.get(header.index("MISC"), null_on_oob=True).fill_null("")
        ends |= misc.str.contains("EndOfSentence", literal=True).to_numpy()
    starts = np.append(True, ends[:-1])
    if document is not None:
        starts |= np.diff(document, prepend=np.int32(-1)) != 0
    return (np.cumsum(starts) - 1).astype(np.int32)
