"""How spans are matched: by fair evaluation, and one partner each by overlap.

The spans here are those of one cluster of overlaps that are not right: right ones leave before.
Every choice has a total order, so that the order of the input decides nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.annotate.pool import Fate, Pool, Span, between, overlap, same_extent

if TYPE_CHECKING:
    from collections.abc import Sequence


def fair(spans: Sequence[Span]) -> list[Fate]:
    """Return the fate of each span: label errors, then boundaries, then both, then the rest."""
    pool = Pool(spans)
    _relabelled(pool)
    pool.gold.sort(key=lambda at: spans[at].end - spans[at].begin)
    pool.system.sort(key=lambda at: spans[at].end - spans[at].begin)
    for same_label in (True, False):
        _first_chance(pool, same_label=same_label)
        _second_chance(pool, pool.gold, pool.used_system, same_label=same_label)
        _second_chance(pool, pool.system, pool.used_gold, same_label=same_label)
    return pool.fates


def _relabelled(pool: Pool) -> None:
    """Match spans of one extent and two labels; they leave the pool for good."""
    for gold in list(pool.gold):
        ours = pool.spans[gold]
        for system in pool.system:
            theirs = pool.spans[system]
            if same_extent(ours, theirs) and ours.label != theirs.label:
                pool.join(gold, system)
                break


def _first_chance(pool: Pool, *, same_label: bool) -> None:
    """Match open gold spans, the shortest first, with open ones of the system."""
    for gold in list(pool.gold):
        near = [s for s in pool.system if _near(pool, gold, s, same_label=same_label)]
        if near:
            system = _likest(pool, gold, near)
            pool.join(gold, system)
            _spend(pool, gold, system)
            pool.used_gold.append(gold)
            pool.used_system.append(system)


def _second_chance(
    pool: Pool, waiting: list[int], used: Sequence[int], *, same_label: bool
) -> None:
    """Match spans still open with used ones, where these have tokens left that both share."""
    for at in list(waiting):
        near = [
            u
            for u in used
            if _near(pool, at, u, same_label=same_label) and pool.left[at] & pool.left[u]
        ]
        if near:
            partner = _likest(pool, at, near)
            gold, system = (at, partner) if pool.spans[at].gold else (partner, at)
            kind = between(pool.spans[gold], pool.spans[system])
            pool.fates[at] = Fate(kind, partner, counts=True)
            waiting.remove(at)
            _spend(pool, gold, system)
            (pool.used_gold if at == gold else pool.used_system).append(at)


def _near(pool: Pool, at: int, other: int, *, same_label: bool) -> bool:
    a, b = pool.spans[at], pool.spans[other]
    return (a.label == b.label) == same_label and overlap(a, b) and not same_extent(a, b)


def _likest(pool: Pool, at: int, near: Sequence[int]) -> int:
    """Return the most similar of some spans: most tokens shared, fewest tokens of one's own.

    Of equals the shorter is preferred, then the first in reading order.
    """

    def unlike(other: int) -> tuple[int, int, int, int, int]:
        ours, theirs = pool.left[at], pool.left[other]
        span = pool.spans[other]
        shared = ours & theirs
        return (
            -shared.bit_count(),
            (ours & ~shared).bit_count(),
            (theirs & ~shared).bit_count(),
            span.end - span.begin,
            other,
        )

    return min(near, key=unlike)


def _spend(pool: Pool, gold: int, system: int) -> None:
    """Take the tokens that two spans share from both."""
    shared = pool.left[gold] & pool.left[system]
    pool.left[gold] &= ~shared
    pool.left[system] &= ~shared


def by_place(spans: Sequence[Span]) -> list[Fate]:
    """Return the fate of each span where overlap alone makes partners (HIPE-scorer)."""
    return _paired(spans, labels=False)


def by_label(spans: Sequence[Span]) -> list[Fate]:
    """Return the fate of each span where an equal label goes before the place (nervaluate)."""
    return _paired(spans, labels=True)


def _paired(spans: Sequence[Span], *, labels: bool) -> list[Fate]:
    pool = Pool(spans)
    for near in (_alike, same_extent, overlap):
        for system in list(pool.system):
            found = [g for g in pool.gold if near(spans[g], spans[system])]
            if found:
                pool.join(_first(spans, system, found, labels=labels), system)
    return pool.fates


def _alike(a: Span, b: Span) -> bool:
    return a.label == b.label and same_extent(a, b)


def _first(spans: Sequence[Span], system: int, near: Sequence[int], *, labels: bool) -> int:
    ours = spans[system]

    def order(at: int) -> tuple[bool, int, int]:
        gold = spans[at]
        same = labels and gold.label == ours.label
        return not same, _apart(gold, ours) if same else 0, at

    return min(near, key=order)


def _apart(a: Span, b: Span) -> int:
    return abs(a.begin - b.begin) + abs(a.end - b.end)
