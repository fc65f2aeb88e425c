"""What every analysis begins with: the items asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coleval.annotate.wide import wide
from coleval.engines import Engine, local
from coleval.tasks.tree_metrics import by_metric, relation_part
from coleval.tasks.trees import without_punct

if TYPE_CHECKING:
    from coleval.corpus import Corpus
    from coleval.items import Items


def asked(corpus: Corpus, engine: Engine | None = None) -> Items:
    """Return the items of the unit asked for, those that ``where`` keeps.

    Answers with a head are reduced to what the metric compares. All who ask one corpus get the
    very same items, and with them what others have counted of these.
    """
    return corpus.known.get("asked", lambda: compared(corpus, asked_base(corpus, engine)))


def compared(corpus: Corpus, items: Items) -> Items:
    """Return items reduced to what makes answers equal: a head, or that a mention is resolved."""
    if corpus.task == "coref":
        from coleval.tasks.coref import resolved

        return resolved(items)
    return by_metric(corpus, items, corpus.scoring.metric) if corpus.task == "dep" else items


def asked_base(corpus: Corpus, engine: Engine | None = None) -> Items:
    """Return the same items with their answers in full; gold punctuation of trees is left out."""
    return corpus.known.get("asked in full", lambda: _asked_base(corpus, engine))


def _asked_base(corpus: Corpus, engine: Engine | None) -> Items:
    items = corpus.at(corpus.scoring.unit)
    if corpus.scoring.where:
        items = _filtered(corpus, items, engine or local())
    if corpus.task == "dep" and corpus.scoring.punct is False:
        return without_punct(items)
    return items


def _filtered(corpus: Corpus, items: Items, engine: Engine) -> Items:
    """Return the items that ``where`` keeps; it sees answers as the metric compares them."""
    shown = compared(corpus, items)
    kept = engine.filtered(shown, corpus.scoring.where, wide(corpus, shown))
    return kept if shown is items else items.where(kept.numbers.astype(np.intp))


def limited(corpus: Corpus, engine: Engine | None = None) -> Items:
    """Return the items asked for, with every label that was not asked for read as nothing."""
    return corpus.known.get("limited", lambda: compared(corpus, limited_base(corpus, engine)))


def limited_base(corpus: Corpus, engine: Engine | None = None) -> Items:
    """Return the same items with their answers in full; labels of trees are relations."""
    return corpus.known.get("limited in full", lambda: _limited_base(corpus, engine))


def _limited_base(corpus: Corpus, engine: Engine | None) -> Items:
    items, scoring = asked_base(corpus, engine), corpus.scoring
    if corpus.task != "dep":
        check_labels(corpus, items)
        return items.restricted(scoring.labels, scoring.exclude)
    if not scoring.labels and not scoring.exclude:
        return items
    check_labels(corpus, by_metric(corpus, items, "ls"))
    relation = relation_part(corpus)
    named = [
        [label for label in items.labels if relation(label) in wanted]
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
