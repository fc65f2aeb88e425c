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


def _of_words(_corpus: Corpus, _items: Items) -> str:
    return "f1"


_UNITS = ("segment", "word")
_DERIVED, _READ = (
    ByName("counts.text_words:text_units"),
    ByName("metrics.text:reading_signature"),
)
_WORDS = Task(
    "text",
    units=_UNITS,
    of_tables=True,
    unlabelled="words of texts have no labels",
    source_unit=_UNITS[0],
    derived_units=_DERIVED,
    attributes=("frequency", "capitalisation", "characters"),
    headline=_of_words,
    reading_signature=_READ,
)

TASK = Task(
    "text",
    units=_UNITS,
    texts=True,
    as_numbers=ByName("analyses.segment_scores:segment_scores"),
    of_tables=True,
    unlabelled="texts have no labels",
    source_unit=_UNITS[0],
    derived_units=_DERIVED,
    by_unit={"word": _WORDS},
    headline=_headline,
    metrics=TEXT_METRICS,
    leaderboard=ByName("analyses.score.generated:generated"),
    unit_sums=ByName("analyses.score.generated:unit_sums"),
    reading_signature=_READ,
    scoring_signature=_scored_by,
)
