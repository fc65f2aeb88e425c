"""Processes that were forked too late: Polars hangs in them, which an error says before it does.

Threads do not live on in a fork, and Polars waits for its own for ever. What is forked before
anything was loaded, or started by ``spawn`` or ``forkserver``, has threads of its own.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from coleval.errors import UsageError


@dataclass(slots=True)
class _FirstUse:
    """The process in which coleval was used first."""

    process: int = 0


_first_use = _FirstUse()


def check_process() -> None:
    """Raise if this process was forked from one that had used coleval."""
    if not _first_use.process:
        _first_use.process = os.getpid()
    if _first_use.process != os.getpid():
        raise UsageError(
            "this process was forked from one that had used coleval; Polars would hang in it",
            where=f"process {os.getpid()}",
            remedy="start processes with multiprocessing.get_context('spawn') or 'forkserver', or "
            "before anything is loaded",
        )
