"""A store's columns unpacked on a shelf, some rows at a time, so that none is ever held whole.

Answers are read from there when somebody looks at them. Numbers of the context are mapped: what
nobody looks at takes no memory.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import polars as pl
import polars.selectors as cs

from coleval.corpus.coding import width
from coleval.corpus.disk import DiskCodes
from coleval.corpus.lazy import LazyMapping
from coleval.store.columns import codes_of
from coleval.store.json_files import check
from coleval.store.reading import as_written, frames, parquet_columns, schema_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from coleval.corpus.disk import Shelf, Stored
    from coleval.corpus.items import Items
    from coleval.store.manifest import Unit

# Rows that are unpacked at a time.
_PIECE = 1 << 18


def unpacked(own: Shelf, store: Path, name: str, unit: Unit) -> Items:
    """Return the items of a unit to which nothing was added, answers and context on a shelf."""
    check(store, unit.sums, [unit.parts[0][0]])
    items = as_written(store, name, unit, partial(_mapped, own, store, unit.rows))
    own.release()
    return replace(items, answers=answers_on(own, store, unit))


def answers_on(own: Shelf, store: Path, unit: Unit) -> DiskCodes:
    """Return the answers of all systems as they are stored; rows a file lacks have nothing."""
    makers = {
        system: partial(_codes, own, store, file, system, unit)
        for system, file in unit.columns.items()
    }
    source = parquet_columns(store, unit)
    return DiskCodes(own.limit, LazyMapping(makers), unit.rows, source=source)


def _codes(own: Shelf, store: Path, file: str, system: str, unit: Unit) -> Stored:
    kind = unit.kind
    check(store, unit.sums, [file])
    pieces = _pieces(store, file, system, unit.rows)
    parts = (codes_of(piece, kind, len(piece)) for piece in pieces)
    return own.fill(file, parts, width(len(unit.labels)), unit.rows)


def _pieces(store: Path, file: str, column: str, rows: int) -> Iterator[pl.Series]:
    """Yield a column of a file, some rows at a time, down to its end."""
    wanted = cs.by_name(column).as_expr()
    for low in range(0, rows, _PIECE):
        (frame,) = frames(store, [file], wanted, low, _PIECE)
        yield frame.to_series()


def _mapped(own: Shelf, store: Path, rows: int, file: str, names: list[str]) -> pl.DataFrame:
    """Return columns of a file, those of numbers and of few names mapped."""
    schema = schema_of(store, file)
    columns = [_column(own, store, rows, file, name, schema[name]) for name in names]
    return pl.DataFrame(columns)


def _column(
    own: Shelf, store: Path, rows: int, file: str, name: str, kind: pl.DataType
) -> pl.Series:
    plain = kind.is_integer() or isinstance(kind, pl.Enum)
    if not plain or _any_null(store, file, name):
        return frames(store, [file], pl.col(name))[0].to_series()
    pieces = (piece.to_physical() for piece in _pieces(store, file, name, rows))
    first = pl.Series(name, [], dtype=kind).to_physical()
    stored = own.fill(
        f"{file}-{name}", (p.to_numpy() for p in pieces), first.to_numpy().dtype, rows
    )
    column = stored.mapped().rename(name)
    return column.cat.to(kind) if isinstance(kind, pl.Enum) else column


def _any_null(store: Path, file: str, name: str) -> bool:
    return bool(frames(store, [file], pl.col(name).null_count())[0].item())
