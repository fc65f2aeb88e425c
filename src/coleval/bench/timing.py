"""Sides take turns, the smallest time of each counts, and how far the two smallest lie apart."""

from __future__ import annotations

import gc
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def seconds_of(run: Callable[[], object]) -> float:
    """Return what one call takes; garbage of others is collected before."""
    gc.collect()
    start = perf_counter()
    run()
    return perf_counter() - start


def in_turn(rounds: int, sides: Mapping[str, Callable[[], object]]) -> dict[str, list[float]]:
    """Return the seconds each side took in each round; every round runs every side once."""
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, run in sides.items():
            seconds[name].append(seconds_of(run))
    return seconds


def noise(seconds: Sequence[float]) -> float | None:
    """Return how far the second smallest time lies above the smallest, None for a single time."""
    if len(seconds) < 2:
        return None
    low, high = sorted(seconds)[:2]
    return high / low - 1 if low else None
