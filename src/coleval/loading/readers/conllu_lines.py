"""The lines of CoNLL-U and CoNLL-U Plus by what they are: words, tokens, empty nodes, comments.

The columns are those of CoNLL-U, or whatever a header names. What is wrong with a line is found
here, also with the tokens of several words (``3-4``); which columns are wanted is for others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import raise_earliest, there_are_columns, unreadable
from coleval.errors import DataError
from coleval.loading.readers.conllu_edges import edge_problems, empty_nodes, node_problems
from coleval.loading.readers.lines import read_fields
from coleval.loading.readers.model import Multiwords
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
_CHECKED = ("form", "head")
_PART = r"^[0-9]+[-.][0-9]+$"
_RANGE = r"^([0-9]+)-([0-9]+)$"
_NEWDOC = r"^#\s*newdoc(?:\s+id\s*=\s*(.*?))?\s*$"


@dataclass(frozen=True, slots=True)
class ConlluLines:
    """The lines of a file by what they are; ``broken`` are those that are nothing known.

    ``first`` is the first word of each sentence, ``blank`` tells the lines that are; ``ranges``
    are the parts that are tokens of several words, ``nodes`` those that are empty nodes. ``short``
    are the lines that should have all columns and lack the last.
    """

    words: pl.DataFrame
    line: NDArray[np.uint32]
    sentence: NDArray[np.int32]
    first: NDArray[np.intp]
    blank: NDArray[np.bool_]
    short: NDArray[np.uint32]
    comments: pl.DataFrame
    parts: pl.DataFrame
    broken: pl.DataFrame
    ranges: pl.DataFrame
    nodes: pl.DataFrame

    @property
    def size(self) -> NDArray[np.int32]:
        """Return the number of words of each sentence."""
        return np.diff(self.first, append=len(self.line)).astype(np.int32)

    @property
    def multiwords(self) -> Multiwords | None:
        """Return the tokens of several words, None if there is none; words stand in order."""
        if not len(self.ranges):
            return None
        first = np.searchsorted(self.line, self.ranges["line"].to_numpy())
        size = (self.ranges["high"] - self.ranges["low"] + 1).to_numpy()
        return Multiwords(self.ranges["form"], first, first + size)

    @property
    def documents(self) -> tuple[NDArray[np.int32] | None, tuple[str, ...]]:
        """Return each word's document, and the names of those with words; None if none starts."""
        starts = self.comments.filter(pl.col("id").str.contains(_NEWDOC))
        if not len(starts):
            return None, ()
        names = [None, *starts["id"].str.extract(_NEWDOC).to_list()]
        size = len(self.line)
        begins = np.searchsorted(self.line, starts["line"].to_numpy())
        number = np.cumsum(np.bincount(begins, minlength=size)[:size], dtype=np.int32)
        return dense(number), unique([names[at] or "" for at in number[steps(number)]])


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
    rows = _rows(data, path, {*wanted, *_CHECKED}, columns)
    raise_earliest(_problems(rows, data, edges, columns), path)
    return rows


def _rows(data: bytes, path: str, wanted: Collection[str], columns: Sequence[str]) -> ConlluLines:
    frame = _frame(data, path, columns)
    number = whole_numbers(frame["id"], pl.Int32).alias("number")
    is_word = number.is_not_null()
    at = is_word.arg_true().to_numpy()
    blank, kinds = _others(frame, ~is_word, columns[0])
    if len(at) == 0 and len(kinds["broken"]) == 0:
        raise DataError("holds no words", where=path, remedy="is it the right file?")
    lacks_last = frame[columns[-1]].is_null().to_numpy()
    short = np.flatnonzero(lacks_last & ~blank).astype(np.uint32) + 1
    short = np.setdiff1d(short, kinds["comments"]["line"].to_numpy(), assume_unique=True)
    words = frame.select(c for c in columns if c in wanted).with_columns(number).filter(is_word)
    if "head" not in columns:
        words = words.with_columns(head=pl.lit("_"))
    # Stretches between blank lines; those with words are the sentences.
    block = np.cumsum(blank, dtype=np.int32)
    sentence = block[at]
    first = np.flatnonzero(steps(sentence))
    return ConlluLines(
        words,
        (at + 1).astype(np.uint32),
        dense(sentence),
        first,
        blank,
        short,
        **kinds,
        ranges=_ranges(kinds["parts"]),
        nodes=empty_nodes(kinds["parts"], block, sentence[first]),
    )


def _frame(data: bytes, path: str, columns: Sequence[str]) -> pl.DataFrame:
    """Return every line of the file as a row of strings, absent ones null."""
    check_not_empty(data, path)
    try:
        frame = read_fields(data, "\t", len(columns), path)
    except pl.exceptions.PolarsError:
        # A line has more columns than there are.
        plain = _plain_comments(data, path, len(columns))
        frame = read_fields(plain, "\t", len(columns), path)
    frame.columns = list(columns)
    return frame


def _plain_comments(data: bytes, path: str, width: int) -> bytes:
    """Return the text without TABs in comments and blank lines; raise at a row that is wider."""
    raise_earliest(_widths(data, range(1, data.count(b"\n") + 2), width), path)
    return re.sub(rb"(?m)^(?:#.*|[ \t\r]+)$", lambda m: m[0].replace(b"\t", b" "), data)


def _others(
    frame: pl.DataFrame, other: pl.Series, first: str
) -> tuple[NDArray[np.bool_], dict[str, pl.DataFrame]]:
    """Return which lines are blank, and the lines that are neither blank nor words by kind."""
    at = other.arg_true()
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
    yield from _widths(data, rows.short, len(columns))
    for number, text in rows.broken.select("line", "id").head(1).iter_rows():
        yield unreadable(
            number, f"the ID `{text or ''}` is not a word number", "an ID is 3, 3-4 or 3.1"
        )
    yield from _late_comments(rows)
    for line in rows.line[rows.words["form"].is_null().to_numpy()][:1]:
        yield unreadable(int(line), "the FORM is empty", "write `_` where there is none")
    yield from _id_order(rows)
    number = rows.words["number"].to_numpy()
    yield from _range_problems(rows.ranges, rows.line, number, rows.sentence)
    yield from _heads(rows)
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


def _heads(rows: ConlluLines) -> Iterator[Problem]:
    """Yield the first HEAD that is no word of its sentence; ``_`` means there is no tree."""
    text = rows.words["head"]
    head = whole_numbers(text, pl.Int32)
    length = rows.size[rows.sentence]
    value = head.fill_null(0).to_numpy()
    wrong = value > length
    if head.null_count():
        wrong |= (head.is_null() & (text.fill_null("") != "_")).to_numpy()
    for at in np.flatnonzero(wrong)[:1]:
        yield unreadable(
            int(rows.line[at]),
            f"the HEAD `{text[int(at)] or ''}` is not a word of this sentence of {length[at]}",
            "a head is the ID of a word, or 0 for the root",
        )


def _ranges(parts: pl.DataFrame) -> pl.DataFrame:
    """Return line, id, form, low and high of the multiword tokens among other lines.

    Ends that are too large for any sentence are -1.
    """
    ends = pl.col("id").str.extract_groups(_RANGE).struct.unnest()
    tokens = parts.filter(pl.col("id").str.contains(_RANGE))
    tokens = tokens.select("line", "id", "form", ends)
    tokens.columns = ["line", "id", "form", "low", "high"]
    number = pl.col("low", "high").cast(pl.Int32, strict=False).cast(pl.Int64)
    return tokens.with_columns(number.fill_null(-1))


def _range_problems(
    tokens: pl.DataFrame,
    line: NDArray[np.uint32],
    number: NDArray[np.int64],
    sentence: NDArray[np.int32],
) -> Iterator[Problem]:
    """Yield the first token whose words are not the ones that follow it, or are another's."""
    if not len(tokens):
        return
    low, high = tokens["low"].to_numpy(), tokens["high"].to_numpy()
    first = np.searchsorted(line, tokens["line"].to_numpy())
    last = first + high - low
    # There may be no words at all: then what both ends look at is one that is none.
    sentence, number = np.append(sentence, -1), np.append(number, -1)
    inside = np.clip(np.stack([first, last]), 0, max(len(line) - 1, 0))
    in_one = (last < len(line)) & (high >= low) & (sentence[inside[0]] == sentence[inside[1]])
    wrong = ~in_one | (number[inside[0]] != low)
    wrong[1:] |= first[1:] <= last[:-1]
    for at in np.flatnonzero(wrong)[:1]:
        yield unreadable(
            int(tokens["line"][int(at)]),
            f"the token {tokens['id'][int(at)]} is not directly before its words",
            "a line 3-4 comes right before word 3, has at least one word, and shares none",
        )
    for at in tokens["form"].is_null().arg_true()[:1]:
        yield unreadable(
            int(tokens["line"][int(at)]), "the FORM is empty", "write `_` where there is none"
        )
