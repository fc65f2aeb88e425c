"""Dependency trees: the head and the relation of every word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.corpus.options import FUNCTIONAL
from coleval.corpus.task import ByName, Task
from coleval.declare.counting import METRICS

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.corpus.options import Scoring


def _counted(corpus: Corpus, items: Items) -> Items:
    """Return the words, without those that gold calls punctuation if that is not to count."""
    from coleval.corpus.tree_answers import without_punct

    return without_punct(items) if corpus.scoring.punct is False else items


def _compared(corpus: Corpus, items: Items) -> Items:
    from coleval.corpus.tree_metrics import by_metric

    return by_metric(corpus, items, corpus.scoring.metric)


def _views(corpus: Corpus, items: Items) -> tuple[Items, Items, Items]:
    """Return what the metric compares, and the relation or the tag that tables show of it."""
    from coleval.corpus.tree_metrics import compared_and_shown

    return (*compared_and_shown(corpus, items, corpus.scoring.metric), items)


def _headline(corpus: Corpus, _items: Items) -> str:
    return corpus.scoring.metric


def _signed(scoring: Scoring) -> dict[str, str]:
    parts = {
        "metric": scoring.metric,
        "punct": "skipped" if scoring.punct is False else "kept",
        "subtypes": "kept" if scoring.subtypes else "ignored",
    }
    other = scoring.functional != FUNCTIONAL
    return parts | ({"functional": ",".join(scoring.functional) or "none"} if other else {})


# Changes and upper bounds as Tuggener (2017) counts them, all else as the CoNLL 2018 evaluation
# does (DEFINITIONS 2.2 and 5).
_TUGGENER = {"punct": False, "subtypes": True}
_CONLL = {"punct": True, "subtypes": False}

TASK = Task(
    "dep",
    units=("word",),
    text_unit="word",
    trees=True,
    covers_text=True,
    of_token_files=ByName("loading.tasks.dep:dep_corpus"),
    counted=_counted,
    compared=_compared,
    views=_views,
    label_part=ByName("corpus.tree_metrics:relation_part"),
    label_names=ByName("corpus.tree_metrics:label_names"),
    conventions={"": _CONLL, "changes": _TUGGENER, "oracle": _TUGGENER},
    # Lengths are cut as the CoNLL-X evaluation cuts them (eval07.pl); a root has its own bucket.
    attributes=(
        "arc_length", "direction", "depth", "arity", "projectivity", "base_relation", "upos",
        "sLen",
    ),
    trained_attributes=("tFre", "oDen"),
    headline=_headline,
    metrics=METRICS,
    leaderboard=ByName("analyses.score.attachment:attachment"),
    confusion=ByName("analyses.confusion.tables:of_relations"),
    unit_sums=ByName("analyses.score.attachment:unit_sums"),
    scoring_signature=_signed,
)  # fmt: skip
