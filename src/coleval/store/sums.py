"""Sizes and checksums of the Parquet files of a store: what was swapped or changed is noticed.

A file is checked in whole before it is read in whole, once; where only some of its rows are wanted,
by its size. A checksum takes a hundredth of what reading a column takes (``docs/reliability.md``).
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING
from zlib import crc32

from coleval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from coleval.store.manifest import Unit

    Sums = Mapping[str, tuple[int, int]]

_BLOCK = 1 << 20


def sealed(store: Path, unit: Unit) -> Unit:
    """Return a unit with the sizes and checksums of its files; those it knows are not read."""
    known = {file: unit.sums[file] for file in files_of(unit) if file in unit.sums}
    fresh = {file: sum_of(store / file) for file in files_of(unit) if file not in known}
    return replace(unit, sums={**known, **fresh})


def files_of(unit: Unit) -> list[str]:
    """Return the files of a unit, each once."""
    return list(dict.fromkeys([*(file for file, _ in unit.parts), *unit.columns.values()]))


def sum_of(path: Path) -> tuple[int, int]:
    """Return the size of a file and the checksum of all its bytes."""
    size = value = 0
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            size, value = size + len(block), crc32(block, value)
    return size, value


def check(store: Path, sums: Sums, files: Iterable[str], *, whole: bool = True) -> None:
    """Raise for the first of some files that is not what was written; older stores know nothing."""
    for file in dict.fromkeys(files):
        if file in sums:
            _check(store, file, sums[file], whole=whole)


def _check(store: Path, file: str, expected: tuple[int, int], *, whole: bool) -> None:
    path = store / file
    try:
        state = path.stat()
        same = state.st_size == expected[0]
        if same and whole:
            same = _sum(path, state.st_mtime_ns, state.st_ino, state.st_size) == expected[1]
    except FileNotFoundError:
        raise _changed(store, f"`{file}` is missing") from None
    except OSError as error:
        raise DataError(f"`{file}` cannot be read: {error}", where=str(store)) from None
    if not same:
        raise _changed(
            store,
            f"`{file}` is not what was written: it was damaged, or another load has replaced it",
        )


@lru_cache(maxsize=1 << 14)
def _sum(path: Path, _time: int, _inode: int, _size: int) -> int:
    """Return the checksum of a file in the state it is in: it is read once."""
    return sum_of(path)[1]


def _changed(store: Path, problem: str) -> DataError:
    return DataError(
        problem,
        where=str(store),
        remedy="open the store again; if that does not help, load it again with --fresh",
    )
