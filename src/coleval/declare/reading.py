"""From what is given to what is meant: names with commas, pairs one by one or as a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

Names = tuple[str, str]


def names_of(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return names one by one; a text has commas between them, and a list the very names."""
    names = (name.strip() for name in given.split(",")) if isinstance(given, str) else given
    return tuple(filter(None, names))


def named_pairs(*given: Any, option: str = "--pair") -> tuple[Names, ...]:
    """Return the pairs that are given one by one, or several at once as a list, in their order."""
    return tuple(pair for one in given for pair in _several(one, option))


def _several(given: Any, option: str) -> tuple[Names, ...]:
    """Return one pair of names as a list of one, a list of pairs as it is."""
    if isinstance(given, str):
        raise _no_pair(given, option)
    listed = list(given or ())
    if listed and all(isinstance(name, str) for name in listed):
        listed = [listed]
    return tuple(_pair(pair, option) for pair in listed)


def _pair(pair: Any, option: str) -> Names:
    names = [pair] if isinstance(pair, str) else list(pair)
    if len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise _no_pair(pair, option)
    if names[0] == names[1]:
        raise UsageError(
            f"`{names[0]}` is named twice: nothing changes from a system to itself",
            where=option,
            remedy="name two systems, before and after",
        )
    return (names[0], names[1])


def _no_pair(given: Any, option: str) -> UsageError:
    shown = given if isinstance(given, str) else ", ".join(map(str, given))
    return UsageError(
        f"`{shown}` is not a pair of names",
        where=option,
        remedy=f"two names, before and after: {option} A B",
    )


def pairs_for(flag: str) -> Any:
    """Return what reads the pairs of an option other than ``--pair``."""
    return lambda given: named_pairs(given, option=flag)
