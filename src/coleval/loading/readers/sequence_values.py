"""The values of a column of lists, one row after the other; and lists of tags as labels.

Labels that are integers or places in a dictionary stay numbers: they are looked up in a table, and
no text is made of a token. What cannot be a tag is an error that names the row and the place in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.corpus.selection import is_frame
from coleval.errors import DataError, UsageError
from coleval.loading.readers.frames import texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from coleval.loading.readers.open_tables import OpenTable

    Numbers = NDArray[np.int64]

_SHOWN = 30


@dataclass(frozen=True, slots=True)
class Lists:
    """A column of lists: how many values each row has, and the values, in pieces as they came."""

    sheet: OpenTable
    name: str
    size: Numbers
    pieces: tuple[pa.Array, ...]

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
    import pyarrow.compute as pc

    column = sheet.column(name)
    if column.null_count:
        row = int(np.flatnonzero(column.is_null().to_numpy())[0])
        often = f", as in {column.null_count:,} rows" if column.null_count > 1 else ""
        raise sheet.error(
            row,
            f"`{name}` is null{often}",
            "every row needs a list, though it may be one of nothing: []",
        )
    size = [np.asarray(pc.list_value_length(chunk)) for chunk in column.chunks]
    pieces = tuple(chunk.flatten() for chunk in column.chunks)
    return Lists(
        sheet, name, np.concatenate([np.zeros(0, np.int64), *size]).astype(np.int64), pieces
    )


def words(lists: Lists) -> pl.Series:
    """Return a list of tokens as text; numbers among them are text too."""
    import pyarrow as pa

    kind = lists.sheet.schema.field(lists.name).type
    if pa.types.is_nested(kind.value_type) or pa.types.is_binary(kind.value_type):
        raise DataError(
            f"column `{lists.name}` holds {kind.value_type} in its lists, not tokens",
            where=lists.sheet.path,
            remedy="a row needs a list of tokens: one text for each",
        )
    column = _series(lists)
    if column.null_count():
        at = int(column.is_null().arg_true()[0])
        raise lists.error(at, "is null", "every token needs its text")
    return texts(column).rename("form")


def tags(lists: Lists, names: Sequence[str]) -> pl.Series:
    """Return a list of tags as labels: text, or numbers with names as an Enum.

    ``names`` are those of integers that have none in the file.
    """
    import pyarrow as pa

    kind = lists.pieces[0].type if lists.pieces else pa.null()
    _no_nulls(lists)
    if pa.types.is_dictionary(kind):
        return _by_dictionary(lists)
    if pa.types.is_integer(kind):
        return _by_number(lists, _names_of(lists, names))
    if pa.types.is_boolean(kind) or pa.types.is_null(kind) or "string" in str(kind):
        return _as_text(lists)
    what = "numbers that are not whole" if pa.types.is_floating(kind) else f"values of type {kind}"
    raise lists.sheet.error(
        _first_row(lists),
        f"column `{lists.name}` holds {what} in its lists",
        "tags are text, or integers with names",
    )


def values(lists: Lists) -> pl.Series:
    """Return the values of a list that is kept beside the tokens: with their names, if any."""
    import pyarrow as pa

    own = lists.sheet.names.get(lists.name, ())
    kind = lists.pieces[0].type if lists.pieces else pa.null()
    if own and pa.types.is_integer(kind):
        _no_nulls(lists)
        return _by_number(lists, own).cast(pl.String)
    return texts(_series(lists))


def _first_row(lists: Lists) -> int:
    return int((lists.size > 0).argmax()) if len(lists.size) else 0


def _no_nulls(lists: Lists) -> None:
    before = 0
    for piece in lists.pieces:
        if piece.null_count:
            at = before + int(np.flatnonzero(piece.is_null().to_numpy(zero_copy_only=False))[0])
            raise lists.error(at, "is null", "every token needs a tag; O marks outside tokens")
        before += len(piece)


def _series(lists: Lists) -> pl.Series:
    import pyarrow as pa

    kind = lists.sheet.schema.field(lists.name).type.value_type
    pieces = lists.pieces or (pa.array([], kind),)
    return pl.Series(lists.name, pl.from_arrow(pa.chunked_array(pieces)))


def _as_text(lists: Lists) -> pl.Series:
    found = texts(_series(lists))
    _none_empty(lists, (found == "").arg_true().to_list()[:1])
    return found


def _none_empty(lists: Lists, places: Iterable[int]) -> None:
    for at in places:
        raise lists.error(int(at), "is empty", "every token needs a tag; O marks outside tokens")


def _by_number(lists: Lists, names: Sequence[str]) -> pl.Series:
    """Return integers as an Enum of their names."""
    found: list[NDArray[Any]] = []
    before = 0
    for piece in lists.pieces:
        codes = piece.to_numpy()
        if len(codes) and (codes.min() < 0 or codes.max() >= len(names)):
            at = int(np.flatnonzero((codes < 0) | (codes >= len(names)))[0])
            raise _no_code(lists, before + at, int(codes[at]), names)
        found.append(codes.astype(_width(len(names))))
        before += len(codes)
    return _enum(lists, found, names)


def _by_dictionary(lists: Lists) -> pl.Series:
    """Return places in the dictionaries of the pieces as an Enum of all their labels."""
    known: dict[str, int] = {}
    for piece in lists.pieces:
        for label in piece.dictionary.to_pylist():
            known.setdefault(str(label), len(known))
    kind = _width(len(known))
    found = []
    for piece in lists.pieces:
        table = [known[str(label)] for label in piece.dictionary.to_pylist()]
        places = piece.indices.to_numpy()
        found.append(np.array(table, kind)[places] if table else np.zeros(0, kind))
    column = _enum(lists, found, list(known))
    if "" in known:
        _none_empty(lists, np.flatnonzero(column.to_physical().to_numpy() == known[""])[:1])
    return column


def _enum(lists: Lists, codes: list[NDArray[Any]], names: Sequence[str]) -> pl.Series:
    every = codes[0] if len(codes) == 1 else np.concatenate([np.zeros(0, np.uint8), *codes])
    kind = _width(len(names))
    return pl.Series(lists.name, every.astype(kind, copy=False)).cat.to(pl.Enum(names))


def _width(names: int) -> type[np.unsignedinteger]:
    """Return the type that Polars has for so many categories."""
    if names < 2**8:
        return np.uint8
    return np.uint16 if names < 2**16 else np.uint32


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
