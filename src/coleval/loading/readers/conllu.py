"""CoNLL-U: ten TAB columns a word, comments above a sentence, a blank line below it.

Words are the syntactic words; the tokens that hold several (``1-2``) stand beside them. Empty
nodes (``1.1``) are checked and left out; edges over them become paths between words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import raise_earliest, there_are_columns, unreadable
from coleval.corpus.selection import Selection, position
from coleval.errors import DataError, UsageError
from coleval.loading.readers.conllu_edges import edge_problems, empty_nodes, node_problems
from coleval.loading.readers.conllu_paths import over_empty_nodes
from coleval.loading.readers.conllu_tokens import multiwords, range_problems, ranges
from coleval.loading.readers.lines import one_line_end, read_fields
from coleval.loading.readers.model import TokenFile
from coleval.loading.readers.names import unique
from coleval.loading.readers.source import check_not_empty
from coleval.loading.readers.steps import dense, steps

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

    from coleval.corpus.problems import Problem
    from coleval.loading.readers.source import Source

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
_FIXED = ("id", "sentence", "document")
# What is looked at in every file, whatever is wanted of it.
_CHECKED = ("id", "form", "head", "misc")
_BLOCK = 1 << 18
_PART = r"^[0-9]+[-.][0-9]+$"
_NEWDOC = r"^#\s*newdoc(?:\s+id\s*=\s*(.*?))?\s*$"


def read_conllu(
    source: Source, selection: Selection, only: Collection[str] | None = None
) -> TokenFile:
    """Return the words with their columns by name; raise at the first line that is wrong.

    Columns that are neither chosen nor in ``only`` are left out: None keeps all.
    """
    picks = picked(selection, source.path)
    data = one_line_end(source.text)
    kept = COLUMNS[2:] if only is None else tuple(c for c in COLUMNS[2:] if c in only)
    rows = _rows(data, source.path, {*kept, *picks.values(), *_CHECKED})
    edges = picks.get("deps", "deps")
    known = edges in {*kept, *picks.values()}
    raise_earliest(_problems(rows, data, edges if known else ""), source.path)
    words = rows.words
    if known:
        paths = over_empty_nodes(
            words[edges], rows.sentence, rows.nodes, line=rows.line, path=source.path
        )
        words = words.with_columns(paths)
    document, names = _documents(rows)
    return TokenFile(
        path=source.path,
        form=words[picks.get("form", "form")].alias("form"),
        sentence=rows.sentence,
        line=rows.line,
        columns=_columns(words, kept, picks),
        document=document,
        documents=names,
        multiwords=multiwords(rows.ranges, rows.line),
    )


@dataclass(frozen=True, slots=True)
class _ConlluRows:
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


def picked(selection: Selection, path: str) -> dict[str, str]:
    """Return the CoNLL-U column by the part or the context name it is chosen for."""
    for part in _FIXED:
        if part in selection.picks:
            raise UsageError(
                f"CoNLL-U itself defines what a {part} is",
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


def _columns(
    words: pl.DataFrame, kept: tuple[str, ...], picks: dict[str, str]
) -> dict[str, pl.Series]:
    named = {name: words[name] for name in kept}
    chosen = {part: words[column].alias(part) for part, column in picks.items() if part != "form"}
    return named | chosen


def _rows(data: bytes, path: str, wanted: Collection[str]) -> _ConlluRows:
    frame = _frame(data, path, wanted)
    number = frame["id"].cast(pl.Int32, strict=False)
    at = number.is_not_null().arg_true().to_numpy()
    blank, kinds = _others(frame, number)
    if len(at) == 0 and len(kinds["broken"]) == 0:
        raise DataError("holds no words", where=path, remedy="is it the right file?")
    words = frame.with_columns(number=number).filter(number.is_not_null())
    block = np.cumsum(blank, dtype=np.int32)
    own = block[at]
    line, first = (at + 1).astype(np.uint32), np.flatnonzero(steps(own))
    nodes = empty_nodes(kinds["parts"], block, own[first])
    tokens = ranges(kinds["parts"])
    return _ConlluRows(words, line, dense(own), first, blank, **kinds, ranges=tokens, nodes=nodes)


def _frame(data: bytes, path: str, wanted: Collection[str]) -> pl.DataFrame:
    """Return every line of the file as a row of strings, absent ones null."""
    check_not_empty(data, path)
    if len(wanted) < len(COLUMNS):
        some = [k for k, name in enumerate(COLUMNS) if name in wanted]
        frame = read_fields(data, "\t", len(COLUMNS), path, some)
        frame.columns = [COLUMNS[k] for k in some]
        if _tabs(data) == (len(COLUMNS) - 1) * (len(frame) - frame["misc"].null_count()):
            return frame
    return _whole_frame(data, path)


def _tabs(data: bytes) -> int:
    """Return how many TABs there are; the CSV reader does not see those behind what it reads.

    Nine for every row that has a tenth column, and no more, means that no row has eleven.
    """
    buffer = np.frombuffer(data, np.uint8)
    blocks = (buffer[at : at + _BLOCK] for at in range(0, len(buffer), _BLOCK))
    return sum(int(np.count_nonzero(block == ord("\t"))) for block in blocks)


def _whole_frame(data: bytes, path: str) -> pl.DataFrame:
    try:
        frame = read_fields(data, "\t", len(COLUMNS), path)
    except pl.exceptions.PolarsError:
        frame = read_fields(_plain_comments(data, path), "\t", len(COLUMNS), path)
    frame.columns = list(COLUMNS)
    return frame


def _plain_comments(data: bytes, path: str) -> bytes:
    """Return the text without TABs in comments and blank lines; raise at a row of eleven."""
    raise_earliest(_widths(data, range(1, data.count(b"\n") + 2)), path)
    return re.sub(rb"(?m)^(?:#.*|[ \t\r]+)$", lambda m: m[0].replace(b"\t", b" "), data)


def _others(
    frame: pl.DataFrame, number: pl.Series
) -> tuple[NDArray[np.bool_], dict[str, pl.DataFrame]]:
    """Return which lines are blank, and the lines that are neither blank nor words by kind."""
    at = number.is_null().arg_true()
    rest = frame[at].with_columns(line=at + 1)
    kind = rest.select(
        comment=pl.col("id").str.starts_with("#").fill_null(value=False),
        part=pl.col("id").str.contains(_PART).fill_null(value=False),
        blank=pl.concat_str(frame.columns, ignore_nulls=True).str.strip_chars() == "",
    )
    blank = np.zeros(len(frame), np.bool_)
    blank[at.to_numpy()[kind["blank"].to_numpy()]] = True
    known = kind["comment"] | kind["part"] | kind["blank"]
    kinds = {"comments": rest.filter(kind["comment"]), "parts": rest.filter(kind["part"])}
    return blank, kinds | {"broken": rest.filter(~known)}


def _problems(rows: _ConlluRows, data: bytes, edges: str) -> Iterator[Problem]:
    """Yield the first problem of each kind; ``edges`` is the column that holds any."""
    short = [frame["line"].filter(frame["misc"].is_null()) for frame in (rows.parts, rows.broken)]
    words = rows.line[rows.words["misc"].is_null().to_numpy()]
    yield from _widths(data, np.sort(np.concatenate([words, *short])))
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
    yield from _heads(rows)
    yield from node_problems(rows.nodes, rows.size)
    if edges:
        words = {"line": rows.line, "sentence": rows.sentence, edges: rows.words[edges]}
        yield from edge_problems(pl.DataFrame(words), rows.nodes, rows.size, edges)


def _widths(data: bytes, numbers: NDArray[np.uint32] | range) -> Iterator[Problem]:
    """Yield the first of the numbered lines that is a row and has other than ten columns."""
    lines = data.split(b"\n") if len(numbers) else []
    for number in numbers:
        text = lines[number - 1]
        width = text.count(b"\t") + 1
        if width != len(COLUMNS) and text.strip() and not text.startswith(b"#"):
            problem = f"{there_are_columns(width)} where CoNLL-U has 10"
            yield unreadable(int(number), problem, "columns are separated by one TAB")
            return


def _late_comments(rows: _ConlluRows) -> Iterator[Problem]:
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


def _id_order(rows: _ConlluRows) -> Iterator[Problem]:
    expected = np.arange(1, len(rows.sentence) + 1, dtype=np.int32)
    expected -= rows.first.astype(np.int32)[rows.sentence]
    found = rows.words["number"].to_numpy()
    for at in np.flatnonzero(found != expected)[:1]:
        yield unreadable(
            int(rows.line[at]),
            f"the ID is {found[at]} where {expected[at]} is expected",
            "words count from 1 in every sentence, and a blank line ends it",
        )


def _heads(rows: _ConlluRows) -> Iterator[Problem]:
    """Yield the first HEAD that is no word of its sentence; ``_`` means there is no tree."""
    text = rows.words["head"]
    head = text.cast(pl.Int32, strict=False)
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


def _documents(rows: _ConlluRows) -> tuple[NDArray[np.int32] | None, tuple[str, ...]]:
    """Return each word's document and the names of those that hold words; None if none starts."""
    starts = rows.comments.filter(pl.col("id").str.contains(_NEWDOC))
    if len(starts) == 0:
        return None, ()
    names = [None, *starts["id"].str.extract(_NEWDOC).to_list()]
    size = len(rows.line)
    begins = np.searchsorted(rows.line, starts["line"].to_numpy())
    number = np.cumsum(np.bincount(begins, minlength=size)[:size], dtype=np.int32)
    return dense(number), unique([names[at] or "" for at in number[steps(number)]])
