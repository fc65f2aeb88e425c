"""The JSON files of a store: written in one step, and checked when they are read.

The last thing in a file is the checksum of all that is before it: what was changed by a disk, a
transfer or a hand is noticed even where it still makes sense. Older stores have none.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from zlib import crc32

from coleval.errors import ColevalError, DataError
from coleval.store.schema import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from coleval.store.manifest import Unit

    Sums = Mapping[str, tuple[int, int]]

_SUM = b'"sum"'


def write_json(store: Path, data: Mapping[str, Any], file: str, *, indent: int | None) -> None:
    """Put some data in place in one step."""
    partial = store / f".{file}.{os.getpid()}"
    text = json.dumps(data, ensure_ascii=False, indent=indent)
    head = f"{text[:-1].rstrip()},\n ".encode()
    try:
        partial.write_bytes(head + f'"sum": {crc32(head)}\n}}\n'.encode())
        partial.replace(store / file)
    finally:
        partial.unlink(missing_ok=True)


def read_json(path: Path, check: Callable[[Any], None]) -> dict[str, Any]:
    """Return what a file holds; raise for the first thing in it that is not as it has to be."""
    return checked(path, *loaded(path), check)


def loaded(path: Path) -> tuple[bytes, Any]:
    """Return a file and the JSON in it; raise if it cannot be read or is none."""
    try:
        raw = path.read_bytes()
        return raw, json.loads(raw)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise damaged(path, str(error)) from None
    except RecursionError:
        raise damaged(path, "it is nested too deeply") from None


def checked(path: Path, raw: bytes, data: Any, check: Callable[[Any], None]) -> dict[str, Any]:
    """Return what was read from a file if it is of a shape, and has the checksum that it tells."""
    try:
        check(data)
    except Fault as fault:
        raise damaged(path, str(fault)) from None
    except ColevalError as error:
        raise damaged(path, error.problem) from None
    if "sum" in data and data["sum"] != crc32(raw[: raw.rfind(_SUM)]):
        raise damaged(path, "its checksum is not that of its contents: it was changed")
    found: dict[str, Any] = data
    return found


def damaged(path: Path, why: str) -> DataError:
    """Return the error for a file that is not what was written."""
    return DataError(f"is damaged ({why})", where=str(path), remedy="load it again with --fresh")


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
