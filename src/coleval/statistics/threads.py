"""Two things at a time: numpy lets go of the interpreter while it works on large arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")
AT_ONCE = 2


def side_by_side(work: Callable[[int], T], every: Iterable[int], *, large: bool) -> list[T]:
    """Return what some work makes of every number, in their order; one by one if it is small."""
    if not large:
        return [work(number) for number in every]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(work, every))
