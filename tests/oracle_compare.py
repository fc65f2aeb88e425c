"""Statistics again, in plain loops: slow, short and obviously right. Nothing here knows coleval."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import comb


def f1(units, weights=None):
    """Return F1 of (tp, answered, expected) by unit, None for 0/0."""
    weights = weights or [1] * len(units)
    tp, answered, expected = (
        sum(w * u[k] for w, u in zip(weights, units, strict=True)) for k in range(3)
    )
    return 2 * tp / (answered + expected) if answered + expected else None


def macro_f1(units):
    """Return the mean F1 over labels that gold or the system has; units map them to counts."""
    labels = {label for unit in units for label, counts in unit.items() if any(counts)}
    scores = [f1([unit.get(label, (0, 0, 0)) for unit in units]) for label in labels]
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if known else None


def mcnemar_exact(b, c):
    """Return the two-sided binomial p of b against c."""
    n = b + c
    return min(1.0, 2 * sum(comb(n, k) for k in range(min(b, c) + 1)) / 2**n) if n else 1.0


def mcnemar_mid(b, c):
    """Return the same with half the probability of what was seen."""
    n = b + c
    if not n:
        return 1.0
    seen = comb(n, min(b, c)) / 2**n
    return min(1.0, 2 * sum(comb(n, k) for k in range(min(b, c) + 1)) / 2**n - seen)


def holm(p):
    """Return p values adjusted one after the other, the smallest first."""
    order = sorted(range(len(p)), key=lambda k: p[k])
    out, highest = [0.0] * len(p), 0.0
    for step, k in enumerate(order):
        highest = max(highest, min(1.0, (len(p) - step) * p[k]))
        out[k] = highest
    return out


def exchanges(one, other, score=f1):
    """Return the difference of a score for every way of exchanging units, not for a sample."""
    out = []
    for swapped in product((False, True), repeat=len(one)):
        a = [y if s else x for x, y, s in zip(one, other, swapped, strict=True)]
        b = [x if s else y for x, y, s in zip(one, other, swapped, strict=True)]
        out.append(score(a) - score(b))
    return out


def cohen(a, b, *, pooled=False):
    """Return observed and expected agreement and kappa of two lists of answers."""
    n = len(a)
    observed = sum(x == y for x, y in zip(a, b, strict=True)) / n
    left, right = Counter(a), Counter(b)
    labels = set(left) | set(right)
    if pooled:
        expected = sum(((left[k] + right[k]) / (2 * n)) ** 2 for k in labels)
    else:
        expected = sum(left[k] * right[k] for k in labels) / n**2
    return observed, expected, (observed - expected) / (1 - expected)


def alpha(rows):
    """Return Krippendorff's alpha of items (lists of answers, None where one is missing)."""
    coincidence = Counter()
    for row in rows:
        there = [x for x in row if x is not None]
        for i, x in enumerate(there):
            for j, y in enumerate(there):
                if i != j:
                    coincidence[x, y] += 1 / (len(there) - 1)
    n = sum(coincidence.values())
    marginal = Counter()
    for (x, _), value in coincidence.items():
        marginal[x] += value
    differ = sum(value for (x, y), value in coincidence.items() if x != y)
    chance = sum(marginal[x] * marginal[y] for x in marginal for y in marginal if x != y) / (n - 1)
    return 1 - differ / chance


def fleiss(rows):
    """Return Fleiss' kappa of items that everybody answers."""
    m, n = len(rows[0]), len(rows)
    counts = [Counter(row) for row in rows]
    observed = sum(sum(k * (k - 1) for k in c.values()) for c in counts) / (n * m * (m - 1))
    total = Counter(x for row in rows for x in row)
    expected = sum((k / (n * m)) ** 2 for k in total.values())
    return (observed - expected) / (1 - expected)
