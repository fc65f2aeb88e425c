"""``coleval`` and ``python -m coleval``: a process that runs one command and goes."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import time
from contextlib import suppress
from threading import Thread
from typing import NoReturn

from coleval.cli.main import main

# What importing makes is there to stay: looking it all through for garbage every 700 objects, as
# Python does, is a twentieth of a short run.
_RARELY = (1_000_000, 20, 100)
# What OpenBLAS reads when numpy is imported. Its threads turn while they wait for each other, which
# takes longer than the products here do, and the processor from whoever else needs it.
_ALONE = ("OPENBLAS_NUM_THREADS", "1")
# To wake the threads of Polars takes longer than the tables of a store of so few files and bytes
# do, by what a store has; text they do read side by side.
_FEW, _TINY, _IN_STORE = 200, 4 << 20, "corpus.json"
# Of mallopt: arrays below so many bytes are taken from memory that stays, of which so much may be
# free. To hand it back and to get it again, page by page, is a tenth of a short run.
_OPTIONS = {"M_MMAP_THRESHOLD": (-3, 32 << 20), "M_TRIM_THRESHOLD": (-1, 64 << 20)}
# Under a limit memory goes back as soon as it is free: that of Polars would stay some seconds, a
# quarter of the peak while files of 20 million lines are read.
_LIMITED, _AT_ONCE = "--memory", ("_RJEM_MALLOC_CONF", "dirty_decay_ms:0,muzzy_decay_ms:0")
# As shells have it, and how long a process that was told to end may take for it.
_TERMINATED, _GRACE = 128 + 15, 2.0


def run() -> NoReturn:
    """Run the command that was called for and leave at once.

    Python would take apart all that it holds first, which is a tenth of a short run; the system
    frees it in no time. Exit functions run, for they remove what lies in temporary directories.
    """
    gc.set_threshold(*_RARELY)
    os.environ.setdefault(*_ALONE)
    if any(map(_is_store, sys.argv[1:])) and _size_of_few(sys.argv[1:]):
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
    if _limited(sys.argv[1:]):
        os.environ.setdefault(*_AT_ONCE)
    else:
        _keep_memory()
    try:
        _listen()
        code = main()
    except _TerminatedError:
        code = _TERMINATED
    _leave(code)


def _size_of_few(arguments: list[str]) -> int:
    """Return the bytes of files that arguments name, some behind ``NAME=``; 0 if they are many."""
    files = size = 0
    for path in (part for given in arguments for part in {given, given.partition("=")[2]}):
        for folder, _, names in os.walk(path) if os.path.isdir(path) else [("", [], [path])]:  # noqa: PTH112
            for name in names:
                with suppress(OSError, ValueError):
                    size += os.stat(os.path.join(folder, name)).st_size  # noqa: PTH116, PTH118
                    files += 1
            if files > _FEW or size > _TINY:
                return 0
    return size


def _is_store(path: str) -> bool:
    return os.path.exists(os.path.join(path, _IN_STORE))  # noqa: PTH110, PTH118


def _limited(arguments: list[str]) -> bool:
    """Tell whether there is a limit on memory, as an option can be written."""
    return any(given.partition("=")[0] == _LIMITED for given in arguments)


def _keep_memory() -> None:
    """Let memory that was used be used again, where the C library has ways to say so."""
    if sys.platform != "linux":
        return
    from ctypes import CDLL

    library = CDLL(None)
    if hasattr(library, "mallopt"):
        for which, size in _OPTIONS.values():
            library.mallopt(which, size)


class _TerminatedError(BaseException):
    """The process was told to end: what is open is closed on the way out."""


def _listen() -> None:
    """Let ``kill`` end the process as Ctrl-C does: without remains, wherever it is by then.

    Native code does not listen: a thread ends the process if it has not ended by itself.
    """
    if sys.platform == "win32":
        return
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    signal.signal(signal.SIGTERM, _raise)
    signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    Thread(target=_watch, args=(ours,), daemon=True).start()


def _raise(*_: object) -> NoReturn:
    raise _TerminatedError


def _watch(pipe: int) -> None:
    while signal.SIGTERM not in os.read(pipe, 64):
        continue
    time.sleep(_GRACE)
    _leave(_TERMINATED)


def _leave(code: int) -> NoReturn:
    atexit._run_exitfuncs()  # noqa: SLF001  - there is no other name for it
    _flush()
    os._exit(code)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            # Nobody listens any more, the disk is full, or it was closed: the command said so.
            continue


if __name__ == "__main__":
    run()
