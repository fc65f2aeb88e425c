"""Weights depend on seed, key and replicate, on nothing else; and they are what they say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import bdtr, ndtri, pdtr

from coleval.statistics import draws

KEYS = draws.keys_of_numbers(np.arange(3000))


def weights(keys=KEYS, seed=0, blocks=16):
    start = draws.streams(keys, seed)
    return np.concatenate([draws.poisson(start, block) for block in range(blocks)], axis=1)


def test_the_parts_of_the_poisson_table_have_mean_and_variance_one_exactly():
    parts = np.array(draws._PARTS)
    k = np.arange(len(parts))
    assert parts.sum() == 65536
    assert (k * parts).sum() == 65536
    assert (k * k * parts).sum() - 65536 == 65536


def test_the_parts_are_those_of_poisson_to_a_thousandth():
    for k, part in enumerate(draws._PARTS):
        assert abs(part / 65536 - math.exp(-1) / math.factorial(k)) < 1e-3


def test_weights_are_poisson_distributed_over_units_and_over_replicates():
    drawn = weights()
    assert drawn.max() <= draws.HEAVIEST
    assert abs(drawn.mean() - 1) < 0.003
    assert abs(drawn.astype(float).var() - 1) < 0.01
    for axis in (0, 1):
        assert (
            abs(drawn.mean(axis=axis).astype(float).std() * math.sqrt(drawn.shape[axis]) - 1) < 0.08
        )
    for k, part in enumerate(draws._PARTS[:5]):
        assert abs((drawn == k).mean() - part / 65536) < 0.002


def test_units_and_replicates_are_not_correlated():
    drawn = weights(KEYS[:200]).astype(float)
    for table in (drawn, drawn.T):
        r = np.corrcoef(table)
        off = r[~np.eye(len(r), dtype=bool)]
        assert abs(off.mean()) < 0.002
        assert abs(off.std() * math.sqrt(table.shape[1]) - 1) < 0.05


def test_coins_fall_on_both_sides_alike():
    start = draws.streams(KEYS, 3, purpose=1)
    heads = np.concatenate([draws.coins(start, block) for block in range(8)], axis=1)
    assert set(np.unique(heads)) == {0, 1}
    assert abs(heads.mean() - 0.5) < 0.002
    assert abs(heads.mean(axis=0) - 0.5).max() < 0.05


def test_a_part_of_the_units_is_drawn_the_weights_it_has_in_the_whole():
    order = np.random.default_rng(1).permutation(len(KEYS))[:500]
    assert (weights(KEYS[order]) == weights()[order]).all()


def test_another_seed_or_purpose_is_another_draw():
    assert (weights(seed=1) != weights(seed=0)).mean() > 0.5
    one, other = (draws.streams(KEYS, 0, purpose=k) for k in (0, 1))
    assert not (one == other).any()


def test_names_have_the_same_keys_everywhere():
    assert draws.keys_of_names(["a", "ü"]).tolist() == [3405396810240292928, 3976460501203677525]


@pytest.mark.parametrize("n", [draws.LARGE, 100, 5000])
def test_many_units_at_once_are_drawn_by_the_distribution_of_their_sum(n, monkeypatch):
    even = ndtri((np.arange(2**20) + 0.5) / 2**20)[None]
    monkeypatch.setattr(draws, "_normal", lambda *_: even)
    k = np.arange(3 * n)
    for draw, exact in ((draws.poisson, pdtr(k, n)), (draws.coins, bdtr(np.minimum(k, n), n, 0.5))):
        drawn = draw(KEYS, 0, n=np.array([n]))[0]
        assert set(np.unique(drawn % 1)) == {0}
        below = np.searchsorted(np.sort(drawn), k, side="right") / 2**20
        assert np.abs(below - exact).max() < 5e-5


def test_rows_of_many_units_are_drawn_for_themselves_and_their_replicates():
    start, n = draws.streams(KEYS[:300], 0), np.full(300, 50)
    for draw, mean, variance in ((draws.poisson, 50, 50), (draws.coins, 25, 12.5)):
        drawn = np.concatenate([draw(start, block, n=n) for block in range(16)], axis=1)
        assert abs(drawn.mean() - mean) < 0.1
        assert abs(drawn.var() / variance - 1) < 0.02
        for table in (drawn, drawn.T):
            off = np.corrcoef(table)[~np.eye(len(table), dtype=bool)]
            assert abs(off.mean()) < 0.005
        assert (draw(start[7:9], 3, n=n[7:9]) == drawn[7:9, 192:256]).all()
