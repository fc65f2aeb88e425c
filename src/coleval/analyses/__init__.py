"""The registry of analyses: one file each, from a corpus to the tables of its report."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from coleval.corpus.report import Report
from coleval.corpus.signature import signature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import polars as pl

    from coleval.corpus.corpus import Corpus


@dataclass(frozen=True, slots=True)
class Analysis:
    """An analysis: the question it answers; its file has a function of its name."""

    name: str
    about: str

    @property
    def tables(self) -> Callable[..., Mapping[str, pl.DataFrame]]:
        """Return what turns a corpus into tables, imported now: no command needs them all."""
        found: Callable[..., Mapping[str, pl.DataFrame]]
        found = getattr(import_module(f"coleval.analyses.{self.name}.tables"), self.name)
        return found


ANALYSES = {
    analysis.name: analysis
    for analysis in (
        Analysis("score", "leaderboard: accuracy, precision, recall, F1"),
        Analysis("confusion", "confusion matrix: which labels are confused"),
        Analysis("agree", "agreement of systems and gold: kappa, alpha"),
        Analysis("measure", "other measures: correlation, purity, RSA, perplexity, ranking"),
        Analysis("compare", "significance of differences: tests, intervals, ranks"),
        Analysis("bins", "difficulty: items by the number of systems that solve them"),
        Analysis("changes", "what changed from A to B: corrections and new errors, by label"),
        Analysis("oracle", "what a combination could reach: upper bounds, votes, contributions"),
        Analysis("buckets", "where systems fail: scores by attributes of the items"),
        Analysis("errors", "fair span errors: each error counted once, by kind"),
        Analysis("pivot", "any column by any other: counts and scores; --find weak slices"),
        Analysis("show", "the items in their sentences, with all answers"),
    )
}


def run(name: str, corpus: Corpus, **own: Any) -> Report:
    """Return the report of an analysis over a corpus; ``own`` options are those only it has."""
    corpus = settled(name, corpus)
    tables = dict(ANALYSES[name].tables(corpus, **own))
    extra = {key: plain(value) for key, value in own.items() if value}
    warnings = (*corpus.warnings, *notes(name, corpus, **own))
    return Report(name, tables, signature(corpus, extra=extra), warnings)


def notes(name: str, corpus: Corpus, **own: Any) -> tuple[str, ...]:
    """Return what an analysis that prints precision has to say of the filter under it."""
    if not corpus.scoring.where or not _precise(name, corpus, **own):
        return ()
    from coleval.analyses.where_notes import left_out

    return left_out(corpus.with_options(unit="span") if name == "errors" else corpus)


def _precise(name: str, corpus: Corpus, **own: Any) -> bool:
    """Tell whether precision or F1 is among what an analysis prints."""
    if name == "changes":
        return not corpus.at(corpus.scoring.unit).everything
    if name == "pivot":
        return str(own.get("value", "")).startswith("f1")
    if name == "compare":
        return not str(own.get("metric", "")).endswith(("accuracy", "sentences", "recall"))
    return name in ("score", "errors", "measure", "buckets")


def settled(name: str, corpus: Corpus) -> Corpus:
    """Return a corpus under the conventions of its task for an analysis, where others are free."""
    usual = corpus.task_kind.conventions.get(name, {})
    return corpus.scored_by({k: v for k, v in usual.items() if getattr(corpus.scoring, k) is None})


def of_one_mind(corpus: Corpus) -> Corpus:
    """Return a corpus for several analyses, which all count as the leaderboard does."""
    return settled("", corpus)


def some_tables(
    name: str, corpus: Corpus, wanted: Iterable[str], **own: Any
) -> dict[str, pl.DataFrame]:
    """Return those tables of an analysis that are wanted; others are not made if they can wait."""
    tables = ANALYSES[name].tables(settled(name, corpus), **own)
    return {table: tables[table] for table in wanted if table in tables}


def plain(value: object) -> str:
    """Return an option as the signature has it: lists by commas, pairs by arrows."""
    if not isinstance(value, list | tuple):
        return "yes" if value is True else str(value)
    return ",".join(">".join(part) if isinstance(part, tuple) else str(part) for part in value)
