"""The units of a corpus of mentions that follow from their chains, and what is counted of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.lazy import LazyMapping
from coleval.errors import UsageError
from coleval.kernels.chains import chain_counts_by_unit, chains
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
from coleval.kernels.unit_parts import by_unit
from coleval.kernels.units import narrow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.kernels.units import Units

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
