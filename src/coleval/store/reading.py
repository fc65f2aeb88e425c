"""The columns of a store, read when somebody looks at them: texts and answers cost the most."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

import polars as pl
import polars.selectors as cs

from coleval.corpus.coding import width
from coleval.corpus.disk import DiskCodes, ParquetColumns, StoredCodes
from coleval.corpus.items import Items
from coleval.corpus.lazy import LazyColumn, LazyMapping, Memo
from coleval.errors import DataError
from coleval.store.columns import codes_of
from coleval.store.json_files import check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from coleval.corpus.coding import Codes
    from coleval.corpus.disk import Shelf, Stored
    from coleval.store.json_files import Sums
    from coleval.store.manifest import Unit

    Read = Callable[[str, list[str]], pl.DataFrame]

_NONE: Sums = {}


def as_written(store: Path, name: str, unit: Unit, read: Read | None = None) -> Items:
    """Return the items of a unit to which nothing was added: they stand in their order.

    ``read`` is another way to read columns of the base file.
    """
    base = unit.parts[0][0]
    names = list(schema_of(store, base))
    # Only where texts stand behind all other columns do they keep their place when left out.
    apart = names[-2:] == ["form", "gold"]
    wanted = [column for column in names if not apart or column != "form"]
    frame = read(base, wanted) if read else frames(store, [base], pl.col(wanted), sums=unit.sums)[0]
    with fitting(store):
        gold = codes_of(frame["gold"], unit.kind, unit.rows)
        if len(frame) != unit.rows:
            raise ValueError(f"`{base}` has {len(frame):,} rows, not {unit.rows:,}")
        frame = frame.drop("gold")
    forms = cache(partial(_all_forms, store, base, unit.sums))
    return Items(
        name, frame, unit.labels, gold,
        StoredCodes(parquet_columns(store, unit), _answers(store, unit)),
        empty_is_answer=unit.empty_is_answer, group=unit.group, group_count=unit.group_count,
        lazy_form=LazyColumn.of_whole(forms) if apart else None,
    )  # fmt: skip


def _answers(store: Path, unit: Unit) -> LazyMapping[Codes]:
    """Return the answers of all systems, which are read when one is looked at.

    One run of rows is read by itself; where there are others, all is read once and cut.
    """
    whole = cache(partial(_columns, store, unit, 0, unit.rows))
    runs = Memo()

    def run(low: int, high: int) -> LazyMapping[Codes]:
        first = runs.get("first", lambda: (low, high)) == (low, high)
        read = cache(partial(_columns, store, unit, low, high))
        alone = first and not whole.cache_info().currsize
        return LazyMapping(
            {s: partial(_of, read, s) if alone else partial(_cut, whole, s, low, high)
             for s in unit.columns},
            run=lambda begin, end: run(low + begin, low + end),
        )  # fmt: skip

    return LazyMapping({system: partial(_of, whole, system) for system in unit.columns}, run=run)


def _cut(columns: Callable[[], dict[str, Codes]], system: str, low: int, high: int) -> Codes:
    return columns()[system][low:high]


def _columns(store: Path, unit: Unit, low: int, high: int) -> dict[str, Codes]:
    """Return the answers of all systems: read side by side they take half the time."""
    rows = high - low
    files = list(dict.fromkeys(unit.columns.values()))
    whole = rows == unit.rows
    read = frames(store, files, low=low, rows=None if whole else rows, sums=unit.sums)
    with fitting(store):
        found = dict(zip(files, read, strict=True))
        columns = {system: found[file][system] for system, file in unit.columns.items()}
        kind = unit.kind
        return {name: codes_of(one, kind, rows) for name, one in columns.items()}


def parquet_columns(store: Path, unit: Unit) -> ParquetColumns:
    """Return where the answers of the systems of a unit are."""
    files = {system: store / file for system, file in unit.columns.items()}
    whole = partial(check, store, unit.sums, unit.columns.values())
    return ParquetColumns(files, unit.labels, unit.rows, check=whole)


def _of(answers: Callable[[], dict[str, Codes]], system: str) -> Codes:
    return answers()[system]


def _all_forms(store: Path, base: str, sums: Sums) -> pl.Series:
    return frames(store, [base], pl.col("form"), sums=sums)[0].to_series()


def schema_of(store: Path, file: str) -> Mapping[str, pl.DataType]:
    """Return the columns of a file and what they hold."""
    try:
        # A store may be called anything: brackets in its name are no pattern.
        return pl.scan_parquet(store / file, glob=False).collect_schema()
    except (FileNotFoundError, pl.exceptions.PolarsError) as error:
        raise _unfit(store, [file], error) from None


def frames(
    store: Path,
    files: list[str],
    columns: pl.Expr | None = None,
    low: int = 0,
    rows: int | None = None,
    sums: Sums = _NONE,
) -> list[pl.DataFrame]:
    """Return what files hold, or some columns and rows; raise for one that is gone or damaged."""
    wanted = pl.all() if columns is None else columns
    every = low == 0 and rows is None
    check(store, sums, files, whole=every)
    try:
        lazy = [pl.scan_parquet(store / file, glob=False) for file in files]
        some = lazy if every else [frame.slice(low, rows) for frame in lazy]
        return pl.collect_all([frame.select(wanted) for frame in some])
    except (FileNotFoundError, pl.exceptions.PolarsError) as error:
        raise _unfit(store, files, error) from None


@contextmanager
def fitting(store: Path) -> Iterator[None]:
    """Raise an error of data where columns are not such as the store says that they are."""
    try:
        yield
    except (pl.exceptions.PolarsError, AttributeError, TypeError, ValueError) as error:
        raise _unfit(store, [], error) from None


def _unfit(store: Path, files: list[str], error: Exception) -> DataError:
    gone = next((file for file in files if not (store / file).is_file()), None)
    return DataError(
        f"`{gone}` is missing" if gone else f"is damaged ({str(error).splitlines()[0]})",
        where=str(store),
        remedy="load it again with --fresh",
    )


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
