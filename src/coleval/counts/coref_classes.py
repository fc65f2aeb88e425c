"""The class of a mention against the key (ARCS, Tuggener 2014; DEFINITIONS 2.3).

``tp`` correctly resolved, ``wl`` wrongly linked, ``fn`` not resolved, ``fp`` resolved though the
key has no antecedent, and nothing (0) for what is true negative. Mentions stand in text order.
The units of a corpus of mentions follow from their chains by these classes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from coleval.corpus.lazy import LazyMapping
from coleval.corpus.sorting import stable_order
from coleval.counts.chains import chain_counts_by_unit, chains
from coleval.counts.units import by_unit, narrow
from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from coleval.corpus.coding import Codes
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.counts.units import Units


LABELS = ("fn", "fp", "tp", "wl")
FN, FP, TP, WL = 1, 2, 3, 4
# By the bits: it has an antecedent in the key, it has one in the response, that one is right.
_CLASSES = np.array([0, 0, FP, FP, FN, FN, WL, TP], np.uint8)
# So many times its mentions may a table of all chain numbers have, or they are sorted.
_SPARSE = 8
# Pairs of chains have numbers up to this, or chains are numbered without gaps.
_LARGEST = 2**63

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class ChainOrder:
    """Chains of mentions as numbers that no other document has, -1 for none, and their order."""

    chain: Numbers

    @cached_property
    def order(self) -> Numbers:
        """Return the mentions chain by chain."""
        return stable_order(self.chain)

    @cached_property
    def begins(self) -> Flags:
        """Tell which mentions, chain by chain, are first ones."""
        own = self.chain[self.order]
        begins = np.ones(len(own), np.bool_)
        np.not_equal(own[1:], own[:-1], out=begins[1:])
        return begins

    @property
    def resolved(self) -> Flags:
        """Tell which mentions have some mention of their chain before them."""
        if _dense(self.chain):
            return ~first_seen(self.chain) & (self.chain >= 0)
        found = np.empty(len(self.chain), np.bool_)
        found[self.order] = ~self.begins
        return found & (self.chain >= 0)


def ordered(chain: Numbers) -> ChainOrder:
    """Return chains with the order of their mentions."""
    return ChainOrder(chain)


@dataclass(frozen=True, slots=True)
class CorefKey:
    """What is asked of a key, the same for all systems: which mentions have which antecedents."""

    chains: ChainOrder
    nominal: Flags | None
    resolved: Flags
    closest: Numbers | None


def coref_key(chain: Numbers, nominal: Flags | None = None) -> CorefKey:
    """Return a key by its chains, and which mentions are ``nominal`` where these count."""
    chains = ordered(chain)
    nearest = None if nominal is None else closest(chains, nominal)
    return CorefKey(chains, nominal, chains.resolved, nearest)


def by_any(key: CorefKey, response: ChainOrder) -> NDArray[np.uint8]:
    """Return classes by the criterion that any antecedent of the response is one of the key's."""
    own, said = key.chains.chain, response.chain
    there = (own >= 0) & (said >= 0)
    if (int(own.max(initial=0)) + 1) * (int(said.max(initial=0)) + 1) > _LARGEST:
        own, said = (np.unique(side, return_inverse=True)[1] for side in (own, said))
    both = np.where(there, own * (int(said.max(initial=0)) + 1) + said, -1)
    return _classes(key.resolved, response.resolved, ordered(both).resolved)


def by_nominal(key: CorefKey, response: ChainOrder, *, first: bool = False) -> NDArray[np.uint8]:
    """Return classes by the criterion that the closest nominal antecedent is in the key's chain.

    Or the ``first`` one, by which the program of Tuggener (2017) departs from the paper.
    """
    assert key.nominal is not None  # noqa: S101  - the caller asks for keys of this kind
    assert key.closest is not None  # noqa: S101
    own = key.chains.chain
    said = (_first if first else closest)(response, key.nominal)
    right = (said >= 0) & (own >= 0) & (own[np.maximum(said, 0)] == own)
    return _classes(key.closest >= 0, said >= 0, right)


def gold_codes(key: CorefKey) -> NDArray[np.uint8]:
    """Return ``tp`` for every mention with an antecedent in the key, else nothing."""
    there = key.resolved if key.closest is None else key.closest >= 0
    return there * np.uint8(TP)


def first_seen(chain: Numbers) -> Flags:
    """Tell which mentions are the first of their chain; those of none (-1) are one chain here."""
    fresh = np.zeros(len(chain), np.bool_)
    if not _dense(chain):
        fresh[np.unique(chain, return_index=True)[1]] = True
        return fresh
    # What is written last stays: going backwards, that is the first mention.
    first = np.full(int(chain.max(initial=0)) + 2, -1, np.int64)
    first[chain[::-1]] = np.arange(len(chain))[::-1]
    fresh[first[first >= 0]] = True
    return fresh


def _dense(chain: Numbers) -> bool:
    """Tell whether a table of all numbers is not much longer than the mentions."""
    return int(chain.max(initial=0)) + 2 <= _SPARSE * len(chain)


def chain_numbers(document: NDArray[np.integer], codes: Codes, most: int) -> Numbers:
    """Return chains as numbers of the whole corpus, -1 for none; ``most`` is the largest code."""
    return np.where(codes > 0, document.astype(np.int64) * (most + 1) + codes, -1)


def closest(chains: ChainOrder, nominal: Flags) -> Numbers:
    """Return the closest nominal mention of the chain before each mention, -1 for none."""
    order = chains.order
    place = np.arange(len(order))
    start = np.maximum.accumulate(np.where(chains.begins, place, 0))
    last = np.maximum.accumulate(np.where(nominal[order], place, -1))
    before = np.append(-1, last[:-1])[: len(order)]
    found = np.full(len(order), -1, np.int64)
    known = (before >= start) & (chains.chain[order] >= 0)
    found[order[known]] = order[before[known]]
    return found


def _classes(there: Flags, said: Flags, right: Flags) -> NDArray[np.uint8]:
    """Return the class of each mention by what the key has, what is said, and if that is right."""
    which = there.view(np.uint8) << 2 | said.view(np.uint8) << 1 | right.view(np.uint8)
    return _CLASSES[which]


def _first(response: ChainOrder, nominal: Flags) -> Numbers:
    """Return the first nominal mention of the chain before each mention, -1 for none."""
    chain = response.chain
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


CRITERIA = ("any", "nominal")
CHAINS = "cluster"
NEGATIVE = "tn"


@dataclass(frozen=True)
class MentionUnits(LazyMapping["Items"]):
    """Units that follow from chains; those that are ``bare`` have only columns that count."""

    bare: Mapping[str, Items] | None = None


def coref_units(
    chains: Callable[[], Items],
    bare: Callable[[], Items] | None = None,
    *,
    first: bool = False,
    cataphors: bool = True,
) -> MentionUnits:
    """Return the units of a corpus that follow from the chains of mentions.

    Of nominal antecedents the closest counts, or the ``first``. Mentions that have antecedents in
    gold, but no nominal one, are spurious where a system gives them one, unless such ``cataphors``
    are left out. ``bare`` gives the same mentions without columns that take long to make.
    """
    made = {
        name: partial(_classified, chains, name, first=first, cataphors=cataphors)
        for name in CRITERIA
    }
    less = None if bare is None else coref_units(bare, first=first, cataphors=cataphors)
    return MentionUnits({**made, CHAINS: chains}, bare=less)


def to_be_counted(corpus: Corpus) -> Corpus:
    """Return a corpus whose mentions may lack columns that only tell more of them."""
    units = corpus.units
    # A filter may ask for any column.
    if corpus.scoring.where or not isinstance(units, MentionUnits) or units.bare is None:
        return corpus
    return replace(corpus, units=units.bare)


def numbered(items: Items) -> dict[str, NDArray[np.int64]]:
    """Return the chains of gold (the empty name) and the systems, -1 for none."""
    return {name: _numbered(items, name) for name in ("", *items.answers)}


def class_counts(items: Items, key: str = "") -> dict[str, dict[str, NDArray[np.int64]]]:
    """Return how many mentions of each class a system has, by system and criterion.

    The key is gold (no name) or a system.
    """
    chains = numbered(items)
    own = coref_key(chains[key], items.context["nominal"].to_numpy())
    counts = {}
    for name in items.systems:
        response = ordered(chains[name])
        classes = {"any": by_any(own, response), "nominal": by_nominal(own, response)}
        counts[name] = {by: np.bincount(codes, minlength=WL + 1) for by, codes in classes.items()}
    return counts


def _numbered(items: Items, name: str) -> NDArray[np.int64]:
    document = items.context["document"].to_physical().to_numpy()
    codes = items.answers[name] if name else items.gold
    return chain_numbers(document, codes, len(items.labels))


def _classified(
    chains: Callable[[], Items], criterion: str, *, first: bool, cataphors: bool
) -> Items:
    items = chains()
    nominal = items.context["nominal"].to_numpy() if criterion == "nominal" else None
    key = coref_key(_numbered(items, ""), nominal)
    answers = {
        name: partial(_judged, items, name, key, first=first, cataphors=cataphors)
        for name in items.answers
    }
    gold = gold_codes(key)
    return replace(items, unit=criterion, labels=LABELS, gold=gold, answers=LazyMapping(answers))


def _judged(
    items: Items, name: str, key: CorefKey, *, first: bool, cataphors: bool
) -> NDArray[np.uint8]:
    """Return the classes of a system's mentions."""
    judge = by_any if key.nominal is None else partial(by_nominal, first=first)
    codes = judge(key, ordered(_numbered(items, name)))
    return codes if cataphors else np.where((gold_codes(key) > 0) | ~key.resolved, codes, 0)


def with_negatives(items: Items) -> Items:
    """Return mentions whose answers say ``tn`` where there is nothing to resolve."""
    if items.unit not in CRITERIA:
        return items
    labels = tuple(sorted((*LABELS, NEGATIVE)))
    names = (NEGATIVE, *LABELS)
    table = np.array([labels.index(name) + 1 for name in names], np.uint8)
    gold = np.where(items.gold > 0, table[items.gold], 0).astype(np.uint8)
    answers = {name: table[codes] for name, codes in items.answers.items()}
    return replace(items, labels=labels, gold=gold, answers=answers, judges=None)


def resolved(items: Items) -> Items:
    """Return mentions that are not resolved as answered by nothing, to be counted as missed."""
    if items.unit not in CRITERIA:
        return items
    table = np.arange(len(LABELS) + 1, dtype=np.uint8)
    table[FN] = 0
    judges = items.judges
    return replace(
        items,
        answers={name: table[codes] for name, codes in items.answers.items()},
        judges=None if judges is None else {n: table[codes] for n, codes in judges.items()},
    )


@by_unit
def coref_by_unit(items: Items, units: Units, *, singletons: bool) -> NDArray[np.integer]:
    """Return the counts of chains and of classes (fn, fp, tp, wl) in every unit, a row each.

    Those of one system after the other, of mentions with their chains; classes by any antecedent
    come before those by nominal ones.
    """
    document, unit = items.context["document"].to_physical().to_numpy(), units.of.astype(np.intp)
    home = np.zeros(int(document.max(initial=0)) + 1, np.intp)
    home[document] = unit
    if (home[document] != unit).any():
        raise UsageError(
            f"a document is in several units of `{units.kind}`, and chains reach over them",
            where="--unit-of-resampling",
            remedy="--unit-of-resampling document, or a column that is one for all of a document",
        )
    gold = chains(document, items.gold, singletons=singletons)
    key = coref_key(_numbered(items, ""), items.context["nominal"].to_numpy())
    rows = []
    for name, codes in items.answers.items():
        own, said = chains(document, codes, singletons=singletons), ordered(_numbered(items, name))
        rows += chain_counts_by_unit(gold, own, home, len(units))
        for classes in (by_any(key, said), by_nominal(key, said)):
            rows += [units.count(np.flatnonzero(classes == one)) for one in range(FN, WL + 1)]
    return narrow(np.stack(rows))
