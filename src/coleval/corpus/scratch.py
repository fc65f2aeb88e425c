"""Directories for temporary files: one of each process, which goes with it or is removed later.

A process holds a lock in its own for as long as it lives; what has a lock that nobody holds was
left behind by a process that was killed, and the next one that needs such a directory removes it.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from coleval.corpus.locks import held, left_behind
from coleval.corpus.output import written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

_PREFIX, _LOCK = "coleval-", "lock"


@dataclass(eq=False)
class _Homes:
    """The directories of this process, by where they are; a process that was forked has none."""

    process: int = field(default_factory=os.getpid)
    there: dict[str, tuple[Path, int | None]] = field(default_factory=dict)
    filling: bool = False
    guard: RLock = field(default_factory=RLock)


_homes = _Homes()


def _forget() -> None:
    """Leave what the parent of this process has to the parent."""
    _homes.process, _homes.there, _homes.guard = os.getpid(), {}, RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def scratch(kind: str) -> Path:
    """Return a new directory for temporary files; ``drop`` or the end of the process removes it."""
    with _homes.guard, written_to_scratch():
        # The garbage collector may drop another one right now, in this very thread.
        _homes.filling = True
        try:
            return Path(tempfile.mkdtemp(prefix=f"{kind}-", dir=_home()))
        finally:
            _homes.filling = False


def drop(path: Path, process: int) -> None:
    """Remove what ``scratch`` gave to a process, if that is this one."""
    if process != os.getpid():
        return
    with _homes.guard:
        shutil.rmtree(path, ignore_errors=True)
        for place, (home, _) in [] if _homes.filling else list(_homes.there.items()):
            if home == path.parent and not any(p.name != _LOCK for p in _listed(home)):
                _remove(place)


@contextmanager
def scratched(kind: str) -> Iterator[Path]:
    """Give a directory for temporary files, and remove it."""
    path = scratch(kind)
    try:
        yield path
    finally:
        drop(path, os.getpid())


def written_to_scratch() -> AbstractContextManager[None]:
    """Say in a message what keeps temporary files from being written."""
    return written(tempfile.gettempdir(), option="the environment variable TMPDIR")


def _home() -> Path:
    place = tempfile.gettempdir()
    if place not in _homes.there:
        with suppress(OSError):
            _sweep(Path(place))
        _homes.there[place] = _made(place)
    return _homes.there[place][0]


def _made(place: str) -> tuple[Path, int | None]:
    """Return a new directory with its lock, None where there are no locks."""
    home = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
    try:
        descriptor = held(home / _LOCK, wait=True)
    except FileNotFoundError:
        # It was taken for left behind before it was locked.
        return _made(place)
    if descriptor is None:
        # Nobody could tell that it is in use.
        (home / _LOCK).unlink(missing_ok=True)
    return home, descriptor


def _sweep(place: Path) -> None:
    """Remove what processes left behind when they were killed."""
    for one in place.iterdir():
        if one.name.startswith(_PREFIX):
            with left_behind(one / _LOCK) as nobodys:
                if nobodys:
                    shutil.rmtree(one, ignore_errors=True)


def _listed(folder: Path) -> list[Path]:
    with suppress(OSError):
        return list(folder.iterdir())
    return []


def _remove(place: str) -> None:
    home, descriptor = _homes.there.pop(place)
    shutil.rmtree(home, ignore_errors=True)
    if descriptor is not None:
        os.close(descriptor)


@atexit.register
def _end() -> None:
    for place in list(_homes.there):
        _remove(place)
