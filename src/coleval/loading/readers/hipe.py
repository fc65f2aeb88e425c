"""HIPE files: a header line, ``# key = value`` comments, documents, sentence ends in MISC.

A line is a comment if it starts with ``# `` and has text in no other column, or is ``#`` alone: a
token may begin with ``#``. Documents start at their ``document_id``; without such comments the file
is one document, and the boundaries come from gold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.selection import Selection, position
from coleval.errors import DataError, UsageError
from coleval.loading.readers.documents import comment_columns
from coleval.loading.readers.lines import blank, read_lines
from coleval.loading.readers.model import TokenFile
from coleval.loading.readers.steps import dense, steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.loading.readers.source import Source

DEFAULT = "NE-COARSE-LIT"
_DOCUMENT = r"^# *(?:[\w-]+:)?document_id *= *(.*?)\s*$"


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
    text = lines.fill_null("")
    lonely = fields.list.eval(pl.element().filter(pl.element() != "")).list.len() <= 1
    comment = (text.str.starts_with("# ") & lonely) | (text.str.strip_chars_end("\r ") == "#")
    there = ~blank(lines) & ~comment
    there[top] = False
    last, width = max(place.values()), fields.list.len()
    for at in (there & (width <= last)).arg_true()[:1].to_list():
        raise DataError(
            f"`{lines[at][:60]}` has {width[at]} columns, {last + 1} are needed",
            where=f"{source.path}:{at + 1}",
            remedy="HIPE columns are separated by TABs",
        )
    rows = there.arg_true().to_numpy()
    if len(rows) == 0:
        raise DataError("has no tokens", where=source.path, remedy="is it the right file?")
    kept = fields.filter(there)
    columns = {name: kept.list.get(at) for name, at in place.items()}
    form, answer = columns.pop("form"), {role: columns.pop(role)}
    said = pl.DataFrame({"text": lines}).with_row_index("line", 1).filter(comment)
    document, names = _documents(said, rows)
    # A sentence ends at EndOfSentence in MISC, and with its document.
    starts = np.ones(len(rows), np.bool_)
    if "MISC" in header:
        misc = kept.list.get(header.index("MISC"), null_on_oob=True).fill_null("")
        starts[1:] = misc.str.contains("EndOfSentence", literal=True).to_numpy()[:-1]
    else:
        starts[1:] = False
    if document is not None:
        starts |= steps(document)
    sentence, line = (np.cumsum(starts) - 1).astype(np.int32), (rows + 1).astype(np.uint32)
    if role == "gold":
        whole = np.zeros(len(rows), np.int32) if document is None else document
        columns = comment_columns(said, line, whole, taken=columns) | columns
    return TokenFile(source.path, form, sentence, line, answer, document, names, columns)


def looks_hipe(first: bytes) -> bool:
    """Tell whether a first line is HIPE's header."""
    return first.startswith(b"TOKEN\tNE-")


def _documents(
    comments: pl.DataFrame, rows: NDArray[np.integer]
) -> tuple[NDArray[np.int32] | None, tuple[str, ...]]:
    """Return the document of each row, and the names of all: again with a number behind it."""
    name = comments["text"].str.extract(_DOCUMENT)
    starts = comments.select("line", name=name).drop_nulls()
    if not len(starts):
        return None, ()
    number = np.searchsorted(starts["line"].to_numpy() - 1, rows, side="right")
    first = np.maximum(number[steps(number)] - 1, 0)
    times: dict[str, int] = {}
    names = []
    for name in starts["name"].gather(pl.Series(first)):
        times[name] = times.get(name, 0) + 1
        names.append(name if times[name] == 1 else f"{name}#{times[name]}")
    return dense(number), tuple(names)
