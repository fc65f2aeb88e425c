"""What can be wrong with a submission: where, what, what to do, and if it can be scored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from coleval.errors import ColevalError, DataError

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing found in one file; ``fatal`` means that scoring it would be wrong."""

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

    def error(self, others: int = 0) -> DataError:
        """Return the problem as an error that also says how many there are besides."""
        more = f" (and {others} more; `coleval validate` lists them all)" if others else ""
        return DataError(self.problem + more, where=self.where, remedy=self.remedy)


def of_error(error: ColevalError, file: str, kind: str = "reading") -> Problem:
    """Return an error as a problem, its ``file:line`` taken apart again."""
    path, _, line = error.where.rpartition(":")
    if path and line.isdigit():
        return Problem(path, int(line), kind, error.problem, error.remedy)
    return Problem(error.where or file, None, kind, error.problem, error.remedy)


def raise_first(problems: Iterable[Problem]) -> None:
    """Raise the first fatal problem and say how many more there are; return if there is none."""
    fatal = [problem for problem in problems if problem.fatal]
    if fatal:
        raise fatal[0].error(len(fatal) - 1)
