"""Locks that the system lets go of when a process ends, however it ends.

They tell what is in use from what a killed process left behind. Where there are no such locks
(Windows, some network file systems), nothing is locked, and nothing is taken for left behind.
"""

from __future__ import annotations

import os
import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def lock(descriptor: int, *, wait: bool = False) -> bool | None:
    """Lock an open file; return False if another has it, None where there are no locks."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def held(path: Path, *, wait: bool = False) -> int | None:
    """Return the descriptor of a file that is now locked, made if need be; None if it is not.

    It is None where another process has it and where there are no locks.
    """
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        if not lock(descriptor, wait=wait):
            os.close(descriptor)
            return None
        if _is(descriptor, path):
            return descriptor
        # Whoever had it has removed it meanwhile.
        os.close(descriptor)


def let_go(path: Path, descriptor: int) -> None:
    """Remove a file that is locked, and unlock it."""
    path.unlink(missing_ok=True)
    os.close(descriptor)


@contextmanager
def left_behind(path: Path) -> Iterator[bool]:
    """Tell whether a file once was locked by a process that has ended; lock it for as long."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        yield False
        return
    try:
        yield lock(descriptor) is True and _is(descriptor, path)
    finally:
        os.close(descriptor)


def _is(descriptor: int, path: Path) -> bool:
    """Tell whether a path still names an open file."""
    try:
        there = path.stat()
    except OSError:
        return False
    ours = os.fstat(descriptor)
    return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)


class SharedLock:
    """A lock on a file that others may have too; it is let go when nothing refers to it."""

    def __init__(self, descriptor: int) -> None:
        """Take over a file that is open and locked."""
        weakref.finalize(self, os.close, descriptor)


def shared(path: Path) -> SharedLock | None:
    """Return a lock on a file as one of its readers, None where that cannot be had."""
    if fcntl is None:
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
    except OSError:
        os.close(descriptor)
        return None
    return SharedLock(descriptor)


def is_locked(path: Path) -> bool:
    """Return whether somebody reads a file, by either kind of lock; True where nobody can tell."""
    if fcntl is None:
        return True
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        for kind in (fcntl.flock, fcntl.lockf):
            kind(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
