"""Parquet of what belongs to no system, its pages made here where columns are of usual types.

Numbers that are near each other are places in a table of those between, texts are numbered by a
loop in C: half of the time that a library takes.
"""

from __future__ import annotations

import ctypes
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.native.library import library
from coleval.store.label_files import label_column, texts_page
from coleval.store.pages import (
    NUMBERS,
    TEXTS,
    Chunk,
    PageColumn,
    data_page,
    dictionary_page,
    plain_page,
    write_pages,
)
from coleval.store.thrift import i64, text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from coleval.corpus.items import Items
    from coleval.corpus.lazy import LazyColumn

_PLACE, _NUMBER = ctypes.c_void_p, ctypes.c_int64
# Numbers further from each other are no places in a table.
_NEAR = 1 << 16


def write_base_pages(path: Path, items: Items, groups: Sequence[int], kind: pl.DataType) -> bool:
    """Write the base of some items with gold's labels of a kind; False where nothing is written."""
    if not isinstance(kind, pl.Enum) or not items.labels or not len(items):
        return False
    columns = [_column(one) for one in items.context.get_columns()]
    empty = items.context.clear()
    if items.lazy_form:
        columns.append(_texts("form", partial(_forms, items.lazy_form)))
        empty = empty.with_columns(form=pl.Series([], dtype=pl.String))
    known = [column for column in columns if column is not None]
    if len(known) < len(columns):
        return False
    gold = label_column("gold", items.gold, len(items.labels), texts_page(items.labels))
    schema = empty.with_columns(gold=pl.Series([], dtype=kind)).to_arrow().schema
    write_pages(path, [*known, gold], schema, pairwise(groups))
    return True


def _forms(column: LazyColumn, low: int, high: int) -> pl.Series:
    return column.at(np.arange(low, high))()


def _column(column: pl.Series) -> PageColumn | None:
    """Return a column as pages have it, None where it is of another type."""
    # Of datasets the least and the largest are known.
    if column.name == "dataset":
        return None
    if isinstance(column.dtype, pl.Enum):
        return _names(column)
    if column.dtype == pl.UInt32 and not column.null_count():
        return _numbers(column)
    if column.dtype == pl.String:
        return _texts(column.name, lambda low, high: column.slice(low, high - low))
    return None


def _names(column: pl.Series) -> PageColumn:
    """Return a column of names of which there is a table."""
    names = column.dtype.categories  # type: ignore[attr-defined]
    page = texts_page(names.to_list())

    def chunk(low: int, high: int) -> Chunk:
        there, own = _there(column.slice(low, high - low))
        places = data_page(own.to_physical().to_numpy(), len(names), there)
        return Chunk(page, places, high - low)

    return PageColumn(column.name, TEXTS, chunk)


def _there(column: pl.Series) -> tuple[NDArray[np.bool_] | None, pl.Series]:
    """Return which rows are not null, None for all, and their values."""
    if not column.null_count():
        return None, column
    return column.is_not_null().to_numpy(), column.drop_nulls()


def _numbers(column: pl.Series) -> PageColumn:
    """Return a column of numbers, of which each row group says the least and the largest."""
    values = column.to_numpy()

    def chunk(low: int, high: int) -> Chunk:
        own = values[low:high].astype("<u4", copy=False)
        least, most = own.min(), own.max()
        ends = text(most.tobytes()), text(least.tobytes())
        known = {3: i64(0), 5: ends[0], 6: ends[1]}
        if int(most) - int(least) >= _NEAR:
            return Chunk(None, plain_page(own.tobytes(), len(own)), len(own), known)
        table = np.arange(least, int(most) + 1, dtype="<u4")
        places = data_page((own - least).astype(np.uint16), len(table))
        return Chunk(dictionary_page(table.tobytes(), len(table)), places, len(own), known)

    return PageColumn(column.name, NUMBERS, chunk)


def _texts(name: str, slice_of: Callable[[int, int], pl.Series]) -> PageColumn | None:
    """Return a column of texts, None where there is no loop to number them."""
    loops = library()
    if not hasattr(loops, "coleval_text_codes"):
        return None

    def chunk(low: int, high: int) -> Chunk:
        there, own = _there(slice_of(low, high))
        plain, distinct, codes = _coded(loops, own)
        places = data_page(codes, distinct, there)
        return Chunk(dictionary_page(plain, distinct), places, high - low)

    return PageColumn(name, TEXTS, chunk)


def _coded(
    loops: ctypes.CDLL | None, column: pl.Series
) -> tuple[bytes, int, NDArray[np.unsignedinteger]]:
    """Return distinct texts one behind the other, how many they are, and the number of each row."""
    if not len(column):
        return b"", 0, np.empty(0, np.uint32)
    views = column.rechunk().to_arrow(compat_level=pl.CompatLevel.newest())
    _, own, *others = views.buffers()
    place = _PLACE(own.address + 16 * views.offset)
    buffers = (_PLACE * max(len(others), 1))(*(other.address for other in others))
    rows = len(column)
    codes, first = np.empty(rows, np.uint32), np.empty(rows, np.uint32)
    number: Callable[..., int] = loops.coleval_text_codes  # type: ignore[union-attr]
    write: Callable[..., int] = loops.coleval_text_plain  # type: ignore[union-attr]
    number.restype = write.restype = _NUMBER  # type: ignore[attr-defined]
    distinct = number(place, buffers, _NUMBER(rows), _address(codes), _address(first))
    if distinct < 0:
        raise MemoryError
    found = (place, buffers, _NUMBER(distinct), _address(first))
    plain = np.empty(write(*found, None), np.uint8)
    write(*found, _address(plain))
    return plain.tobytes(), distinct, codes


def _address(array: NDArray[np.generic]) -> ctypes.c_void_p:
    return _PLACE(array.ctypes.data)
