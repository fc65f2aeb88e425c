"""Abilities of systems that answered different items: the models of Rasch and Birnbaum.

A system of ability θ solves an item of difficulty b and discrimination a with the odds
exp(a (θ - b)). Items are a sample: log a and b are drawn from normal distributions whose spread is
fitted, and are summed out, so that abilities are consistent as items grow however few systems
there are (marginal maximum likelihood, Bock & Aitkin 1981, with systems in the place of items).
Under Rasch's model a is 1. The mean difficulty is 0, the mean of log a is 0. Cells may be missing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.statistics.measure import Floats

    Counts = NDArray[np.int64]

MODELS = ("rasch", "2pl")
# Difficulties from -6 to 6, discriminations from exp(-1.5) to exp(1.5).
_DIFFICULTIES, _DISCRIMINATIONS = np.linspace(-6, 6, 41), np.exp(np.linspace(-1.2, 1.2, 5))
_STEPS, _STILL, _FARTHEST = 500, 1e-4, 15.0
# Items at a time: a number for each of them and each node is held.
_ITEMS = 1 << 14


@dataclass(frozen=True, slots=True)
class Abilities:
    """The ability of each system with its standard error, and what is known of each item.

    NaN stands for the ability of a system that solves all its items, or none. ``covariance`` is
    that of the abilities; ``spread`` the standard deviation of difficulties.
    """

    ability: Floats
    error: Floats
    covariance: Floats
    difficulty: Floats
    difficulty_error: Floats
    discrimination: Floats
    spread: float


def fitted(right: Floats, model: str) -> Abilities:
    """Return the fit to a matrix of 1, 0 and NaN, a row a system and a column an item."""
    nodes = _ItemNodes.of(model)
    finite = _finite(right)
    rows, there = right[finite], ~np.isnan(right[finite])
    solved = np.where(there, np.nan_to_num(rows), 0.0)
    theta, prior = _start(solved, there), nodes.prior(1.0, 0.3)
    for _ in range(_STEPS):
        sums = _expected(nodes, theta, prior, solved, there)
        new = _climbed(nodes, theta, sums)
        spread, spread_a = nodes.spreads(sums.held)
        prior = nodes.prior(spread, spread_a)
        still = np.abs(new - theta).max(initial=0.0) < _STILL
        theta = new
        if still:
            break
    sums = _expected(nodes, theta, prior, solved, there)
    covariance = np.linalg.pinv(sums.information) if len(theta) else np.zeros((0, 0))
    ability, error = np.full((2, len(right)), np.nan)
    ability[finite], error[finite] = theta, np.sqrt(np.maximum(np.diag(covariance), 0.0))
    whole = np.full((len(right), len(right)), np.nan)
    whole[np.ix_(finite, finite)] = covariance
    difficulty, difficulty_error, discrimination = sums.items.T
    return Abilities(
        ability, error, whole, difficulty, difficulty_error, discrimination,
        nodes.spreads(sums.held)[0],
    )  # fmt: skip


def _finite(right: Floats) -> NDArray[np.intp]:
    """Return the systems that solve some of their items and miss others."""
    return np.flatnonzero((right == 1).any(axis=1) & (right == 0).any(axis=1))


def _start(solved: Floats, there: NDArray[np.bool_]) -> Floats:
    right, n = solved.sum(axis=1), there.sum(axis=1)
    theta: Floats = np.log((right + 0.5) / (n - right + 0.5))
    return theta


@dataclass(frozen=True, slots=True)
class _ItemNodes:
    """Nodes of difficulty and discrimination that items are summed over."""

    b: Floats
    a: Floats

    @classmethod
    def of(cls, model: str) -> _ItemNodes:
        """Return the nodes of a model."""
        slopes = np.ones(1) if model == MODELS[0] else _DISCRIMINATIONS
        b, a = np.meshgrid(_DIFFICULTIES, slopes)
        return cls(b.ravel(), a.ravel())

    def prior(self, spread: float, spread_a: float) -> Floats:
        """Return the logarithm of how likely each node is."""
        log = -0.5 * (self.b / spread) ** 2
        if len(set(self.a.tolist())) > 1:
            log = log - 0.5 * (np.log(self.a) / spread_a) ** 2
        out: Floats = log - np.log(np.exp(log - log.max()).sum()) - log.max()
        return out

    def spreads(self, held: Floats) -> tuple[float, float]:
        """Return the deviations of difficulties and log discriminations over nodes."""
        n = max(held.sum(), 1e-300)
        spread = np.sqrt((held * self.b**2).sum() / n)
        spread_a = np.sqrt((held * np.log(self.a) ** 2).sum() / n)
        return max(float(spread), 0.05), max(float(spread_a), 0.05)

    def chance(self, theta: Floats) -> Floats:
        """Return how likely each system solves an item of each node."""
        p: Floats = 1 / (1 + np.exp(-self.a * (theta[:, None] - self.b)))
        return np.clip(p, 1e-12, 1 - 1e-12)


@dataclass(frozen=True, slots=True)
class _ExpectedCounts:
    """Expected counts by system and node, items by node, the information, and each item's means.

    ``items`` has difficulty, its deviation, and discrimination, a row an item.
    """

    solved: Floats
    answered: Floats
    held: Floats
    information: Floats
    items: Floats


def _expected(
    nodes: _ItemNodes, theta: Floats, prior: Floats, solved: Floats, there: NDArray[np.bool_]
) -> _ExpectedCounts:
    """Return what is expected where each item is what its answers make likely."""
    p = nodes.chance(theta)
    log_odds, log_wrong = np.log(p / (1 - p)), np.log(1 - p)
    shape = p.shape
    total: Any = [np.zeros(shape), np.zeros(shape), np.zeros(shape[1]), np.zeros((len(p),) * 2)]
    items = np.empty((solved.shape[1], 3))
    for low in range(0, solved.shape[1], _ITEMS):
        some = slice(low, low + _ITEMS)
        x, m = solved[:, some], there[:, some].astype(np.float64)
        log = x.T @ log_odds + m.T @ log_wrong + prior
        held = np.exp(log - log.max(axis=1, keepdims=True))
        held /= held.sum(axis=1, keepdims=True)
        # The score of each item: how its answers pull at each ability.
        pull = x * (held @ nodes.a) - m * (held @ (nodes.a * p).T).T
        parts = (x @ held, m @ held, held.sum(axis=0), pull @ pull.T)
        total = [whole + part for whole, part in zip(total, parts, strict=True)]
        mean = held @ nodes.b
        square = held @ nodes.b**2 - mean**2
        items[some] = np.stack([mean, np.sqrt(np.maximum(square, 0.0)), held @ nodes.a], axis=1)
    return _ExpectedCounts(total[0], total[1], total[2], total[3], items)


def _climbed(nodes: _ItemNodes, theta: Floats, sums: _ExpectedCounts) -> Floats:
    """Return abilities after a step of Newton's, no longer than 1."""
    p = nodes.chance(theta)
    gradient = ((sums.solved - sums.answered * p) * nodes.a).sum(axis=1)
    curved = (sums.answered * p * (1 - p) * nodes.a**2).sum(axis=1)
    step = np.clip(gradient / np.maximum(curved, 1e-9), -1.0, 1.0)
    return np.clip(theta + step, -_FARTHEST, _FARTHEST)


def centred(found: Abilities) -> Abilities:
    """Return the fit with the mean of the systems at 0, which they are compared around."""
    known = np.flatnonzero(~np.isnan(found.ability))
    if not len(known):
        return found
    shift = float(found.ability[known].mean())
    turn = np.eye(len(known)) - 1 / len(known)
    covariance = found.covariance.copy()
    inner = turn @ covariance[np.ix_(known, known)] @ turn
    covariance[np.ix_(known, known)] = inner
    error = found.error.copy()
    error[known] = np.sqrt(np.maximum(np.diag(inner), 0.0))
    return replace(
        found, ability=found.ability - shift, error=error, covariance=covariance,
        difficulty=found.difficulty - shift,
    )  # fmt: skip


def connected(there: NDArray[np.bool_]) -> list[list[int]]:
    """Return the groups of systems that no common item connects, the largest first."""
    common = (there.astype(np.float32) @ there.T.astype(np.float32)) > 0
    left, groups = set(range(len(there))), []
    while left:
        group, edge = set[int](), {min(left)}
        while edge:
            group |= edge
            edge = {int(k) for at in edge for k in np.flatnonzero(common[at])} - group
        groups.append(sorted(group))
        left -= group
    return sorted(groups, key=lambda group: (-len(group), group))


def rank_ends(found: Abilities, alpha: float, draws: int, seed: int) -> tuple[Floats, Floats]:
    """Return the lowest and the highest rank of each system, of abilities drawn as they vary."""
    known = np.flatnonzero(~np.isnan(found.ability))
    low, high = np.full((2, len(found.ability)), np.nan)
    if not len(known):
        return low, high
    rng = np.random.default_rng(seed)
    values = rng.multivariate_normal(
        found.ability[known], found.covariance[np.ix_(known, known)], draws, method="eigh"
    )
    ranks = np.sort(1 + (values[:, None, :] > values[:, :, None]).sum(axis=2), axis=0)
    cut = int(np.rint(alpha / 2 * (draws - 1)))
    low[known], high[known] = ranks[cut], ranks[draws - 1 - cut]
    return low, high
