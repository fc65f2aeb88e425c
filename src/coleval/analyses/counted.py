"""What every analysis begins with: the items asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coleval.annotate.wide import wide
from coleval.engines import Engine, local
from coleval.tasks.coref import resolved
from coleval.tasks.trees import by_metric, relation_of, without_punct

if TYPE_CHECKING:
    from coleval.corpus import Corpus
    from coleval.items import Items


def asked(corpus: Corpus, engine: Engine | None = None) -> Items:
    """Return the items of the unit asked for, those that ``where`` keeps.

    Answers with a head are reduced to what the metric compares.
    """
    return compared(corpus, asked_base(corpus, engine))


def compared(corpus: Corpus, items: Items) -> Items:
    """Return items reduced to what makes answers equal: a head, or that a mention is resolved."""
    if corpus.task == "coref":
        return resolved(items)
    return by_metric(items, corpus.scoring.metric) if corpus.task == "dep" else items


def asked_base(corpus: Corpus, engine: Engine | None = None) -> Items:
    """Return the same items with their answers in full; gold punctuation of trees is left out."""
    items = corpus.at(corpus.scoring.unit)
    if corpus.scoring.where:
        items = _filtered(corpus, items, engine or local())
    if corpus.task == "dep" and not corpus.scoring.punct:
        return without_punct(items)
    return items


def _filtered(corpus: Corpus, items: Items, engine: Engine) -> Items:
    """Return the items that ``where`` keeps; what it says of right and wrong is by the metric."""
    if corpus.task != "dep":
        return engine.filtered(items, corpus.scoring.where, wide(corpus, items))
    told = by_metric(items, corpus.scoring.metric)
    kept = engine.filtered(told, corpus.scoring.where, wide(corpus, told))
    return items.where(kept.numbers.astype(np.intp))


def limited(corpus: Corpus, engine: Engine | None = None) -> Items:
    """Return the items asked for, with every label that was not asked for read as nothing."""
    return compared(corpus, limited_base(corpus, engine))


def limited_base(corpus: Corpus, engine: Engine | None = None) -> Items:
    """Return the same items with their answers in full; labels of trees are relations."""
    items, scoring = asked_base(corpus, engine), corpus.scoring
    if corpus.task != "dep":
        check_labels(corpus, items)
        return items.restricted(scoring.labels, scoring.exclude)
    check_labels(corpus, by_metric(items, "ls"))
    named = [
        [label for label in items.labels if relation_of(label) in wanted]
        for wanted in (scoring.labels, scoring.exclude)
    ]
    return items.restricted(*named)


def check_labels(corpus: Corpus, items: Items) -> None:
    """Raise for a label that neither gold nor any system has: it is misspelt."""
    from coleval.errors import unknown

    for option in ("labels", "exclude"):
        for label in getattr(corpus.scoring, option):
            if label not in items.labels:
                raise unknown("label", label, items.labels, where=f"--{option}")
