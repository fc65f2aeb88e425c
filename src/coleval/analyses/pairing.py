"""Which pairs of systems are compared, before and after: named ones, all with one, or all."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NoReturn

from coleval.declare.reading import Names, named_pairs
from coleval.errors import UsageError, unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


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


def _none(systems: Sequence[str]) -> NoReturn:
    raise UsageError(
        f"there is one system, `{systems[0]}`" if systems else "there is no system",
        remedy="a change is between two: name another system's file",
    )
