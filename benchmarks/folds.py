"""Test whether the corrected resampled t test keeps its level.

Two classifiers are alike but for chance: each has four of eight features, of which one helps.
Nearest centroids are trained on every split.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coleval.statistics.blocks import corrected_t, ratio_to_training

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Items, splits, the share that is tested (None: folds of a cross-validation), datasets.
CASES = ((100, 15, 0.1, 2000), (300, 15, 0.1, 2000), (100, 30, 0.3, 2000), (100, 100, 0.1, 500),
         (100, 10, None, 2000), (300, 10, None, 2000))  # fmt: skip


def right(x: NDArray[np.float64], y: NDArray[np.intp], test: NDArray[np.intp]) -> float:
    """Return the accuracy of the nearest centroid, trained on all that is not tested."""
    train = np.setdiff1d(np.arange(len(y)), test)
    away = [((x[test] - x[train][y[train] == k].mean(axis=0)) ** 2).sum(axis=1) for k in (0, 1)]
    return float(((away[1] < away[0]) == (y[test] == 1)).mean())


def tested(
    rng: np.random.Generator, n: int, splits: int, share: float | None
) -> list[NDArray[np.intp]]:
    """Return which items are tested in each split."""
    if share is None:
        return np.array_split(rng.permutation(n), splits)
    return [rng.permutation(n)[: int(n * share)] for _ in range(splits)]


def p_values(
    rng: np.random.Generator, n: int, splits: int, share: float | None
) -> tuple[float, float]:
    """Return p of the t test and of the corrected one for one dataset."""
    y = np.arange(n) % 2
    x = rng.normal(size=(n, 8))
    x[:, [0, 4]] += 0.8 * y[:, None]
    apart = [
        right(x[:, :4], y, test) - right(x[:, 4:], y, test)
        for test in tested(rng, n, splits, share)
    ]
    ratio = ratio_to_training(splits, share)
    return corrected_t(np.array(apart), 0.0).p, corrected_t(np.array(apart), ratio).p


def main() -> None:
    """Print the share of p < .05 of both tests in each case."""
    rng = np.random.default_rng(0)
    for n, splits, share, datasets in CASES:
        p = np.array([p_values(rng, n, splits, share) for _ in range(datasets)])
        plain, corrected = (p < 0.05).mean(axis=0)
        print(f"{n} items, {splits} splits, {share}: {plain:.2%} {corrected:.2%}")


if __name__ == "__main__":
    main()
