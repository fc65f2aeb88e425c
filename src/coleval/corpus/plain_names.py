"""Names that a column can have, whoever gives it one: a system, a file's header, an option.

Polars takes ``^…$`` for a regular expression and ``*`` for all columns wherever a column is named,
even where a Series looks itself up; Arrow ends a name at a NUL; and half a character has no bytes.
So no column is ever called that: a system cannot be, other columns get an underscore behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


def complaint(name: str) -> str:
    """Return why nothing can be called so, ``""`` if it can."""
    if is_pattern(name):
        return "that is a pattern, which matches the names of other columns"
    if "\0" in name:
        return "a name has no NUL"
    return "" if is_text(name) else "it has bytes that are not UTF-8, or half a character"


def is_text(name: str) -> bool:
    """Tell whether every encoding can write a name: none can write half a character."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_pattern(name: str) -> bool:
    """Tell whether a name stands for columns that it matches, not for the one so called."""
    return name == "*" or (name.startswith("^") and name.endswith("$"))


def settled(names: Iterable[str], taken: Collection[str] = ()) -> list[str]:
    """Return names that columns can have: with underscores behind those that none can, or taken.

    Names that are as they must be stay so, and no two become one that were not.
    """
    every = list(names)
    there = {name for name in every if not _needs_another(name, taken)}
    found = []
    for name in every:
        free = name.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
        while _needs_another(free, taken) or (free != name and free in there):
            free += "_"
        there.add(free)
        found.append(free)
    return found


def _needs_another(name: str, taken: Collection[str]) -> bool:
    return name in taken or bool(complaint(name))


def visible_name(name: str) -> str:
    """Return a name as it can be written: bytes that are no text as escapes."""
    return name.encode("utf-8", "backslashreplace").decode()
