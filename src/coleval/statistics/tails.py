"""p values smaller than replicates can count, and which differences more replicates could decide.

Where fewer than ten replicates lie as far out as the difference seen, p is bounded from above: the
distance by which replicates pass a threshold is taken as exponential. A sum over units has a tail
that thins out faster the farther out, so the bound errs on the safe side, other than a fitted
Pareto tail (Knijnenburg et al. 2009), whose end may lie before the difference seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.statistics.paired import adjusted, p_value
from coleval.statistics.resampling import TIE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from coleval.statistics.measure import Floats

    Tail = tuple[NDArray[np.integer], NDArray[np.integer]]
    Curve = Callable[[Floats], Floats]

# So many replicates set the threshold; this share of them lies below it, at most.
FIRST, BELOW = 1024, 0.99
# Fewer replicates than this are too few to count; a tail is made of at least so many.
COUNTABLE, TAIL = 10, 50
# No tail is known farther out than this.
LEAST = 1e-12
# One-sided 95 %: how much slower the tail may thin out, how much larger it may be than it looks.
_SURE = 1.645
_PAIRS = 1024
# The tail of an interval on either side.
_EDGE = 0.025


@dataclass(frozen=True, slots=True)
class Far:
    """For each pair: the replicates as far out as the difference, and those beyond a threshold.

    ``excess`` is by how much they pass it, all in all; ``drawn`` are the replicates defined.
    """

    size: Floats
    threshold: Floats
    found: NDArray[np.intp]
    drawn: NDArray[np.intp]
    beyond: NDArray[np.intp]
    excess: Floats


def share_below(replicates: int) -> float:
    """Return where a tail begins of which so many replicates hold enough to bound a p."""
    return max(0.0, min(BELOW, 1 - 1.2 * TAIL / replicates))


def far(blocks: Iterable[Floats], size: Floats, below: float = BELOW) -> Far:
    """Return what blocks of distances (a row a pair) hold of a tail; ``size`` is the one seen.

    The tail begins where this share of the first replicates lies ``below``.
    """
    first: list[Floats] = []
    threshold: Floats | None = None
    sums = np.zeros((4, len(size)))
    for block in blocks:
        if threshold is not None:
            sums += _summed(block, size, threshold)
            continue
        first.append(block)
        if sum(part.shape[1] for part in first) >= FIRST:
            threshold = _threshold(first, below)
            sums += sum(_summed(part, size, threshold) for part in first)
    if threshold is None:
        threshold = _threshold(first, below)
        sums += sum(_summed(part, size, threshold) for part in first)
    found, drawn, beyond = sums[:3].astype(np.intp)
    return Far(size, threshold, found, drawn, beyond, sums[3])


def _threshold(first: list[Floats], below: float) -> Floats:
    """Return the distance below which that share of the first replicates lies."""
    if not first:
        raise ValueError("no replicates")
    pairs = len(first[0])
    every = (slice(at, at + _PAIRS) for at in range(0, pairs, _PAIRS))
    parts = [np.concatenate([block[rows] for block in first], axis=1) for rows in every]
    known = [np.nan_to_num(part[:, :FIRST], nan=0.0) for part in parts]
    return np.concatenate([np.zeros(0), *(np.quantile(part, below, axis=1) for part in known)])


def _summed(block: Floats, size: Floats, threshold: Floats) -> Floats:
    over = block - threshold[:, None]
    there = over > TIE
    with np.errstate(invalid="ignore"):
        found = (block >= size[:, None] - TIE).sum(axis=1)
    excess = np.where(there, over, 0.0).sum(axis=1)
    return np.stack([found, (~np.isnan(block)).sum(axis=1), there.sum(axis=1), excess])


def bounded(tail: Far, units: NDArray[np.integer]) -> tuple[Floats, NDArray[np.bool_]]:
    """Return p of each pair and whether it is a bound; ``units`` are those that differ.

    A test over k units knows 2 to the k exchanges: no p is below 2 in so many.
    """
    counted = np.where(np.isnan(tail.size), np.nan, p_value(tail.found, tail.drawn))
    usable = (tail.found < COUNTABLE) & (tail.beyond >= TAIL) & (tail.excess > 0)
    beyond = np.maximum(tail.beyond, TAIL)
    slack = _SURE / np.sqrt(beyond)
    rate = beyond / np.where(usable, tail.excess, 1.0) * (1 - slack)
    share = beyond * (1 + slack) / np.maximum(tail.drawn, 1)
    out = share * np.exp(-rate * np.maximum(tail.size - tail.threshold, 0.0))
    bound = np.maximum(out, least(units))
    usable &= bound < counted
    return np.where(usable, bound, counted), usable


def least(units: NDArray[np.integer]) -> Floats:
    """Return the smallest p that a test over so many differing units may have."""
    return np.maximum(np.exp2(1.0 - np.minimum(units, 1000)), LEAST)


def undecided(
    p: Floats, tail: Tail, lowest: Floats, *, how: str, alpha: float, curve: Curve = np.asarray
) -> NDArray[np.bool_]:
    """Return which pairs are not significant, but might be with more replicates.

    Too few replicates to count lie as far out (``tail``: these, and all), and the lower end of the
    95 % interval of their share, or ``lowest``, would be significant after ``how`` corrects it.
    ``curve`` is what p goes through before.
    """
    found, drawn = tail
    few = (found < COUNTABLE) & (drawn > 0) & ~np.isnan(p)
    end = np.where(few, lower_end(np.where(few, found, 0), drawn), 0.0)
    hoped = np.where(few, np.minimum(np.maximum(end, lowest), p), p)
    with np.errstate(invalid="ignore"):
        open_ = adjusted(curve(p), how) >= alpha
        return few & open_ & (adjusted(curve(hoped), how) < alpha)


def lower_end(found: NDArray[np.integer], drawn: NDArray[np.integer]) -> Floats:
    """Return the lower end of the 95 % interval of shares (Clopper-Pearson)."""
    from scipy.special import betaincinv

    low = betaincinv(np.maximum(found, 1), drawn - found + 1, _EDGE)
    return np.where(found > 0, low, 0.0)
