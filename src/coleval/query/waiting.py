"""Waiting for a query in a way that Ctrl-C ends at once, wherever the driver is by then.

The signal may reach any thread, and Python's own runs its handler only when it wakes: hence the
query in a thread of its own, and a main thread that wakes ten times a second.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as finished
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb

_WAKE = 0.1


def awaited(connection: duckdb.DuckDBPyConnection, call: Callable[[], Any]) -> Any:
    """Return what a call returns; an interruption stops the connection, then is raised."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(call)
        try:
            while not finished([future], _WAKE).done:
                pass
        except KeyboardInterrupt:
            connection.interrupt()
            raise
        return future.result()
