"""One partner each: how nervaluate and HIPE-scorer match, made independent of the input's order.

Right spans leave before; those of one extent (with other holes) go next, of one label first; then
the system's spans, in reading order, each take a gold span that overlaps and is still free: the one
with the same label and the nearest boundaries if ``labels`` come first, else the first in reading
order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.annotate.pool import Fate, Pool, Span, overlap, same_extent

if TYPE_CHECKING:
    from collections.abc import Sequence


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
