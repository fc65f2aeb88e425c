"""The registry of analyses: one file each, from a corpus to the tables of its report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from coleval.analyses.confusion import confusion
from coleval.analyses.score import score
from coleval.report import Report
from coleval.signature import signature

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars as pl

    from coleval.corpus import Corpus


@dataclass(frozen=True, slots=True)
class Analysis:
    """An analysis: the question it answers and what turns a corpus into tables."""

    name: str
    about: str
    tables: Callable[[Corpus], Mapping[str, pl.DataFrame]]


ANALYSES = {
    analysis.name: analysis
    for analysis in (
        Analysis("score", "the leaderboard: accuracy, precision, recall, F1", score),
        Analysis("confusion", "who is taken for whom", confusion),
    )
}


def run(name: str, corpus: Corpus) -> Report:
    """Return the report of an analysis over a corpus, with its signature and warnings."""
    tables = ANALYSES[name].tables(corpus)
    return Report(name, tables, signature(corpus), corpus.warnings)
