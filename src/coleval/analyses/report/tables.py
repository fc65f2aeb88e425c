"""``report``: all analyses that apply, each with one sentence that says what was found.

Chapters go from who wins to what could still be won. Each keeps the tables that a screen has room
for, under their own names behind the analysis': ``score.overall``, ``bins.tps``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from coleval.analyses.behaviour.spec import Cases
from coleval.analyses.compare.plan import settled as plan_settled
from coleval.analyses.compare.undecided import UNDECIDED
from coleval.analyses.grouping import BY, groups_of
from coleval.analyses.registry import ANALYSES
from coleval.analyses.report.cautions import cannot_decide
from coleval.analyses.report.story import Story
from coleval.analyses.report.topic import Topic
from coleval.analyses.report.varying import Varying
from coleval.analyses.running import by_group, notes, of_one_mind, resulting, settled
from coleval.analyses.trained import signed, trained
from coleval.corpus.excerpt import ROWS, Excerpt, excerpt_of, groups_in
from coleval.corpus.grid import DATASET
from coleval.corpus.report import Report
from coleval.declare.analysis import Analysis, Chapter, Result
from coleval.declare.counting import Resampled
from coleval.declare.options import options_of, values
from coleval.errors import ColevalError, GateError, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

    Row = tuple[str, str, str | None, str | None]

    from coleval.analyses.report.spec import Options
    from coleval.corpus.corpus import Corpus

# With more systems than this there are too many pairs to keep.
_MANY = 12
_STORY = dict.fromkeys(("chapter", "question", "finding", "left_out"), pl.String)


def _chapter(analysis: Analysis[..., Any]) -> Chapter:
    return cast("Chapter", analysis.chapter)


CHAPTERS = tuple(
    sorted((one for one in ANALYSES.values() if one.chapter), key=lambda one: _chapter(one).place)
)


def report(corpus: Corpus, options: Options) -> Result:
    """Return ``story`` with a sentence a chapter, then the tables of all chapters."""
    if options.relations is not None:
        corpus = corpus.with_table(options.relations)
    corpus = of_one_mind(trained(corpus, options))
    baseline = _baseline(corpus, options.baseline)
    by = tuple(options.by) or _datasets(corpus)
    topic, drawn = _topic(corpus, by), values(options, Resampled)
    default = {name: one.default for name, one in options_of(Cases).items()}
    cases = {k: v for k, v in values(options, Cases).items() if v != default[k]}
    # The table is joined for the whole report.
    cases.pop("relations", None)
    story = Story(topic, baseline, bool(options.baseline), drawn, list(corpus.systems), by,
                  cases=cases)  # fmt: skip
    excerpts: dict[str, Excerpt] = {}
    varying = Varying(groups_of(corpus, by)) if by else None
    tables: dict[str, pl.DataFrame] = {}
    rows: list[Row] = []
    parts: dict[str, Report] = {}
    warnings: list[str] = []
    for analysis in CHAPTERS:
        module = analysis.module("chapter")
        question = _question(analysis, module, story)
        (options.progress or _quiet)(question)
        part = _part(corpus, analysis, module, story)
        if corpus.limit is not None:
            corpus.limit.check(f"the chapter `{analysis.name}`")
        if part == "":
            continue
        if isinstance(part, str):
            rows.append((analysis.name, question, None, part))
            continue
        if analysis.name in ("score", "compare"):
            parts[analysis.name] = part
        if analysis.name == "score":
            ranked = part.table("ranking" if "ranking" in part.tables else "overall")
            story.order, story.ranked = list(dict.fromkeys(ranked["system"].to_list())), True
            story.groups = groups_in(part.tables)
        found = module.finding(part, topic)
        if varying and (more := varying.said(analysis, story)):
            found = f"{found} {more}"
        rows.append((analysis.name, question, found, None))
        tables |= _kept(analysis, part, story)
        short = _excerpts(analysis, module, corpus, story, tables)
        excerpts |= short
        tables |= {name: part.frame for name, part in short.items()}
        warnings += part.warnings
    rows = _with_ties(rows, parts, topic)
    first = {"story": pl.DataFrame(rows, schema=_STORY, orient="row")}
    about = tuple(dict.fromkeys(warnings))
    leads = () if options.every else _leads(tables)
    return Result(
        first | tables, corpus, _extra(corpus, story), about, leads=leads, shown=story.shown,
        groups=story.groups, excerpts=excerpts,
    )  # fmt: skip


def _with_ties(rows: list[Row], parts: Mapping[str, Report], topic: Topic) -> list[Row]:
    """Return the findings, the first of which names the best as far as tests can tell it apart."""
    if not {"score", "compare"} <= set(parts):
        return rows
    pairs, ranks = parts["compare"].table("pairs"), parts["compare"].table("ranks")
    undecided = pairs["note"].str.starts_with(UNDECIDED).any()
    if undecided or cannot_decide(pairs) is not None:
        return rows
    topic = replace(topic, tied=tuple(ranks.filter(~pl.col("behind_best"))["system"]))
    best = ANALYSES["score"].module("chapter").finding(parts["score"], topic)
    return [(row[0], row[1], best, None) if row[0] == "score" else row for row in rows]


def _leads(tables: Mapping[str, pl.DataFrame]) -> tuple[str, ...]:
    """Return what a screen leads with: of each chapter the first such table that there is."""
    named = [[f"{one.name}.{name}" for name in _chapter(one).leads] for one in CHAPTERS]
    found = (next((name for name in names if name in tables), "") for names in named)
    return ("story", *filter(None, found))


def _datasets(corpus: Corpus) -> tuple[str, ...]:
    """Return what systems are ranked over: datasets, if there are several."""
    grid = corpus.grid
    return (DATASET,) if grid is not None and len(grid.datasets) > 1 else ()


def _question(analysis: Analysis[..., Any], module: ModuleType, story: Story) -> str:
    usual = _chapter(analysis).question
    worded = getattr(module, "question", None)
    return worded(story, usual) if worded else usual


def _quiet(_: str) -> None:
    return


def _topic(corpus: Corpus, by: Sequence[str]) -> Topic:
    """Return what all findings are about."""
    items = corpus.at(corpus.scoring.unit)
    unit = "label" if items.group == "instance" else items.unit
    judges = tuple(items.systems if items.judges is None else items.judges)
    group = by[0] if len(by) == 1 and by[0].isidentifier() else "group"
    chosen = items.judges is not None
    return Topic(_metric(corpus), unit, items.empty_is_answer, judges, chosen, group)


def _metric(corpus: Corpus) -> str:
    """Return the score that all chapters rank and test by."""
    return corpus.task_kind.headline(corpus, corpus.at(corpus.scoring.unit))


def _baseline(corpus: Corpus, baseline: str) -> str:
    """Return the baseline: the one named, else the first system called so, else none."""
    if baseline and baseline not in corpus.systems:
        raise unknown("system", baseline, corpus.systems, where="--baseline")
    return baseline or next((n for n in corpus.systems if "baseline" in n.lower()), "")


def _extra(corpus: Corpus, story: Story) -> dict[str, str]:
    """Return what the signature says of the comparison, where there is one, and of the baseline."""
    extra = {"baseline": story.baseline} if story.named else {}
    extra |= {"by": ",".join(story.by)} if story.by else {}
    extra |= signed(corpus)
    if story.cases.get("test"):
        # The signature calls the test of significance so.
        extra["behaviour_test"] = story.cases["test"]
    if len(corpus.systems) < 2:
        return extra
    return plan_settled(corpus, **story.statistics)[1].parts() | extra


def _kept(analysis: Analysis[..., Any], part: Report, story: Story) -> dict[str, pl.DataFrame]:
    """Return the tables of a chapter under their names; a crowd has too many pairs to keep."""
    chapter = _chapter(analysis)
    left_out = chapter.crowded if len(story.order) > _MANY else ()
    kept = dict.fromkeys((*(n for n in ("ranking", BY) if n in part.tables), *chapter.tables))
    names = (n for n in kept if n in part.tables and n not in left_out)
    return {f"{analysis.name}.{name}": part.table(name) for name in names}


def _excerpts(
    analysis: Analysis[..., Any],
    module: ModuleType,
    corpus: Corpus,
    story: Story,
    tables: Mapping[str, pl.DataFrame],
) -> dict[str, Excerpt]:
    """Return what a report keeps of a chapter's long tables, and of those not made for a crowd."""
    front = f"{analysis.name}."
    found: dict[str, Excerpt] = {}
    for name in [name for name in tables if name.startswith(front)]:
        own = name.removeprefix(front)
        part = excerpt_of(own, tables[name], story.shown, story.groups, longer=ROWS)
        found |= {name: part} if part else {}
    instead = getattr(module, "excerpts", None)
    return found | {
        f"{front}{k}": v for k, v in (instead(corpus, story) if instead else {}).items()
    }


def _part(
    corpus: Corpus, analysis: Analysis[..., Any], module: ModuleType, story: Story
) -> Report | str:
    """Return the report of a chapter, or why there is none; nothing is said if nobody asked."""
    if len(story.order) < _chapter(analysis).systems:
        return "there is one system"
    prepare = getattr(module, "prepare", None)
    prepared = prepare(corpus, story) if prepare else (corpus, {})
    if isinstance(prepared, str):
        return prepared
    try:
        return _run(analysis, prepared, module, story)
    except GateError:
        # A limit on memory is one on the whole report.
        raise
    except ColevalError as error:
        if getattr(module, "NAMED", False):
            raise
        return error.problem


def _run(
    analysis: Analysis[..., Any],
    prepared: tuple[Corpus, dict[str, Any]],
    module: ModuleType,
    story: Story,
) -> Report:
    """Return the tables that a chapter keeps; what it does not keep is not made."""
    corpus, given = prepared
    chapter, options = _chapter(analysis), analysis.chosen(given)
    chosen = settled(analysis.name, corpus)
    result = resulting(analysis.counted(chosen, options))
    groups = by_group(analysis, corpus, options, result.tables)
    wanted = (*groups, *chapter.tables, *chapter.read)
    # Tables are made when they are looked at; of a crowd some that are not kept are long.
    sources = (groups, result.tables)
    made = {name: next((t for t in sources if name in t), None) for name in wanted}
    tables = {name: source[name] for name, source in made.items() if source is not None}
    finish = getattr(module, "finish", None)
    about = (*notes(analysis, result.corpus or chosen, options), *result.warnings)
    return Report(analysis.name, finish(tables, corpus, story) if finish else tables, "", about)
