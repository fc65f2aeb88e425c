"""What is wrong with a file: found kind by kind, told by the first line that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable

Problem = tuple[int, str, str]


def raise_first(problems: Iterable[Problem], path: str) -> None:
    """Raise for the problem (line, what, remedy) that stands first in the file, if there is one."""
    found = min(problems, default=None, key=lambda problem: problem[0])
    if found is not None:
        line, what, remedy = found
        raise DataError(what, where=f"{path}:{line}", remedy=remedy)


def check_not_empty(data: bytes, path: str) -> None:
    """Raise if there is nothing but white space."""
    if not data or data.isspace():
        raise DataError("is empty", where=path, remedy="is it the right file?")


def columns(width: int) -> str:
    """Return ``there is 1 column`` or ``there are 3 columns``."""
    return "there is 1 column" if width == 1 else f"there are {width} columns"
