"""A number an item and system: a metric of texts, a judge's grade, a reward, a probability."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.corpus.options import OF_STRUCTURES
from coleval.corpus.task import ByName, Task

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items


def _headline(corpus: Corpus, items: Items) -> str:
    """Return the metric asked for; else the mean, or the error where gold has numbers."""
    if corpus.scoring.metric not in OF_STRUCTURES:
        return corpus.scoring.metric
    return "mae" if items.gold.any() else "mean"


TASK = Task(
    "score",
    units=("instance",),
    numeric=True,
    unlabelled="scores are numbers, without labels",
    of_tables=True,
    headline=_headline,
    leaderboard=ByName("analyses.score.numbers:leaderboard"),
)
