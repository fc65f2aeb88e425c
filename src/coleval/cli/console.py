"""Standard error: progress while something takes long, warnings, errors. Never results."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress as Bar
    from rich.progress import TaskID

_PATIENCE = 1.0
_SHOWN = 8


def warn(lines: tuple[str, ...]) -> None:
    """Print warnings, the first few of them in full."""
    for line in lines[:_SHOWN]:
        print(f"warning: {line}", file=sys.stderr)  # noqa: T201
    if len(lines) > _SHOWN:
        rest = len(lines) - _SHOWN
        print(f"warning: {rest} more; `coleval validate` lists them all", file=sys.stderr)  # noqa: T201


def say(text: str) -> None:
    """Print a line for people."""
    print(text, file=sys.stderr)  # noqa: T201


class Progress:
    """A bar on a terminal for whatever takes longer than a second; else silence."""

    def __init__(self, total: int, *, quiet: bool = False) -> None:
        self._total = total
        self._done = -1
        self._began = time.monotonic()
        self._shown = sys.stderr.isatty() and not quiet
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __call__(self, step: str) -> None:
        """Say that a step begins."""
        self._done += 1
        if self._shown and self._bar is None and time.monotonic() - self._began > _PATIENCE:
            self._open()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._done, description=step)

    def __enter__(self) -> Self:
        """Return the progress, which shows nothing yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import Progress as Bar

        self._bar = Bar(console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("reading", total=self._total)
        self._bar.start()
