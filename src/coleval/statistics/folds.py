"""The corrected resampled t test: differences of scores over folds or repeated splits.

Folds share training data, and repeated splits test data too, so that their scores are not
independent: Student's test over them rejects far too often. Nadeau & Bengio (2003) take the
variance times (1/k + test/train) in place of 1/k. Unknown is NaN here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from coleval.statistics.measure import Floats

# A spread below this is one of rounding.
_NONE = 1e-12


@dataclass(frozen=True, slots=True)
class FoldTest:
    """The mean difference over ``n`` folds, its deviation, interval, t and two-sided p."""

    n: int
    delta: float = float("nan")
    sd: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")
    t: float = float("nan")
    p: float = float("nan")


def ratio_to_training(folds: int, share: float | None) -> float:
    """Return how many items are tested for each that is trained on.

    ``share`` is that of the test items of a split; without it every item is tested once, so that
    a fold is tested and the others are trained on.
    """
    return 1 / (folds - 1) if share is None else share / (1 - share)


def corrected_t(differences: Floats, ratio: float, alpha: float = 0.05) -> FoldTest:
    """Return the corrected test of a mean difference of 0 over the folds that have one.

    Equal in every fold is p = 1; without a spread, or with one fold, there is no other p.
    """
    known = differences[~np.isnan(differences)]
    n = len(known)
    if not n:
        return FoldTest(0)
    delta = float(known.mean())
    if n < 2:
        return FoldTest(n, delta)
    sd = float(known.std(ddof=1))
    if sd < _NONE:
        equal = abs(delta) < _NONE
        return FoldTest(n, delta, 0.0, p=1.0 if equal else float("nan"))
    return _tested(n, delta, sd, sd * (1 / n + ratio) ** 0.5, alpha)


def _tested(n: int, delta: float, sd: float, error: float, alpha: float) -> FoldTest:
    from scipy.special import stdtr, stdtrit

    t, half = delta / error, float(stdtrit(n - 1, 1 - alpha / 2)) * error
    return FoldTest(n, delta, sd, delta - half, delta + half, t, float(2 * stdtr(n - 1, -abs(t))))
