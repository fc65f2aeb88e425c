"""The values of a column of lists, one row after the other; and lists of tags as labels.

Labels that are integers or places in a dictionary stay numbers: they are looked up in a table, and
no text is made of a token. What cannot be a tag is an error that names the row and the place in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.selection import is_frame
from coleval.errors import DataError, UsageError
from coleval.loading.readers.frames import opaque, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from coleval.loading.readers.open_tables import OpenTable

    Numbers = NDArray[np.int64]

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
