"""Span errors again, in plain loops over one sentence, written from DEFINITIONS §3 (Ortmann 2022).

Nothing here knows coleval. A span is (label, begin, end, tokens) with both ends inside, as in a
span file. An error is (kind, gold span or None, system span or None).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Span = tuple[str, int, int, frozenset[int]]
Error = tuple[str, Span | None, Span | None]


def reading_order(span: Span):
    label, begin, end, tokens = span
    return begin, end, [token in tokens for token in range(end, begin, -1)], label


def overlapping(a: Span, b: Span) -> bool:
    return a[1] <= b[2] and b[1] <= a[2]


def boundary(gold: Span, system: Span) -> str:
    if gold[1] <= system[1] and system[2] <= gold[2]:
        return "bes"
    if system[1] <= gold[1] and gold[2] <= system[2]:
        return "bel"
    return "beo"


def right(
    gold: Sequence[Span], system: Sequence[Span]
) -> tuple[list[Span], list[Span], list[Span]]:
    """Return the spans that both have, and what is left of both, in reading order."""
    shared = Counter(gold) & Counter(system)
    rest = [sorted((Counter(s) - shared).elements(), key=reading_order) for s in (gold, system)]
    return list(shared.elements()), *rest


def label_errors(gold: list[Span], system: list[Span]) -> list[Error]:
    """Take out of both lists the spans that differ in nothing but label (and holes)."""
    errors = []
    for ours in list(gold):
        for theirs in system:
            if ours[1:3] == theirs[1:3] and ours[0] != theirs[0]:
                errors.append(("le", ours, theirs))
                gold.remove(ours)
                system.remove(theirs)
                break
    return errors


class Half:
    """One side of what is still open or used: spans, and the tokens each has left."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self.spans = list(spans)
        self.left = [set(span[3]) for span in self.spans]
        self.open = sorted(
            range(len(self.spans)), key=lambda k: self.spans[k][2] - self.spans[k][1]
        )
        self.used: list[int] = []


def fair(gold: Sequence[Span], system: Sequence[Span]) -> list[Error]:
    """Return every right span and every error of fair evaluation."""
    shared, golds, systems = right(gold, system)
    found: list[Error] = [("tp", span, span) for span in shared]
    found += label_errors(golds, systems)
    g, s = Half(golds), Half(systems)
    for same in (True, False):
        for k in list(g.open):
            j = most_similar(g, k, s, s.open, same)
            if j is not None:
                found.append(matched(g, k, s, j))
                g.open.remove(k)
                s.open.remove(j)
                g.used.append(k)
                s.used.append(j)
        for k in list(g.open):
            j = most_similar(g, k, s, [j for j in s.used if g.left[k] & s.left[j]], same)
            if j is not None:
                found.append(matched(g, k, s, j))
                g.open.remove(k)
                g.used.append(k)
        for j in list(s.open):
            k = most_similar(s, j, g, [k for k in g.used if g.left[k] & s.left[j]], same)
            if k is not None:
                found.append(matched(g, k, s, j))
                s.open.remove(j)
                s.used.append(j)
    found += [("fn", g.spans[k], None) for k in g.open]
    return found + [("fp", None, s.spans[j]) for j in s.open]


def most_similar(mine: Half, k: int, others: Half, candidates: Sequence[int], same: bool):
    span = mine.spans[k]
    near = [
        j
        for j in candidates
        if overlapping(span, others.spans[j])
        and span[1:3] != others.spans[j][1:3]
        and (span[0] == others.spans[j][0]) == same
    ]

    def unlikeness(j: int):
        ours, theirs, other = mine.left[k], others.left[j], others.spans[j]
        return -len(ours & theirs), len(ours - theirs), len(theirs - ours), other[2] - other[1], j

    return min(near, key=unlikeness, default=None)


def matched(g: Half, k: int, s: Half, j: int) -> Error:
    gold, system = g.spans[k], s.spans[j]
    shared = g.left[k] & s.left[j]
    g.left[k] -= shared
    s.left[j] -= shared
    return (boundary(gold, system) if gold[0] == system[0] else "lbe"), gold, system


def one_to_one(gold: Sequence[Span], system: Sequence[Span], *, labels: bool) -> list[Error]:
    """Return errors where everyone has one partner: equal extents first, then who overlaps.

    Of equal extents (with other holes) those of one label meet first. Among gold spans that
    overlap: the nearest of the same label if ``labels`` count, else the first in reading order.
    """
    shared, golds, systems = right(gold, system)
    found: list[Error] = [("tp", span, span) for span in shared]
    near_by = (
        lambda g, s: g[:3] == s[:3],
        lambda g, s: g[1:3] == s[1:3],
        overlapping,
    )
    for is_near in near_by:
        for theirs in list(systems):
            near = [g for g in golds if is_near(g, theirs)]
            alike = [g for g in near if g[0] == theirs[0]] if labels else []
            if near:
                ours = min(alike, key=lambda g: distance(g, theirs)) if alike else near[0]
                found.append((kind_of(ours, theirs), ours, theirs))
                golds.remove(ours)
                systems.remove(theirs)
    return found + [("fn", g, None) for g in golds] + [("fp", None, s) for s in systems]


def distance(a: Span, b: Span) -> int:
    return abs(a[1] - b[1]) + abs(a[2] - b[2])


def kind_of(gold: Span, system: Span) -> str:
    equal = gold[1:3] == system[1:3]
    if gold[0] != system[0]:
        return "le" if equal else "lbe"
    return "beo" if equal else boundary(gold, system)


def traditional(gold: Sequence[Span], system: Sequence[Span]) -> tuple[Counter, Counter, Counter]:
    """Return tp, fp and fn by label."""
    shared, golds, systems = right(gold, system)
    return tuple(Counter(span[0] for span in spans) for spans in (shared, systems, golds))


def by_label(errors: Iterable[Error], focus: str) -> Counter[tuple[str, str]]:
    """Return how often each label has each kind of error, booked by focus."""
    counts: Counter[tuple[str, str]] = Counter()
    for kind, gold, system in errors:
        first, second = (gold, system) if focus == "target" else (system, gold)
        counts[(first or second)[0], kind] += 1
    return counts


def confusion(errors: Iterable[Error]) -> Counter[tuple[str | None, str | None]]:
    """Return gold label × system label of all errors; right spans are none."""
    return Counter(
        (gold and gold[0], system and system[0]) for kind, gold, system in errors if kind != "tp"
    )
