"""What patterns of right and wrong say of items: whether they order systems as all others do.

A pattern is a column of right and wrong, a row for each system; ``n`` items share it, and with it
everything that is said here of an item (DEFINITIONS 11).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coleval.statistics.ratio import ratio_array, ratio_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coleval.statistics.measure import Floats


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


Counts = NDArray[np.int64]
Right = NDArray[np.bool_]
PERMUTATIONS = 9_999
# So many pairs of a pattern and a permutation are looked at one by one at a time.
_PAIRS = 1 << 21
# So many systems of them are looked at together.
_CELLS = 1 << 20


def totals_of(right: Right, n: Counts) -> Counts:
    """Return how many items each system has right."""
    return np.array([int(n[own].sum()) for own in right], np.int64)


def discriminations(right: Right, n: Counts) -> Floats:
    """Return the point-biserial correlation of each pattern with what systems have right else.

    NaN where all systems or none have the item right, or all have equally much of the rest.
    """
    systems, totals = len(right), totals_of(right, n)
    # Differences of totals say the same, and their squares stay small.
    centred = (totals - totals.min(initial=totals.max(initial=0))).astype(np.float64)
    solved = right.sum(axis=0).astype(np.float64)
    inside = centred @ right
    rest, squares = centred.sum() - solved, (centred**2).sum() - 2 * inside + solved
    above = systems * (inside - solved) - solved * rest
    spread = (systems * squares - rest**2) * solved * (systems - solved)
    out = np.full(right.shape[1], np.nan)
    there = _ordering(right, totals)
    out[there] = above[there] / np.sqrt(spread[there])
    return np.clip(out, -1.0, 1.0)


def _ordering(right: Right, totals: Counts) -> NDArray[np.bool_]:
    """Return which patterns differ between systems, as do their totals without the item."""
    solved = right.sum(axis=0)
    there = (solved > 0) & (solved < len(right))
    if len(totals) and totals.max() - totals.min() <= 1:
        rest = totals[:, None] - right
        there &= rest.max(axis=0) > rest.min(axis=0)
    return there


def permutation_p(
    right: Right, n: Counts, permutations: int = PERMUTATIONS, seed: int = 0
) -> Floats:
    """Return the two-sided p of each discrimination if which systems solve the item were chance.

    Exact where there are no more choices of systems than ``permutations``, else from so many
    random ones. All is counted in whole numbers, so that ties are ties.
    """
    totals, systems = totals_of(right, n), len(right)
    p = np.full(right.shape[1], np.nan)
    there = np.flatnonzero(_ordering(right, totals))
    solved = right[:, there].sum(axis=0)
    orders = _Orders.drawn(permutations, totals, seed)
    for k in np.unique(solved).tolist():
        rows = there[solved == k]
        exact = comb(systems, k) <= permutations
        choices = _every(totals, k) if exact else orders.first(k)
        found, extreme = len(choices.sums), choices.count(right[:, rows])
        p[rows] = extreme / found if exact else (extreme + 1) / (found + 1)
    return p


def is_exact(systems: int, permutations: int = PERMUTATIONS) -> bool:
    """Return whether all choices of systems are gone through, whatever the item."""
    return comb(systems, systems // 2) <= permutations


def _every(totals: Counts, k: int) -> _Extremes:
    """Return all choices of k systems: those chosen stand before all others."""
    place = np.full((comb(len(totals), k), len(totals)), k, np.int32)
    names = chain.from_iterable(combinations(range(len(totals)), k))
    chosen = np.fromiter(names, np.intp, len(place) * k).reshape(len(place), k)
    np.put_along_axis(place, chosen, 0, axis=1)
    return _Extremes.of(totals, k, place, (place < k) @ totals)


@dataclass(frozen=True, slots=True)
class _Orders:
    """Random orders of the systems: of any number k the first k are chosen.

    A row says in which ``place`` each system stands, and what those ``upto`` a place have right.
    """

    totals: Counts
    place: NDArray[np.int32]
    upto: Counts

    @classmethod
    def drawn(cls, permutations: int, totals: Counts, seed: int) -> _Orders:
        """Return so many orders."""
        draws = np.random.default_rng(seed).random((permutations, len(totals)))
        order = np.argsort(draws, axis=1)
        place = np.empty(order.shape, np.int32)
        numbers = np.broadcast_to(np.arange(len(totals), dtype=np.int32), order.shape)
        np.put_along_axis(place, order, numbers, axis=1)
        return cls(totals, place, np.cumsum(totals[order], axis=1))

    def first(self, k: int) -> _Extremes:
        """Return the choices of the first k systems of each order."""
        return _Extremes.of(self.totals, k, self.place, self.upto[:, k - 1])


@dataclass(frozen=True, slots=True)
class _Extremes:
    """Choices of k systems by what these have right in all, the least first.

    What chosen systems have right without the item is ``sums`` less those of them that solve it,
    at most k: only choices within k of a limit are looked at one by one. A system is chosen if its
    ``place`` is below k, in the row of ``places`` that ``order`` says.
    """

    totals: Counts
    k: int
    sums: Counts
    places: NDArray[np.int32]
    order: NDArray[np.intp]

    @classmethod
    def of(cls, totals: Counts, k: int, places: NDArray[np.int32], sums: Counts) -> _Extremes:
        """Return the choices in order."""
        order = np.argsort(sums)
        return cls(totals, k, sums[order], places, order)

    def count(self, right: Right) -> Counts:
        """Return for patterns of k systems how many choices are as far from the mean or farther."""
        systems, k = len(self.totals), self.k
        mean = k * (int(self.totals.sum()) - k)
        far = np.abs(systems * (self.totals @ right - k) - mean)
        upper, lower = -((-mean - far) // systems), (mean - far) // systems
        found = len(self.sums) - self._below(right, upper) + self._below(right, lower + 1)
        return np.where(far == 0, len(self.sums), found)

    def _below(self, right: Right, limit: Counts) -> Counts:
        """Return how many choices have less than a limit right, without the item."""
        least = max(0, 2 * self.k - len(self.totals))
        sure = np.searchsorted(self.sums, limit + least)
        possible = np.searchsorted(self.sums, limit + self.k)
        found = sure.astype(np.int64)
        for rows in _runs(possible - sure):
            found[rows] += self._near(right[:, rows], limit[rows], sure[rows], possible[rows])
        return found

    def _near(self, right: Right, limit: Counts, low: Counts, high: Counts) -> Counts:
        size = high - low
        owner = np.repeat(np.arange(len(size)), size)
        at = np.arange(len(owner)) - np.repeat(np.cumsum(size) - size, size) + low[owner]
        both = self._both(np.ascontiguousarray(right.T), owner, self.order[at])
        return np.bincount(owner[self.sums[at] - both < limit[owner]], minlength=len(size))

    def _both(self, solved: Right, owner: NDArray[np.intp], at: NDArray[np.intp]) -> Counts:
        """Return how many of the systems chosen in some rows solve the item that each is for."""
        both = np.empty(len(owner), np.int64)
        step = max(1, _CELLS // len(self.totals))
        for low in range(0, len(owner), step):
            some = slice(low, low + step)
            chosen = self.places[at[some]] < self.k
            both[some] = np.count_nonzero(chosen & solved[owner[some]], axis=1)
        return both


def _runs(sizes: Counts) -> Iterator[slice]:
    """Yield runs of rows with so many pairs together as may be held, one row at least."""
    ends = np.cumsum(sizes)
    low = 0
    while low < len(sizes):
        done = ends[low - 1] if low else 0
        high = max(low + 1, int(np.searchsorted(ends, done + _PAIRS, side="right")))
        if ends[high - 1] > done:
            yield slice(low, high)
        low = high


def benjamini_hochberg(p: Floats, n: Counts) -> Floats:
    """Return p values adjusted for all items, n of which share each; NaN is no test."""
    out = p.copy()
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    if not len(order):
        return out
    upto = np.cumsum(n[order])
    scaled = p[order] * (upto[-1] / upto)
    out[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return out


def kr20(right: Right, n: Counts) -> float | None:
    """Return Kuder and Richardson's reliability of the totals, None where these do not differ."""
    systems, items = len(right), int(n.sum())
    if systems < 2 or items < 2:
        return None
    solved = right.sum(axis=0, dtype=np.int64)
    within = int((n * solved * (systems - solved)).sum())
    totals = [int(t) for t in totals_of(right, n)]
    between = systems * sum(t * t for t in totals) - sum(totals) ** 2
    shared = ratio_of(within, between)
    return None if shared is None else items / (items - 1) * (1 - shared)
