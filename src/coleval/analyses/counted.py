"""What every analysis begins with: the items asked for, and their confusion counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.engines import Engine, local
from coleval.scores.prf import restricted

if TYPE_CHECKING:
    import polars as pl

    from coleval.corpus import Corpus
    from coleval.items import Items


def asked(corpus: Corpus, engine: Engine | None = None) -> Items:
    """Return the items of the unit asked for, those that ``where`` keeps."""
    items = corpus.at(corpus.scoring.unit)
    if not corpus.scoring.where:
        return items
    return (engine or local()).filtered(items, corpus.scoring.where)


def confusions(corpus: Corpus, items: Items, engine: Engine) -> pl.DataFrame:
    """Return system, gold, answer, n with only the labels asked for."""
    check_labels(corpus, items)
    return restricted(engine.confusion(items), corpus.scoring.labels, corpus.scoring.exclude)


def check_labels(corpus: Corpus, items: Items) -> None:
    """Raise for a label that neither gold nor any system has: it is misspelt."""
    from coleval.errors import unknown

    for option in ("labels", "exclude"):
        for label in getattr(corpus.scoring, option):
            if label not in items.labels:
                raise unknown("label", label, items.labels, where=f"--{option}")
