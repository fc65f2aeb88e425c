"""``report``: all analyses that apply, each with one sentence that says what was found.

Chapters go from who wins to what could still be won. Each keeps the tables that a screen has room
for, under their own names behind the analysis': ``score.overall``, ``bins.tps``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from statistics import quantiles
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from coleval.analyses.behaviour.spec import Cases
from coleval.analyses.compare.plan import settled as plan_settled
from coleval.analyses.compare.undecided import CANNOT, UNDECIDED, needed
from coleval.analyses.grouping import BY, groups_of
from coleval.analyses.registry import ANALYSES
from coleval.analyses.running import by_group, notes, of_one_mind, resulting, settled
from coleval.analyses.trained import signed, trained
from coleval.analyses.wording import listed, noun_for, number_of, percent, points, worded
from coleval.corpus.coverage import settled as covered
from coleval.corpus.excerpt import (
    ROWS,
    Excerpt,
    ShownGroups,
    ShownSystems,
    excerpt_of,
    groups_in,
    shown_of,
)
from coleval.corpus.grid import DATASET
from coleval.corpus.report import Report
from coleval.declare.analysis import Analysis, Chapter, Result
from coleval.declare.counting import CHAIN_METRICS, Resampled
from coleval.declare.counting import METRICS as TREE_METRICS
from coleval.declare.options import options_of, values
from coleval.errors import ColevalError, GateError, unknown
from coleval.metrics.registry import titled
from coleval.statistics.paired import MANY_UNITS, OF_UNITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

    from coleval.analyses.compare.plan import Plan
    from coleval.analyses.grouping import Group
    from coleval.analyses.report.spec import Options
    from coleval.corpus.corpus import Corpus

    Row = tuple[str, str, str | None, str | None]

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
        module = analysis.module("findings")
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
        # What items have is a mean of sentence scores, not the score of the corpus.
        means = analysis.counts_numbers(corpus) and corpus.task_kind.texts
        own = replace(topic, metric="mean") if means else topic
        found = worded(analysis, corpus).finding(part, own)
        if varying and not corpus.task_kind.numeric and (more := varying.said(analysis, story)):
            found = f"{found} {more}"
        rows.append((analysis.name, question, found, None))
        tables |= _kept(analysis, part, story)
        short = _excerpts(analysis, module, corpus, story, tables)
        excerpts |= short
        tables |= {name: part.frame for name, part in short.items()}
        warnings += part.warnings
    rows = _with_ties(rows, parts, topic, worded(ANALYSES["score"], corpus))
    first = {"story": pl.DataFrame(rows, schema=_STORY, orient="row")}
    leads = () if options.every else _leads(tables)
    return Result(
        first | tables, corpus, _extra(corpus, story), tuple(dict.fromkeys(warnings)),
        leads=leads, shown=story.shown, groups=story.groups, excerpts=excerpts,
    )  # fmt: skip


def _with_ties(
    rows: list[Row], parts: Mapping[str, Report], topic: Topic, wording: ModuleType
) -> list[Row]:
    """Return the findings, the first of which names the best as far as tests can tell it apart."""
    if not {"score", "compare"} <= set(parts):
        return rows
    pairs, ranks = parts["compare"].table("pairs"), parts["compare"].table("ranks")
    if pairs["note"].str.starts_with(UNDECIDED).any() or cannot_decide(pairs) is not None:
        return rows
    topic = replace(topic, tied=tuple(ranks.filter(~pl.col("behind_best"))["system"]))
    best = wording.finding(parts["score"], topic)
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


@dataclass(slots=True)
class Story:
    """The score that ranks, the system before, the test's options, the systems best first.

    A ``baseline`` may be ``named`` by the caller, or a system that is called so; ``order`` is that
    of the first chapter once it is written, and ``ranked`` then. Systems are ranked by means over
    groups ``by`` columns, if there are any; of very many groups some are shown. ``cases`` are the
    options that say which rows belong together, if any is given.
    """

    topic: Topic
    baseline: str
    named: bool
    statistics: dict[str, Any]
    order: list[str] = field(default_factory=list)
    by: tuple[str, ...] = ()
    ranked: bool = False
    groups: ShownGroups | None = None
    cases: dict[str, Any] = field(default_factory=dict)

    @property
    def shown(self) -> ShownSystems | None:
        """Return which systems of a crowd are shown: best, worst, the baseline."""
        return shown_of(self.order, ranked=self.ranked, named=filter(None, (self.baseline,)))

    @property
    def pair(self) -> tuple[str, str]:
        """Return the systems of the chapter on changes: the baseline or the runner-up, the best."""
        other = self.baseline and self.baseline != self.order[0]
        return (self.baseline if other else self.order[1], self.order[0])


@dataclass(frozen=True, slots=True)
class Topic:
    """The metric that ranks, the items, and the systems that set the difficulty.

    ``empty_is_answer``: each item has an answer, so that there is an accuracy; ``chosen``: the
    bins are those of chosen systems (``--bins-from``); ``group``: what groups are called; ``tied``:
    the best system and those not significantly worse, where that is tested.
    """

    metric: str
    unit: str
    empty_is_answer: bool
    judges: tuple[str, ...]
    chosen: bool = False
    group: str = "group"
    tied: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Return the metric as sentences name it."""
        return titled(self.metric)

    @property
    def item_title(self) -> str:
        """Return the score that chapters about items have: of coreference, that of mentions."""
        return titled(f"arcs_{self.unit}") if self.metric in CHAIN_METRICS else self.title

    @property
    def bucket_metric(self) -> str:
        """Return which score of a bucket is the metric's own."""
        return "accuracy" if self.empty_is_answer else "f1"

    @property
    def share_title(self) -> str:
        """Return the name of the share of gold's items that are right."""
        if self.metric in TREE_METRICS or self.metric == "accuracy":
            return self.title
        return "recall"


# With more groups each chapter would be counted again for each of them: too long to wait for.
MOST = 200
# A value is unusual beyond so many times the middle half from it (Tukey 1977).
_FAR, _ENOUGH, _NAMED = 1.5, 8, 3


class Varying:
    """The groups, over which chapters that measure something are counted again."""

    def __init__(self, groups: Sequence[Group]) -> None:
        """Keep the groups."""
        self.groups = groups if len(groups) <= MOST else ()

    def said(self, analysis: Analysis[..., Any], story: Story) -> str:
        """Return the range of what a chapter measures, and the groups that differ from the rest."""
        module = analysis.module("findings")
        if not hasattr(module, "measured"):
            return ""
        named = [(group.name or "–", group) for group in self.groups]
        found = [(name, self._measured(analysis, module, group, story)) for name, group in named]
        known = sorted((value, name) for name, value in found if value is not None)
        if len(known) < 2:
            return ""
        shown = points if getattr(module, "IN_POINTS", False) else percent
        (low, lowest), (high, highest) = known[0], known[-1]
        text = (
            f"Over {number_of(len(known), story.topic.group)} the {module.MEASURED} goes from "
            f"{shown(low)} ({lowest}) to {shown(high)} ({highest})"
        )
        unusual = _unusual(known)
        return f"{text}; unlike the rest: {listed(unusual)}." if unusual else f"{text}."

    def _measured(
        self, analysis: Analysis[..., Any], module: ModuleType, group: Group, story: Story
    ) -> float | None:
        try:
            corpus, _ = covered(group.corpus, each=analysis.each)
            prepare = getattr(module, "prepare", None)
            prepared = prepare(corpus, story) if prepare else (corpus, {})
            if isinstance(prepared, str):
                return None
            own, options = prepared[0], analysis.chosen(prepared[1])
            result = resulting(analysis.counted(settled(analysis.name, own), options))
        except ColevalError:
            # Such as a group in which there is nothing to count.
            return None
        found: float | None = module.measured(Report(analysis.name, result.tables, ""), story.topic)
        return found


def _unusual(known: Sequence[tuple[float, str]]) -> list[str]:
    """Return the groups far outside the middle half, if there are enough to tell."""
    if len(known) < _ENOUGH:
        return []
    low, _, high = quantiles([value for value, _ in known], n=4)
    reach = _FAR * (high - low)
    return [name for value, name in known if value < low - reach or value > high + reach][:_NAMED]


# So few units are worth a word whatever the test.
FEW = 20
# More replicates than this take too long, and too much memory, to be advised.
MOST_ADVISED = 250_000


def cautions(tables: Mapping[str, pl.DataFrame], plan: Plan) -> tuple[str, ...]:
    """Return what limits a comparison: few units, few replicates, runs without a score."""
    power = tables["power"].row(0, named=True)
    few_replicates = tuple(_replicates(tables, power, plan))
    return (
        *_units(tables, power, plan),
        *few_replicates,
        *(() if few_replicates else _undecided(tables, power, plan)),
        *_left_out(tables),
    )


def few_units(units: int, kind: str) -> str:
    """Return what few units do to intervals, nothing if there are enough of them."""
    if not 2 <= units < FEW:
        return ""
    degrees = f"{number_of(units - 1, 'degree')} of freedom"
    return f"only {units} {kind}s to resample: intervals are widened by Student's t with {degrees}"


def _units(
    tables: Mapping[str, pl.DataFrame], power: Mapping[str, Any], plan: Plan
) -> Iterator[str]:
    units, kind = power["units_scored"], plan.drawn
    few = few_units(units, kind)
    if few and plan.test not in OF_UNITS:
        yield few
    if plan.test == "bootstrap" and 2 <= units < MANY_UNITS:
        yield (
            f"with {units} {kind}s p of the bootstrap is too small; --test randomisation keeps its "
            "level"
        )
    if (too_few := cannot_decide(tables["pairs"])) is None:
        return
    yield (
        f"with {too_few.partition(f' {CANNOT}')[0]} no p of "
        f"{number_of(power['tests'], 'test')} can be below "
        f"{plan.alpha:g} after correction ({plan.correct}), however large the difference; use "
        "more, smaller units (--unit-of-resampling) or fewer tests (--baseline)"
    )


def cannot_decide(pairs: pl.DataFrame) -> str | None:
    """Return the note of pairs that all units together are too few for, None if they are not."""
    notes = pairs["note"].drop_nulls()
    return next((note for note in notes if CANNOT in note and "in which" not in note), None)


def _replicates(
    tables: Mapping[str, pl.DataFrame], power: Mapping[str, Any], plan: Plan
) -> Iterator[str]:
    counted = "replicates" in tables["pairs"]["p_from"]
    if not counted or plan.bounded:
        return
    tests = power["tests"]
    if (tests if plan.correct != "none" else 1) / (plan.replicates + 1) >= plan.alpha:
        yield (
            f"with {number_of(plan.replicates, 'replicate')} no p of {number_of(tests, 'test')} "
            f"can be below {plan.alpha:g} after correction ({plan.correct}); use --replicates "
            f"{int(tests / plan.alpha) * 2:,} or more"
        )


def _undecided(
    tables: Mapping[str, pl.DataFrame], power: Mapping[str, Any], plan: Plan
) -> Iterator[str]:
    for name in ("pairs", "group_pairs"):
        notes = tables[name]["note"].drop_nulls().to_list() if name in tables else []
        n = sum(note.startswith(UNDECIDED) for note in notes)
        if n:
            yield (
                f"{n:,} of {number_of(tables[name].height, 'difference')} "
                f"{noun_for(n, 'is', 'are')} undecided: {noun_for(n, 'it', 'they')} might be "
                f"significant with more replicates; {_remedy(power, plan)}"
            )


def _remedy(power: Mapping[str, Any], plan: Plan) -> str:
    number = needed(power["tests"], plan.alpha)
    if number > MOST_ADVISED:
        return "--baseline leaves fewer tests, which need fewer replicates"
    return f"--replicates {number:,} would decide them"


def _left_out(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Yield which runs are in no mean of their group."""
    if "groups" not in tables:
        return
    for row in tables["groups"].filter(tables["groups"]["note"].is_not_null()).to_dicts():
        yield f"group {row['group']}: {row['note']}"
