"""Where chance comes from: one stream per purpose and system, so that no draw shifts another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

Codes: TypeAlias = NDArray[np.unsignedinteger[Any]]
Flags: TypeAlias = NDArray[np.bool_]
Places: TypeAlias = NDArray[np.int32]
Reals: TypeAlias = NDArray[np.float32]

VOCABULARY, TEXT, ITEMS, TEAM, ANSWERS, TREES = range(6)


def stream(seed: int, *key: int) -> np.random.Generator:
    """Return the generator that belongs to a purpose, and to a system where there is one."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def zipf(rng: np.random.Generator, pool: Places, n: int, flatness: float = 2.7) -> Places:
    """Return n draws from a pool in which the r-th is about 1 / (r + flatness) as frequent."""
    weight = 1.0 / (np.arange(len(pool)) + flatness) ** 1.05
    return pool[pick(weight, rng.random(n))]


def pick(
    weights: Sequence[float] | NDArray[np.floating[Any]], at: NDArray[Any]
) -> NDArray[np.intp]:
    """Return which weight each number of [0, 1) falls on."""
    total = np.cumsum(weights)
    return np.searchsorted(total[:-1] / total[-1], at, side="right")


def pick_by_row(
    weights: NDArray[np.float64], row: NDArray[Any], at: NDArray[Any]
) -> NDArray[np.intp]:
    """Return which weight of its row each number of [0, 1) falls on."""
    total = np.cumsum(weights, axis=1)
    steps = (total / total[:, -1:])[:, :-1]
    answer: NDArray[np.intp] = (at[:, None] >= steps[row]).sum(axis=1)
    return answer
