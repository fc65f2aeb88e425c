"""Columns on disk: Parquet whose row groups end where documents or sentences end."""

from __future__ import annotations

import itertools
import re
from inspect import signature
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import polars.selectors as cs

from coleval.corpus.coding import PLACES, Codes, coded, decoded, width
from coleval.store.label_files import write_labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    columns = {name: items.answers[name] for name in systems}
    if isinstance(kind, pl.Enum) and items.labels and columns:
        schema = pl.DataFrame(schema=dict.fromkeys(columns, kind)).to_arrow().schema
        write_labels(path, columns, schema, items.labels, groups)
        return
    table = _labelled(items.labels, kind, columns)
    rows = itertools.pairwise(groups)
    write_parts(path, (table.slice(low, high - low) for low, high in rows))


def write_parts(path: Path, parts: Iterable[pa.Table], known: Sequence[str] = ()) -> None:
    """Write tables of the same columns one by one, each as a row group.

    Of the columns that are ``known`` each row group says the least and the largest value. Nobody
    asks that of labels and texts, and to find it takes as long as to write them.
    """
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    tables = iter(parts)
    first = next(tables)
    # Newer libraries have small pages if nobody asks for large ones, older do not know of that.
    named = "max_rows_per_page" in signature(pq.write_table).parameters
    pages = {"max_rows_per_page": ROWS} if named else {}
    with pq.ParquetWriter(
        path, first.schema, compression="zstd", write_statistics=list(known) or False, **pages
    ) as writer:
        for table in itertools.chain((first,), tables):
            writer.write_table(table, row_group_size=max(1, len(table)))


def base_parts(
    items: Items, groups: list[int], kind: pl.DataType | None = None
) -> Iterator[pa.Table]:
    """Yield the columns that belong to no system, as many rows at a time as a row group has.

    Gold's labels are of a ``kind``, by default that which takes the least.
    """
    kind = kind or kind_of(items)
    for low, high in itertools.pairwise(groups):
        columns = [*items.context.slice(low, high - low).get_columns()]
        if items.lazy_form:
            columns.append(items.lazy_form.at(np.arange(low, high))().rename("form"))
        gold = _labelled(items.labels, kind, {"gold": items.gold[low:high]})
        table = pl.DataFrame(columns).to_arrow() if columns else gold.select([])
        yield table.append_column(gold.field(0), gold.column(0))


def write_base(path: Path, items: Items, parts: Iterable[pa.Table]) -> None:
    """Write what belongs to no system; of each row group, numbers and datasets are known."""
    schema = items.context.schema
    known = [name for name, kind in schema.items() if kind.is_numeric() or name == "dataset"]
    write_parts(path, parts, known)


def _labelled(labels: Sequence[str], kind: pl.DataType, columns: Mapping[str, Codes]) -> pa.Table:
    """Return codes as columns of labels, null for 0, as Polars would have them in Arrow."""
    import pyarrow as pa

    if not isinstance(kind, pl.Enum) or not labels:
        every = [decoded(codes, labels, name).cast(kind) for name, codes in columns.items()]
        return pl.DataFrame(every).to_arrow()
    schema = pl.DataFrame(schema=dict.fromkeys(columns, kind)).to_arrow().schema
    arrays = [_dictionary(codes, labels, schema.field(0).type) for codes in columns.values()]
    return pa.Table.from_arrays(arrays, schema=schema)


def _dictionary(codes: Codes, labels: Sequence[str], kind: pa.DictionaryType) -> pa.Array:
    """Return codes as an Arrow dictionary: faster than by Polars, which looks at every code."""
    import pyarrow as pa

    # 0 wraps to the largest number, which is null and not looked at.
    place = codes.astype(str(kind.index_type)) - 1
    there = np.packbits(codes != 0, bitorder="little")
    buffers = [pa.py_buffer(there), pa.py_buffer(place)]
    index = pa.Array.from_buffers(kind.index_type, len(codes), buffers)
    names = pa.array(labels, kind.value_type)
    return pa.DictionaryArray.from_arrays(index, names, ordered=kind.ordered, safe=False)


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


def codes_of_files(
    columns: Mapping[str, str],
    files: Mapping[str, pl.DataFrame],
    labels: tuple[str, ...],
    rows: int,
) -> dict[str, Codes]:
    """Return the codes of each column, of which it is known in which of some files it is."""
    names: dict[str, list[str]] = {}
    for name, file in columns.items():
        names.setdefault(file, []).append(name)
    found: dict[str, Codes] = {}
    for file, of_file in names.items():
        found |= _codes_of_all(files[file].select(of_file), labels, rows)
    return {name: found[name] for name in columns}


def _codes_of_all(frame: pl.DataFrame, labels: tuple[str, ...], rows: int) -> dict[str, Codes]:
    """Return all columns as codes: at once, for to ask Polars of each takes ten times as long."""
    kind, codes = pl.Enum(labels), width(len(labels))
    frame = frame.with_columns(cs.string().cast(kind))
    usual = frame.select(cs.by_dtype(kind))
    found: dict[str, Codes] = {name: np.zeros(rows, codes) for name in usual.columns}
    place = pl.all().to_physical().cast(PLACES[codes])
    for low in range(0, len(usual), _PIECE):
        piece = usual.slice(low, _PIECE).select((place + 1).fill_null(0))
        for column in piece:
            found[column.name][low : low + len(piece)] = column.to_numpy()
    others = [name for name in frame.columns if name not in found]
    return found | {name: codes_of(frame[name], labels, rows) for name in others}


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
