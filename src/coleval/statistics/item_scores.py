"""What items with numbers say of systems: discrimination, reliability, halves.

A matrix has a row a system and a column an item, NaN where a system has no number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from coleval.statistics.measure import Floats

# Spread below this is of rounding.
_CONSTANT = 1e-12


def rest_correlations(rows: Floats) -> Floats:
    """Return of each item how its numbers go with the systems' means on all other items.

    Over the systems that have a number there; undefined where these are fewer than three, or
    either does not vary.
    """
    there = ~np.isnan(rows)
    known = np.where(there, rows, 0.0)
    total, n = known.sum(axis=1, keepdims=True), there.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        rest = np.where(there & (n > 1), (total - known) / (n - 1), np.nan)
    both = there & ~np.isnan(rest)
    size = both.sum(axis=0)
    x, y = (_centred(part, both, size) for part in (rows, rest))
    spread = np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0))
    enough = (size > 2) & (spread > _CONSTANT)
    return np.where(enough, (x * y).sum(axis=0) / np.where(enough, spread, 1.0), np.nan)


def _centred(values: Floats, both: np.ndarray, size: np.ndarray) -> Floats:
    known = np.where(both, values, 0.0)
    return np.where(both, known - known.sum(axis=0) / np.maximum(size, 1), 0.0)


def cronbach(rows: Floats) -> float | None:
    """Return Cronbach's alpha of the items on which all systems have numbers, None without two."""
    whole = rows[:, ~np.isnan(rows).any(axis=0)]
    k = whole.shape[1]
    if k < 2 or len(whole) < 2:
        return None
    total = whole.sum(axis=1).var(ddof=1)
    if total <= _CONSTANT:
        return None
    return float(k / (k - 1) * (1 - whole.var(axis=0, ddof=1).sum() / total))


def split_halves(rows: Floats, splits: int, seed: int) -> tuple[float | None, float | None]:
    """Return mean and deviation of the rank correlation of systems over random halves of items."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(splits):
        order = rng.permutation(rows.shape[1])
        halves = (order[: len(order) // 2], order[len(order) // 2 :])
        means = [means_of(rows[:, half]) for half in halves]
        both = ~np.isnan(means[0] + means[1])
        rho = _rank_correlation(means[0][both], means[1][both])
        if rho is not None:
            found.append(rho)
    if not found:
        return None, None
    return float(np.mean(found)), float(np.std(found))


def means_of(rows: Floats) -> Floats:
    """Return the mean of the known numbers of each row, NaN where there is none."""
    n = (~np.isnan(rows)).sum(axis=1)
    return np.where(n > 0, np.nansum(rows, axis=1) / np.maximum(n, 1), np.nan)


def _rank_correlation(a: Floats, b: Floats) -> float | None:
    from scipy.stats import rankdata

    if len(a) < 3 or np.ptp(a) <= _CONSTANT or np.ptp(b) <= _CONSTANT:
        return None
    return float(np.corrcoef(rankdata(a), rankdata(b))[0, 1])


def best_of(rows: Floats) -> Floats:
    """Return the largest number of each column, NaN where there is none."""
    return np.fmax.reduce(rows, axis=0) if len(rows) else np.full(rows.shape[1], np.nan)


def ladder(rows: Floats) -> tuple[list[int], Floats]:
    """Return rows in the order in which each raises the mean of the largest of all before it most.

    With them the mean that is reached, over the columns in which any of them has a number.
    """
    order: list[int] = []
    reached: list[float] = []
    best = np.full(rows.shape[1], np.nan)
    while len(order) < len(rows):
        left = [k for k in range(len(rows)) if k not in order]
        tried = means_of(np.stack([np.fmax(best, rows[k]) for k in left]))
        at = int(np.argmax(np.nan_to_num(tried, nan=-np.inf)))
        order.append(left[at])
        best = np.fmax(best, rows[left[at]])
        reached.append(float(tried[at]))
    return order, np.array(reached)
