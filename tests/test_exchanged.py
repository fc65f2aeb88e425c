"""The loop in C that counts exchanges says what numpy says, step by step."""

import numpy as np
import pytest

from coleval.native.library import library
from coleval.statistics import exchanged, resampling
from coleval.statistics.exchanged import far_counts
from coleval.statistics.measure import Measure, Ratio
from coleval.statistics.resampling import Replicates, exchanged_blocks, randomised

needed = pytest.mark.skipif(library() is None, reason="built without a C compiler")


def sums(random, systems, replicates, *, shared, largest):
    """Return sums of units that stay and of those that move, above and below."""
    rows = 1 if shared else systems
    above = [random.integers(0, largest, (systems, replicates)).astype(float) for _ in "sm"]
    below = [random.integers(0, largest, (rows, replicates)).astype(float) for _ in "sm"]
    return (above[0], below[0] + 1), (above[1], below[1])


@needed
@pytest.mark.parametrize("shared", [False, True])
def test_it_counts_as_numpy_does(shared):
    for seed in range(500):
        random = np.random.default_rng(seed)
        systems, replicates = int(random.integers(2, 9)), int(random.integers(1, 150))
        largest = int(random.choice([2, 5, 2**20, 2**50]))
        left, part = sums(random, systems, replicates, shared=shared, largest=largest)
        pairs = random.integers(0, systems, (int(random.integers(0, 40)), 2))
        a, b = pairs.T
        whole = left[1] + part[1]
        one, other = (
            (left[0][x] + part[0][y]) / (whole if shared else left[1][x] + part[1][y])
            for x, y in ((a, b), (b, a))
        )
        delta = np.abs(one - other)
        # As far out as some replicate is, to the last digit; or anywhere; or unknown.
        some = random.integers(0, replicates, len(pairs))
        least = random.choice([0.0, np.nan, 0.1], len(pairs))
        least = np.where(random.random(len(pairs)) < 0.7, delta[np.arange(len(pairs)), some], least)
        expected = np.count_nonzero(delta >= least[:, None], axis=1)
        assert far_counts(left, part, pairs, least).tolist() == expected.tolist(), seed


@needed
def test_it_leaves_what_may_be_undefined_to_numpy():
    left, part = sums(np.random.default_rng(0), 3, 70, shared=False, largest=9)
    left[1][1, 5] = 0
    assert far_counts(left, part, np.array([[0, 1]]), np.zeros(1)) is None


@pytest.mark.parametrize("units", [1, 2, 7, 300])
@pytest.mark.parametrize("shared", [False, True])
def test_a_test_is_the_same_without_it(units, shared, monkeypatch):
    random = np.random.default_rng(units)
    below = random.integers(0 if units == 7 else 1, 9, (1 if shared else 5, units))
    above = np.minimum(random.integers(0, 9, (5, units)), below)
    measure = Measure("x", [lambda: Ratio(above, below)])
    how = Replicates(np.arange(units, dtype=np.uint64), seed=3, replicates=2_000)
    pairs = np.stack(np.triu_indices(5, 1), axis=1)
    value = above.sum(axis=1) / np.maximum(below.sum(axis=1), 1)
    delta = value[pairs[:, 0]] - value[pairs[:, 1]]
    ours = randomised(measure, how, pairs, delta)
    monkeypatch.setattr(exchanged, "library", lambda: None)
    assert np.array_equal(ours, randomised(measure, how, pairs, delta))
    every = np.concatenate(list(exchanged_blocks(measure, how, pairs)), axis=1)
    far = (np.abs(every) >= np.abs(delta)[:, None] - resampling.TIE).sum(axis=1)
    assert ours[0].tolist() == far.tolist()
