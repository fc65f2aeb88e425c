"""The units of a corpus of mentions that follow from their chains, and what is counted of them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.lazy import LazyMapping
from coleval.kernels.coref_classes import (
    FN,
    LABELS,
    by_any,
    by_nominal,
    chain_numbers,
    coref_key,
    gold_codes,
    ordered,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from coleval.corpus.items import Items

CRITERIA = ("any", "nominal")
CHAINS = "cluster"
NEGATIVE = "tn"


def coref_units(
    chains: Callable[[], Items], *, first: bool = False, cataphors: bool = True
) -> LazyMapping[Items]:
    """Return the units of a corpus that follow from the chains of mentions.

    Of nominal antecedents the closest counts, or the ``first``. Mentions that have antecedents in
    gold, but no nominal one, are spurious where a system gives them one, unless such ``cataphors``
    are left out.
    """
    made = {
        name: partial(_classified, chains, name, first=first, cataphors=cataphors)
        for name in CRITERIA
    }
    return LazyMapping({**made, CHAINS: chains})


def numbered(items: Items) -> dict[str, NDArray[np.int64]]:
    """Return the chains of gold (the empty name) and the systems, -1 for none."""
    document = items.context["document"].to_physical().to_numpy()
    most = len(items.labels)
    layers = {"": items.gold, **items.answers}
    return {name: chain_numbers(document, codes, most) for name, codes in layers.items()}


def _classified(
    chains: Callable[[], Items], criterion: str, *, first: bool, cataphors: bool
) -> Items:
    items = chains()
    found = numbered(items)
    nominal = items.context["nominal"].to_numpy() if criterion == "nominal" else None
    key = coref_key(found.pop(""), nominal)
    judge = by_any if nominal is None else partial(by_nominal, first=first)
    answers = {name: judge(key, ordered(chain)) for name, chain in found.items()}
    gold = gold_codes(key)
    if not cataphors:
        counted = (gold > 0) | ~key.resolved
        answers = {name: np.where(counted, codes, 0) for name, codes in answers.items()}
    return replace(items, unit=criterion, labels=LABELS, gold=gold, answers=answers)


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
