"""Smaller test sets: which items to keep, and how wrong scores from these are for other systems.

Items are chosen by what some systems have right, and judged by systems that had no part in it;
random choice, with and without a regression, is always beside (arXiv 2506.07673).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coleval.statistics.draws import streams, words
from coleval.statistics.threads import product

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coleval.statistics.measure import Floats


SPLITS = 200
# More units than this are put together at random: halves of so many blocks are as even.
BLOCKS = 20_000
_PURPOSE = 11


@dataclass(frozen=True, slots=True)
class Stability:
    """Mean and standard deviation of rank correlations, over so many that are defined."""

    mean: float | None
    sd: float | None
    n: int


def block_of(keys: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Return the block of each unit: its own, or of very many units one that its key draws."""
    if len(keys) <= BLOCKS:
        return np.arange(len(keys))
    return (keys % np.uint64(BLOCKS)).astype(np.intp)


def split_half(
    right: NDArray[np.integer], keys: NDArray[np.uint64], seed: int, splits: int = SPLITS
) -> Stability:
    """Return how alike both halves of the units order the systems, a row of ``right`` each.

    ``right`` counts what a system has right in each unit; which half a unit is in depends on the
    seed and its key alone. Spearman's correlation of the totals; undefined where a half ties all.
    """
    systems, units = right.shape
    if systems < 2 or units < 2:
        return Stability(None, None, 0)
    drawn = words(streams(keys, seed, _PURPOSE), 0, splits)
    first = np.argpartition(drawn, units // 2, axis=0)[: units // 2]
    inside = np.zeros((units, splits))
    np.put_along_axis(inside, first, values=1.0, axis=0)
    half = product(right.astype(np.float64), inside).T
    found = spearman_rows(half, right.sum(axis=1, dtype=np.int64) - half)
    known = found[~np.isnan(found)]
    if not len(known):
        return Stability(None, None, 0)
    sd = float(known.std(ddof=1)) if len(known) > 1 else None
    return Stability(float(known.mean()), sd, len(known))


def spearman_rows(x: Floats, y: Floats) -> Floats:
    """Return Spearman's correlation of each row of x and of y, NaN where either is constant."""
    a, b = _centred_ranks(x), _centred_ranks(y)
    spread = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    out = np.full(len(a), np.nan)
    there = spread > 0
    out[there] = (a * b).sum(axis=1)[there] / spread[there]
    return np.clip(out, -1.0, 1.0)


def _centred_ranks(values: Floats) -> Floats:
    """Return ranks about their mean, twice: how many are lower less how many are higher."""
    ranks = np.empty(values.shape)
    for rank, row in zip(ranks, values, strict=True):
        ordered = np.sort(row)
        lower = np.searchsorted(ordered, row, side="left")
        rank[:] = lower + np.searchsorted(ordered, row, side="right") - len(row)
    return ranks


Counts = NDArray[np.int64]
Right = NDArray[np.bool_]
Random = np.random.Generator
RANDOM, REGRESSION, BINS, GREEDY = "random", "random + regression", "bins", "greedy"
CHOICES = (RANDOM, BINS, GREEDY)
ROUNDS = 20
# With fewer systems there is none to hold out.
FEWEST = 4
# Greedy choice looks through so many patterns; of more, those of items drawn at random.
_CANDIDATES = 2_000


@dataclass(frozen=True, slots=True)
class KeptItems:
    """Patterns of the items kept, one entry for each item, and what each counts in the mean."""

    pattern: NDArray[np.intp]
    weight: Floats

    def scores(self, right: Right) -> Floats:
        """Return the share that each system has right, by these items."""
        found: Floats = right[:, self.pattern] @ self.weight
        return found


@dataclass(frozen=True, slots=True)
class SubsetError:
    """How far a way of choosing is from the scores on all items, over systems held out."""

    method: str
    rounds: int
    held_out: int
    mean_error: float
    error_sd: float | None
    rank_correlation: float | None


def chosen(method: str, right: Right, n: Counts, size: int, random: Random) -> KeptItems:
    """Return so many items, by what the systems given have right."""
    if method == BINS:
        return _by_bin(right.sum(axis=0), n, size, random)
    if method == GREEDY:
        return _greedy(right, n, size, random)
    return KeptItems(_drawn(n, size, random), np.full(size, 1 / size))


def tried(right: Right, n: Counts, size: int, seed: int, rounds: int = ROUNDS) -> list[SubsetError]:
    """Return the error of every way of choosing, on a third of the systems, which are held out.

    Nothing of fewer than four systems: one is judged by what three others have right.
    """
    systems = len(right)
    if systems < FEWEST:
        return []
    held = max(1, systems // 3)
    errors: dict[str, list[Floats]] = {m: [] for m in (RANDOM, REGRESSION, BINS, GREEDY)}
    found: dict[str, list[Floats]] = {m: [] for m in errors}
    truth, random = (right @ n) / n.sum(), np.random.default_rng(seed)
    for _ in range(rounds):
        order = random.permutation(systems)
        out, known = order[:held], order[held:]
        for method, scores in _scores(right, n, size, known, truth, random):
            errors[method].append(np.abs(scores - truth)[out])
            found[method].append(np.stack([scores[out], truth[out]]))
    return [_summed(m, errors[m], found[m], rounds) for m in errors]


def _scores(
    right: Right, n: Counts, size: int, known: NDArray[np.intp], truth: Floats, random: Random
) -> Iterator[tuple[str, Floats]]:
    """Yield what each way makes of all systems, chosen by those that are known."""
    for method in CHOICES:
        scores = chosen(method, right[known], n, size, random).scores(right)
        yield method, scores
        if method == RANDOM:
            yield REGRESSION, _regressed(scores, truth, known)


def _regressed(scores: Floats, truth: Floats, known: NDArray[np.intp]) -> Floats:
    """Return scores on a line through those of the systems known; as they are if these are one."""
    x, y = scores[known], truth[known]
    spread = float(((x - x.mean()) ** 2).sum())
    if spread < 1e-18:
        return scores
    slope = float(((x - x.mean()) * (y - y.mean())).sum()) / spread
    line: Floats = y.mean() + slope * (scores - x.mean())
    return line


def _summed(method: str, errors: list[Floats], found: list[Floats], rounds: int) -> SubsetError:
    mean = np.array([each.mean() for each in errors])
    both = np.stack(found, axis=1)
    rho = spearman_rows(both[0], both[1]) if both.shape[2] > 1 else np.full(rounds, np.nan)
    known = rho[~np.isnan(rho)]
    return SubsetError(
        method,
        rounds,
        len(errors[0]),
        float(mean.mean()),
        float(mean.std(ddof=1)) if rounds > 1 else None,
        float(known.mean()) if len(known) else None,
    )


def _drawn(n: Counts, size: int, random: Random) -> NDArray[np.intp]:
    """Return the patterns of items drawn without return."""
    numbers = random.choice(int(n.sum()), size, replace=False, shuffle=False)
    return np.searchsorted(np.cumsum(n), np.sort(numbers), side="right")


def _by_bin(bin_: Counts, n: Counts, size: int, random: Random) -> KeptItems:
    """Return items of every bin in proportion, each for the items of its bin that are not kept."""
    of_bin = np.bincount(bin_, weights=n).astype(np.int64)
    quota = _quotas(of_bin, size)
    parts, weights = [], []
    for k in np.flatnonzero(quota):
        rows = np.flatnonzero(bin_ == k)
        parts.append(rows[_drawn(n[rows], int(quota[k]), random)])
        weights.append(np.full(int(quota[k]), of_bin[k] / quota[k]))
    weight = np.concatenate(weights)
    return KeptItems(np.concatenate(parts), weight / weight.sum())


def _quotas(sizes: Counts, size: int) -> Counts:
    """Return how many of each bin, by largest remainders, one at least of those that have room."""
    exact = sizes * (size / sizes.sum())
    quota = np.minimum(np.floor(exact).astype(np.int64), sizes)
    if np.count_nonzero(sizes) <= size:
        quota = np.where((quota == 0) & (sizes > 0), 1, quota)
    while quota.sum() != size:
        short = quota.sum() < size
        open_ = quota < sizes if short else quota > 1 if (quota > 1).any() else quota > 0
        gap = np.where(open_, exact - quota, -np.inf if short else np.inf)
        quota[gap.argmax() if short else gap.argmin()] += 1 if short else -1
    return quota


def _greedy(right: Right, n: Counts, size: int, random: Random) -> KeptItems:
    """Return items added one by one, each the one that brings the scores nearest to all."""
    rows = np.arange(len(n))
    if len(rows) > _CANDIDATES:
        rows = np.unique(_drawn(n, min(_CANDIDATES, int(n.sum())), random))
    left = n[rows].copy()
    solved = right[:, rows].T.astype(np.float64)
    target = (right @ n) / n.sum()
    length = solved.sum(axis=1)
    total, picked = np.zeros(len(right)), []
    for k in range(1, min(size, int(left.sum())) + 1):
        far = 2 * (solved @ (total - k * target)) + length
        best = int(np.where(left > 0, far, np.inf).argmin())
        picked.append(best)
        left[best] -= 1
        total += solved[best]
    pattern = rows[picked]
    if len(picked) < size:
        rest = n.copy()
        np.subtract.at(rest, pattern, 1)
        pattern = np.concatenate([pattern, _drawn(rest, size - len(picked), random)])
    return KeptItems(pattern, np.full(size, 1 / size))
