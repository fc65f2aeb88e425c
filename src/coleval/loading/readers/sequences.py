"""Sequences: a sentence a row, with a list of tokens and lists of tags: gold, systems.

A row without tokens is an empty sentence and leaves nothing. A row of nothing but ``-DOCSTART-``
begins a document, as in column files, unless a column names the documents. Labels that are integers
or places in a dictionary stay numbers: no text is made of a token.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.selection import is_frame
from coleval.errors import DataError, UsageError
from coleval.loading.readers.documents import documents_of
from coleval.loading.readers.frames import opaque, texts
from coleval.loading.readers.ids import check_ids
from coleval.loading.readers.lines import DOCSTART
from coleval.loading.readers.model import TableFile, TokenFile
from coleval.loading.readers.names import unique
from coleval.loading.readers.open_tables import OpenColumn, OpenTable, open_table, schema_of
from coleval.loading.readers.sequence_columns import (
    LIST,
    SequenceColumns,
    check_apart,
    columns_of,
    holds_sequences,
    kinds_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.open_tables import OpenTable
    from coleval.loading.readers.source import Source

    Rows = NDArray[np.int64]
    Numbers = NDArray[np.int64]


def are_sequences(source: Source, selection: Selection, *, answers_alone: bool = False) -> bool:
    """Tell whether a source has a list of tokens and lists of tags in each row."""
    if isinstance(source.frame, OpenColumn):
        return True
    return holds_sequences(schema_of(source), selection, answers_alone=answers_alone)


def columns_in(source: Source, selection: Selection, *roles: str) -> SequenceColumns:
    """Return which columns of a source are what; only its head is read for that."""
    sheet = open_table(source)
    found = columns_of(kinds_of(sheet.schema), selection, roles, source.path)
    sheet.id = found.id
    check_apart(found, source.path)
    return found


def sources_of(
    source: Source, columns: SequenceColumns, answers: Mapping[str, str]
) -> dict[str, Source]:
    """Return a source for each column of answers, by the name it gets; they share an open table."""
    table = open_table(source)
    table.id = columns.id
    return {
        name: replace(source, name=name, frame=OpenColumn(table, columns, column))
        for name, column in answers.items()
    }


def read_sequences(source: Source, selection: Selection, role: str) -> TokenFile:
    """Return the tokens with the tags of ``role``; a system's file may have nothing but tags."""
    one = source.frame
    if isinstance(one, OpenColumn):
        answers = {role: one.answers}
        return _file(one.sheet, one.columns, selection, answers, context=role == "gold")
    found = columns_in(source, selection, role)
    name = found.gold if role == "gold" else found.systems[0]
    assert name is not None  # noqa: S101  - columns_of has raised otherwise
    return _file(open_table(source), found, selection, {role: name}, context=role == "gold")


def read_merged_sequences(source: Source, selection: Selection) -> TokenFile:
    """Return the tokens with gold and all systems."""
    found = columns_in(source, selection, "gold", "system")
    assert found.gold is not None  # noqa: S101  - columns_of has raised otherwise
    lone = len(found.systems) == 1 and source.frame is None
    answers = {source.name if lone else name: name for name in found.systems}
    return _file(
        open_table(source), found, selection, {"gold": found.gold, **answers}, context=True
    )


def _file(
    sheet: OpenTable,
    found: SequenceColumns,
    selection: Selection,
    answers: dict[str, str],
    *,
    context: bool,
) -> TokenFile:
    """Return the tokens with answers and, of gold, what is kept of each: its own or its row's."""
    first = found.form or next(iter(answers.values()))
    # Tokens are read once for all who read a column of the table.
    key = (first, found.form, found.id, found.document)
    if key not in sheet.kept:
        lists = lists_of(sheet, first)
        sheet.kept[key] = lists, *_tokens(sheet, found, lists)
    lists, file, rows, is_token = sheet.kept[key]
    columns, beside, kinds = {}, {}, kinds_of(sheet.schema)
    for role, name in answers.items():
        own = lists if name == first else lists_of(sheet, name)
        check_sizes(lists, own)
        columns[role] = tags(own, selection.names).filter(is_token)
    for name, column in found.context.items() if context else ():
        if kinds[column] == LIST:
            own = lists_of(sheet, column)
            check_sizes(lists, own)
            beside[name] = values(own).filter(is_token)
        else:
            value = sheet.column(column)
            kind = value.dtype
            # Numbers, truth values and dates stay as they are, everything else is text.
            simple = kind.is_numeric() or kind in (pl.Boolean, pl.Date, pl.Datetime, pl.Time)
            beside[name] = (value if simple else texts(value)).gather(rows)
    return replace(file, columns=columns, context=beside)


def _tokens(
    sheet: OpenTable, found: SequenceColumns, lists: Lists
) -> tuple[TokenFile, Rows, pl.Series]:
    """Return the tokens without answers, the row of each, and which values of lists they are."""
    total = int(lists.size.sum())
    form = pl.Series("form", [""]).new_from_index(0, total) if found.form is None else words(lists)
    marks = _marks(lists, form)
    filled = (lists.size > 0) & ~marks
    if not filled.any():
        raise DataError("has no tokens", where=sheet.path, remedy="is it the right file?")
    is_token = pl.Series(np.repeat(~marks, lists.size))
    rows = np.repeat(np.flatnonzero(filled), lists.size[filled])
    document, names = _documents(sheet, found, marks, filled)
    number = np.cumsum(filled, dtype=np.int32) - np.int32(1)
    line = sheet.line if sheet.line is not None else np.arange(1, len(filled) + 1, dtype=np.uint32)
    ids = None
    if found.id is not None:
        every = texts(sheet.column(found.id)).rename("id")
        check_ids(TableFile(sheet.path, every, {}, line=sheet.line))
        ids = every.filter(pl.Series(filled))
    file = TokenFile(
        path=sheet.path,
        form=form.filter(is_token),
        sentence=number[rows],
        line=line[rows],
        columns={},
        document=None if document is None else document[rows],
        documents=names,
        ids=ids,
        bare=found.form is None,
    )
    return file, rows, is_token


def _marks(lists: Lists, form: pl.Series) -> NDArray[np.bool_]:
    """Tell which rows are nothing but the mark of a document's beginning."""
    marks = np.zeros(len(lists.size), np.bool_)
    places = (form == DOCSTART).arg_true().to_numpy()
    if len(places):
        rows = np.searchsorted(np.cumsum(lists.size), places, side="right")
        marks[rows[lists.size[rows] == 1]] = True
    return marks


def _documents(
    sheet: OpenTable, found: SequenceColumns, marks: NDArray[np.bool_], filled: NDArray[np.bool_]
) -> tuple[NDArray[np.int32] | None, tuple[str, ...]]:
    """Return the document of each row: by its column, else by marks, None if there are neither."""
    if found.document is not None:
        rows = np.flatnonzero(filled)
        number, names = documents_of(sheet.column(found.document).gather(rows),
                                     lambda at: sheet.at(int(rows[at])))  # fmt: skip
        return number[np.maximum(np.cumsum(filled) - 1, 0)], names
    if not marks.any():
        return None, ()
    # Marks before the first sentence begin no second document, nor do several in a row.
    begins = np.diff(np.cumsum(marks)[filled], prepend=np.cumsum(marks)[filled][:1]) > 0
    number = np.cumsum(begins, dtype=np.int32)
    return number[np.maximum(np.cumsum(filled) - 1, 0)], unique([""] * (int(number[-1]) + 1))


_SHOWN = 30
_TAGS = (pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Null)


@dataclass(frozen=True, slots=True)
class Lists:
    """A column of lists: how many values each row has, and all values."""

    sheet: OpenTable
    name: str
    size: Numbers
    values: pl.Series

    def at(self, value: int) -> tuple[int, int]:
        """Return the row that a value is in, and its place there."""
        ends = np.cumsum(self.size)
        row = int(np.searchsorted(ends, value, side="right"))
        return row, value - int(ends[row] - self.size[row])

    def error(self, value: int, problem: str, remedy: str) -> DataError:
        """Return the error that a value is wrong: its row, and the path of the field."""
        row, place = self.at(value)
        return self.sheet.error(row, f"`{self.name}[{place}]` {problem}", remedy)


def lists_of(sheet: OpenTable, name: str) -> Lists:
    """Return the values of a column of lists; raise for rows that have no list."""
    column = sheet.column(name)
    if isinstance(column.dtype, pl.Array):
        column = column.arr.to_list()
    if not isinstance(column.dtype, pl.List):
        raise DataError(
            f"column `{name}` holds no lists",
            where=sheet.path,
            remedy="a row needs a list with one value for each token; choose another column",
        )
    if nulls := column.null_count():
        row = int(column.is_null().arg_max() or 0)
        often = f", as in {nulls:,} rows" if nulls > 1 else ""
        raise sheet.error(
            row,
            f"`{name}` is null{often}",
            "every row needs a list, though it may be one of nothing: []",
        )
    size = column.list.len().to_numpy().astype(np.int64)
    return Lists(sheet, name, size, column.explode(empty_as_null=False))


def words(lists: Lists) -> pl.Series:
    """Return a list of tokens as text; numbers among them are text too."""
    if opaque(lists.values.dtype):
        raise DataError(
            f"column `{lists.name}` holds {lists.values.dtype} in its lists, not tokens",
            where=lists.sheet.path,
            remedy="a row needs a list of tokens: one text for each",
        )
    column = lists.values
    if column.null_count():
        at = int(column.is_null().arg_true()[0])
        raise lists.error(at, "is null", "every token needs its text")
    return texts(column).rename("form")


def tags(lists: Lists, names: Sequence[str]) -> pl.Series:
    """Return a list of tags as labels: text, or numbers with names as an Enum.

    ``names`` are those of integers that have none in the file.
    """
    kind = lists.values.dtype
    _no_nulls(lists)
    if kind.is_integer():
        return _by_number(lists, _names_of(lists, names))
    if kind in _TAGS:
        labels = texts(lists.values)
        for at in (labels == "").arg_true()[:1]:
            problem, remedy = "is empty", "every token needs a tag; O marks outside tokens"
            raise lists.error(int(at), problem, remedy)
        return labels
    what = "numbers that are not whole" if kind.is_float() else f"values of type {kind}"
    raise lists.sheet.error(
        _first_row(lists),
        f"column `{lists.name}` holds {what} in its lists",
        "tags are text, or integers with names",
    )


def values(lists: Lists) -> pl.Series:
    """Return the values of a list that is kept beside the tokens: with their names, if any."""
    own = lists.sheet.names.get(lists.name, ())
    if own and lists.values.dtype.is_integer():
        _no_nulls(lists)
        return _by_number(lists, own).cast(pl.String)
    return texts(lists.values)


def _first_row(lists: Lists) -> int:
    return int((lists.size > 0).argmax()) if len(lists.size) else 0


def _no_nulls(lists: Lists) -> None:
    for at in lists.values.is_null().arg_true()[:1]:
        raise lists.error(int(at), "is null", "every token needs a tag; O marks outside tokens")


def _by_number(lists: Lists, names: Sequence[str]) -> pl.Series:
    """Return integers as an Enum of their names."""
    codes = lists.values
    wrong = ((codes < 0) | (codes >= len(names))).arg_true()
    if len(wrong):
        raise _no_code(lists, int(wrong[0]), int(codes[int(wrong[0])]), names)
    # The type that Polars has for so many categories.
    kind = pl.UInt8 if len(names) < 2**8 else pl.UInt16 if len(names) < 2**16 else pl.UInt32
    return codes.cast(kind).cat.to(pl.Enum(names))


def _names_of(lists: Lists, given: Sequence[str]) -> Sequence[str]:
    """Return the names of a column of integers: its own, else those given."""
    own = lists.sheet.names.get(lists.name, ())
    if own and given and tuple(own) != tuple(given):
        raise UsageError(
            f"the codes of column `{lists.name}` have names of their own, which are not those "
            f"given: {_few(own)}",
            where=lists.sheet.path,
            remedy="leave out --names; it is for integers that have no names in the file",
        )
    if not own and not given and lists.size.any():
        raise _no_names(lists)
    return own or given


def _no_names(lists: Lists) -> UsageError:
    others = [name for name, names in lists.sheet.names.items() if names]
    hint = ""
    if others:
        same = ",".join(lists.sheet.names[others[0]])
        same = f'names="{same}"' if is_frame(lists.sheet.path) else f"--names {same}"
        hint = f"\n  if they are those of `{others[0]}`: {same}"
    return UsageError(
        f"column `{lists.name}` holds integers, and nothing says what they mean",
        where=lists.sheet.at(_first_row(lists)),
        remedy="name the codes from 0 on: --names O,B-PER,I-PER, or a file with a name per line"
        + hint,
    )


def _no_code(lists: Lists, at: int, value: int, names: Sequence[str]) -> DataError:
    remedy = (
        "-100 marks what a model is not scored on (pieces of words, special tokens): leave these "
        "tokens out"
        if value == -100
        else f"the names are: {_few(names)}; are they complete?"
    )
    return lists.error(at, f"is {value}, but there are {len(names)} names, from 0 on", remedy)


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def check_sizes(tokens: Lists, others: Lists) -> None:
    """Raise if two columns of lists are not equally long in a row."""
    wrong = np.flatnonzero(tokens.size != others.size)
    if not len(wrong):
        return
    row = int(wrong[0])
    more = f" ({len(wrong):,} such rows)" if len(wrong) > 1 else ""
    raise tokens.sheet.error(
        row,
        f"`{others.name}` has {others.size[row]:,} values where `{tokens.name}` has "
        f"{tokens.size[row]:,}{more}",
        "every token needs one tag; sets of labels are read with --task label --separator '|'",
    )
