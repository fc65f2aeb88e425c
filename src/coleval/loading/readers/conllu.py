"""CoNLL-U: ten TAB columns a word, comments above a sentence, a blank line below it.

Words are the syntactic words; the tokens that hold several (``1-2``) stand beside them. Empty
nodes (``1.1``) are checked and left out; edges over them become paths between words. CoNLL-U Plus
has the columns that a header names, ``# global.columns = ID FORM UPOS HEAD DEPREL PARSEME:MWE``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.plain_names import settled
from coleval.corpus.problems import raise_earliest, there_are_columns, unreadable
from coleval.corpus.selection import Selection, position
from coleval.errors import DataError, UsageError
from coleval.loading.readers.conllu_edges import (
    edge_problems,
    empty_nodes,
    node_problems,
    over_empty_nodes,
)
from coleval.loading.readers.documents import comment_columns
from coleval.loading.readers.lines import one_line_end, tab_fields, whole_numbers
from coleval.loading.readers.model import Multiwords, TokenFile
from coleval.loading.readers.names import repeated, unique
from coleval.loading.readers.steps import dense, steps

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.problems import Problem
    from coleval.loading.readers.source import Source


COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
HEADER = b"# global.columns"
_HEADER = re.compile(rb"(?m)^#[ \t]*global\.columns[ \t]*=?[ \t]*(.*?)[ \t\r]*$")
# What is found of lines stands in columns of these names beside those of the file.
_OWN = ("line", "number", "sentence", "low", "high")
# What is looked at in every file, whatever is wanted of it.
_CHECKED = ("id", "form", "head")
_PART = r"^[0-9]+[-.][0-9]+$"
_RANGE = r"^([0-9]+)-([0-9]+)$"
_NEWDOC = r"^#\s*newdoc(?:\s+id\s*=\s*(.*?))?\s*$"
# Columns that stand beside the items, to filter and group by.
_CONTEXT = ("lemma", "upos", "deprel")
_TREES = (*_CONTEXT, "xpos", "feats", "head", "deps")


def conllu_tokens(source: Source, selection: Selection, role: str) -> TokenFile:
    """Return the words with UPOS, or the column chosen for ``role``, as that role."""
    some = _CONTEXT if selection.trees or role == "gold" else ()
    only = _TREES if selection.trees else (*some, "upos")
    file = read_conllu(source, selection, only, role)
    beside = {name: file.columns[name] for name in some if name in file.columns}
    context = {**beside, **file.context}
    if role in file.columns:
        return replace(file, context=context)
    if "upos" not in file.columns and not selection.trees:
        names = " ".join(columns_of(source.text, source.path)).upper()
        raise UsageError(
            "no column is called UPOS",
            where=source.path,
            remedy=f"name the column of labels: --columns label=…; there are {names}",
        )
    answer = {role: file.columns["upos"]} if "upos" in file.columns else {}
    return replace(file, columns={**file.columns, **answer}, context=context)


def read_conllu(
    source: Source, selection: Selection, only: Collection[str] | None = None, role: str = ""
) -> TokenFile:
    """Return the words with their columns by name; raise at the first line that is wrong.

    Columns that are neither chosen nor in ``only`` are left out: None keeps all. The comments of
    gold are context columns.
    """
    data = one_line_end(source.text)
    columns = columns_of(data, source.path)
    picks = picked(selection, source.path, columns)
    kept = tuple(c for c in columns if c not in ("id", "form") and (only is None or c in only))
    edges = picks.get("deps", "deps")
    has_edges = edges in {*kept, *picks.values()}
    rows = conllu_lines(
        data,
        source.path,
        {*kept, *picks.values()},
        edges=edges if has_edges else "",
        columns=columns,
    )
    words = rows.words
    if has_edges:
        paths = over_empty_nodes(
            words[edges], rows.sentence, rows.nodes, line=rows.line, path=source.path
        )
        words = words.with_columns(paths)
    document, names = rows.documents
    context = {}
    if role == "gold":
        whole = np.zeros_like(rows.sentence) if document is None else document
        taken = {*COLUMNS, *picks, "relation"}
        context = comment_columns(rows.comments, rows.line, whole, rows.sentence, taken)
    chosen = {part: words[name].alias(part) for part, name in picks.items() if part != "form"}
    return TokenFile(
        path=source.path,
        form=words[picks.get("form", "form")].alias("form"),
        sentence=rows.sentence,
        line=rows.line,
        columns={**{name: words[name] for name in kept}, **chosen},
        document=document,
        documents=names,
        multiwords=rows.multiwords,
        context=context,
    )


def picked(selection: Selection, path: str, columns: Sequence[str] = COLUMNS) -> dict[str, str]:
    """Return the CoNLL-U column by the part or the context name it is chosen for.

    One column of systems is ``system``, several ones have their own names.
    """
    for part in ("id", "sentence", "document"):
        if part in selection.picks:
            raise UsageError(
                f"CoNLL-U itself defines what a {part} is",
                where="--columns",
                remedy=f"leave {part}=… out",
            )
    chosen: dict[str, int | str] = dict(selection.context)
    chosen |= {part: c for part in ("form", "gold") for c in selection.all(part)}
    systems = selection.all("system")
    lone = len(systems) == 1
    chosen |= {"system": systems[0]} if lone else {str(s).lower(): s for s in systems}
    for part in ("gold", "system"):
        if "label" in selection.picks and part not in selection.picks:
            chosen[part] = selection.picks["label"]
    return {part: column_named(column, path, columns) for part, column in chosen.items()}


def column_named(column: int | str, where: str, columns: Sequence[str]) -> str:
    """Return the name of a column that is chosen by name, in any case, or by number."""
    wanted = column.lower() if isinstance(column, str) else column
    return columns[position(wanted, header=columns, width=len(columns), where=where)]


def columns_of(data: bytes, path: str) -> tuple[str, ...]:
    """Return the columns that a file names, in lower case; raise where names cannot be right."""
    if b"global.columns" not in data:
        return COLUMNS
    data = one_line_end(data)
    first: tuple[int, tuple[str, ...]] | None = None
    for header in _HEADER.finditer(data):
        line, names = data.count(b"\n", 0, header.start()) + 1, _lower(header[1])
        if first is None:
            _check_names(names, f"{path}:{line}")
            first = line, names
        elif names != first[1]:
            raise DataError(
                f"the columns are other than those named in line {first[0]}",
                where=f"{path}:{line}",
                remedy="a file has one list of columns: # global.columns = "
                + " ".join(first[1]).upper(),
            )
    return COLUMNS if first is None else first[1]


def first_named(text: bytes) -> tuple[str, ...]:
    """Return the columns that the beginning of a file names, CoNLL-U's where it names none."""
    # Very many files may be asked, of which hardly one has such a line.
    found = _HEADER.search(text) if b"global.columns" in text else None
    return COLUMNS if found is None else _lower(found[1])


def _lower(names: bytes) -> tuple[str, ...]:
    every = names.decode("utf-8", "replace").lower().split()
    return tuple(settled(every, _OWN) if len(set(every)) == len(every) else every)


def _check_names(names: tuple[str, ...], where: str) -> None:
    if twice := sorted(repeated(names)):
        raise DataError(
            f"the column {twice[0].upper()} is named twice",
            where=where,
            remedy="each column has a name of its own: # global.columns = ID FORM UPOS …",
        )
    for name in ("id", "form"):
        if name not in names:
            raise DataError(
                f"no column is called {name.upper()}"
                + (f": there are {' '.join(names).upper()}" if names else ""),
                where=where,
                remedy="name all columns of the file in their order: # global.columns = ID FORM …",
            )


@dataclass(frozen=True, slots=True)
class ConlluLines:
    """The lines of a file by what they are, with their numbers in ``line``.

    ``words`` have the columns wanted and their ``number``; ``first`` is the first word of each
    sentence. ``parts`` are the lines of tokens of several words and of empty nodes; ``ranges`` are
    the former with their first and last word, ``nodes`` the latter with their sentence.
    """

    words: pl.DataFrame
    line: NDArray[np.uint32]
    sentence: NDArray[np.int32]
    first: NDArray[np.intp]
    comments: pl.DataFrame
    parts: pl.DataFrame
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
        starts = self.comments.filter(pl.col("text").str.contains(_NEWDOC))
        if not len(starts):
            return None, ()
        names = [None, *starts["text"].str.extract(_NEWDOC).to_list()]
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
    frame, kinds = _frame(data, path, wanted, columns)
    number = whole_numbers(frame["id"], pl.Int32).alias("number")
    is_word, is_part = number.is_not_null(), frame["id"].str.contains(_PART).fill_null(value=False)
    hashed, blank, width = kinds["hashed"], kinds["blank"], kinds["width"]
    is_comment = hashed & ~is_word
    is_broken = ~(is_word | is_part | is_comment | blank)
    widths = _widths(width, (width != len(columns)) & ~hashed & ~blank, len(columns))
    if (width > len(columns)).any():
        raise_earliest(widths, path)
    words, broken = frame.with_columns(number).filter(is_word), frame.filter(is_broken)
    if not len(words) and not len(broken):
        raise DataError("holds no words", where=path, remedy="is it the right file?")
    if "head" not in columns:
        words = words.with_columns(head=pl.lit("_"))
    parts = frame.filter(is_part & ~is_word & ~is_comment)
    comments = pl.DataFrame([frame["line"], kinds["text"]]).filter(is_comment)
    # There are many words, and both tables have them.
    del frame, kinds
    # Stretches between blank lines; those with words are the sentences.
    block = np.cumsum(blank.to_numpy(), dtype=np.int32)
    line = words["line"].to_numpy()
    sentence = block[line - 1]
    first = np.flatnonzero(steps(sentence))
    nodes = empty_nodes(parts, block, sentence[first])
    rows = ConlluLines(
        words.drop("line"), line, dense(sentence), first, comments, parts, _ranges(parts), nodes
    )
    late = is_comment & ~(is_comment | blank).shift(1, fill_value=True)
    problems = [*widths, *_broken(broken), *_late_comments(late)]
    problems += [*_word_problems(rows), *_range_problems(rows), *node_problems(nodes, rows.size)]
    raise_earliest([*problems, *(edge_problems(rows, edges) if edges else ())], path)
    return rows


def _frame(
    data: bytes, path: str, wanted: Collection[str], columns: Sequence[str]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return each line with the columns wanted, null where they are empty; and of what kind it is.

    It may begin with ``#``, and has its first field as ``text`` then, or be ``blank``.
    """
    text, fields = tab_fields(data, path)
    kinds = pl.DataFrame(
        {
            "hashed": text.str.starts_with("#"),
            "blank": text.str.strip_chars() == "",
            "width": fields.list.len(),
            "text": fields.list.get(0),
        }
    ).with_columns(pl.when("hashed").then("text"))
    named = {
        name: fields.list.get(at, null_on_oob=True)
        for at, name in enumerate(columns)
        if name in wanted or name in _CHECKED
    }
    frame = pl.DataFrame(named).with_columns(pl.when(pl.all() != "").then(pl.all()))
    return frame.with_columns(line=np.arange(1, len(text) + 1, dtype=np.uint32)), kinds


def _ranges(parts: pl.DataFrame) -> pl.DataFrame:
    """Return line, id, form, low and high of the multiword tokens among other lines.

    Ends that are too large for any sentence are -1.
    """
    tokens = parts.filter(pl.col("id").str.contains(_RANGE)).select("line", "id", "form")
    ends = tokens["id"].str.extract_groups(_RANGE).struct.rename_fields(["low", "high"])
    number = pl.col("low", "high").cast(pl.Int32, strict=False).cast(pl.Int64)
    return tokens.hstack(ends.struct.unnest()).with_columns(number.fill_null(-1))


def _widths(width: pl.Series, wrong: pl.Series, wanted: int) -> list[Problem]:
    """Return the first line that is a row and has other columns than wanted."""
    whose = "CoNLL-U has" if wanted == len(COLUMNS) else "`# global.columns` names"
    return [
        unreadable(
            at + 1,
            f"{there_are_columns(width[at])} where {whose} {wanted}",
            "columns are separated by one TAB",
        )
        for at in wrong.arg_true()[:1].to_list()
    ]


def _broken(rows: pl.DataFrame) -> Iterator[Problem]:
    """Yield the first line that is nothing known."""
    for number, text in rows.select("line", "id").head(1).iter_rows():
        yield unreadable(
            number, f"the ID `{text or ''}` is not a word number", "an ID is 3, 3-4 or 3.1"
        )


def _late_comments(late: pl.Series) -> Iterator[Problem]:
    """Yield the first comment right below a word; others below it are not the first."""
    for at in late.arg_true()[:1].to_list():
        yield unreadable(
            at + 1,
            "a comment is inside a sentence",
            "comments come before the first word; end the sentence above with a blank line",
        )


def _word_problems(rows: ConlluLines) -> Iterator[Problem]:
    """Yield the first word without a FORM, with another ID than its place, with a wrong HEAD.

    A HEAD is a word of its sentence; ``_`` means there is no tree.
    """
    for line in rows.line[rows.words["form"].is_null().to_numpy()][:1]:
        yield unreadable(int(line), "the FORM is empty", "write `_` where there is none")
    expected = np.arange(1, len(rows.line) + 1) - rows.first[rows.sentence]
    found = rows.words["number"].to_numpy()
    for at in np.flatnonzero(found != expected)[:1]:
        yield unreadable(
            int(rows.line[at]),
            f"the ID is {found[at]} where {expected[at]} is expected",
            "words count from 1 in every sentence, and a blank line ends it",
        )
    text, length = rows.words["head"], rows.size[rows.sentence]
    head = whole_numbers(text, pl.Int32)
    none = (head.is_null() & (text.fill_null("") != "_")).to_numpy()
    for at in np.flatnonzero(none | (head.fill_null(0).to_numpy() > length))[:1]:
        yield unreadable(
            int(rows.line[at]),
            f"the HEAD `{text[int(at)] or ''}` is not a word of this sentence of {length[at]}",
            "a head is the ID of a word, or 0 for the root",
        )


def _range_problems(rows: ConlluLines) -> Iterator[Problem]:
    """Yield the first token whose words are not the ones that follow it, or are another's."""
    tokens, line = rows.ranges, rows.line
    if not len(tokens):
        return
    low, high = tokens["low"].to_numpy(), tokens["high"].to_numpy()
    first = np.searchsorted(line, tokens["line"].to_numpy())
    last = first + high - low
    # There may be no words at all: then what both ends look at is one that is none.
    sentence, number = np.append(rows.sentence, -1), np.append(rows.words["number"].to_numpy(), -1)
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
