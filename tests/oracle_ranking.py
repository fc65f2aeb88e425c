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


def as_trec_eval(rows, k, *, last=False, zero=False):
    """Return queries, MAP, MRR, nDCG, precision and recall at k of (query, id, score, relevant).

    What has no score was not returned. The rules are those of trec_eval's ``form_res_rels.c``:
    higher scores first, of equal ones the higher name; queries of both run and judgements.
    """
    found = []
    for query in sorted({row[0] for row in rows}):
        own = [row for row in rows if row[0] == query]
        ranked = sorted((r for r in own if r[2] is not None), key=lambda r: (r[2], r[1]))[::-1]
        if last:
            ranked += sorted((r for r in own if r[2] is None), key=lambda r: r[1])[::-1]
        hits, n = [r[3] for r in ranked], sum(r[3] for r in own)
        if not n or not ranked:
            found += [(0.0,) * 5] if zero else []
            continue
        precisions = [sum(hits[: at + 1]) / (at + 1) for at, hit in enumerate(hits) if hit]
        gain = sum(1 / log2(at + 2) for at, hit in enumerate(hits) if hit)
        best = sum(1 / log2(at + 2) for at in range(n))
        first = reciprocal_rank(hits) if any(hits) else 0.0
        in_k = sum(hits[:k])
        found.append((sum(precisions) / n, first, gain / best, in_k / k, in_k / n))
    means = [sum(one) / len(found) for one in zip(*found, strict=True)] or [None] * 5
    return len(found), *means
