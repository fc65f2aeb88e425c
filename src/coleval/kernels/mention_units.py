"""The units of a corpus of mentions that follow from their chains, and what is counted of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.lazy import LazyMapping
from coleval.kernels.coref_classes import (
    FN,
    LABELS,
    WL,
    CorefKey,
    by_any,
    by_nominal,
    chain_numbers,
    coref_key,
    gold_codes,
    ordered,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

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
    if not isinstance(units, MentionUnits) or units.bare is None:
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
