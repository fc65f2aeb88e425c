"""``coleval`` and ``python -m coleval``: a process that runs one command and goes."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time
from threading import Thread
from typing import NoReturn

from coleval.cli.main import main

# What OpenBLAS reads when numpy is imported. Its threads turn while they wait for each other, which
# takes longer than the products here do, and the processor from whoever else needs it.
_ONE_BLAS_THREAD = ("OPENBLAS_NUM_THREADS", "1")
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
    os.environ.setdefault(*_ONE_BLAS_THREAD)
    if any(argument.partition("=")[0] == _LIMITED for argument in sys.argv[1:]):
        os.environ.setdefault(*_AT_ONCE)
    try:
        _listen()
        code = main()
    except _TerminatedError:
        code = _TERMINATED
    _leave(code)


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
