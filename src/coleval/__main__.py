"""``coleval`` and ``python -m coleval``: a process that runs one command and goes."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from typing import NoReturn

from coleval.cli.main import main

# What importing makes is there to stay: looking it all through for garbage every 700 objects, as
# Python does, is a twentieth of a short run.
_RARELY = (200_000, 20, 100)


def run() -> NoReturn:
    """Run the command that was called for and leave at once.

    Python would take apart all that it holds first, which is a tenth of a short run; the system
    frees it in no time. Exit functions run, for they remove what lies in temporary directories.
    """
    gc.set_threshold(*_RARELY)
    code = main()
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
