"""Ranked lists and pairs of rows in plain loops: every order of what is equal, every pair."""

from __future__ import annotations

from itertools import pairwise, permutations
from math import log2


def kendall(x, y):
    """Return tau-b, every pair of rows by itself; None where a column is constant."""
    more = apart_x = apart_y = 0
    for i in range(len(x)):
        for j in range(i):
            a, b = (x[i] > x[j]) - (x[i] < x[j]), (y[i] > y[j]) - (y[i] < y[j])
            more += a * b
            apart_x += abs(a)
            apart_y += abs(b)
    return more / (apart_x * apart_y) ** 0.5 if apart_x and apart_y else None


def share_as_far(x, y, statistic):
    """Return the share of all orders of y whose statistic is as far from 0 as that of the rows."""
    seen = abs(statistic(x, y)) - 1e-9
    every = [abs(statistic(x, other)) >= seen for other in permutations(y)]
    return sum(every) / len(every)


def mean_over_orders(rows, score_of):
    """Return the mean of a score over all orders of (score, relevant) in which scores fall."""
    orders = [o for o in permutations(rows) if all(a[0] >= b[0] for a, b in pairwise(o))]
    return sum(score_of([hit for _, hit in o]) for o in orders) / len(orders)


def average_precision(hits):
    found = [sum(hits[: i + 1]) / (i + 1) for i, hit in enumerate(hits) if hit]
    return sum(found) / sum(hits)


def reciprocal_rank(hits):
    return 1 / (hits.index(True) + 1)


def ndcg(hits, k):
    def gain(order):
        return sum(1 / log2(i + 2) for i, hit in enumerate(order[:k]) if hit)

    return gain(hits) / gain(sorted(hits, reverse=True))
