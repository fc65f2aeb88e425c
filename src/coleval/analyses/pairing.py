"""Which pairs of systems are compared, before and after: named ones, all with one, or all."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NoReturn

from coleval.errors import UsageError, unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Names = tuple[str, str]


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


def chosen_pairs(
    systems: Sequence[str], pairs: Iterable[Sequence[str]], baseline: str | None
) -> tuple[Names, ...]:
    """Return (before, after) in the order given; raise for unknown names and for a lone system."""
    named = named_pairs(*pairs)
    for name in (*(name for pair in named for name in pair), *([baseline] if baseline else [])):
        if name not in systems:
            raise unknown("system", name, systems, where="--pair" if named else "--baseline")
    against = tuple((baseline, name) for name in systems if name != baseline) if baseline else ()
    chosen = (*named, *against) if named or baseline else combinations(systems, 2)
    return tuple(dict.fromkeys(chosen)) or _none(systems)


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


def _none(systems: Sequence[str]) -> NoReturn:
    raise UsageError(
        f"there is one system, `{systems[0]}`" if systems else "there is no system",
        remedy="a change is between two: name another system's file",
    )
