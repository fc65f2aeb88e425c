"""Tables on disk: Parquet whose row groups end where documents or sentences end.

A table has a row an item: what it is (``item_id``, dataset, part, context, text), gold's label, and
the label of every system. A pattern table has a row for each distinct combination of labels.
"""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
import polars as pl

from coleval.corpus.coding import Codes, coded, decoded, width
from coleval.corpus.items import NOT_IN_GOLD

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from coleval.corpus.items import Items

    Schema = Mapping[str, pl.DataType]
    Ids = NDArray[np.int64]

ROWS = 500_000
ID, GOLD, FORM, N = "item_id", "gold", "form", "n"
# Columns that are no system's, whatever the corpus: a system of such a name gets another column.
TAKEN = (ID, "item", "dataset", "part", GOLD, FORM, N)
# The number of a sentence or instance stands above so many bits of an id.
BITS = 31
# Rows that are made codes of at a time: they stay in the cache, and take no memory.
_PIECE = 1 << 18
# A label costs each column that has a table of them as much as so many rows cost as texts.
_ROWS_A_LABEL, _FEW = 16, 256
# Patterns are stored where they are so many times fewer than items.
_WORTH = 4
# What tells two items of one sentence apart, apart from their labels.
KEYS = (
    "document", "sentence", "start", "end", "tokens", "char_start", "char_end", "fragments",
    "instance", "label", FORM,
)  # fmt: skip


def keys_of(columns: Collection[str]) -> list[str]:
    """Return the columns that tell items apart; texts only do where items have no place."""
    placed = "start" in columns or "char_start" in columns
    return [key for key in KEYS if key in columns and not (placed and key == FORM)]


def is_coded(labels: int, rows: int) -> bool:
    """Return whether labels are stored as an Enum: not where a table of all costs more."""
    return labels * _ROWS_A_LABEL <= max(rows, _ROWS_A_LABEL * _FEW)


# -- ids -------------------------------------------------------------------------------------------
def item_ids(items: Items) -> Ids:
    """Return an id of each item, made of where it is and what gold says, of no system.

    Above the lowest 31 bits is the number of the sentence or instance in its gold file. Below is
    the place in it, or where items are there because somebody proposes them, a hash of their keys.
    """
    group = items.groups
    if group is None:
        return np.arange(len(items), dtype=np.int64)
    if NOT_IN_GOLD in items.context.columns:
        extra = pl.col(NOT_IN_GOLD).fill_null(value=False)
        # Words that gold lacks are counted by themselves, from 2 ** 30 on.
        place = pl.int_range(pl.len()).over(items.group, extra)
        own = place + extra.cast(pl.Int64) * (1 << (BITS - 1))
        return (group.astype(np.int64) << BITS) + items.context.select(own).to_series().to_numpy()
    if items.empty_is_answer:
        return _places(group)
    ids: Ids = group.astype(np.int64) << BITS | (_hashes(items) >> (64 - BITS)).astype(np.int64)
    while len(first := np.unique(ids, return_index=True)[1]) < len(ids):
        again = np.ones(len(ids), np.bool_)
        again[first] = False
        ids[again] += 1
    return ids


def _places(group: NDArray[np.uint32]) -> Ids:
    """Return ids of sentences and the places in them, made piece by piece for want of memory."""
    ids = np.empty(len(group), np.int64)
    new = np.append(True, group[1:] != group[:-1])
    first = 0
    for low in range(0, len(group), _PIECE):
        row = np.arange(low, min(low + _PIECE, len(group)))
        begins = np.where(new[row], row, 0)
        begins[0] = max(begins[0], first)
        begins = np.maximum.accumulate(begins)
        first = begins[-1]
        ids[row] = (group[row].astype(np.int64) << BITS) + row - begins
    return ids


def _hashes(items: Items) -> NDArray[np.uint64]:
    """Return a hash of what tells items apart (SplitMix64 over its columns)."""
    columns = [items.context[key] for key in keys_of(items.context.columns)]
    columns.append(decoded(items.gold, items.labels, GOLD))
    found = np.zeros(len(items), np.uint64)
    for column in columns:
        found = (found ^ _as_numbers(column)) * np.uint64(0x9E3779B97F4A7C15)
        found ^= found >> np.uint64(29)
        found *= np.uint64(0xBF58476D1CE4E5B9)
        found ^= found >> np.uint64(32)
    return found


def _as_numbers(column: pl.Series) -> NDArray[np.uint64]:
    if column.dtype.is_integer():
        return (column.cast(pl.Int64).fill_null(-1).to_numpy()).astype(np.uint64)
    text = column.cast(pl.String)
    names = text.unique()
    values = [0 if name is None else crc32(name.encode()) + 1 for name in names]
    return text.replace_strict(names, values, return_dtype=pl.UInt64).to_numpy()


# -- writing ---------------------------------------------------------------------------------------
def cuts(items: Items) -> list[int]:
    """Return the rows where row groups begin, and the number of rows: never inside a document."""
    starts = _starts(items)
    found = [0]
    while found[-1] + ROWS < len(items):
        at = int(np.searchsorted(starts, found[-1] + ROWS, side="right")) - 1
        if starts[at] <= found[-1]:
            at += 1
        if at >= len(starts):
            break
        found.append(int(starts[at]))
    return [*found, len(items)]


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


def write_items(
    path: Path, items: Items, ids: Ids, place: Mapping[str, str], names: Mapping[str, str],
    kind: pl.DataType,
) -> None:  # fmt: skip
    """Write the table of a unit of one gold file; labels are of a ``kind``.

    ``place`` are the names of its dataset and part, ``names`` those of systems in Parquet.
    """
    context = items.context.drop(*place, strict=False)
    known = [ID, *place, *(n for n, type_ in context.schema.items() if type_.is_numeric())]

    def part(low: int, high: int) -> pa.Table:
        rows = high - low
        columns = [pl.Series(ID, ids[low:high])]
        columns += [pl.repeat(v, rows, dtype=pl.String, eager=True).alias(k)
                    for k, v in place.items()]  # fmt: skip
        own = context.slice(low, rows).get_columns()
        columns += [as_text(column) for column in own] if place else own
        if items.lazy_form:
            columns.append(items.lazy_form.at(np.arange(low, high))().rename(FORM))
        piece = items.between(low, high)
        columns.append(decoded(piece.gold, items.labels, GOLD).cast(kind))
        columns += _answers(piece.answers, items.labels, names, kind, rows)
        return pl.DataFrame(columns).to_arrow()

    write_parts(path, (part(low, high) for low, high in pairwise(cuts(items))), known)


def _answers(
    answers: Mapping[str, Codes], labels: Sequence[str], names: Mapping[str, str],
    kind: pl.DataType, rows: int,
) -> list[pl.Series]:  # fmt: skip
    """Return the labels of every system of the store, null for one that has not run here."""
    nothing = np.zeros(rows, width(len(labels)))
    return [decoded(answers.get(system, nothing), labels, name).cast(kind)
            for system, name in names.items()]  # fmt: skip


def as_text(column: pl.Series) -> pl.Series:
    """Return a column, one of a dictionary as text: dictionaries differ by gold file."""
    named = isinstance(column.dtype, pl.Enum | pl.Categorical)
    return column.cast(pl.String) if named else column


def write_parts(path: Path, parts: Iterable[pa.Table], known: Sequence[str] = ()) -> None:
    """Write tables of the same columns one by one, each as a row group.

    Of the columns that are ``known`` each row group says the least and the largest value. Nobody
    asks that of labels and texts, and to find it takes as long as to write them.
    """
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    tables = iter(parts)
    first = next(tables)
    ids = [name for name in first.schema.names if name == ID]
    with pq.ParquetWriter(
        path, first.schema, compression="zstd", write_statistics=list(known) or False,
        use_dictionary=[name for name in first.schema.names if name != ID],
        column_encoding=dict.fromkeys(ids, "DELTA_BINARY_PACKED") or None,
    ) as writer:  # fmt: skip
        for table in chain((first,), tables):
            writer.write_table(table, row_group_size=max(1, len(table)))


def patterns(items: Items) -> pl.DataFrame | None:
    """Return the distinct rows of gold's and all systems' codes with how many items have each.

    None where they are not much fewer than the items.
    """
    most = len(items) // _WORTH
    counted: list[pl.DataFrame] = []
    for block in items.blocks():
        columns = {GOLD: block.gold, **{f"s{k}": c for k, c in enumerate(block.answers.values())}}
        frame = pl.DataFrame(columns)
        sample = frame.head(_PIECE // 4)
        if sample.n_unique() > max(most, len(sample) // 2):
            return None
        counted.append(frame.group_by(frame.columns).agg(pl.len().alias(N)))
    whole = pl.concat(counted)
    keys = [name for name in whole.columns if name != N]
    if len(counted) > 1:
        whole = whole.group_by(keys).agg(pl.col(N).sum())
    return whole.sort(keys) if len(whole) <= most else None


def write_patterns(
    path: Path, found: pl.DataFrame, items: Items, place: Mapping[str, str],
    names: Mapping[str, str], kind: pl.DataType,
) -> None:  # fmt: skip
    """Write distinct rows of codes as labels."""
    columns = [pl.repeat(v, len(found), dtype=pl.String, eager=True).alias(k)
               for k, v in place.items()]  # fmt: skip
    columns.append(decoded(found[GOLD].to_numpy(), items.labels, GOLD).cast(kind))
    answers = {system: found[f"s{k}"].to_numpy() for k, system in enumerate(items.systems)}
    columns += _answers(answers, items.labels, names, kind, len(found))
    write_parts(path, [pl.DataFrame([*columns, found[N].cast(pl.UInt32)]).to_arrow()], [*place, N])


def schema_of(path: Path) -> dict[str, pl.DataType]:
    """Return the columns of a table and what they hold."""
    # A store may be called anything: brackets in its name are no pattern.
    return dict(pl.scan_parquet(path, glob=False).collect_schema())


def common_kind(kinds: Sequence[pl.DataType]) -> pl.DataType:
    """Return the type that a column has in all files: text where it is a number in some only."""
    try:
        empty = [pl.DataFrame({"": pl.Series([], dtype=kind)}) for kind in kinds]
        return pl.concat(empty, how="vertical_relaxed").dtypes[0]
    except pl.exceptions.PolarsError:
        return pl.String()


def conformed(source: Path, target: Path, wanted: Schema) -> bool:
    """Write a table anew with the columns and types ``wanted``; return False if it has them."""
    import pyarrow.parquet as pq

    there = schema_of(source)
    if list(there.items()) == list(wanted.items()):
        return False
    about = pq.read_metadata(source)
    rows = [about.row_group(k).num_rows for k in range(about.num_row_groups)]
    known = [name for name, kind in wanted.items() if kind.is_numeric()]
    known += [name for name in ("dataset", "part") if name in wanted]
    lazy = pl.scan_parquet(source, glob=False).select(
        _cast(name, there[name], kind) if name in there else pl.lit(None, kind).alias(name)
        for name, kind in wanted.items()
    )
    edges = np.cumsum([0, *rows]).tolist()
    parts = (lazy.slice(low, high - low).collect().to_arrow() for low, high in pairwise(edges))
    whole = target.with_suffix(".part")
    write_parts(whole, parts, known)
    whole.replace(target)
    return True


def _cast(name: str, there: pl.DataType, kind: pl.DataType) -> pl.Expr:
    column = pl.col(name)
    if isinstance(there, pl.Enum) and isinstance(kind, pl.Enum) and there != kind:
        column = column.cast(pl.String)
    return column.cast(kind)


def codes_of(column: pl.Series, kind: pl.Enum) -> Codes:
    """Return a stored column as codes of a ``kind``; raise for a label that it does not have."""
    if column.dtype == pl.String:
        column = column.cast(kind)
    ours, theirs = kind.categories, column.dtype.categories  # type: ignore[attr-defined]
    codes: Codes = np.zeros(len(column), width(len(ours)))
    table = None
    if column.dtype != kind:
        place = theirs.cast(kind).to_physical().to_numpy()
        table = np.append(0, place.astype(np.int64) + 1).astype(codes.dtype)
    for low in range(0, len(column), _PIECE):
        piece = coded(column.slice(low, _PIECE), theirs)
        codes[low : low + len(piece)] = piece if table is None else table[piece]
    return codes


def system_columns(systems: Iterable[str], taken: Iterable[str], had: Mapping[str, str]) -> Any:
    """Return the names of systems in Parquet: SQL and Spark are blind to case, and names differ.

    Those that were ``had`` before stay.
    """
    names = {system: had[system] for system in systems if system in had}
    seen = {name.casefold() for name in (*TAKEN, *taken, *names.values())}
    for system in systems:
        name, k = names.get(system, system), 2
        while system not in names and name.casefold() in seen:
            name, k = f"{system}_{k}", k + 1
        names[system] = name
        seen.add(name.casefold())
    return names
