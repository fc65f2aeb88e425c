"""How few units do the tests and the intervals bear? Made-up corpora of 5 to 100 documents.

    python benchmarks/few_units.py                    # 2,000 corpora a line, about six minutes
    python benchmarks/few_units.py --corpora 100      # does the harness still run?

Two systems are equally good; documents differ in length and in difficulty. For every number of
documents and every score: the share of p < .05 (should be 5 %), and the share of 95 % intervals of
the difference and of one score that hold the true value (should be 95 %). `t` widens percentile
and p as Hesterberg (2015) does, by Student's t; `studentised` divides every replicate by its own
standard error (Davison & Hinkley 1997, 5.2).
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from coleval.statistics.draws import BLOCK, coins, keys_of_numbers, poisson, streams

UNITS = (5, 8, 12, 20, 30, 50, 100)
LABELS = 4
SHARES = np.array([0.5, 0.3, 0.15, 0.05])
ALPHA = 0.05
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sums:
    """What a score divides, by class, system and unit."""

    above: Floats
    below: Floats

    def values(self, weights: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the ratio of each class, its denominator, and their mean, by system."""
        above, below = self.above @ weights, self.below @ weights
        there = below > 0
        ratio = np.divide(above, below, out=np.zeros_like(above), where=there)
        mean = np.where(there, ratio, 0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
        return ratio, below, np.where(there.any(axis=0), mean, np.nan)

    def influence(self, ratio: Floats, below: Floats) -> Floats:
        """Return what each unit adds to the score, by system, unit and replicate."""
        known = np.maximum((below > 0).sum(axis=0), 1)
        size = np.where(below > 0, below, np.inf)
        shape = (self.above.shape[1], self.above.shape[2], ratio.shape[2])
        out = np.zeros(shape)
        for above, under, r, b in zip(self.above, self.below, ratio, size, strict=True):
            out += (above[:, :, None] - under[:, :, None] * r[:, None]) / b[:, None]
        return out / known[:, None]


def main() -> None:
    """Print one table for p and one for intervals."""
    asked = _arguments()
    for score in ("accuracy", "f1", "macro_f1"):
        print(f"{score}: {asked.corpora} corpora, {asked.replicates} replicates")
        true = float(_sums(score, _corpus(0, 200_000)).values(np.ones((200_000, 1)))[2].mean())
        for units in UNITS:
            found = [
                measured(_sums(score, _corpus(seed, units)), seed, asked.replicates, true)
                for seed in range(1, asked.corpora + 1)
            ]
            means = {name: np.mean([one[name] for one in found]) for name in found[0]}
            print(f"  n={units:<4}" + "  ".join(f"{k} {100 * v:.1f}" for k, v in means.items()))


def measured(sums: Sums, seed: int, replicates: int, true: float) -> dict[str, float]:
    """Return which tests reject, and which intervals hold the true value, in one corpus."""
    units = sums.above.shape[2]
    keys = keys_of_numbers(np.arange(units))
    whole = sums.values(np.ones((units, 1)))
    weights = _weights(streams(keys, seed), replicates, poisson)
    drawn = sums.values(weights)
    pull = sums.influence(*whole[:2])[:, :, 0]
    pulled = sums.influence(*drawn[:2])
    delta, moved = float((whole[2][0] - whole[2][1])[0]), drawn[2][0] - drawn[2][1]
    error = np.sqrt(np.einsum("ur,ur->r", weights, (pulled[0] - pulled[1]) ** 2))
    difference = _Statistic(delta, moved, pull[0] - pull[1], error)
    error = np.sqrt(np.einsum("ur,ur->r", weights, pulled[0] ** 2))
    score = _Statistic(float(whole[2][0, 0]), drawn[2][0], pull[0], error)
    found = {f"p:{name}": float(p < ALPHA) for name, p in difference.p_values().items()}
    found["p:randomisation"] = float(_randomised(sums, keys, seed, replicates, delta) < ALPHA)
    for what, statistic, truth in (("difference", difference, 0.0), ("score", score, true)):
        for name, (low, high) in statistic.intervals().items():
            found[f"{what}:{name}"] = float(low - 1e-12 <= truth <= high + 1e-12)
    return found


@dataclass(frozen=True, slots=True)
class _Statistic:
    """A number, its replicates, what each unit adds to it, the replicates' standard errors."""

    value: float
    drawn: Floats
    pull: Floats
    error: Floats

    def p_values(self) -> dict[str, float]:
        drawn = self.drawn[~np.isnan(self.drawn)]
        p = ((np.abs(drawn - self.value) >= abs(self.value) - 1e-12).sum() + 1) / (len(drawn) + 1)
        n = len(self.pull)
        t = 2 * stdtr(n - 1, np.sqrt((n - 1) / n) * ndtri(p / 2)) if p < 1 else 1.0
        own = np.sqrt((self.pull**2).sum())
        ratio = self._studentised()
        far = (np.abs(ratio) >= abs(self.value) / own - 1e-12).sum() if own > 0 else len(ratio)
        return {"bootstrap": p, "t": float(t), "studentised": (far + 1) / (len(ratio) + 1)}

    def _studentised(self) -> Floats:
        there = ~np.isnan(self.drawn) & (self.error > 1e-12)
        return (self.drawn[there] - self.value) / self.error[there]

    def intervals(self) -> dict[str, tuple[float, float]]:
        drawn = self.drawn[~np.isnan(self.drawn)]
        n = len(self.pull)
        wide = float(ndtr(np.sqrt(n / (n - 1)) * stdtrit(n - 1, ALPHA / 2)))
        found = {"percentile": self._at(drawn, ALPHA / 2), "t": self._at(drawn, wide)}
        own = np.sqrt((self.pull**2).sum())
        ratio = self._studentised()
        low, high = np.quantile(ratio, [ALPHA / 2, 1 - ALPHA / 2]) if len(ratio) else (0, 0)
        found["studentised"] = (self.value - high * own, self.value - low * own)
        found["bca"] = self._bca(drawn, own)
        return found

    def _at(self, drawn: Floats, level: float) -> tuple[float, float]:
        return tuple(np.quantile(drawn, [level, 1 - level]))

    def _bca(self, drawn: Floats, own: float) -> tuple[float, float]:
        if own <= 0:
            return self._at(drawn, ALPHA / 2)
        less = (drawn < self.value).mean() / 2 + (drawn <= self.value).mean() / 2
        z0 = ndtri(np.clip(less, 1e-3, 1 - 1e-3))
        a = (self.pull**3).sum() / (6 * own**3)
        z = z0 + ndtri(np.array([ALPHA / 2, 1 - ALPHA / 2]))
        return tuple(np.quantile(drawn, ndtr(z0 + z / (1 - a * z))))


def _randomised(sums: Sums, keys: NDArray[np.uint64], seed: int, n: int, delta: float) -> float:
    heads = _weights(streams(keys, seed, purpose=1), n, coins)
    swapped = Sums(sums.above[:, ::-1] - sums.above, sums.below[:, ::-1] - sums.below)
    above = sums.above.sum(axis=2)[..., None] + swapped.above @ heads
    below = sums.below.sum(axis=2)[..., None] + swapped.below @ heads
    values = _mean(above, below)
    return float(((np.abs(values[0] - values[1]) >= abs(delta) - 1e-12).sum() + 1) / (n + 1))


def _mean(above: Floats, below: Floats) -> Floats:
    ratio = np.divide(above, below, out=np.zeros_like(above), where=below > 0)
    return ratio.sum(axis=0) / np.maximum((below > 0).sum(axis=0), 1)


def _weights(start: NDArray[np.uint64], replicates: int, draw: object) -> Floats:
    blocks = [draw(start, block) for block in range(-(-replicates // BLOCK))]  # type: ignore[operator]
    return np.concatenate(blocks, axis=1)[:, :replicates].astype(np.float64)


def _corpus(seed: int, units: int) -> tuple[Floats, Floats, Floats]:
    """Return right, answered and expected of every label, by label, system and unit."""
    rng = np.random.default_rng([units, seed])
    length = 3 + rng.poisson(rng.lognormal(3, 0.6, units))
    gold = rng.multinomial(length, SHARES).T
    ease = rng.beta(8, 3, units)
    each = np.clip(ease + rng.normal(0, 0.06, (2, units)), 0.02, 0.98)
    right = np.stack([rng.binomial(gold, share) for share in each], axis=1)
    spurious = rng.poisson((1 - each) * length * SHARES[:, None, None])
    expected = np.broadcast_to(gold[:, None], right.shape)
    return right.astype(float), (right + spurious).astype(float), expected.astype(float)


def _sums(score: str, corpus: tuple[Floats, Floats, Floats]) -> Sums:
    right, answered, expected = corpus
    if score == "macro_f1":
        return Sums(2 * right, answered + expected)
    right, answered, expected = (part.sum(axis=0, keepdims=True) for part in corpus)
    if score == "accuracy":
        return Sums(right, expected.copy())
    return Sums(2 * right, answered + expected)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpora", type=int, default=2000)
    parser.add_argument("--replicates", type=int, default=1000)
    return parser.parse_args()


if __name__ == "__main__":
    main()
