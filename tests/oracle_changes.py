"""Changes and upper bounds again, in plain loops and dicts: slow, short and obviously right.

Nothing here knows coleval. Answers are dicts from an item to its answer; an item that is not in
a dict has none. ``show`` turns an answer into the label that tables have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import combinations

Answers = Mapping[object, object]


def same(answer):
    return answer


def kind_of(gold, before, after):
    if after == gold:
        return "correction"
    return "new error" if before == gold else "changed error"


def compare(gold: Answers, a: Answers, b: Answers, show: Callable = same):
    """Return the summary counts, the transitions, and each gold label's counts."""
    items = [i for i in {**gold, **a, **b} if any(x.get(i) is not None for x in (gold, a, b))]
    kinds, cells = Counter(), Counter()
    for item in items:
        truth, before, after = gold.get(item), a.get(item), b.get(item)
        if before != after:
            kind = kind_of(truth, before, after)
            kinds[kind] += 1
            shown = show(truth) if kind == "changed error" else None
            cells[kind, shown, show(before), show(after)] += 1
    summary = {
        "items": len(items),
        "different": sum(kinds.values()),
        "corrections": kinds["correction"],
        "new_errors": kinds["new error"],
        "changed_errors": kinds["changed error"],
        "correct_before": sum(a.get(i) == gold.get(i) for i in items),
        "correct_after": sum(b.get(i) == gold.get(i) for i in items),
    }
    return summary, dict(cells), labels(gold, a, b, show)


def labels(gold: Answers, a: Answers, b: Answers, show: Callable = same):
    """Return label: (items, right in a, right in b)."""
    found = {}
    for item, answer in gold.items():
        if answer is not None:
            n, before, after = found.get(show(answer), (0, 0, 0))
            found[show(answer)] = (
                n + 1,
                before + (a.get(item) == answer),
                after + (b.get(item) == answer),
            )
    return found


def f1(gold: Answers, a: Answers):
    tp = sum(a.get(i) == x for i, x in gold.items() if x is not None)
    proposed = sum(x is not None for x in a.values())
    there = sum(x is not None for x in gold.values())
    return 2 * tp / (proposed + there) if proposed + there else None


def right(gold: Answers, system: Answers):
    """Return the gold items that a system has right."""
    return {item for item, answer in gold.items() if system.get(item) == answer}


def bound(gold: Answers, systems: Mapping[str, Answers]):
    """Return how many items some system, the best, and only each one has right."""
    found = {name: right(gold, answers) for name, answers in systems.items()}
    together = set().union(*found.values())
    alone = {
        name: len(own - set().union(*(o for n, o in found.items() if n != name)))
        for name, own in found.items()
    }
    return len(together), max(map(len, found.values())), alone


def votes(gold: Answers, systems: Mapping[str, Answers]):
    """Return k: items that exactly k systems have right, k from 0."""
    counts = Counter(sum(s.get(i) == x for s in systems.values()) for i, x in gold.items())
    return [counts[k] for k in range(len(systems) + 1)]


def ranking(gold: Answers, systems: Mapping[str, Answers]):
    names = list(systems)
    return sorted(names, key=lambda n: (-len(right(gold, systems[n])), names.index(n)))


def majority(gold: Answers, systems: Mapping[str, Answers]):
    """Return the commonest answer to every item; ties go to the better system, then the first."""
    order = ranking(gold, systems)
    items = set(gold).union(*systems.values())
    chosen = {}
    for item in items:
        counts = Counter(systems[n].get(item) for n in order)
        best = max(counts.values())
        chosen[item] = next(
            systems[n].get(item) for n in order if counts[systems[n].get(item)] == best
        )
    return chosen


def ladder(gold: Answers, systems: Mapping[str, Answers]):
    """Return [(system, items reached)], each step the system that adds most."""
    found = {name: right(gold, answers) for name, answers in systems.items()}
    names, reached, steps = list(systems), set(), []
    while names:
        best = max(
            names, key=lambda n: (len(found[n] - reached), len(found[n]), -list(found).index(n))
        )
        reached |= found[best]
        names.remove(best)
        steps.append((best, len(reached)))
    return steps


def overlaps(gold: Answers, systems: Mapping[str, Answers]):
    """Return (a, b): (errors of both, errors of either, the same answers)."""
    items = set(gold).union(*systems.values())
    wrong = {n: {i for i in items if s.get(i) != gold.get(i)} for n, s in systems.items()}
    return {
        (a, b): (
            len(wrong[a] & wrong[b]),
            len(wrong[a] | wrong[b]),
            all(systems[a].get(i) == systems[b].get(i) for i in items),
        )
        for a, b in combinations(systems, 2)
    }


def correct_overlaps(gold: Answers, systems: Mapping[str, Answers]):
    """Return (a, b): items that a has right, that b has, that both have, that either has."""
    own = {name: right(gold, answers) for name, answers in systems.items()}
    return {
        (a, b): (len(own[a]), len(own[b]), len(own[a] & own[b]), len(own[a] | own[b]))
        for a, b in combinations(systems, 2)
    }


def by_group(gold: Answers, systems: Mapping[str, Answers], group: Callable):
    """Return group: (items, of these some system has right, the same of each system)."""
    found = {}
    for name in {group(item) for item in gold}:
        own = {item: answer for item, answer in gold.items() if group(item) == name}
        rights = {n: right(own, answers) for n, answers in systems.items()}
        anyone = set().union(*rights.values())
        found[name] = len(own), len(anyone), {n: len(items) for n, items in rights.items()}
    return found


def flips(gold: Answers, systems: Mapping[str, Answers]):
    """Return system: (all before it right, of these it breaks), but for the first."""
    names, found = list(systems), {}
    for at, name in enumerate(names[1:], 1):
        every = set.intersection(*(right(gold, systems[n]) for n in names[:at]))
        found[name] = len(every), len(every - right(gold, systems[name]))
    return found
