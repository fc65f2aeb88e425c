"""Random numbers that depend on nothing but (seed, key, replicate), and on no order of anything.

A unit's key and the seed give it a place in SplitMix64 (Steele, Lea & Flood 2014); the replicates
are the numbers that follow from there. So any part of the units, in any order, on any number of
threads, is drawn the same weights as in the whole. Many units that are alike are drawn at once:
what ``n`` draws of one unit add up to has a distribution of its own, which one number decides.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Words = NDArray[np.uint64]
    Floats = NDArray[np.float64]
    Counts = NDArray[np.int64]

BLOCK = 64
HEAVIEST = 8
# So many units that are alike are drawn at once: the distribution function of their number is then
# that of Poisson or the binomial distribution to .00005 (tests/test_draws.py).
LARGE = 32
# By how much rounding to whole numbers adds to a variance (Sheppard 1898).
_ROUNDING = 1 / 12

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# Poisson(1) in 65,536 parts; its mean and its variance are exactly 1 (tests/test_draws.py).
_PARTS = (24_103, 24_124, 12_046, 4_018, 1_005, 201, 33, 5, 1)
_STEPS = np.cumsum(_PARTS)[:-1].astype(np.uint16)


def mixed(words: Words) -> Words:
    """Return 64-bit words with every bit depending on all bits of the word before."""
    with np.errstate(over="ignore"):
        x = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def keys_of_numbers(numbers: NDArray[np.integer]) -> Words:
    """Return a key for each number."""
    with np.errstate(over="ignore"):
        return mixed((numbers.astype(np.uint64) + np.uint64(1)) * _GOLDEN)


def keys_of_names(names: Iterable[str]) -> Words:
    """Return a key for each name, the same on every machine."""
    digests = b"".join(blake2b(name.encode(), digest_size=8).digest() for name in names)
    return np.frombuffer(digests, "<u8").astype(np.uint64)


def streams(keys: Words, seed: int, purpose: int = 0) -> Words:
    """Return where each unit's numbers begin; ``purpose`` sets independent uses of a seed apart."""
    salt = np.array([seed & (2**64 - 1)], np.uint64)
    with np.errstate(over="ignore"):
        return mixed(keys ^ mixed(salt + np.uint64(purpose + 1) * _GOLDEN))


def words(start: Words, first: int, count: int) -> Words:
    """Return ``count`` words of every stream from the one numbered ``first``, a row a stream."""
    with np.errstate(over="ignore"):
        steps = np.arange(first, first + count, dtype=np.uint64) * _GOLDEN
        x = start[:, None] + steps
        part = x >> np.uint64(30)
        x ^= part
        x *= np.uint64(0xBF58476D1CE4E5B9)
        np.right_shift(x, np.uint64(27), out=part)
        x ^= part
        x *= np.uint64(0x94D049BB133111EB)
        np.right_shift(x, np.uint64(31), out=part)
        x ^= part
    return x


def poisson(
    start: Words, block: int, blocks: int = 1, n: Counts | None = None
) -> NDArray[np.uint8] | Floats:
    """Return Poisson(1) weights of 64 replicates a block, a row a unit: four from each word.

    Rows of ``n`` units, at least ``LARGE``, have Poisson(n).
    """
    if n is not None:
        z, mean = _normal(start, block, blocks), n[:, None].astype(np.float64)
        root = np.sqrt(mean - _ROUNDING)
        # Cornish & Fisher (1938): a normal quantile with the skewness and kurtosis of Poisson's.
        return np.maximum(np.rint(mean + root * z + (z**2 - 1) / 6 + (z - z**3) / (72 * root)), 0)
    count = BLOCK // 4
    raw = words(start, block * count, blocks * count).astype("<u8", copy=False)
    sixteen = raw.view("<u2")
    weights = (sixteen >= _STEPS[0]).view(np.uint8)
    above = np.empty(weights.shape, np.bool_)
    for step in _STEPS[1:]:
        weights += np.greater_equal(sixteen, step, out=above).view(np.uint8)
    return weights


def coins(
    start: Words, block: int, blocks: int = 1, n: Counts | None = None
) -> NDArray[np.uint8] | Floats:
    """Return heads (1) or tails (0) for 64 replicates a block, a row a unit: each a bit.

    Rows of ``n`` units, at least ``LARGE``, have the number of their heads.
    """
    if n is not None:
        z, size = _normal(start, block, blocks), n[:, None].astype(np.float64)
        root = np.sqrt(size / 4 - _ROUNDING)
        return np.clip(np.rint(size / 2 + root * (z - (z**3 - 3 * z) / (12 * size))), 0, size)
    raw = words(start, block, blocks).astype("<u8", copy=False)
    return np.unpackbits(raw.view(np.uint8), axis=1, bitorder="little")


def _normal(start: Words, block: int, blocks: int) -> Floats:
    """Return standard normal numbers of 64 replicates a block, a row a row: one from each word."""
    from scipy.special import ndtri

    raw = words(start, block * BLOCK, blocks * BLOCK) >> np.uint64(11)
    normal: Floats = ndtri((raw + 0.5) / 2**53)
    return normal
