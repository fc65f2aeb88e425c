"""``report``: all analyses that apply, each with one sentence that says what was found.

Chapters go from who wins to what could still be won. Each keeps the tables that a screen has room
for, under their own names behind the analysis': ``score.overall``, ``bins.tps``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses import of_one_mind, some_tables
from coleval.analyses.bucket_plan import DEFAULT, BucketPlan
from coleval.analyses.findings import FINDINGS
from coleval.errors import ColevalError, GateError, unknown
from coleval.report import Report
from coleval.signature import signature

if TYPE_CHECKING:
    from coleval.corpus import Corpus

Progress = Callable[[str], None]
_MANY = 12
_STORY = dict.fromkeys(("chapter", "question", "finding", "left_out"), pl.String)


@dataclass(frozen=True, slots=True)
class Chapter:
    """A question, the analysis that answers it, and the tables that are kept."""

    analysis: str
    question: str
    tables: tuple[str, ...]


CHAPTERS = (
    Chapter("score", "who wins", ("overall", "labels")),
    Chapter("compare", "how sure is that", ("ranks", "pairs", "power")),
    Chapter("bins", "how hard is it", ("bins", "tps", "systems")),
    Chapter("errors", "what kinds of errors", ("overall", "profile")),
    Chapter("confusion", "who is taken for whom", ("confusion",)),
    Chapter("buckets", "where are systems bad", ("attributes", "self_diagnosis")),
    Chapter("pivot", "where is the best system worst", ("slices",)),
    Chapter("changes", "what changed against the baseline", ("summary", "changes", "pairs")),
    Chapter("oracle", "what could a combination reach", ("overall", "ladder")),
)


def story(
    corpus: Corpus, baseline: str = "", progress: Progress | None = None, **statistics: Any
) -> Report:
    """Return the report: ``story`` with a sentence a chapter, then the tables of all chapters."""
    corpus = of_one_mind(corpus)
    before = _baseline(corpus, baseline)
    tables: dict[str, pl.DataFrame] = {}
    told: list[tuple[str, str, str | None, str | None]] = []
    order = list(corpus.systems)
    for chapter in CHAPTERS:
        (progress or _quiet)(chapter.question)
        part = _part(corpus, chapter, order, before, statistics)
        if isinstance(part, str):
            told.append((chapter.analysis, chapter.question, None, part))
            continue
        if chapter.analysis == "score":
            order = list(dict.fromkeys(part.table("overall")["system"].to_list()))
        told.append((chapter.analysis, chapter.question, FINDINGS[chapter.analysis](part), None))
        kept = (name for name in chapter.tables if name in part.tables)
        tables |= {f"{chapter.analysis}.{name}": part.table(name) for name in kept}
    first = {"story": pl.DataFrame(told, schema=_STORY, orient="row")}
    extra = {"baseline": before} if before else {}
    return Report("report", first | tables, signature(corpus, extra=extra), corpus.warnings)


def _quiet(_: str) -> None:
    return


def _baseline(corpus: Corpus, baseline: str) -> str:
    """Return the baseline: the one named, else the first system called so, else none."""
    if baseline and baseline not in corpus.systems:
        raise unknown("system", baseline, corpus.systems, where="--baseline")
    return baseline or next((n for n in corpus.systems if "baseline" in n.lower()), "")


def _part(
    corpus: Corpus, chapter: Chapter, order: list[str], before: str, statistics: dict[str, Any]
) -> Report | str:
    """Return the report of a chapter, or why there is none."""
    lone = len(order) < 2 and chapter.analysis in ("compare", "changes", "oracle")
    if lone:
        return "there is one system"
    try:
        return _run(corpus, chapter, order, before, statistics)
    except GateError:
        # A limit on memory is one on the whole report.
        raise
    except ColevalError as error:
        return error.problem


def _run(
    corpus: Corpus, chapter: Chapter, order: list[str], before: str, statistics: dict[str, Any]
) -> Report:
    """Return the tables that a chapter keeps; what it does not keep is not made."""
    analysis = chapter.analysis
    if analysis == "compare":
        report = corpus.compare(**statistics)
        crowd = len(order) > _MANY
        kept = {n: f for n, f in report.tables.items() if n != "pairs" or not crowd}
        return Report("compare", kept, report.signature)
    one = corpus.chosen([order[0]]) if analysis == "confusion" else corpus
    own = _own(corpus, analysis, order, before)
    tables = some_tables(analysis, one, chapter.tables, **own)
    if analysis == "changes" and len(order) > 2:
        tables["pairs"] = some_tables("changes", corpus, ("summary",))["summary"]
    return Report(analysis, tables, "")


def _own(corpus: Corpus, analysis: str, order: list[str], before: str) -> dict[str, Any]:
    """Return the options of an analysis: which system, which pair, which attributes."""
    if analysis == "pivot":
        return {"find": (order[0],)}
    if analysis == "changes":
        pair = (before, order[0]) if before and before != order[0] else (order[1], order[0])
        return {"pairs": (pair,)}
    if analysis == "buckets" and corpus.training is None:
        # Without training data half of the usual attributes cannot be told.
        return {"plan": BucketPlan(attributes=(*DEFAULT, "position"))}
    return {}
