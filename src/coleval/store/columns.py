"""Columns on disk: Parquet whose row groups end where documents or sentences end."""

from __future__ import annotations

import re
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import Codes, coded, decoded, width

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from coleval.corpus.items import Items

ROWS = 500_000
# Datasets of so many rows have row groups of their own, so that one of them is read by itself.
_DATASET = 20_000
# Rows that are made codes of at a time: they stay in the cache, and take no memory.
_PIECE = 1 << 18
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


def write_columns(path: Path, items: Items, systems: Iterable[str], groups: list[int]) -> None:
    """Write the columns of some systems with the row groups that ``cuts`` chose."""
    kind = kind_of(items)
    answers = {name: items.answers[name] for name in systems}
    tables = (
        pl.DataFrame(
            [_labelled(name, codes[low:high], items, kind) for name, codes in answers.items()]
        ).to_arrow()
        for low, high in pairwise(groups)
    )
    write_parts(path, tables)


def write_base(
    path: Path, items: Items, groups: list[int], kind: pl.DataType | None = None
) -> None:
    """Write what belongs to no system; of each row group, numbers and datasets are known.

    Gold's labels are of a ``kind``, by default that which takes the least.
    """
    schema = items.context.schema
    known = [name for name, type_ in schema.items() if type_.is_numeric() or name == "dataset"]
    write_parts(path, _base_parts(items, groups, kind or kind_of(items)), known)


def _base_parts(items: Items, groups: list[int], kind: pl.DataType) -> Iterator[pa.Table]:
    for low, high in pairwise(groups):
        columns = items.context.slice(low, high - low).get_columns()
        if items.lazy_form:
            columns.append(items.lazy_form.at(np.arange(low, high))().rename("form"))
        gold = _labelled("gold", items.gold[low:high], items, kind)
        yield pl.DataFrame([*columns, gold]).to_arrow()


def _labelled(name: str, codes: Codes, items: Items, kind: pl.DataType) -> pl.Series:
    return decoded(codes, items.labels, name).cast(kind)


def write_parts(path: Path, parts: Iterable[pa.Table], known: Sequence[str] = ()) -> None:
    """Write tables of the same columns one by one, each as a row group.

    Of the columns that are ``known`` each row group says the least and the largest value. Nobody
    asks that of labels and texts, and to find it takes as long as to write them.
    """
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    tables = iter(parts)
    first = next(tables)
    with pq.ParquetWriter(
        path, first.schema, compression="zstd", write_statistics=list(known) or False
    ) as writer:
        for table in chain((first,), tables):
            writer.write_table(table, row_group_size=max(1, len(table)))


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


def kind_of(items: Items) -> pl.DataType:
    """Return what labels are written as: texts where a table of all, in each column, costs more."""
    few = len(items.labels) * _ROWS_A_LABEL <= max(len(items), _ROWS_A_LABEL * _FEW)
    return pl.Enum(items.labels) if few else pl.String()


def codes_of(column: pl.Series, kind: pl.Enum, rows: int) -> Codes:
    """Return a stored column as codes of a ``kind``, with nothing in the rows it does not have."""
    if column.dtype == pl.String:
        column = column.cast(kind)
    ours, theirs = kind.categories, column.dtype.categories  # type: ignore[attr-defined]
    codes: Codes = np.zeros(rows, width(len(ours)))
    # Later systems may have brought labels; most columns have all of them.
    table = None
    if not theirs.equals(ours, check_names=False):
        place = theirs.cast(kind).to_physical().to_numpy()
        table = np.append(0, place.astype(np.int64) + 1).astype(codes.dtype)
    for low in range(0, len(column), _PIECE):
        piece = coded(column.slice(low, _PIECE), theirs)
        codes[low : low + len(piece)] = piece if table is None else table[piece]
    return codes
