"""The class of a mention against the key (ARCS, Tuggener 2014; DEFINITIONS 2.3).

``tp`` correctly resolved, ``wl`` wrongly linked, ``fn`` not resolved, ``fp`` resolved though the
key has no antecedent, and nothing (0) for what is true negative. Mentions stand in text order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from coleval.corpus.coding import Codes

LABELS = ("fn", "fp", "tp", "wl")
FN, FP, TP, WL = 1, 2, 3, 4
# So many times its mentions may a table of all chain numbers have, or they are sorted.
_SPARSE = 8

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]


def by_any(key: Numbers, response: Numbers) -> NDArray[np.uint8]:
    """Return classes by the criterion that any antecedent of the response is one of the key's.

    Chains are numbers that no other document has, -1 for none.
    """
    wide = int(response.max(initial=0)) + 1
    both = np.where((key >= 0) & (response >= 0), key * wide + response, -1)
    return _classes(_resolved(key), _resolved(response), _resolved(both))


def by_nominal(
    key: Numbers, response: Numbers, nominal: Flags, *, first: bool = False
) -> NDArray[np.uint8]:
    """Return classes by the criterion that the closest nominal antecedent is in the key's chain.

    Or the ``first`` one, by which the program of Tuggener (2017) departs from the paper.
    """
    there, said = _closest(key, nominal), (_first if first else _closest)(response, nominal)
    right = (said >= 0) & (key >= 0) & (key[np.maximum(said, 0)] == key)
    return _classes(there >= 0, said >= 0, right)


def gold_codes(key: Numbers, nominal: Flags | None = None) -> NDArray[np.uint8]:
    """Return ``tp`` for every mention with an antecedent in the key, else nothing."""
    there = _resolved(key) if nominal is None else _closest(key, nominal) >= 0
    return np.where(there, TP, 0).astype(np.uint8)


def first_seen(chain: Numbers) -> Flags:
    """Tell which mentions are the first of their chain; those of none (-1) are one chain here."""
    fresh = np.zeros(len(chain), np.bool_)
    size = int(chain.max(initial=0)) + 2
    if size > _SPARSE * len(chain):
        fresh[np.unique(chain, return_index=True)[1]] = True
        return fresh
    # What is written last stays: going backwards, that is the first mention.
    first = np.full(size, -1, np.int64)
    first[chain[::-1]] = np.arange(len(chain))[::-1]
    fresh[first[first >= 0]] = True
    return fresh


def chain_numbers(document: NDArray[np.integer], codes: Codes, most: int) -> Numbers:
    """Return chains as numbers of the whole corpus, -1 for none; ``most`` is the largest code."""
    return np.where(codes > 0, document.astype(np.int64) * (most + 1) + codes, -1)


def _classes(there: Flags, said: Flags, right: Flags) -> NDArray[np.uint8]:
    found = np.where(there, np.where(said, np.where(right, TP, WL), FN), np.where(said, FP, 0))
    return found.astype(np.uint8)


def _resolved(chain: Numbers) -> Flags:
    """Tell which mentions have some mention of their chain before them."""
    return (chain >= 0) & ~first_seen(chain)


def _first(chain: Numbers, nominal: Flags) -> Numbers:
    """Return the first nominal mention of the chain before each mention, -1 for none."""
    found = np.full(len(chain), -1, np.int64)
    known = np.flatnonzero(nominal & (chain >= 0))
    if not len(known):
        return found
    chains, at = np.unique(chain[known], return_index=True)
    place = np.minimum(np.searchsorted(chains, chain), len(chains) - 1)
    first = known[at][place]
    before = (chains[place] == chain) & (first < np.arange(len(chain)))
    found[before] = first[before]
    return found


def _closest(chain: Numbers, nominal: Flags) -> Numbers:
    """Return the closest nominal mention of the chain before each mention, -1 for none."""
    order = np.argsort(chain, kind="stable")
    place = np.arange(len(chain))
    begins = np.ones(len(chain), np.bool_)
    np.not_equal(chain[order][1:], chain[order][:-1], out=begins[1:])
    start = np.maximum.accumulate(np.where(begins, place, 0))
    last = np.maximum.accumulate(np.where(nominal[order], place, -1))
    before = np.append(-1, last[:-1])[: len(chain)]
    found = np.full(len(chain), -1, np.int64)
    known = (before >= start) & (chain[order] >= 0)
    found[order[known]] = order[before[known]]
    return found
