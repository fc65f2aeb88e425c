"""Columns on disk: Parquet whose row groups end where documents or sentences end."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import Codes, coded, decoded, width

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from coleval.corpus.items import Items

ROWS = 500_000
# Datasets of so many rows have row groups of their own, so that one of them is read by itself.
_DATASET = 20_000
# Rows that are made codes of at a time: they stay in the cache, and take no memory.
_PIECE = 1 << 16
# Tables of so few rows may be one file for all systems: to open one takes as long as to read it.
_SMALL, _MANY = 200_000, 100
# A label costs each column that has a table of them as much as so many rows cost as texts.
_ROWS_A_LABEL = 16
_FEW = 256
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def file_name(number: int, system: str) -> str:
    """Return a file name that is safe anywhere and still says which system it is."""
    return f"{number:04d}-{_UNSAFE.sub('_', system)[:40]}.parquet"


def cuts(items: Items) -> list[int]:
    """Return the rows where row groups begin, and the number of rows: never inside a document."""
    starts = _starts(items)
    found = [0]
    for end in _ends_of_datasets(items):
        while found[-1] + ROWS < end:
            at = int(np.searchsorted(starts, found[-1] + ROWS, side="right")) - 1
            if starts[at] <= found[-1]:
                at += 1
            if at >= len(starts) or starts[at] >= end:
                break
            found.append(int(starts[at]))
        if end - found[-1] >= _DATASET and end < len(items):
            found.append(end)
    return [*found, len(items)]


def _ends_of_datasets(items: Items) -> list[int]:
    if "dataset" not in items.context.columns or not len(items):
        return [len(items)]
    column = items.context["dataset"].to_physical().to_numpy()
    return [*(np.flatnonzero(column[1:] != column[:-1]) + 1).tolist(), len(items)]


def _starts(items: Items) -> NDArray[np.intp]:
    """Return the rows where a document begins; a sentence where documents are too long."""
    for name in ("document", "sentence", items.group):
        if name not in items.context.columns:
            continue
        column = items.context[name].to_physical().to_numpy()
        starts = np.flatnonzero(np.append(True, column[1:] != column[:-1])[: len(column)])
        longest = np.diff(np.append(starts, len(items))).max(initial=0)
        if name != "document" or longest <= ROWS:
            return starts
    return np.arange(len(items))


def write_frame(path: Path, frame: pl.DataFrame, groups: list[int]) -> None:
    """Write a frame with the row groups that ``cuts`` chose."""
    write_parts(path, (frame.slice(low, high - low) for low, high in itertools.pairwise(groups)))


def write_parts(path: Path, parts: Iterable[pl.DataFrame]) -> None:
    """Write frames of the same columns one by one, each as a row group."""
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    tables = (part.to_arrow() for part in parts)
    first = next(tables)
    with pq.ParquetWriter(path, first.schema, compression="zstd") as writer:
        for table in itertools.chain((first,), tables):
            writer.write_table(table, row_group_size=max(1, len(table)))


def base_parts(items: Items, groups: list[int]) -> Iterator[pl.DataFrame]:
    """Yield the columns that belong to no system, as many rows at a time as a row group has."""
    kind = _kind(items)
    for low, high in itertools.pairwise(groups):
        form = items.lazy_form
        part = replace(
            items,
            context=items.context.slice(low, high - low),
            gold=items.gold[low:high],
            lazy_form=form and form.at(np.arange(low, high)),
        )
        yield base_frame(part).with_columns(pl.col("gold").cast(kind))


def base_frame(items: Items) -> pl.DataFrame:
    """Return the columns that belong to no system: context, form, gold."""
    form = [items.lazy_form().rename("form")] if items.lazy_form else []
    gold = decoded(items.gold, items.labels, "gold")
    return pl.DataFrame([*items.context.get_columns(), *form, gold])


def files_of(items: Items, packed: bool) -> list[list[str]]:
    """Return the systems of each file: all where a table is small and ``packed``, else each.

    Hundreds of systems are packed in any case.

    Names that differ in case alone are one name for SQL, and so are not in one file.
    """
    names = list(items.answers)
    alike = len({name.casefold() for name in names}) < len(names)
    wanted = packed or len(names) > _MANY
    together = wanted and names and not alike and len(items) <= _SMALL
    return [names] if together else [[name] for name in names]


def answer_frame(items: Items, systems: Iterable[str]) -> pl.DataFrame:
    """Return the columns of some systems."""
    kind = _kind(items)
    return pl.DataFrame(
        [decoded(items.answers[name], items.labels, name).cast(kind) for name in systems]
    )


def _kind(items: Items) -> pl.DataType:
    """Return what labels are written as: texts where a table of all, in each column, costs more."""
    few = len(items.labels) * _ROWS_A_LABEL <= max(len(items), _ROWS_A_LABEL * _FEW)
    return pl.Enum(items.labels) if few else pl.String()


def codes_of(column: pl.Series, labels: tuple[str, ...], rows: int) -> Codes:
    """Return a stored column as codes of ``labels``, with nothing in the rows it does not have."""
    if column.dtype == pl.String:
        column = column.cast(pl.Enum(labels))
    theirs = column.dtype.categories  # type: ignore[attr-defined]
    ours = pl.Series(labels, dtype=pl.String)
    # Later systems may have brought labels; most columns have all of them.
    table = None if theirs.equals(ours, check_names=False) else _table(theirs, labels)
    codes: Codes = np.zeros(rows, width(len(labels)))
    for low in range(0, len(column), _PIECE):
        piece = coded(column.slice(low, _PIECE), theirs)
        codes[low : low + len(piece)] = piece if table is None else table[piece]
    return codes


def _table(theirs: pl.Series, labels: tuple[str, ...]) -> Codes:
    """Return the codes among ``labels`` of other ones that are all among them."""
    place = theirs.cast(pl.Enum(labels)).to_physical().to_numpy()
    return np.append(0, place.astype(np.int64) + 1).astype(width(len(labels)))
