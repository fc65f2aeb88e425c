"""Standard error: progress while something takes long, warnings, errors. Never results."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress as Bar
    from rich.progress import TaskID

_PATIENCE = 1.0
_SHOWN = 8


def warn(lines: tuple[str, ...]) -> None:
    """Print warnings in full; of many the first of each kind, as what was done tells kinds."""
    shown, more = lines, "more"
    if len(lines) > _SHOWN:
        kinds: dict[str, str] = {}
        for line in lines:
            kinds.setdefault(line.rpartition("; ")[2], line)
        shown = tuple(kinds.values())[:_SHOWN]
        more = "more" if len(kinds) > _SHOWN else "more like these"
    for line in shown:
        print(f"warning: {line}", file=sys.stderr)  # noqa: T201
    if rest := len(lines) - len(shown):
        print(f"warning: {rest} {more}; `coleval validate` lists them all", file=sys.stderr)  # noqa: T201


def say(text: str) -> None:
    """Print a line for people."""
    print(text, file=sys.stderr)  # noqa: T201


class Progress:
    """One bar on a terminal for whatever takes longer than a second, from start to end.

    Steps may begin in any thread. A thread of its own opens it, so that a long step shows too.
    """

    def __init__(self, total: int = 0, *, quiet: bool = False) -> None:
        self._total = total
        self._done = -1
        self._step = "reading"
        self._shown = sys.stderr.isatty() and not quiet
        self._lock = threading.RLock()
        self._timer: threading.Timer | None = None
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def expect(self, steps: int) -> Self:
        """Say that so many steps more will follow."""
        with self._lock:
            self._total += steps
            self._update()
        return self

    def __call__(self, step: str) -> None:
        """Say that a step begins."""
        with self._lock:
            self._done, self._step = self._done + 1, step
            self._update()

    def __enter__(self) -> Self:
        """Return the progress, which shows nothing yet."""
        if self._shown:
            self._timer = threading.Timer(_PATIENCE, self._open)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the bar away; nothing opens it again."""
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            self._shown = False
            if self._bar is not None:
                self._bar.stop()
                self._bar = None

    def _update(self) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.update(
                self._task,
                completed=max(0, self._done),
                total=self._total or None,
                description=self._step,
            )

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        with self._lock:
            if not self._shown:
                return
            # A step such as the bootstrap has no parts: the time says that it goes on.
            looks = (SpinnerColumn(), BarColumn(), TextColumn("{task.description}"),
                     TimeElapsedColumn())  # fmt: skip
            self._bar = Bar(*looks, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(self._step, total=None)
            self._update()
            self._bar.start()
