"""Some rows of a unit, read from wherever Arrow can open files: a folder, S3, HDFS.

Row groups that have none of the rows wanted are not read, and texts only when somebody asks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.corpus.coding import width
from coleval.corpus.items import Items
from coleval.corpus.lazy import LazyColumn, LazyMapping
from coleval.errors import DataError
from coleval.store.columns import codes_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.store.manifest import Unit

    Rows = NDArray[np.intp]
    Stamps = dict[str, tuple[int, int]]

REMEDY = "every worker has to see the store under the very same path: use shared storage or a URI"


@dataclass(frozen=True, slots=True)
class Address:
    """A folder by its path on this machine, or by a URI that Arrow knows."""

    uri: str

    def files(self) -> tuple[Any, str]:
        """Return the file system, and the path of the folder in it."""
        from pyarrow import fs

        try:
            if "://" in self.uri:
                return fs.FileSystem.from_uri(self.uri)
            return fs.LocalFileSystem(), self.uri
        except (OSError, ValueError, ImportError) as error:
            raise DataError(
                f"cannot be opened here ({_first_line(error)})", where=self.uri, remedy=REMEDY
            ) from None

    def text(self, file: str) -> str:
        """Return what a file says."""
        return self.bytes(file).decode("utf-8")

    def bytes(self, file: str) -> bytes:
        """Return what a file holds."""
        found, folder = self.files()
        try:
            with found.open_input_stream(f"{folder}/{file}") as stream:
                return bytes(stream.read())
        except OSError as error:
            raise DataError(
                f"cannot be read here ({_first_line(error)})",
                where=f"{self.uri}/{file}",
                remedy=REMEDY,
            ) from None

    def stamps(self) -> Stamps:
        """Return the size and the time of every file in the folder and below."""
        from pyarrow import fs

        found, folder = self.files()
        try:
            every = found.get_file_info(fs.FileSelector(folder, recursive=True))
        except OSError as error:
            raise DataError(
                f"cannot be read ({_first_line(error)})", where=self.uri, remedy=REMEDY
            ) from None
        return {
            info.path[len(folder) :].lstrip("/"): (info.size, info.mtime_ns or 0)
            for info in every
            if info.is_file
        }


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


@dataclass(frozen=True, slots=True)
class Range:
    """From one number to before another: of sentences or instances if ``by`` is one, else rows."""

    by: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Picked:
    """Rows of one file: the row groups that have some, the rows among theirs, all numbered."""

    groups: tuple[int, ...]
    inside: Rows
    rows: Rows


class Files:
    """The files of one segment as they were when the driver looked; others are refused."""

    def __init__(self, address: Address, stamps: Stamps) -> None:
        """Open the file system."""
        self.address, self.stamps = address, stamps
        self.system, self.folder = address.files()

    def open(self, file: str) -> Any:
        """Return a Parquet file; raise if it is gone, or not what it was."""
        import pyarrow.parquet as pq

        path = f"{self.folder}/{file}"
        info = self.system.get_file_info(path)
        if not info.is_file:
            raise DataError("is not there for this worker", where=path, remedy=REMEDY)
        if (info.size, info.mtime_ns or 0) != self.stamps.get(file):
            raise DataError(
                "has changed since the count began",
                where=path,
                remedy="count again when nothing writes to the store",
            )
        try:
            return pq.ParquetFile(self.system.open_input_file(path))
        except (OSError, ValueError) as error:
            raise DataError(
                f"is damaged ({_first_line(error)})",
                where=path,
                remedy="load it again with --fresh",
            ) from None


def statistics(file: Any, column: str) -> Iterator[tuple[int, int, int] | None]:
    """Yield the rows, the least and the largest number of a column in each row group."""
    names = file.schema_arrow.names
    at = names.index(column) if column in names else None
    for k in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(k)
        found = None if at is None else group.column(at).statistics
        if found is None or not found.has_min_max:
            yield None
        else:
            yield group.num_rows, int(found.min), int(found.max)


def picked(file: Any, wanted: Range) -> Picked:
    """Return the rows of a base file that are in a range."""
    groups: list[int] = []
    inside: list[Rows] = []
    rows: list[Rows] = []
    before = first = 0
    for k, known in enumerate(statistics(file, wanted.by)):
        size = file.metadata.row_group(k).num_rows
        if known is None or (known[1] < wanted.high and known[2] >= wanted.low):
            own = _in_group(file, k, size, first, wanted)
            if len(own):
                groups.append(k)
                inside.append(own + before)
                rows.append(own + first)
                before += size
        first += size
    nothing = np.zeros(0, np.intp)
    return Picked(
        tuple(groups), np.concatenate([nothing, *inside]), np.concatenate([nothing, *rows])
    )


def _in_group(file: Any, group: int, size: int, first: int, wanted: Range) -> Rows:
    if not wanted.by:
        low, high = (min(max(edge - first, 0), size) for edge in (wanted.low, wanted.high))
        return np.arange(low, high)
    column = file.read_row_group(group, columns=[wanted.by]).column(0).to_numpy()
    return np.flatnonzero((column >= wanted.low) & (column < wanted.high))


def frame_of(file: Any, found: Picked, columns: Sequence[str]) -> pl.DataFrame:
    """Return columns of some rows of a file."""
    table = file.read_row_groups(list(found.groups), columns=list(columns))
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)  # noqa: S101  - a table is a frame
    return frame if len(found.inside) == len(frame) else frame[pl.Series(found.inside)]


def answers_of(file: Any, system: str, rows: Rows, labels: tuple[str, ...]) -> Codes:
    """Return the codes of some rows of a system, nothing in those that its file does not have."""
    codes: Codes = np.zeros(len(rows), width(len(labels)))
    first = 0
    for k in range(file.metadata.num_row_groups):
        size = file.metadata.row_group(k).num_rows
        low, high = np.searchsorted(rows, (first, first + size))
        if low < high:
            frame = pl.from_arrow(file.read_row_group(k, columns=[system]))
            column = frame.to_series()[pl.Series(rows[low:high] - first)]  # type: ignore[union-attr]
            codes[low:high] = codes_of(column, pl.Enum(labels), high - low)
        first += size
    return codes


def read_part(files: Files, name: str, unit: Unit, wanted: Range, like: Picked | None) -> Items:
    """Return the items of a unit in a range; ``like`` are the rows of one that it stands beside.

    Items are numbered as if no others had been read.
    """
    bases = [(files.open(file), n) for file, n in unit.parts]
    found = [like] if like is not None else [picked(file, wanted) for file, _ in bases]
    names = bases[0][0].schema_arrow.names
    kept = [column for column in names if column != "form"]
    frames = [frame_of(file, one, kept) for (file, _), one in zip(bases, found, strict=True)]
    starts = np.cumsum([0, *(n for _, n in bases)])
    rows = np.concatenate([one.rows + first for one, first in zip(found, starts, strict=False)])
    makers = {
        system: partial(_codes, files, file, system, rows, unit.labels)
        for system, file in unit.columns.items()
    }
    gold = np.concatenate([codes_of(f["gold"], unit.kind, len(f)) for f in frames])
    context = pl.concat([frame.drop("gold") for frame in frames])
    texts = "form" in names
    forms = cache(partial(_forms, bases, found))
    return Items(
        name,
        _renumbered(context, wanted),
        unit.labels,
        gold,
        LazyMapping(makers),
        empty_is_answer=unit.empty_is_answer,
        group=unit.group,
        group_count=wanted.high - wanted.low if wanted.by == unit.group else 0,
        lazy_form=LazyColumn.of_whole(forms) if texts else None,
    )


def _codes(files: Files, file: str, system: str, rows: Rows, labels: tuple[str, ...]) -> Codes:
    return answers_of(files.open(file), system, rows, labels)


def _forms(bases: Sequence[tuple[Any, int]], found: Sequence[Picked]) -> pl.Series:
    each = zip(bases, found, strict=True)
    return pl.concat([frame_of(file, one, ["form"]).to_series() for (file, _), one in each])


def _renumbered(context: pl.DataFrame, wanted: Range) -> pl.DataFrame:
    if not wanted.by or wanted.by not in context.columns:
        return context
    column = (pl.col(wanted.by).cast(pl.Int64) - wanted.low).cast(context.schema[wanted.by])
    return context.with_columns(column)
