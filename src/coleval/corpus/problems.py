"""What is wrong with a file or odd about it: where, what, what to do, and if it can be scored.

Readers, alignment and tasks all make the same ``Problem``. One that is fatal becomes an error, the
others are warnings beside scores; ``coleval validate`` lists both.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from coleval.errors import ColevalError, DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# The kind of what keeps a file from being read at all.
READING = "reading"
# The kind of answers that are not there, which ``--missing`` decides about.
MISSING = "missing"
# Kinds of notes on files of systems that are kept with gold: what was left out, how it is written.
LEFT_OUT, ENCODING = "left out", "encoding"
# So many of one kind are listed for a file, one by one.
MOST_LISTED = 1000
_IN_RECORD = re.compile(r"(.*):(\d+) \((record \d+)\)(?P<field>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing found in one file, ``n`` times; ``fatal`` means that scoring it would be wrong."""

    file: str
    line: int | None
    kind: str
    problem: str
    remedy: str
    n: int = 1
    fatal: bool = True

    @property
    def where(self) -> str:
        """Return ``file:line``, or the file alone."""
        return f"{self.file}:{self.line}" if self.line else self.file

    @property
    def warning(self) -> str:
        """Return what, how often, where first, what was done, in one line."""
        often = f", and {self.n - 1:,} more like it" if self.n > 1 else ""
        return f"{self.problem}{often} ({self.where}); {self.remedy}"

    def error(self, others: int = 0) -> DataError:
        """Return the problem as an error that also says how many there are besides."""
        more = f" (and {others} more; `coleval validate` lists them all)" if others else ""
        return DataError(self.problem + more, where=self.where, remedy=self.remedy)


def unreadable(line: int, problem: str, remedy: str) -> Problem:
    """Return what keeps a line from being read; ``raise_earliest`` knows the file."""
    return Problem("", line, READING, problem, remedy)


def there_are_columns(width: int) -> str:
    """Return ``there is 1 column`` or ``there are 3 columns``."""
    return "there is 1 column" if width == 1 else f"there are {width} columns"


def of_error(error: ColevalError, file: str, kind: str = READING) -> Problem:
    """Return an error as a problem, its ``file:line (record n) field`` taken apart again."""
    if (found := _IN_RECORD.fullmatch(error.where)) is not None:
        path, line, record, field = found.groups()
        said = f"{record}{field}: {error.problem}"
        return Problem(path, int(line), kind, said, error.remedy)
    path, _, line = error.where.rpartition(":")
    if path and line.isdigit():
        return Problem(path, int(line), kind, error.problem, error.remedy)
    return Problem(error.where or file, None, kind, error.problem, error.remedy)


def scorable(problems: Iterable[Problem]) -> bool:
    """Tell whether a file with these problems can be scored."""
    return not any(problem.fatal for problem in problems)


def raise_first(problems: Iterable[Problem]) -> None:
    """Raise the first fatal problem and say how many more there are; return if there is none."""
    fatal = [problem for problem in problems if problem.fatal]
    if fatal:
        error = fatal[0].error(sum(problem.n for problem in fatal) - 1)
        error.problems = tuple(fatal)
        raise error


_COLLECTED: ContextVar[list[Problem] | None] = ContextVar("collected", default=None)


@contextmanager
def collecting() -> Iterator[list[Problem]]:
    """Let readers go on after what need not end them; return the list of what they met."""
    found: list[Problem] = []
    token = _COLLECTED.set(found)
    try:
        yield found
    finally:
        _COLLECTED.reset(token)


def is_collecting() -> bool:
    """Return whether all problems are looked for, not the first."""
    return _COLLECTED.get() is not None


def recover_from(error: ColevalError, file: str) -> None:
    """Raise an error after which the rest of a file can be read; validation collects it instead."""
    found = _COLLECTED.get()
    if found is None:
        raise error
    found += error.problems or (of_error(error, file),)


def raise_earliest(problems: Iterable[Problem], file: str) -> None:
    """Raise the problem of the earliest line of a file; return if there is none.

    A reader yields one problem a kind, so it cannot say how many more there are.
    """
    found = [replace(problem, file=file) for problem in problems]
    if found:
        found.sort(key=lambda problem: problem.line or 0)
        error = found[0].error()
        error.problems = tuple(found)
        raise error
