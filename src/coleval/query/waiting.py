"""Waiting for a query in a way that Ctrl-C and a time limit end, wherever the driver is by then.

The signal may reach any thread, and Python's own runs its handler only when it wakes: hence the
query in a thread of its own, and a main thread that wakes ten times a second. A function that is
at work on one value does not listen: it is left behind with its connection, as nothing can end it.
"""

from __future__ import annotations

import time
from concurrent.futures import Future
from concurrent.futures import wait as finished
from threading import Thread
from typing import TYPE_CHECKING, Any

from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb

_WAKE = 0.1
# How long a query that was told to stop has for it.
_GRACE = 2.0


class Clock:
    """The seconds that a query may take, 0 for any number; ``left_behind`` if it went on."""

    def __init__(self, seconds: float) -> None:
        """Start with all of the time left."""
        self.seconds = seconds
        self.spent = 0.0
        self.left_behind = False

    def awaited(self, connection: duckdb.DuckDBPyConnection, call: Callable[[], Any]) -> Any:
        """Return what a call returns; an interruption or the end of the time stops it."""
        future: Future[Any] = Future()
        Thread(target=_answer, args=(future, call), daemon=True).start()
        begun = time.monotonic()
        try:
            while not finished([future], _WAKE).done:
                self._check(time.monotonic() - begun)
        except BaseException:
            connection.interrupt()
            self.left_behind = not finished([future], _GRACE).done
            raise
        self.spent += time.monotonic() - begun
        return future.result()

    def _check(self, seconds: float) -> None:
        if self.seconds and self.spent + seconds > self.seconds:
            raise _too_long(self.seconds)


def _answer(future: Future[Any], call: Callable[[], Any]) -> None:
    """Run a call and put what it returns or raises where it is waited for."""
    try:
        future.set_result(call())
    except BaseException as error:  # noqa: BLE001  - it is raised where it is waited for
        future.set_exception(error)


def _too_long(seconds: float) -> UsageError:
    return UsageError(
        f"the query was stopped after {seconds:g} s",
        where="--timeout",
        remedy="ask for less, or give it more time",
    )
