"""The files of a store: checked when they are read, put in place in one step, kept while used.

One load at a time writes into a store. Whoever has a store open holds a lock on a file in it, and
so does DuckDB on ``corpus.duckdb``: what counts no more goes when nobody reads it, or after a day.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from zlib import crc32

from coleval.corpus.locks import held, is_locked, let_go, shared
from coleval.corpus.output import written
from coleval.errors import DataError
from coleval.store.manifest import FILE, StoredFile, manifest_bytes, read_manifest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from coleval.store.manifest import Manifest

DATABASE = "corpus.duckdb"
ITEM, PATTERN, RUN, TRAINING = _TOPS = "item", "pattern", "run", "training"
_OLD, _LOCK = "old", "lock"
# How long files that count no more stay for whoever holds no lock (Spark, Polars, Windows).
_GRACE = 24 * 3600
_BLOCK = 1 << 20
_NUMBER = re.compile(r"(\d{4,})[-.]")
_BESIDE = re.compile(r"coleval-\d+")
_mine: ContextVar[frozenset[Path]] = ContextVar(
    "stores this thread is loading", default=frozenset()
)


# -- reading ---------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class OpenStore:
    """A store as it was when it was opened; ``lock`` keeps its files from being removed."""

    path: Path
    lock: object = None

    @staticmethod
    def at(path: Path) -> OpenStore:
        """Open a store; where nobody may lock anything, its files stay for a day."""
        return OpenStore(path.absolute(), shared(path / _LOCK))

    def checked(self, files: Iterable[StoredFile], *, whole: bool = True) -> list[Path]:
        """Return where files are; raise for the first that is not what was written.

        Sizes are looked at each time, the ``whole`` of a file once.
        """
        return [_checked(self.path, file, whole=whole) for file in files]


def _checked(store: Path, file: StoredFile, *, whole: bool) -> Path:
    path = store / file.path
    if not path.is_file():
        # Another load has replaced it since the store was opened.
        path = _old(store, file.path)
    try:
        state = path.stat()
        same = state.st_size == file.size
        if same and whole:
            same = _sum(path, state.st_mtime_ns, state.st_ino, state.st_size) == file.crc
    except FileNotFoundError:
        raise _changed(store, f"`{file.path}` is missing") from None
    except OSError as error:
        raise DataError(f"`{file.path}` cannot be read: {error}", where=str(store)) from None
    if not same:
        raise _changed(store, f"`{file.path}` is not what was written: it was damaged")
    return path


@lru_cache(maxsize=1 << 14)
def _sum(path: Path, _time: int, _inode: int, _size: int) -> int:
    """Return the checksum of a file in the state it is in: it is read once."""
    return sum_of(path)[1]


def sum_of(path: Path) -> tuple[int, int]:
    """Return the size of a file and the checksum of all its bytes."""
    size = value = 0
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            size, value = size + len(block), crc32(block, value)
    return size, value


def recorded(store: Path, path: str, rows: int) -> StoredFile:
    """Return what the manifest says of a file that has just been written."""
    return StoredFile(path, rows, *sum_of(store / path))


def _changed(store: Path, problem: str) -> DataError:
    return DataError(
        problem,
        where=str(store),
        remedy="open the store again; if that does not help, load it again with --fresh",
    )


# -- one load at a time ----------------------------------------------------------------------------
@contextmanager
def loading(path: Path, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Keep other loads from a store; wait for one that is at it, which ``waiting`` may tell.

    What a load that was killed left is removed before, what this one leaves after it.
    """
    place = path.resolve()
    if place in _mine.get():
        yield
        return
    file, descriptor = _locked(place, waiting)
    token = _mine.set(_mine.get() | {place})
    try:
        if descriptor is not None:
            _sweep_beside(place)
        tidy(place)
        try:
            yield
        finally:
            tidy(place)
    finally:
        _mine.reset(token)
        if descriptor is not None:
            let_go(file, descriptor)


def _locked(place: Path, waiting: Callable[[], None] | None) -> tuple[Path, int | None]:
    """Return the lock of a store: beside it, or in it where nothing can be put beside it."""
    file = place.with_name(f".{place.name}.lock")
    if not os.access(place.parent, os.W_OK) and place.is_dir():
        file = place / ".lock"
    found = held(file)
    if found is None and waiting is not None and file.exists():
        waiting()
    return file, held(file, wait=True) if found is None else found


def _sweep_beside(place: Path) -> None:
    start = f".{place.name}."
    with suppress(OSError):
        for one in place.parent.iterdir():
            if one.name.startswith(start) and _BESIDE.fullmatch(one.name.removeprefix(start)):
                shutil.rmtree(one, ignore_errors=True)


# -- putting in place ------------------------------------------------------------------------------
@contextmanager
def replacing(path: Path) -> Iterator[tuple[Path, int]]:
    """Yield a folder for all files of a store, and the number of this load in their names.

    It is the store itself where one is there: its files stay until ``commit``. A new store is
    filled beside its place.
    """
    with written(path):
        check_place(path)
        place = path.resolve()  # a link stays a link
        with loading(place):
            if (place / FILE).is_file():
                yield place, _last_load(place) + 1
                return
            partial = place.with_name(f".{place.name}.coleval-{os.getpid()}")
            try:
                yield partial, 1
                if place.is_dir():
                    place.rmdir()
                partial.rename(place)
            finally:
                shutil.rmtree(partial, ignore_errors=True)


def check_place(path: Path) -> None:
    """Raise if something else is there, or there is no directory to put a store into."""
    if path.exists() and not (path / FILE).is_file() and (path.is_file() or any(path.iterdir())):
        raise DataError(
            "exists already and is not a coleval store",
            where=str(path),
            remedy="choose another -o",
        )
    parent = path.absolute().parent
    if not parent.is_dir():
        there = next(p for p in (parent, *parent.parents) if p.exists())
        raise DataError(
            "the directory to write into does not exist",
            where=str(parent),
            remedy=f"make it first: mkdir -p {parent}"
            if there.is_dir()
            else f"`{there}` is a file; choose another -o",
        )


def commit(store: Path, manifest: Manifest) -> None:
    """Make a store say what a manifest says, all of whose files are there, in one step.

    The database is written before, and takes its place after: nothing that may fail for want of
    room is left to do then. If that is not done, the next load does it.
    """
    from coleval.store.views import write_database

    fresh, database = store / f".{FILE}.{manifest.load}", _database(store, manifest)
    try:
        (store / _LOCK).touch()
        write_database(store, manifest, database)
        fresh.write_bytes(manifest_bytes(manifest, store))
        fresh.replace(store / FILE)
    except BaseException:
        for file in (fresh, database):
            file.unlink(missing_ok=True)
        raise
    tidy(store)


def _database(store: Path, manifest: Manifest) -> Path:
    """Return where the database of a manifest is until it is in its place."""
    return store / f".{DATABASE}.{manifest.load}"


def tidy(store: Path) -> None:
    """Finish what a load has begun, if it is to count, and remove what counts no more."""
    if not (store / FILE).is_file():
        return
    try:
        manifest = read_manifest(store)
    except DataError:
        # Of another version, or damaged: only what a load has begun over it may go.
        for path in _numbered(store):
            path.unlink(missing_ok=True)
        return
    with suppress(OSError):
        if (fresh := _database(store, manifest)).is_file():
            _keep_database(store, manifest)
            fresh.replace(store / DATABASE)
    with suppress(OSError):
        for path in store.glob(".corpus.*"):
            path.unlink()
        live = {store / file for file in manifest.files}
        for path in _numbered(store) - live:
            _retire(store, path, manifest.load)
        _sweep_old(store)


def _numbered(store: Path) -> set[Path]:
    return {path for top in _TOPS for path in (store / top).rglob("*") if _NUMBER.match(path.name)}


def _last_load(store: Path) -> int:
    try:
        return read_manifest(store).load
    except DataError:
        return max((_number(path) for path in _numbered(store)), default=0)


def _number(path: Path) -> int:
    found = _NUMBER.match(path.name)
    return int(found[1]) if found else 0


def _old(store: Path, file: str) -> Path:
    return store / _OLD / file.partition("/")[2]


def _retire(store: Path, path: Path, load: int) -> None:
    """Move a file that counts no more to where readers look for it; half-made ones go."""
    if _number(path) <= load:
        kept = _old(store, path.relative_to(store).as_posix())
        with suppress(OSError):
            kept.parent.mkdir(parents=True, exist_ok=True)
            path.rename(kept)
            os.utime(kept)
            return
    path.unlink()


def _keep_database(store: Path, manifest: Manifest) -> None:
    """Keep a name for the database that is replaced: its lock says whether somebody reads it."""
    with suppress(OSError):
        (store / _OLD).mkdir(exist_ok=True)
        (store / _OLD / f"corpus-{manifest.load}.duckdb").hardlink_to(store / DATABASE)


def _sweep_old(store: Path) -> None:
    """Remove what nobody reads any more, and folders without files."""
    old = store / _OLD
    since = time.time() - _GRACE if is_read(store) else None
    for path in old.rglob("*"):
        if path.is_file() and (since is None or path.stat().st_ctime < since):
            path.unlink()
    for top in (*_TOPS, _OLD):
        for folder in (*sorted((store / top).rglob("*"), reverse=True), store / top):
            with suppress(OSError):
                folder.rmdir()


def is_read(store: Path) -> bool:
    """Return whether somebody may read files that count no more; where locks are not, somebody."""
    databases = (store / _OLD).glob("*.duckdb")
    return is_locked(store / _LOCK) or any(map(is_locked, databases))


def sweep_foreign(store: Path) -> None:
    """Remove what stores of older versions had, when one of this version has replaced them."""
    with suppress(OSError):
        for one in store.iterdir():
            if one.is_dir() and one.name not in (*_TOPS, _OLD):
                shutil.rmtree(one, ignore_errors=True)
        for one in (store / TRAINING).glob("*"):
            if not _NUMBER.match(one.name):
                one.unlink()
