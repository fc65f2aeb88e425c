"""Generated text: a segment an item, with the text that every system has for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.corpus.task import ByName, Task
from coleval.declare.counting import TEXT_METRICS

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.corpus.options import Scoring


def _headline(corpus: Corpus, _items: Items) -> str:
    return _scored_by(corpus.scoring).get("metric", TEXT_METRICS[0])


def _scored_by(scoring: Scoring) -> dict[str, str]:
    return {"metric": scoring.metric} if scoring.metric in TEXT_METRICS else {}


def _read(corpus: Corpus) -> dict[str, str]:
    """Return how many references there are, and the signature of the library that counts."""
    from coleval.counts.segments import REFERENCE, UNIT
    from coleval.metrics.extraction import EXTRACTORS
    from coleval.metrics.text import text_metric

    metric = text_metric(_scored_by(corpus.scoring).get("metric", TEXT_METRICS[0]))
    columns = corpus.units[UNIT].context.columns
    signature = EXTRACTORS[metric.statistic](corpus.reading.tokenize).signature
    beside = {"source-text": corpus.reading.source_text, "documents": corpus.reading.documents}
    return {
        "references": str(1 + sum(name.startswith(REFERENCE) for name in columns)),
        **{name: "yes" for name, path in beside.items() if path},
        metric.statistic: signature,
    }


TASK = Task(
    "text",
    units=("segment",),
    texts=True,
    of_tables=True,
    unlabelled="texts have no labels",
    headline=_headline,
    metrics=TEXT_METRICS,
    leaderboard=ByName("analyses.score.generated:generated"),
    unit_sums=ByName("analyses.score.generated:unit_sums"),
    reading_signature=_read,
    scoring_signature=_scored_by,
)
