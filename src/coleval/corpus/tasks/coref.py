"""Coreference: the chain of every mention, and its class against the key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.corpus.task import ByName, Task
from coleval.declare.counting import CHAIN_METRICS

if TYPE_CHECKING:
    from collections.abc import Callable

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.corpus.options import Scoring


def _compared(_corpus: Corpus, items: Items) -> Items:
    from coleval.counts.coref_classes import resolved

    return resolved(items)


def _views(_corpus: Corpus, items: Items) -> tuple[Items, Items, Items]:
    """Return what is resolved, and the classes that tables show, true negatives among them."""
    from coleval.counts.coref_classes import resolved, with_negatives

    shown = with_negatives(items)
    return resolved(items), shown, shown


def _class_itself(_corpus: Corpus) -> Callable[[str], str]:
    return str


def _headline(corpus: Corpus, _items: Items) -> str:
    return _scored_by(corpus.scoring).get("metric", CHAIN_METRICS[0])


def _scored_by(scoring: Scoring) -> dict[str, str]:
    return {"metric": scoring.metric} if scoring.metric in CHAIN_METRICS else {}


def _signed(corpus: Corpus) -> dict[str, str]:
    key = {"key": corpus.scoring.key} if corpus.scoring.key else {}
    return {"singletons": corpus.scoring.singletons, **key}


TASK = Task(
    "coref",
    units=("any", "nominal", "cluster"),
    mentions=True,
    unlabelled="mentions have no labels; the table `classes` of `score` counts how they are "
    "resolved",
    source_unit="cluster",
    derived_units=ByName("counts.coref_classes:coref_units"),
    compared=_compared,
    views=_views,
    label_part=_class_itself,
    attributes=("mention_length", "mention_kind", "antecedent_distance", "chain_size"),
    headline=_headline,
    metrics=CHAIN_METRICS,
    leaderboard=ByName("analyses.score.coreference:coreference"),
    unit_sums=ByName("analyses.score.coreference:unit_sums"),
    reading_signature=_signed,
    scoring_signature=_scored_by,
)
