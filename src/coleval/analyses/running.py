"""From an analysis and its options to a report: conventions, tables, signature, warnings."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from coleval.analyses.about import about
from coleval.analyses.by_file import of_files_named
from coleval.analyses.page_items import page_items
from coleval.corpus.coverage import WRONG
from coleval.corpus.coverage import settled as covered
from coleval.corpus.effects import Call, check_effects, check_not_of_numbers
from coleval.corpus.excerpt import MOST, groups_in, shown_in
from coleval.corpus.forking import check_process
from coleval.corpus.items import SPANS
from coleval.corpus.lazy import LazyMapping, maker_of
from coleval.corpus.report import Report
from coleval.corpus.signature import plain, signature
from coleval.counts.spark import on_engine
from coleval.declare.analysis import Result
from coleval.declare.counting import (
    Attached,
    BucketRule,
    Corrected,
    Counting,
    Engined,
    ErrorNames,
    Grouped,
    Keys,
    Ranked,
    Resampled,
)
from coleval.declare.counting import Conventions as OfTrees
from coleval.declare.options import options_of
from coleval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import polars as pl

    from coleval.corpus.corpus import Corpus
    from coleval.declare.analysis import Analysis, Filtered
    from coleval.declare.options import Option

# The classes of options that are the corpus' own: how items are counted, whatever the analysis.
_COUNTING = (Counting, Engined, OfTrees, Attached, Ranked, Keys, ErrorNames, BucketRule)
_DRAWING = {*options_of(Resampled), *options_of(Corrected)}


def shared_options(options: Any) -> frozenset[str]:
    """Return the names of those options of an analysis that say how items are counted."""
    shared = (kind for kind in _COUNTING if issubclass(options, kind))
    return frozenset(name for kind in shared for name in options_of(kind))


def counted_by(corpus: Corpus, options: Any) -> Corpus:
    """Return the corpus under those options that say how items are counted."""
    names = shared_options(type(options))
    given = {name: getattr(options, name) for name in names}
    return corpus.scored_by({name: value for name, value in given.items() if value is not None})


def check_given(
    analysis: Analysis[..., Any], corpus: Corpus, options: Any, given: Mapping[str, Any]
) -> None:
    """Raise for the first option given that has no effect on this analysis of a corpus."""
    every = {name: getattr(options, name) for name in analysis.declared}
    call = Call(analysis.name, corpus, every)
    check_effects(call, analysis.declared, given)
    if corpus.task_kind.numeric and every.get("above") is None:
        names = [name for name in analysis.right_or_wrong.split() if name in given]
        check_not_of_numbers(call, analysis.declared, names)


def check_gold(corpus: Corpus) -> None:
    """Raise where systems were read without gold."""
    if not (corpus.has_gold or corpus.task_kind.numeric):
        raise UsageError(
            "there is no gold to compare with", where=corpus.gold.origin.path,
            remedy="name its column: --columns gold=NAME; without gold there are `coleval "
            "behaviour`, `show` and `sql`",
        )  # fmt: skip


def report(analysis: Analysis[..., Any], corpus: Corpus, options: Any) -> Report:
    """Return the report of an analysis over a corpus."""
    check_process()
    asked = on_engine(settled(analysis.name, counted_by(corpus, options)))
    if (grid := asked.grid) is not None and (
        # Other files are no concern of those who have not run on them.
        (asked.scoring.missing != WRONG and grid.missing(asked.systems))
        or _holds(analysis.by_file, asked, options)
    ):
        asked = of_files_named(asked)
    chosen, missing = covered(
        asked,
        each=analysis.each,
        sparse=bool(analysis.of_numbers),
        with_gaps=bool(getattr(options, "model", "")),
    )
    if chosen.task_kind.numeric and not asked.task_kind.numeric:
        every = {name: getattr(options, name) for name in analysis.declared}
        call = Call(analysis.name, chosen, every)
        check_not_of_numbers(call, analysis.declared, analysis.right_or_wrong.split())
    result = resulting(analysis.counted(chosen, options))
    grouped = by_group(analysis, asked, options, result.tables)
    chosen = result.corpus or chosen
    said = unusual(analysis, options)
    if result.signed is not None:
        # How units were drawn and tests corrected, it says itself.
        said = {k: v for k, v in said.items() if k not in _DRAWING} | dict(result.signed)
    filtered = notes(analysis, chosen, options)
    warnings = (*chosen.warnings, *missing, *filtered, *result.warnings)
    signed = signature(chosen, extra=dict(said))
    tables = _made(grouped, result)
    if asked.limit is not None:
        asked.limit.check(f"`{analysis.name}`")
    shown = result.shown
    if shown is None and len(chosen.systems) > MOST:
        shown = shown_in(tables)
    return Report(
        analysis.name,
        tables,
        signed,
        warnings,
        look=result.look,
        about=about(chosen),
        leads=result.leads,
        shown=shown,
        groups=result.groups or groups_in(tables),
        excerpts=result.excerpts,
        # A leaderboard is to be published, and gold is not.
        items=None if getattr(options, "leaderboard", False) else page_items(chosen, options),
    )


def _made(grouped: Mapping[str, pl.DataFrame], result: Result) -> Mapping[str, pl.DataFrame]:
    """Return all tables, made now, so that what is wrong with an option is said here and not later.

    But for those that are too large to be made unless somebody looks at them.
    """
    if not result.late and not result.excerpts:
        return {**grouped, **result.tables}
    makers = {name: maker_of(table) for name, table in grouped.items()}
    for name in result.tables:
        make = partial(result.tables.__getitem__, name)
        makers[name] = make if name in result.late else maker_of(make())
    return LazyMapping(makers | {name: part.whole for name, part in result.excerpts.items()})


def by_group(
    analysis: Analysis[..., Any],
    corpus: Corpus,
    options: Any,
    whole: Mapping[str, pl.DataFrame],
) -> dict[str, pl.DataFrame]:
    """Return the tables of the groups, where some are asked for (``--by``)."""
    if not isinstance(options, Grouped) or not options.by:
        return {}
    from coleval.analyses.grouping import BY, grouped

    if BY in whole:
        return {}
    found = grouped(analysis, corpus, options)
    if not analysis.ranking:
        return {BY: found.table}
    ranked: dict[str, pl.DataFrame] = analysis.part(*analysis.ranking.split(":"))(
        corpus, found, whole
    )
    return ranked


def resulting(made: Result | Mapping[str, pl.DataFrame]) -> Result:
    """Return what an analysis made, tables alone as a result with nothing more to say."""
    return made if isinstance(made, Result) else Result(made)


def own(analysis: Analysis[..., Any], options: Any) -> dict[str, Any]:
    """Return the options that only this analysis has, by name."""
    shared = shared_options(type(options))
    return {name: getattr(options, name) for name in analysis.declared if name not in shared}


def _holds(fact: Filtered | bool, corpus: Corpus, options: Any) -> bool:
    """Return what is declared of an analysis, which may depend on the corpus and its options."""
    return fact if isinstance(fact, bool) else fact(corpus, options)


def unusual(analysis: Analysis[..., Any], options: Any) -> dict[str, str]:
    """Return what the signature says: the options of an analysis that are not as by default."""
    return {
        name: plain(value)
        for name, value in own(analysis, options).items()
        if _is_plain(value) and _signed(analysis.declared[name], value)
    }


def _is_plain(value: object) -> bool:
    """Return whether something was chosen that can be written out as it is."""
    number = isinstance(value, int | float) and value is not False
    return number or (bool(value) and isinstance(value, str | list | tuple))


def _signed(option: Option, value: object) -> bool:
    return value != option.default if option.about.signed is None else option.about.signed


def notes(analysis: Analysis[..., Any], corpus: Corpus, options: Any) -> tuple[str, ...]:
    """Return what is to be said of a filter: that nothing is left, or what precision is of."""
    if not corpus.scoring.where:
        return ()
    from coleval.analyses.where_notes import left_out, nothing_left

    if nothing := nothing_left(corpus):
        return nothing
    if corpus.task_kind.numeric or not _holds(analysis.filtered, corpus, options):
        return ()
    spans = analysis.name == "errors" and corpus.scoring.unit not in SPANS
    return left_out(corpus.with_options(unit="span") if spans else corpus)


def settled(name: str, corpus: Corpus) -> Corpus:
    """Return a corpus under the conventions of its task for an analysis, where others are free."""
    usual = corpus.task_kind.conventions.get(name, {})
    return corpus.scored_by({k: v for k, v in usual.items() if getattr(corpus.scoring, k) is None})


def of_one_mind(corpus: Corpus) -> Corpus:
    """Return a corpus for several analyses, which all count as the leaderboard does."""
    return settled("", corpus)


def some_tables(
    analysis: Analysis[..., Any], corpus: Corpus, wanted: Iterable[str], **given: Any
) -> dict[str, pl.DataFrame]:
    """Return those tables of an analysis that are wanted; others are not made if they can wait."""
    made = analysis.counted(settled(analysis.name, corpus), analysis.chosen(given))
    tables = resulting(made).tables
    return {table: tables[table] for table in wanted if table in tables}
