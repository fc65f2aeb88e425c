"""The lines of CoNLL-U and CoNLL-U Plus by what they are: words, tokens, empty nodes, comments.

The columns are those of CoNLL-U, or whatever a header names. What is wrong with a line is found
here; which columns are wanted is for others.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import raise_earliest, there_are_columns, unreadable
from coleval.errors import DataError
from coleval.late_classes import dataclass
from coleval.loading.readers.conllu_edges import edge_problems, empty_nodes, node_problems
from coleval.loading.readers.conllu_tokens import range_problems, ranges
from coleval.loading.readers.lines import read_fields
from coleval.loading.readers.names import unique
from coleval.loading.readers.numbers import whole_numbers
from coleval.loading.readers.source import check_not_empty
from coleval.loading.readers.steps import dense, steps

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.problems import Problem

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
# What is looked at in every file, whatever is wanted of it.
_CHECKED = ("id", "form", "head")
_BLOCK = 1 << 18
_PART = r"^[0-9]+[-.][0-9]+$"
_NEWDOC = r"^#\s*newdoc(?:\s+id\s*=\s*(.*?))?\s*$"


def conllu_lines(
    data: bytes,
    path: str,
    wanted: Collection[str],
    *,
    edges: str = "",
    columns: Sequence[str] = COLUMNS,
) -> ConlluLines:
    """Return the lines of a file with the columns wanted; raise at the first that is wrong.

    ``edges`` is the column that holds any, to be checked like heads.
    """
    # A comment is in the first column, and a row without the last one is too short.
    rows = _rows(data, path, {*wanted, *_CHECKED, columns[0], columns[-1]}, columns)
    raise_earliest(_problems(rows, data, edges, columns), path)
    return rows


@dataclass(frozen=True, slots=True)
class ConlluLines:
    """The lines of a file by what they are; ``broken`` are those that are nothing known.

    ``first`` is the first word of each sentence, ``blank`` tells the lines that are; ``ranges``
    are the parts that are tokens of several words, ``nodes`` those that are empty nodes.
    """

    words: pl.DataFrame
    line: NDArray[np.uint32]
    sentence: NDArray[np.int32]
    first: NDArray[np.intp]
    blank: NDArray[np.bool_]
    comments: pl.DataFrame
    parts: pl.DataFrame
    broken: pl.DataFrame
    ranges: pl.DataFrame
    nodes: pl.DataFrame

    @property
    def size(self) -> NDArray[np.int32]:
        """Return the number of words of each sentence."""
        return np.diff(self.first, append=len(self.line)).astype(np.int32)


def _rows(data: bytes, path: str, wanted: Collection[str], columns: Sequence[str]) -> ConlluLines:
    frame = _frame(data, path, wanted, columns)
    number = frame["id"].cast(pl.Int32, strict=False)
    if _signed(data):
        number = whole_numbers(frame["id"], pl.Int32)
    at = number.is_not_null().arg_true().to_numpy()
    blank, kinds = _others(frame, number, columns[0])
    if len(at) == 0 and len(kinds["broken"]) == 0:
        raise DataError("holds no words", where=path, remedy="is it the right file?")
    words = _taken_out(frame, number)
    if "head" not in columns:
        words = words.with_columns(head=pl.lit("_"))
    block = np.cumsum(blank, dtype=np.int32)
    own = block[at]
    line, first = (at + 1).astype(np.uint32), np.flatnonzero(steps(own))
    nodes = empty_nodes(kinds["parts"], block, own[first])
    tokens = ranges(kinds["parts"])
    return ConlluLines(words, line, dense(own), first, blank, **kinds, ranges=tokens, nodes=nodes)


def _taken_out(frame: pl.DataFrame, number: pl.Series) -> pl.DataFrame:
    """Return the words among lines, which are left without columns: there is no room for both."""
    there = number.is_not_null()
    words = [frame.drop_in_place(name).filter(there) for name in frame.columns]
    return pl.DataFrame([*words, number.filter(there).alias("number")])


def _frame(data: bytes, path: str, wanted: Collection[str], columns: Sequence[str]) -> pl.DataFrame:
    """Return every line of the file as a row of strings, absent ones null."""
    check_not_empty(data, path)
    some = [k for k, name in enumerate(columns) if name in wanted]
    if len(some) < len(columns):
        try:
            frame = read_fields(data, "\t", len(columns), path, some)
        except pl.exceptions.PolarsError:
            # The first line has more columns than there are.
            return _whole_frame(data, path, columns)
        frame.columns = [columns[k] for k in some]
        if _tabs(data) == (len(columns) - 1) * (len(frame) - frame[columns[-1]].null_count()):
            return frame
    return _whole_frame(data, path, columns)


def _tabs(data: bytes) -> int:
    """Return how many TABs there are; the CSV reader does not see those behind what it reads.

    Nine for every row that has a tenth column, and no more, means that no row has eleven.
    """
    buffer = np.frombuffer(data, np.uint8)
    blocks = (buffer[at : at + _BLOCK] for at in range(0, len(buffer), _BLOCK))
    return sum(int(np.count_nonzero(block == ord("\t"))) for block in blocks)


def _whole_frame(data: bytes, path: str, columns: Sequence[str]) -> pl.DataFrame:
    try:
        frame = read_fields(data, "\t", len(columns), path)
    except pl.exceptions.PolarsError:
        plain = _plain_comments(data, path, len(columns))
        frame = read_fields(plain, "\t", len(columns), path)
    frame.columns = list(columns)
    return frame


def _plain_comments(data: bytes, path: str, width: int) -> bytes:
    """Return the text without TABs in comments and blank lines; raise at a row that is wider."""
    raise_earliest(_widths(data, range(1, data.count(b"\n") + 2), width), path)
    return re.sub(rb"(?m)^(?:#.*|[ \t\r]+)$", lambda m: m[0].replace(b"\t", b" "), data)


def _others(
    frame: pl.DataFrame, number: pl.Series, first: str
) -> tuple[NDArray[np.bool_], dict[str, pl.DataFrame]]:
    """Return which lines are blank, and the lines that are neither blank nor words by kind."""
    at = number.is_null().arg_true()
    rest = frame[at].with_columns(line=at + 1)
    kind = rest.select(
        comment=pl.col(first).str.starts_with("#").fill_null(value=False),
        part=pl.col("id").str.contains(_PART).fill_null(value=False),
    )
    comment, part = kind["comment"], kind["part"]
    comments = rest.filter(comment).with_columns(id=pl.col(first))
    rest, parts = rest.filter(~(comment | part)), rest.filter(part)
    text = pl.concat_str(frame.columns, ignore_nulls=True).str.strip_chars()
    bare = rest.select(text == "").to_series()
    blank = np.zeros(len(frame), np.bool_)
    blank[rest["line"].filter(bare).to_numpy() - 1] = True
    return blank, {"comments": comments, "parts": parts, "broken": rest.filter(~bare)}


def _problems(
    rows: ConlluLines, data: bytes, edges: str, columns: Sequence[str]
) -> Iterator[Problem]:
    """Yield the first problem of each kind; ``edges`` is the column that holds any."""
    last = columns[-1]
    short = [frame["line"].filter(frame[last].is_null()) for frame in (rows.parts, rows.broken)]
    words = rows.line[rows.words[last].is_null().to_numpy()]
    yield from _widths(data, np.sort(np.concatenate([words, *short])), len(columns))
    for number, text in rows.broken.select("line", "id").head(1).iter_rows():
        yield unreadable(
            number, f"the ID `{text or ''}` is not a word number", "an ID is 3, 3-4 or 3.1"
        )
    yield from _late_comments(rows)
    for line in rows.line[rows.words["form"].is_null().to_numpy()][:1]:
        yield unreadable(int(line), "the FORM is empty", "write `_` where there is none")
    yield from _id_order(rows)
    number = rows.words["number"].to_numpy()
    yield from range_problems(rows.ranges, rows.line, number, rows.sentence)
    yield from _heads(rows, signed=_signed(data))
    yield from node_problems(rows.nodes, rows.size)
    if edges:
        words = {"line": rows.line, "sentence": rows.sentence, edges: rows.words[edges]}
        yield from edge_problems(pl.DataFrame(words), rows.nodes, rows.size, edges)


def _widths(data: bytes, numbers: NDArray[np.uint32] | range, wanted: int) -> Iterator[Problem]:
    """Yield the first of the numbered lines that is a row and has other columns than wanted."""
    lines = data.split(b"\n") if len(numbers) else []
    for number in numbers:
        text = lines[number - 1]
        width = text.count(b"\t") + 1
        if width != wanted and text.strip() and not text.startswith(b"#"):
            whose = "CoNLL-U has" if wanted == len(COLUMNS) else "`# global.columns` names"
            problem = f"{there_are_columns(width)} where {whose} {wanted}"
            yield unreadable(int(number), problem, "columns are separated by one TAB")
            return


def _late_comments(rows: ConlluLines) -> Iterator[Problem]:
    """Yield the first comment right below a word; others below it are not the first."""
    at = rows.comments["line"].to_numpy().astype(np.int64) - 1
    allowed = rows.blank.copy()
    allowed[at] = True
    above = np.maximum(at - 1, 0)
    for line in at[(at > 0) & ~allowed[above]][:1] + 1:
        yield unreadable(
            int(line),
            "a comment is inside a sentence",
            "comments come before the first word; end the sentence above with a blank line",
        )


def _id_order(rows: ConlluLines) -> Iterator[Problem]:
    expected = np.arange(1, len(rows.sentence) + 1, dtype=np.int32)
    expected -= rows.first.astype(np.int32)[rows.sentence]
    found = rows.words["number"].to_numpy()
    for at in np.flatnonzero(found != expected)[:1]:
        yield unreadable(
            int(rows.line[at]),
            f"the ID is {found[at]} where {expected[at]} is expected",
            "words count from 1 in every sentence, and a blank line ends it",
        )


def _signed(data: bytes) -> bool:
    """Tell whether a number may have a sign: casts take ``+1`` for 1, and ``-0`` for the root."""
    return b"+" in data or b"-0" in data


def _heads(rows: ConlluLines, *, signed: bool) -> Iterator[Problem]:
    """Yield the first HEAD that is no word of its sentence; ``_`` means there is no tree."""
    text = rows.words["head"]
    head = whole_numbers(text, pl.Int32) if signed else text.cast(pl.Int32, strict=False)
    length = rows.size[rows.sentence]
    value = head.fill_null(0).to_numpy()
    wrong = (value < 0) | (value > length)
    if head.null_count():
        wrong |= (head.is_null() & (text.fill_null("") != "_")).to_numpy()
    for at in np.flatnonzero(wrong)[:1]:
        yield unreadable(
            int(rows.line[at]),
            f"the HEAD `{text[int(at)] or ''}` is not a word of this sentence of {length[at]}",
            "a head is the ID of a word, or 0 for the root",
        )


def documents_of(rows: ConlluLines) -> tuple[NDArray[np.int32] | None, tuple[str, ...]]:
    """Return each word's document and the names of those that hold words; None if none starts."""
    return documents_at(rows.comments["id"], rows.comments["line"].to_numpy(), rows.line)


def documents_at(
    comments: pl.Series, lines: NDArray[np.uint32], words: NDArray[np.uint32]
) -> tuple[NDArray[np.int32] | None, tuple[str, ...]]:
    """Return the same of comments and of words on some lines."""
    starts = comments.str.contains(_NEWDOC)
    if not starts.any():
        return None, ()
    names = [None, *comments.filter(starts).str.extract(_NEWDOC).to_list()]
    size = len(words)
    begins = np.searchsorted(words, lines[starts.to_numpy()])
    number = np.cumsum(np.bincount(begins, minlength=size)[:size], dtype=np.int32)
    return dense(number), unique([names[at] or "" for at in number[steps(number)]])
