"""The errors users see: where it happened, what is wrong, what to do about it.

They are written once, with the options of the command line; ``str`` of one speaks Python.

Anything that is not a ``ColevalError`` is a bug and keeps its traceback.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from coleval.corpus.problems import Problem


class ColevalError(Exception):
    """A problem the user can mend; ``exit_code`` is what the command line leaves with."""

    exit_code = 1

    def __init__(self, problem: str, *, where: str = "", remedy: str = "") -> None:
        """Keep the three parts apart, so that a renderer may set them apart."""
        self.problem = problem
        self.where = where
        self.remedy = remedy
        # Where a file has several, all of them one by one.
        self.problems: tuple[Problem, ...] = ()
        super().__init__(self.on_command_line())

    def __str__(self) -> str:
        """Return the error in the words of Python, in which ``--unit`` is ``unit=``."""
        from coleval.declare.wording import in_python

        return in_python(self.on_command_line())

    def on_command_line(self) -> str:
        """Return ``where: problem`` with the remedy on a line of its own."""
        head = f"{self.where}: {self.problem}" if self.where else self.problem
        return f"{head}\n  {self.remedy}" if self.remedy else head


class ColevalWarning(UserWarning):
    """What readers of the numbers should know; reports and corpora have it as ``warnings`` too."""


def warn_python(texts: Iterable[str], level: int = 3) -> None:
    """Warn the caller of the function that calls this; the command line prints warnings itself."""
    from warnings import warn

    from coleval.declare.wording import in_python

    for text in texts:
        warn(in_python(text), ColevalWarning, stacklevel=level)


class DataError(ColevalError):
    """The data cannot be read or scored as they are."""


class GateError(ColevalError):
    """A limit that the user set was passed; the data are fine."""


class UsageError(ColevalError):
    """The call itself is off: an unknown name, a missing or contradictory option."""

    exit_code = 2


def unknown(
    kind: str, name: object, known: Iterable[str], *, where: str = "", lists: str = ""
) -> UsageError:
    """Return the error for a misspelt name, with its near misses or all there is.

    Where that would be pages, ``lists`` says what prints them, and the nearest names come with it.
    """
    from difflib import get_close_matches

    names = sorted(known)
    near = get_close_matches(str(name), names, n=3, cutoff=0.6)
    hint = f"did you mean {_either(near)}?" if near else f"there is: {', '.join(names)}"
    if lists and not near:
        near = get_close_matches(str(name), names, n=3, cutoff=0.0)
        hint = f"the nearest names are {', '.join(f'`{each}`' for each in near)}; {lists}"
    return UsageError(f"no {kind} is called `{name}`", where=where, remedy=hint)


def _either(names: list[str]) -> str:
    return " or ".join(f"`{name}`" for name in names)
