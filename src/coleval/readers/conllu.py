"""CoNLL-U: ten TAB columns a word, comments above a sentence, a blank line below it.

Words are the syntactic words: the lines of multiword tokens (``1-2``) and empty nodes (``1.1``)
are checked for their width and left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.errors import DataError, UsageError
from coleval.readers.lines import one_line_end, read_fields
from coleval.readers.model import TokenFile
from coleval.readers.names import unique
from coleval.readers.problems import Problem, check_not_empty, columns, raise_first
from coleval.readers.selection import Selection, position

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from coleval.readers.source import Source

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
_FIXED = ("id", "sentence", "document")
_PART = r"^\d+[-.]\d+$"
_NEWDOC = r"^#\s*newdoc(?:\s+id\s*=\s*(.*?))?\s*$"


def read_conllu(source: Source, selection: Selection) -> TokenFile:
    """Return the words with all their columns by name; raise at the first line that is wrong."""
    picks = _picks(selection, source.path)
    data = one_line_end(source.text)
    rows = _rows(data, source.path)
    raise_first(_problems(rows, data), source.path)
    document, names = _documents(rows)
    return TokenFile(
        path=source.path,
        form=rows.words[picks.get("form", "form")].alias("form"),
        sentence=rows.sentence,
        line=rows.line,
        columns=_columns(rows.words, picks),
        document=document,
        documents=names,
    )


@dataclass(frozen=True, slots=True)
class _Rows:
    """The lines of a file by what they are; ``broken`` are those that are nothing known."""

    words: pl.DataFrame
    line: NDArray[np.uint32]
    sentence: NDArray[np.int32]
    blank: NDArray[np.bool_]
    comments: pl.DataFrame
    parts: pl.DataFrame
    broken: pl.DataFrame


def _picks(selection: Selection, path: str) -> dict[str, str]:
    """Return the CoNLL-U column by the part or the context name it is chosen for."""
    for part in _FIXED:
        if part in selection.picks:
            raise UsageError(
                f"CoNLL-U says itself what a {part} is",
                where="--columns",
                remedy=f"leave {part}=… out",
            )
    chosen: dict[str, int | str] = dict(selection.context)
    chosen |= {part: c for part in ("form", "gold") for c in selection.all(part)}
    chosen |= _systems(selection)
    for part in ("gold", "system"):
        if "label" in selection.picks and part not in selection.picks:
            chosen[part] = selection.picks["label"]
    return {part: _name(column, path) for part, column in chosen.items()}


def _systems(selection: Selection) -> dict[str, int | str]:
    """Return one column as ``system``, several ones under their own names."""
    systems = selection.all("system")
    return {"system": systems[0]} if len(systems) == 1 else {str(s).lower(): s for s in systems}


def _name(column: int | str, path: str) -> str:
    wanted = column.lower() if isinstance(column, str) else column
    return COLUMNS[position(wanted, header=COLUMNS, width=len(COLUMNS), where=path)]


def _columns(words: pl.DataFrame, picks: dict[str, str]) -> dict[str, pl.Series]:
    named = {name: words[name] for name in COLUMNS[2:]}
    picked = {part: words[column].alias(part) for part, column in picks.items() if part != "form"}
    return named | picked


def _rows(data: bytes, path: str) -> _Rows:
    frame = _frame(data, path)
    number = frame["id"].cast(pl.Int32, strict=False)
    at = number.is_not_null().arg_true().to_numpy()
    blank, kinds = _others(frame, number)
    if len(at) == 0 and len(kinds["broken"]) == 0:
        raise DataError("holds no words", where=path, remedy="is it the right file?")
    words = frame.with_columns(number=number).filter(number.is_not_null())
    return _Rows(
        words=words,
        line=(at + 1).astype(np.uint32),
        sentence=_dense(np.cumsum(blank, dtype=np.int32)[at]),
        blank=blank,
        **kinds,
    )


def _frame(data: bytes, path: str) -> pl.DataFrame:
    """Return every line of the file as a row of ten strings, absent ones null."""
    check_not_empty(data, path)
    try:
        frame = read_fields(data, "\t", len(COLUMNS), path)
    except pl.exceptions.PolarsError:
        frame = read_fields(_plain_comments(data, path), "\t", len(COLUMNS), path)
    frame.columns = list(COLUMNS)
    return frame


def _plain_comments(data: bytes, path: str) -> bytes:
    """Return the text without TABs in comments and blank lines; raise at a row of eleven."""
    raise_first(_widths(data, range(1, data.count(b"\n") + 2)), path)
    return re.sub(rb"(?m)^(?:#.*|[ \t\r]+)$", lambda m: m[0].replace(b"\t", b" "), data)


def _others(
    frame: pl.DataFrame, number: pl.Series
) -> tuple[NDArray[np.bool_], dict[str, pl.DataFrame]]:
    """Return which lines are blank, and the lines that are neither blank nor words by kind."""
    bare = frame.select(pl.all_horizontal(pl.all().is_null())).to_series()
    rest = frame.with_row_index("line", 1).filter(~bare & number.is_null())
    comment = rest["id"].str.starts_with("#").fill_null(value=False)
    part = rest["id"].str.contains(_PART).fill_null(value=False)
    odd = rest.filter(~comment & ~part)
    spaces = odd.select(
        pl.concat_str(COLUMNS, ignore_nulls=True).str.strip_chars() == ""
    ).to_series()
    blank = bare.to_numpy().copy()
    blank[odd.filter(spaces)["line"].to_numpy() - 1] = True
    kinds = {"comments": rest.filter(comment), "parts": rest.filter(part)}
    return blank, kinds | {"broken": odd.filter(~spaces)}


def _dense(values: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return values that never fall, renumbered from 0 without gaps."""
    step = np.diff(values, prepend=values[:1]) != 0
    return np.cumsum(step, dtype=np.int32)


def _problems(rows: _Rows, data: bytes) -> Iterator[Problem]:
    """Yield the first problem of each kind."""
    short = [frame["line"].filter(frame["misc"].is_null()) for frame in (rows.parts, rows.broken)]
    words = rows.line[rows.words["misc"].is_null().to_numpy()]
    yield from _widths(data, np.sort(np.concatenate([words, *short])))
    for number, text in rows.broken.select("line", "id").head(1).iter_rows():
        yield number, f"the ID `{text or ''}` is no whole number", "an ID is 3, 3-4 or 3.1"
    yield from _late_comments(rows)
    for line in rows.line[rows.words["form"].is_null().to_numpy()][:1]:
        yield int(line), "the FORM is empty", "write `_` where there is none"
    yield from _id_order(rows)
    yield from _heads(rows)


def _widths(data: bytes, numbers: NDArray[np.uint32] | range) -> Iterator[Problem]:
    """Yield the first of the numbered lines that is a row and has other than ten columns."""
    lines = data.split(b"\n") if len(numbers) else []
    for number in numbers:
        text = lines[number - 1]
        width = text.count(b"\t") + 1
        if width != len(COLUMNS) and text.strip() and not text.startswith(b"#"):
            problem = f"{columns(width)} where CoNLL-U has 10"
            yield int(number), problem, "columns are separated by one TAB"
            return


def _late_comments(rows: _Rows) -> Iterator[Problem]:
    """Yield the first comment below a word of its own sentence."""
    at = rows.comments["line"].to_numpy().astype(np.int64) - 1
    block = np.cumsum(rows.blank, dtype=np.int32)
    filled = (
        np.sort(np.concatenate([rows.line, rows.parts["line"].to_numpy()])).astype(np.int64) - 1
    )
    above = np.searchsorted(filled, at) - 1
    late = (above >= 0) & (block[filled[above]] == block[at]) if len(filled) else above >= 0
    for line in at[late][:1] + 1:
        yield (
            int(line),
            "a comment stands inside a sentence",
            "comments come before the first word; end the sentence above with a blank line",
        )


def _id_order(rows: _Rows) -> Iterator[Problem]:
    first = np.searchsorted(rows.sentence, rows.sentence)
    expected = np.arange(len(rows.sentence)) - first + 1
    found = rows.words["number"].to_numpy()
    for at in np.flatnonzero(found != expected)[:1]:
        yield (
            int(rows.line[at]),
            f"the ID is {found[at]} where {expected[at]} comes next",
            "words count from 1 in every sentence, and a blank line ends it",
        )


def _heads(rows: _Rows) -> Iterator[Problem]:
    """Yield the first HEAD that is no word of its sentence; ``_`` means there is no tree."""
    text = rows.words["head"]
    head = text.cast(pl.Int32, strict=False)
    length = np.bincount(rows.sentence)[rows.sentence]
    given = head.is_not_null().to_numpy()
    value = head.fill_null(0).to_numpy()
    wrong = (value < 0) | (value > length) | (~given & (text.fill_null("") != "_").to_numpy())
    for at in np.flatnonzero(wrong)[:1]:
        yield (
            int(rows.line[at]),
            f"the HEAD `{text[int(at)] or ''}` is no word of this sentence of {length[at]}",
            "a head is the ID of a word, or 0 for the root",
        )


def _documents(rows: _Rows) -> tuple[NDArray[np.int32] | None, tuple[str, ...]]:
    """Return each word's document and the names of those that hold words; None if none starts."""
    starts = rows.comments.filter(pl.col("id").str.contains(_NEWDOC))
    if len(starts) == 0:
        return None, ()
    names = [None, *starts["id"].str.extract(_NEWDOC).to_list()]
    number = np.searchsorted(starts["line"].to_numpy(), rows.line)
    held = np.unique(number)
    return _dense(number.astype(np.int32)), unique([names[at] or "" for at in held])
