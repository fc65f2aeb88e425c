"""What is counted in another way for a crowd of systems gives the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

from coleval.counts import systems as combining
from coleval.counts.ballots import Ballots
from coleval.counts.pairs import transitions
from coleval.counts.patterns import Patterns
from coleval.statistics import response

CASES = 60


def rows(rng: np.random.Generator) -> Patterns:
    """Return made-up answers to some items, few systems and few labels so that votes are tied."""
    systems, n, labels = rng.integers(1, 9), int(rng.integers(1, 40)), int(rng.integers(2, 5))
    gold = rng.integers(0, labels, n).astype(np.uint16)
    answers = rng.integers(0, labels, (systems, n)).astype(np.uint16)
    names = tuple(f"s{k}" for k in range(systems))
    codes = np.concatenate([gold[None, :], answers])
    return Patterns(names, codes, np.ones(n, np.int64), n, empty_is_answer=True)


@pytest.mark.parametrize("cells", [7, 1 << 20])
def test_votes_may_be_tallied_or_compared_two_by_two(monkeypatch, cells):
    rng = np.random.default_rng(3)
    monkeypatch.setattr(combining, "CELLS", cells)
    for _ in range(CASES):
        active = rows(rng)
        order = rng.permutation(len(active.answers)).tolist()
        winners = []
        for many in (0, 64):
            monkeypatch.setattr(combining, "MANY", many)
            winners.append(combining._winner(active.answers, order).tolist())
        assert winners[0] == winners[1] == [plurality(column, order) for column in active.answers.T]


@pytest.mark.parametrize("empty", [False, True])
def test_votes_about_gold_may_be_tallied_too(monkeypatch, empty):
    rng = np.random.default_rng(8)
    for _ in range(CASES):
        active = rows(rng)
        systems = len(active.answers)
        voter = np.unique(rng.integers(0, systems, systems), return_inverse=True)[1]
        order = tuple(rng.permutation(systems).tolist())
        found = Ballots(
            np.arange(len(active.n)),
            active.gold,
            active.answers,
            voter,
            int(voter.max()) + 1,
            order,
        )
        results = []
        for many in (0, 64):
            monkeypatch.setattr(combining, "MANY", many)
            results.append([side.tolist() for side in found.winners(empty=empty)])
        assert results[0] == results[1]


def plurality(column, order):
    given = column.tolist()
    return max((given[s] for s in order), key=lambda a: (given.count(a), -first(given, order, a)))


def first(given, order, answer):
    return next(place for place, s in enumerate(order) if given[s] == answer)


def test_the_ladder_is_the_greedy_one():
    rng = np.random.default_rng(4)
    for _ in range(CASES):
        active = rows(rng)
        rungs = [(r.system, r.reached) for r in combining.ladder(active)]
        assert rungs == greedy(active.right)


def greedy(right):
    left, reached, found = list(range(len(right))), np.zeros(right.shape[1], bool), []
    while left:
        best = max(left, key=lambda s: ((right[s] & ~reached).sum(), right[s].sum(), -s))
        reached = reached | right[best]
        left.remove(best)
        found.append((best, int(reached.sum())))
    return found


@pytest.mark.parametrize("cells", [1, 1 << 20])
def test_permutations_are_those_of_a_plain_loop(monkeypatch, cells):
    monkeypatch.setattr(response, "_CELLS", cells)
    rng = np.random.default_rng(7)
    for systems in (4, 15):
        ability = np.linspace(0.2, 0.8, systems)[:, None]
        right = rng.random((systems, 12)) < ability
        n = rng.integers(1, 5, 12)
        found = response.permutation_p(right, n, permutations=50, seed=1)
        assert found.tolist() == pytest.approx(plain_p(right, n, 50, 1), nan_ok=True)


def plain_p(right, n, permutations, seed):
    """Return the share of choices of systems that have as unusual a total without the item."""
    systems, totals = len(right), (right * n).sum(axis=1)
    orders = np.argsort(np.random.default_rng(seed).random((permutations, systems)), axis=1)
    found = []
    for item in right.T:
        rest, k = totals - item, int(item.sum())
        if not 0 < k < systems or rest.max() == rest.min():
            found.append(np.nan)
            continue
        exact = response.comb(systems, k) <= permutations
        chosen = list(response.combinations(range(systems), k)) if exact else orders[:, :k].tolist()
        far = abs(systems * rest[item].sum() - k * rest.sum())
        extreme = sum(
            abs(systems * rest[list(names)].sum() - k * rest.sum()) >= far for names in chosen
        )
        found.append(extreme / len(chosen) if exact else (extreme + 1) / (len(chosen) + 1))
    return found


def test_transitions_between_very_many_labels_are_whole_numbers_of_their_own():
    """Cells of 300,000 labels shown are numbered beyond what floats tell apart."""
    labels = 300_000
    seen = [[labels, labels - 1, 5], [labels - 2, labels - 3, 6], [labels - 3, labels - 2, 4]]
    codes = np.array([[1, 2, 9], [2, 2, 7], [2, 3, 8], *seen], np.uint32)
    counted = Patterns(("a", "b"), codes, np.array([1, 1, 3]), 2, empty_is_answer=True, shown=True)
    (found,) = transitions(counted, labels, [(0, 1)])
    cells = zip(found.kind, found.gold, found.before, found.after, found.n, strict=True)
    assert [tuple(map(int, cell)) for cell in cells] == [
        (1, 0, labels - 3, labels - 2, 1), (2, 5, 6, 4, 3),
    ]  # fmt: skip
