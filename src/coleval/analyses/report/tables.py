"""``report``: all analyses that apply, each with one sentence that says what was found.

Chapters go from who wins to what could still be won. Each keeps the tables that a screen has room
for, under their own names behind the analysis': ``score.overall``, ``bins.tps``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses import notes, of_one_mind, some_tables
from coleval.analyses.buckets.plan import DEFAULT, BucketPlan
from coleval.analyses.compare.plan import settled
from coleval.analyses.report.findings import FINDINGS
from coleval.analyses.report.topic import Topic
from coleval.corpus.report import Report
from coleval.corpus.signature import signature
from coleval.errors import ColevalError, GateError, unknown

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus

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
    Chapter("score", "Which system is best?", ("overall", "labels")),
    Chapter("compare", "Is the difference significant?", ("ranks", "pairs", "power")),
    Chapter("bins", "How difficult are the items?", ("bins", "tps", "systems")),
    Chapter("errors", "What kinds of errors?", ("overall", "profile")),
    Chapter("confusion", "Which labels are confused?", ("confusion",)),
    Chapter("buckets", "Where do systems fail?", ("attributes", "self_diagnosis")),
    Chapter("pivot", "Where does the best system fail?", ("slices", "tried")),
    Chapter("changes", "Changes from the runner-up", ("summary", "changes", "pairs")),
    Chapter("oracle", "What could a combination reach?", ("overall", "ladder")),
)


@dataclass(frozen=True, slots=True)
class Told:
    """What all chapters go by: the score that ranks, the system before, the test's options."""

    topic: Topic
    baseline: str
    named: bool
    statistics: dict[str, Any]

    def pair(self, order: list[str]) -> tuple[str, str]:
        """Return the systems of the chapter on changes: the baseline or the runner-up, the best."""
        other = self.baseline and self.baseline != order[0]
        return (self.baseline if other else order[1], order[0])

    def question(self, chapter: Chapter, order: list[str]) -> str:
        """Return a chapter's question; "baseline" is said only of a system that was named so."""
        if chapter.analysis != "changes" or len(order) < 2 or self.pair(order)[0] != self.baseline:
            return chapter.question
        return f"Changes from the baseline, {self.baseline}" if self.named else (
            f"Changes from {self.baseline}")  # fmt: skip


def story(
    corpus: Corpus, baseline: str = "", progress: Progress | None = None, **statistics: Any
) -> Report:
    """Return the report: ``story`` with a sentence a chapter, then the tables of all chapters."""
    corpus = of_one_mind(corpus)
    before = _baseline(corpus, baseline)
    told = Told(_topic(corpus), before, bool(baseline), statistics)
    tables: dict[str, pl.DataFrame] = {}
    rows: list[tuple[str, str, str | None, str | None]] = []
    warnings = list(corpus.warnings)
    order = list(corpus.systems)
    for chapter in CHAPTERS:
        question = told.question(chapter, order)
        (progress or _quiet)(question)
        part = _part(corpus, chapter, order, told)
        if isinstance(part, str):
            rows.append((chapter.analysis, question, None, part))
            continue
        if chapter.analysis == "score":
            order = list(dict.fromkeys(part.table("overall")["system"].to_list()))
        finding = FINDINGS[chapter.analysis](part, told.topic)
        rows.append((chapter.analysis, question, finding, None))
        tables |= _kept(chapter, part, order)
        warnings += part.warnings
    first = {"story": pl.DataFrame(rows, schema=_STORY, orient="row")}
    signed = signature(corpus, extra=_extra(corpus, told))
    return Report("report", first | tables, signed, tuple(dict.fromkeys(warnings)))


def _quiet(_: str) -> None:
    return


def _topic(corpus: Corpus) -> Topic:
    """Return what all findings are about."""
    items = corpus.at(corpus.scoring.unit)
    unit = "label" if items.group == "instance" else items.unit
    judges = tuple(items.systems if items.judges is None else items.judges)
    return Topic(_metric(corpus), unit, items.everything, judges, items.judges is not None)


def _metric(corpus: Corpus) -> str:
    """Return the score that all chapters rank and test by."""
    named = corpus.task_kind.report_metric(corpus)
    return named or corpus.task_kind.headline(corpus, corpus.at(corpus.scoring.unit))


def _baseline(corpus: Corpus, baseline: str) -> str:
    """Return the baseline: the one named, else the first system called so, else none."""
    if baseline and baseline not in corpus.systems:
        raise unknown("system", baseline, corpus.systems, where="--baseline")
    return baseline or next((n for n in corpus.systems if "baseline" in n.lower()), "")


def _extra(corpus: Corpus, told: Told) -> dict[str, str]:
    """Return what the signature says of the comparison, where there is one, and of the baseline."""
    extra = {"baseline": told.baseline} if told.named else {}
    if len(corpus.systems) < 2:
        return extra
    metric = {"metric": told.topic.metric} if corpus.task_kind.report_metric(corpus) else {}
    return settled(corpus, **told.statistics)[1].parts() | metric | extra


def _kept(chapter: Chapter, part: Report, order: list[str]) -> dict[str, pl.DataFrame]:
    """Return the tables of a chapter under their names; a crowd has too many pairs to keep."""
    crowd = chapter.analysis == "compare" and len(order) > _MANY
    names = (n for n in chapter.tables if n in part.tables and not (crowd and n == "pairs"))
    return {f"{chapter.analysis}.{name}": part.table(name) for name in names}


def _part(corpus: Corpus, chapter: Chapter, order: list[str], told: Told) -> Report | str:
    """Return the report of a chapter, or why there is none."""
    lone = len(order) < 2 and chapter.analysis in ("compare", "changes", "oracle")
    if lone:
        return "there is one system"
    if chapter.analysis == "confusion" and corpus.task_kind.unlabelled:
        return corpus.task_kind.unlabelled
    try:
        return _run(corpus, chapter, order, told)
    except GateError:
        # A limit on memory is one on the whole report.
        raise
    except ColevalError as error:
        return error.problem


def _run(corpus: Corpus, chapter: Chapter, order: list[str], told: Told) -> Report:
    """Return the tables that a chapter keeps; what it does not keep is not made."""
    analysis = chapter.analysis
    if analysis == "compare":
        return _compared(corpus, told)
    if analysis == "buckets":
        return _buckets(corpus, chapter, told.topic)
    one = corpus.chosen([order[0]]) if analysis == "confusion" else corpus
    tables = some_tables(analysis, one, chapter.tables, **_own(analysis, order, told))
    if analysis == "changes" and len(order) > 2:
        tables["pairs"] = some_tables("changes", corpus, ("summary",))["summary"]
    if analysis == "score":
        tables["overall"] = _ranked(tables["overall"], told.topic.metric)
    return Report(analysis, tables, "", notes(analysis, corpus))


def _ranked(overall: pl.DataFrame, metric: str) -> pl.DataFrame:
    """Return the systems best first by the score that all chapters go by."""
    if not metric.startswith("arcs"):
        return overall
    own = overall.filter(pl.col("metric") == metric)
    best = own.sort("f1", "system", descending=[True, False], nulls_last=True)
    rank = best.select("system").with_row_index("rank")
    joined = overall.join(rank, on="system", how="left", maintain_order="left")
    return joined.sort("rank", maintain_order=True).drop("rank")


def _compared(corpus: Corpus, told: Told) -> Report:
    """Return the comparison, its score under the name that other chapters give it."""
    report = corpus.compare(**told.statistics)
    if not corpus.task_kind.report_metric(corpus):
        return report
    named = pl.lit(told.topic.metric).alias("metric")
    tables = {name: table.with_columns(named) for name, table in report.tables.items()}
    return replace(report, tables=tables)


def _buckets(corpus: Corpus, chapter: Chapter, topic: Topic) -> Report:
    from coleval.analyses.buckets.tables import all_tables

    # Without training data half of the usual attributes cannot be worked out.
    attributes = DEFAULT if corpus.training else (*DEFAULT, "position")
    tables, about = all_tables(corpus, BucketPlan(attributes, metric=topic.bucket_metric))
    # The finding is about all buckets, which a screen has no room for.
    names = (*chapter.tables, "buckets")
    kept = {name: tables[name] for name in names if name in tables}
    return Report("buckets", kept, "", (*notes("buckets", corpus), *about))


def _own(analysis: str, order: list[str], told: Told) -> dict[str, Any]:
    """Return the options of an analysis: which system, which pair."""
    if analysis == "pivot":
        return {"find": (order[0],)}
    return {"pairs": (told.pair(order),)} if analysis == "changes" else {}
