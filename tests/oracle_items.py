"""Items, patterns and Rasch's model again, in plain loops: slow, short and obviously right.

Rows are items, each a list of 0 and 1, a place for each system. None stands for undefined.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import exp, log, sqrt

Rows = list[list[int]]


def patterns(rows: Rows) -> Counter[tuple[int, ...]]:
    return Counter(tuple(row) for row in rows)


def totals(rows: Rows) -> list[int]:
    return [sum(row[s] for row in rows) for s in range(len(rows[0]))]


def discrimination(rows: Rows, item: int) -> float | None:
    """Return Pearson's correlation of an item with the rest score, by its textbook formula."""
    x = rows[item]
    rest = [total - own for total, own in zip(totals(rows), x, strict=True)]
    if len(set(x)) == 1 or len(set(rest)) == 1:
        return None
    mean_x, mean_r = sum(x) / len(x), sum(rest) / len(rest)
    both = sum((a - mean_x) * (b - mean_r) for a, b in zip(x, rest, strict=True))
    return both / sqrt(sum((a - mean_x) ** 2 for a in x) * sum((b - mean_r) ** 2 for b in rest))


def exact_p(rows: Rows, item: int) -> float | None:
    """Return the share of all choices of systems that are as far from the mean, or farther."""
    x, k = rows[item], sum(rows[item])
    if discrimination(rows, item) is None:
        return None
    rest = [total - own for total, own in zip(totals(rows), x, strict=True)]
    mean = Fraction(k * sum(rest), len(rest))
    seen = abs(sum(r for r, own in zip(rest, x, strict=True) if own) - mean)
    every = [abs(sum(rest[s] for s in chosen) - mean) for chosen in combinations(range(len(x)), k)]
    return sum(far >= seen for far in every) / len(every)


def kr20(rows: Rows) -> float | None:
    n, systems = len(rows), len(rows[0])
    scores = totals(rows)
    mean = sum(scores) / systems
    variance = sum((t - mean) ** 2 for t in scores) / systems
    if n < 2 or len(set(scores)) == 1:
        return None
    within = sum(sum(row) / systems * (1 - sum(row) / systems) for row in rows)
    return n / (n - 1) * (1 - within / variance)


def _weights(theta: list[float], k: int) -> dict[tuple[int, ...], float]:
    """Return the weight of every choice of k systems; their sum is gamma(k)."""
    return {
        chosen: exp(sum(theta[s] for s in chosen)) for chosen in combinations(range(len(theta)), k)
    }


def log_likelihood(theta: list[float], rows: Rows) -> float:
    """Return the log-likelihood of every single item, given how many systems solve it."""
    gamma = [sum(_weights(theta, k).values()) for k in range(len(theta) + 1)]
    return sum(
        sum(t for t, own in zip(theta, row, strict=True) if own) - log(gamma[sum(row)])
        for row in rows
    )


def expected(theta: list[float], k: int) -> list[float]:
    """Return how likely each system is among the k that solve an item."""
    weights = _weights(theta, k)
    return [
        sum(w for chosen, w in weights.items() if s in chosen) / sum(weights.values())
        for s in range(len(theta))
    ]
