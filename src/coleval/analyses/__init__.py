"""The registry of analyses: one file each, from a corpus to the tables of its report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from coleval.analyses.agree import agree
from coleval.analyses.bins import bins
from coleval.analyses.buckets import buckets
from coleval.analyses.changes import changes
from coleval.analyses.compare import compare
from coleval.analyses.confusion import confusion
from coleval.analyses.errors import errors
from coleval.analyses.measure import measure
from coleval.analyses.oracle import oracle
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
    tables: Callable[..., Mapping[str, pl.DataFrame]]


ANALYSES = {
    analysis.name: analysis
    for analysis in (
        Analysis("score", "the leaderboard: accuracy, precision, recall, F1", score),
        Analysis("confusion", "who is taken for whom", confusion),
        Analysis("agree", "kappa and alpha of systems and gold", agree),
        Analysis("measure", "the classic measures: correlation, purity, perplexity …", measure),
        Analysis("compare", "is the difference real: tests, intervals, ranks", compare),
        Analysis("bins", "items by the number of systems that solve them", bins),
        Analysis("changes", "what changed from one system to another", changes),
        Analysis("oracle", "what systems could reach together", oracle),
        Analysis("buckets", "scores by attributes of the items: where systems are good and bad", buckets),
        Analysis("errors", "fair span errors: each counted once and named", errors),
    )
}


def run(name: str, corpus: Corpus, **own: Any) -> Report:
    """Return the report of an analysis over a corpus; ``own`` options are those only it has."""
    tables = ANALYSES[name].tables(corpus, **own)
    extra = {key: plain(value) for key, value in own.items() if value}
    return Report(name, tables, signature(corpus, extra=extra), corpus.warnings)


def plain(value: object) -> str:
    """Return an option as the signature has it: lists by commas, pairs by arrows."""
    if not isinstance(value, list | tuple):
        return "yes" if value is True else str(value)
    return ",".join(">".join(part) if isinstance(part, tuple) else str(part) for part in value)
