"""The columns of a store as items, read when somebody looks at them: texts and answers cost most.

What reads Parquet is passed in: Polars here (``local_reader``), Arrow where a store is counted in
parts (``parts``).
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import coded, width
from coleval.corpus.disk import DiskCodes, StoredCodes, StoredPatterns
from coleval.corpus.grid import DATASET, NUMBERED, PART
from coleval.corpus.items import NOT_IN_GOLD, NOT_IN_TEXT, Items
from coleval.corpus.lazy import LazyColumn, LazyMapping
from coleval.corpus.tasks import task_named
from coleval.errors import DataError
from coleval.store.tables import FORM, GOLD, N, codes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.disk import Shelf, Stored
    from coleval.store.files import OpenStore
    from coleval.store.manifest import Manifest, StoredFile, StoredTable, UnitLayout

    # Reads columns of files, one after the other, or a run of their rows.
    Reader = Callable[[Sequence[StoredFile], list[str], int, int | None], pl.DataFrame]

# Rows that are unpacked at a time under a limit on memory.
_PIECE = 1 << 18


def local_reader(
    store: OpenStore, files: Sequence[StoredFile], columns: list[str], low: int = 0,
    rows: int | None = None,
) -> pl.DataFrame:  # fmt: skip
    """Return columns of files, or some rows of them; raise for one that is gone or damaged."""
    paths = store.checked(files, whole=low == 0)
    with readable(store.path):
        # A store may be called anything: brackets in its name are no pattern.
        lazy = pl.scan_parquet(list(paths), glob=False).select(columns)
        frame = lazy.slice(low, rows).collect() if low or rows is not None else lazy.collect()
        if rows is None and len(frame) != (expected := sum(file.rows for file in files)):
            raise ValueError(f"it has {len(frame):,} rows, not {expected:,}")
        return frame


@contextmanager
def readable(store: Path | str) -> Iterator[None]:
    """Raise an error of data where columns are not such as the store says that they are."""
    try:
        yield
    except (pl.exceptions.PolarsError, OSError, AttributeError, TypeError, ValueError) as error:
        raise DataError(
            f"is damaged ({next(iter(str(error).splitlines()), type(error).__name__)})",
            where=str(store),
            remedy="load it again with --fresh",
        ) from None


@dataclass(frozen=True, eq=False)
class UnitReader:
    """Reads a unit of some cells of a store as if only these had been loaded.

    ``span`` are sentences, from one to before another, of the only cell; None is all of it.
    """

    where: str
    manifest: Manifest
    name: str
    cells: tuple[int, ...]
    read: Reader
    span: tuple[int, int] | None = None

    @property
    def unit(self) -> UnitLayout:
        """Return what the tables have in common."""
        return self.manifest.units[self.name]

    @property
    def tables(self) -> list[StoredTable]:
        """Return the tables there are; a cell may lack a layer."""
        return self.manifest.layout(self.name, self.cells)

    def items(self, own: Shelf | None = None, source: OpenStore | None = None) -> Items:
        """Return the items, their answers on a shelf if there is one."""
        unit, tables = self.unit, self.tables
        gold = self._codes([GOLD])[GOLD]
        context = self._context(own)
        patterns = None if source is None else StoredPatterns(cache(self.patterns), gold)
        answers: Mapping[str, Codes]
        if own is not None:
            answers = self._on_disk(own, len(gold), patterns)
        else:
            whole = cache(partial(self._codes, list(self.manifest.columns.values())))
            answers = LazyMapping({s: partial(_of, whole, c) for s, c in self._systems().items()})
            answers = StoredCodes(answers, patterns)
        return Items(
            self.name, context, unit.labels, gold, answers,
            empty_is_answer=all(table.empty_is_answer for table in tables),
            group=unit.group, group_count=sum(self._groups()),
            lazy_form=LazyColumn.of_whole(cache(self._forms)) if unit.late_form else None,
            numeric=task_named(self.manifest.task).numeric,
        )  # fmt: skip

    def _systems(self) -> Mapping[str, str]:
        return self.manifest.columns

    def _files(self) -> list[StoredFile]:
        return [table.item for table in self.tables]

    def _frame(self, columns: list[str], low: int = 0, rows: int | None = None) -> pl.DataFrame:
        return self.read(self._files(), columns, low, rows)

    def _forms(self) -> pl.Series:
        return self._frame([FORM]).to_series()

    def _groups(self) -> list[int]:
        """Return how many sentences or instances the cells have."""
        if self.span is not None:
            return [self.span[1] - self.span[0]]
        return [table.groups for table in self.tables]

    def _codes(self, columns: list[str]) -> dict[str, Codes]:
        """Return columns of labels as codes: read side by side they take half the time."""
        kind, frame = self.unit.kind, self._frame(columns)
        with readable(self.where):
            # All at once: each cast learns all labels anew.
            cast = frame.with_columns(pl.col(pl.String).cast(kind))
            # To ask a column of very many labels for its type takes as long as to read it.
            texts = {name for name, stored in frame.schema.items() if stored == pl.String}
            return {
                name: coded(cast[name], self.unit.labels)
                if name in texts
                else codes_of(cast[name], kind)
                for name in columns
            }

    def _context(self, own: Shelf | None) -> pl.DataFrame:
        unit, grid = self.unit, self.manifest.grid
        if unit.layer and not unit.context:
            # What is written beside the words has no columns of its own.
            return pl.DataFrame()
        names = list(unit.context[: -1 if unit.late_form else None])
        if grid:
            places = {DATASET: [c.dataset for c in self.manifest.cells],
                      PART: [c.part for c in self.manifest.cells]}  # fmt: skip
            names = [*(name for name, values in places.items() if any(values)), *names]
        if not names:
            return pl.DataFrame()
        if own is None:
            frame = self._frame(names)
        else:
            frame = pl.DataFrame([_mapped(own, self._frame([name])) for name in names])
        if not grid:
            return frame.with_columns(_dictionaries(frame, unit.names))
        if all(table.empty_is_answer for table in self.tables):
            # Some other gold file has runs with tokens of their own.
            frame = frame.drop(NOT_IN_GOLD, strict=False)
        counted = self._counted_on(frame)
        counted = counted.with_columns(_documents(counted))
        named = dict.fromkeys((DATASET, PART, "document", *unit.names), ())
        return counted.with_columns(*_dictionaries(counted, named), *_flags(counted))

    def _counted_on(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return columns whose sentences go on where those of the cell before end."""
        first = -self.span[0] if self.span is not None else 0
        before = np.cumsum([first, *self._groups()])[:-1]
        numbered = [name for name in NUMBERED if name in frame.columns]
        if not before.any() or not numbered:
            return frame
        rows = [table.item.rows for table in self.tables] if len(before) > 1 else [len(frame)]
        by = pl.Series(np.repeat(before, rows))
        return frame.with_columns((pl.col(n) + by).cast(pl.UInt32) for n in numbered)

    def _on_disk(self, own: Shelf, rows: int, patterns: StoredPatterns | None) -> DiskCodes:
        makers = {s: partial(self._unpacked, own, c, rows) for s, c in self._systems().items()}
        return DiskCodes(own.limit, LazyMapping(makers), rows, patterns=patterns)

    def _unpacked(self, own: Shelf, column: str, rows: int) -> Stored:
        kind = self.unit.kind
        pieces = (self._frame([column], low, _PIECE) for low in range(0, rows, _PIECE))
        parts = (codes_of(piece.to_series(), kind) for piece in pieces)
        return own.fill(self.name, parts, width(len(kind.categories)), rows)

    def patterns(self) -> tuple[dict[str, Codes], NDArray[np.int64]] | None:
        """Return distinct rows of answers, and how many items have each; None if there are none.

        They are codes of gold (the empty name) and of each system.
        """
        files = [table.pattern for table in self.tables if table.pattern is not None]
        if not files or len(files) < len(self.tables):
            return None
        columns = {"": GOLD, **self.manifest.columns}
        frame = self.read(files, [*columns.values(), N], 0, None)
        with readable(self.where):
            codes = {n: codes_of(frame[column], self.unit.kind) for n, column in columns.items()}
        return codes, frame[N].to_numpy().astype(np.int64)


def _of(columns: Callable[[], dict[str, Codes]], name: str) -> Codes:
    return columns()[name]


def _mapped(own: Shelf, frame: pl.DataFrame) -> pl.Series:
    """Return a column, one of numbers on a shelf."""
    column = frame.to_series()
    if not column.dtype.is_integer() or column.null_count() or not len(column):
        return column
    return own.put(column.name, column.to_numpy()).mapped().rename(column.name)


def _dictionaries(frame: pl.DataFrame, names: Mapping[str, tuple[str, ...]]) -> list[pl.Series]:
    """Return the columns that are text in Parquet and dictionaries in memory."""
    return [
        column.cast(pl.Enum(known or column.drop_nulls().unique(maintain_order=True)))
        for name, known in names.items()
        if name in frame.columns and (column := frame[name]).dtype == pl.String
    ]


def _documents(frame: pl.DataFrame) -> list[pl.Expr]:
    """Return documents, those whose names several files have with the file's before."""
    places = [name for name in (DATASET, PART) if name in frame.columns]
    if "document" not in frame.columns or not places:
        return []
    known = frame.select(*places, "document").unique(maintain_order=True).drop_nulls("document")
    several = known.filter(pl.col("document").is_duplicated())["document"].unique()
    named = pl.concat_str([*places, "document"], separator="/")
    document = pl.col("document")
    return [pl.when(document.is_in(several.implode())).then(named).otherwise(document)
            .alias("document")] if len(several) else []  # fmt: skip


def _flags(frame: pl.DataFrame) -> list[pl.Expr]:
    names = [name for name in (NOT_IN_GOLD, NOT_IN_TEXT) if name in frame.columns]
    return [pl.col(name).fill_null(value=False) for name in names]
