"""Suspects of gold again, in plain loops: slow, short and obviously right.

A span is (sentence, begin, end, label); gold and each system are sets of spans that do not overlap.
"""

from __future__ import annotations

from collections import Counter

Span = tuple[int, int, int, str]
Extent = tuple[int, int, int]


def overlap(a: Extent, b: Extent) -> int:
    return max(0, min(a[2], b[2]) - max(a[1], b[1])) if a[0] == b[0] else 0


def suspects(gold: set[Span], systems: dict[str, set[Span]]) -> set[tuple]:  # noqa: C901
    """Return kind, extent of gold or of what is missing, votes, and the answers with most votes."""
    found = set()
    gold_at = {span[:3]: span[3] for span in gold}
    votes: dict[Extent, Counter] = {}
    for spans in systems.values():
        for span in spans:
            if gold_at.get(span[:3]) != span[3]:
                votes.setdefault(span[:3], Counter())[span[3]] += 1
    for extent in gold_at:
        if extent in votes:
            found.add(("label", extent, *best(votes[extent])))
    held: dict[Extent, list[Extent]] = {}
    for extent in sorted(e for e in votes if e not in gold_at):
        near = [(-overlap(extent, g), g) for g in gold_at if overlap(extent, g)]
        if near:
            held.setdefault(min(near)[1], []).append(extent)
        else:
            found.add(("missing", extent, *best(votes[extent])))
    for extent, proposed in held.items():
        most = max(best(votes[p])[0] for p in proposed)
        first = next(p for p in proposed if best(votes[p])[0] == most)
        found.add(("boundary", extent, *best(votes[first])))
    for extent in gold_at:
        touched = any(overlap(extent, span[:3]) for spans in systems.values() for span in spans)
        if not touched:
            found.add(("spurious", extent, len(systems), frozenset([None])))
    return found


def best(counter: Counter) -> tuple[int, frozenset]:
    most = max(counter.values())
    return most, frozenset(label for label, n in counter.items() if n == most)


def f1(gold: set[Span], system: set[Span]) -> float | None:
    return 2 * len(gold & system) / (len(gold) + len(system)) if gold or system else None
