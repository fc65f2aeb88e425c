"""Rasch's model of bins: what is expected of each system among items that k systems solve.

The total of an item is sufficient for its difficulty, so that abilities follow from the sizes of
bins and the totals of systems alone, by conditional maximum likelihood (Andersen 1972).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coleval.statistics.ratio import ratio_array

if TYPE_CHECKING:
    from coleval.statistics.measure import Floats

Counts = NDArray[np.int64]
# Beyond this the likelihood of the rarest bins is smaller than a number can be.
MOST = 500
_STEPS, _FARTHEST, _EXACT, _STILL = 500, 30.0, 1e-10, 1e-7


@dataclass(frozen=True, slots=True)
class Rasch:
    """The ability of each system (mean 0), and how likely it solves an item of each bin.

    ``share`` has a row for each system and a column for each bin. An ability is infinite where no
    finite one fits: a system that solves all that any system misses, or nothing.
    """

    ability: Floats
    share: Floats


def rasch(items: Counts, totals: Counts) -> Rasch:
    """Return the abilities that make the expected totals those of the systems.

    ``items`` counts the items of each bin, 0 to all. The log-likelihood has one top; steps go by
    an approximate curvature (Hájek 1964) and are halved until they climb.
    """
    systems = len(totals)
    inner = items.astype(np.float64)
    inner[[0, systems]] = 0.0
    wanted = (totals - items[systems]).astype(np.float64)
    theta = _start(wanted, inner.sum())
    value, share = _likelihood(theta, wanted, inner)
    nearest = np.inf
    for _ in range(_STEPS):
        gap = wanted - share @ inner
        far, before = np.abs(gap).max(initial=0.0), theta
        if far <= _EXACT * max(1.0, inner.sum()) or far > nearest:
            break
        theta, value, share = _climbed(theta, value, gap, share, wanted, inner)
        # Abilities without bounds are as far as they go, and rounding is all that is left.
        nearest = far if np.abs(theta - before).max(initial=0.0) < _STILL else np.inf
        if theta is before:
            break
    share[:, systems] = 1.0
    return Rasch(_settled(theta, wanted, inner.sum()), share)


def _start(wanted: Floats, items: float) -> Floats:
    odds = (wanted + 0.5) / (items - wanted + 0.5)
    theta: Floats = np.log(odds)
    return theta - theta.mean()


def _settled(theta: Floats, wanted: Floats, items: float) -> Floats:
    """Return abilities with those that no number fits infinite."""
    if not items:
        return np.full(len(theta), np.nan)
    finite = (wanted > 0) & (wanted < items)
    out = theta - (theta[finite].mean() if finite.any() else 0.0)
    out[wanted <= 0], out[wanted >= items] = -np.inf, np.inf
    return out


def _climbed(
    theta: Floats, value: float, gap: Floats, share: Floats, wanted: Floats, inner: Floats
) -> tuple[Floats, float, Floats]:
    step = np.linalg.lstsq(_curvature(share, inner), gap, rcond=1e-12)[0]
    step *= min(1.0, 2.0 / max(np.abs(step).max(), 1e-300))
    for _ in range(40):
        new = np.clip(theta + step - step.mean(), -_FARTHEST, _FARTHEST)
        higher, shares = _likelihood(new, wanted, inner)
        nearer = np.abs(wanted - shares @ inner).max() < np.abs(gap).max()
        if higher > value or nearer:
            return new, higher, shares
        step /= 2
    return theta, value, share


def _curvature(share: Floats, inner: Floats) -> Floats:
    """Return about how the expected totals change with the abilities; of two systems, exactly."""
    spread = share * (1 - share) * (len(share) / max(1, len(share) - 1))
    whole = spread.sum(axis=0)
    per = ratio_array(inner, whole, 0.0)
    curved: Floats = np.diag(spread @ inner) - (spread * per) @ spread.T
    return curved


def _likelihood(theta: Floats, wanted: Floats, inner: Floats) -> tuple[float, Floats]:
    """Return the conditional log-likelihood, and how likely each system solves each bin's items."""
    # 1 - p loses what is left of it where a system solves nearly all.
    p, q = 1 / (1 + np.exp(-theta)), 1 / (1 + np.exp(theta))
    with_, without = number_solved(p, q), _without_each(p, q)
    with np.errstate(divide="ignore"):
        logs = np.log(with_) - np.log(q).sum()
    value = float(theta @ wanted - (inner[inner > 0] * logs[inner > 0]).sum())
    share = np.zeros((len(p), len(p) + 1))
    share[:, 1:] = ratio_array(p[:, None] * without, with_[1:], 0.0)
    return value, np.clip(share, 0.0, 1.0)


def number_solved(p: Floats, q: Floats) -> Floats:
    """Return how likely 0, 1, 2 … of some independent systems solve an item; ``q`` is 1 - p."""
    found = np.ones(1)
    for pair in np.column_stack([q, p]):
        found = np.convolve(found, pair)
    return found


def _without_each(p: Floats, q: Floats) -> Floats:
    """Return the same with one system left out, a row for each: no difference is ever taken."""
    size = len(p)
    before, behind = [np.ones(1)], [np.ones(1)]
    for k in range(size - 1):
        last = size - 1 - k
        before.append(np.convolve(before[-1], [q[k], p[k]]))
        behind.append(np.convolve(behind[-1], [q[last], p[last]]))
    return np.array([np.convolve(before[k], behind[size - 1 - k]) for k in range(size)])
