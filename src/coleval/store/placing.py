"""Putting a store in its place: one load at a time, in one step, and nothing left beside it.

A store that is there is exchanged for the new one by the system in one step. Where it cannot do
that, the new one becomes a folder of the old, and ``corpus.json`` says that it is the live one.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING

from coleval.corpus.locks import held, let_go
from coleval.store.json_files import checked, loaded, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

POINTER = 5
_FILE = "corpus.json"
_MARK = ".corpus.unfinished"
_BESIDE = re.compile(r"coleval-\d+")
_VERSION = re.compile(r"live-(\d+)")
# What systems without an exchange of two directories say.
_CANNOT = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EXDEV}
_mine: ContextVar[frozenset[Path]] = ContextVar(
    "stores this thread is loading", default=frozenset()
)


@contextmanager
def loading(path: Path, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Keep other loads from a store; wait for one that is at it, which ``waiting`` may tell.

    What a load that was killed left beside the store is removed.
    """
    place = path.resolve()
    if place in _mine.get():
        yield
        return
    file, descriptor = _locked(place, waiting)
    token = _mine.set(_mine.get() | {place})
    try:
        if descriptor is not None:
            _sweep(place)
        yield
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


def beside(place: Path) -> Path:
    """Return where a store is written before it is put in its place."""
    return place.with_name(f".{place.name}.coleval-{os.getpid()}")


def _sweep(place: Path) -> None:
    start = f".{place.name}."
    with suppress(OSError):
        for one in place.parent.iterdir():
            if one.name.startswith(start) and _BESIDE.fullmatch(one.name.removeprefix(start)):
                shutil.rmtree(one, ignore_errors=True)


def put(new: Path, place: Path) -> None:
    """Put a finished store in its place in one step; one that is there goes."""
    if not place.exists():
        new.rename(place)
    elif exchanged(new, place):
        shutil.rmtree(new, ignore_errors=True)
    else:
        _put_inside(new, place)


def exchanged(one: Path, other: Path) -> bool:
    """Exchange two directories in one step; return False where the system cannot."""
    import ctypes

    if sys.platform == "win32":
        return False
    names = os.fsencode(one), os.fsencode(other)
    libc = ctypes.CDLL(None, use_errno=True)
    if hasattr(libc, "renameat2"):
        # At paths as they are (-100), with RENAME_EXCHANGE.
        code = libc.renameat2(-100, names[0], -100, names[1], 2)
    elif hasattr(libc, "renamex_np"):
        code = libc.renamex_np(*names, 2)
    else:
        return False
    if code == 0:
        return True
    number = ctypes.get_errno()
    if number in _CANNOT:
        return False
    raise OSError(number, os.strerror(number), str(other))


def _put_inside(new: Path, place: Path) -> None:
    known = (_VERSION.fullmatch(one.name) for one in place.iterdir())
    number = 1 + max((int(one[1]) for one in known if one), default=0)
    there = place / f"live-{number:03d}"
    new.rename(there)
    write_json(place, {"store": POINTER, "live": there.name}, _FILE, indent=1)
    for one in place.iterdir():
        if one.name not in (_FILE, there.name):
            shutil.rmtree(one) if one.is_dir() else one.unlink()


def live(path: Path) -> Path:
    """Return the directory of a store that counts: itself, or the folder that it names."""
    file = path / _FILE
    try:
        raw, data = loaded(file)
    except FileNotFoundError:
        return path
    if not isinstance(data, dict) or data.get("store") != POINTER:
        return path
    from coleval.store.schema import check_pointer

    return path / str(checked(file, raw, data, check_pointer)["live"])


@contextmanager
def changing(store: Path) -> Iterator[None]:
    """Mark a store until all of its files tell the same, its database too."""
    mark, file = store / _MARK, store / _FILE
    before = file.read_bytes()
    mark.touch()
    try:
        yield
    except BaseException:
        if file.read_bytes() == before:
            mark.unlink(missing_ok=True)
        raise
    mark.unlink(missing_ok=True)


def is_unfinished(store: Path) -> bool:
    """Tell whether a load was killed after it had changed what the store holds."""
    return (store / _MARK).exists()


def sweep_parts(store: Path) -> None:
    """Remove files that were not written to their end."""
    for one in store.rglob(".corpus*.*"):
        if one.name != _MARK:
            one.unlink()
    for one in store.rglob(".cells*.json.*"):
        one.unlink()
