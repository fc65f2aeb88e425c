"""Bootstrap intervals beside the scores of a leaderboard, overall and by label."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.compare.plan import Plan, setting, settled
from coleval.analyses.counted import scored_items
from coleval.analyses.report.tables import few_units
from coleval.analyses.score.numbers import is_of_metric
from coleval.analyses.score.tables import board
from coleval.analyses.wording import number_of
from coleval.declare.analysis import Result
from coleval.declare.counting import Resampled
from coleval.declare.options import values
from coleval.metrics.counting import by_pattern, counting_of
from coleval.metrics.registry import measure
from coleval.statistics.measure import Measure, informed, of_rows
from coleval.statistics.paired import interval, proportion, score_interval, widened
from coleval.statistics.ratio import null_for_nan
from coleval.statistics.resampling import Replicates, bootstrap_sums, bootstraps

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from coleval.analyses.score.spec import Options
    from coleval.corpus.corpus import Corpus
    from coleval.counts.units import Units
    from coleval.statistics.measure import Floats, UnitSums

OVERALL = ("accuracy", "precision", "recall", "f1", "macro_f1")
LABELS = ("precision", "recall", "f1")
# One unit cannot be drawn in two ways.
FEWEST = 2


def scored(corpus: Corpus, options: Options) -> Result:
    """Return the leaderboard with intervals."""
    given = values(options, Resampled)
    if corpus.task_kind.mentions:
        # Chains reach over all of a document, even where there is but one.
        given = {"unit_of_resampling": "document", **given}
    if is_of_metric(corpus):
        given = {"metric": corpus.scoring.metric, **given}
    chosen, plan = settled(corpus, correct="none", **given)
    said = {"intervals": f"bootstrap/{plan.replicates}"}
    shown = ("resample", "alpha", "seed")
    said |= {name: value for name, value in plan.parts().items() if name in shown}
    return Result(with_intervals(chosen, plan), chosen, said, few(chosen, plan))


def with_intervals(corpus: Corpus, plan: Plan) -> dict[str, pl.DataFrame]:
    """Return the tables of ``score`` with ``_low`` and ``_high`` behind each headline score."""
    tables = dict(board(corpus))
    if corpus.task_kind.unit_sums is not None:
        sums = corpus.task_kind.unit_sums(corpus, plan.unit_of_resampling)
        return {**tables, "overall": _by_metric(corpus, plan, sums, tables["overall"])}
    if corpus.task_kind.numeric or is_of_metric(corpus):
        return {**tables, "overall": _of_numbers(corpus, plan, tables["overall"])}
    overall = tables["overall"]
    there = [name for name in OVERALL if overall[name].null_count() < overall.height]
    by_label = LABELS if "labels" in tables else ()
    every = (*there, *(f"macro_{name}" for name in by_label))
    counting = by_pattern(
        counting_of(corpus, scored_items(corpus), plan.unit_of_resampling), *every
    )
    systems, labels = counting.items.systems, counting.items.labels
    counting = replace(counting, kept={})
    measures = {name: measure(name, counting) for name in every}
    single = [
        replace(measures[f"macro_{name}"], classes=[make], average="")
        for name in by_label
        for make in measures[f"macro_{name}"].classes[: len(labels)]
    ]
    ends = iter(_ends([*(measures[name] for name in there), *single], counting.units, plan))
    for name in there:
        frame = _framed(systems, [""], name, [next(ends)]).drop("label")
        tables["overall"] = _beside(tables["overall"], frame, name, ["system"])
    for name in by_label:
        frame = _framed(systems, labels, name, list(islice(ends, len(labels))))
        tables["labels"] = _beside(tables["labels"], frame, name, ["system", "label"])
    return tables


def _of_numbers(corpus: Corpus, plan: Plan, table: pl.DataFrame) -> pl.DataFrame:
    counting = counting_of(corpus, scored_items(corpus), plan.unit_of_resampling)
    counting = by_pattern(counting, plan.metric)
    (ends,) = _ends([measure(plan.metric, counting)], counting.units, plan)
    frame = _framed(counting.items.systems, [""], "value", [ends]).drop("label")
    return _beside(table, frame, "value", ["system"])


def _by_metric(
    corpus: Corpus, plan: Plan, sums: Iterable[UnitSums], table: pl.DataFrame
) -> pl.DataFrame:
    """Return a table of systems and metrics with the ends of each score that it has."""
    frames: dict[str, list[pl.DataFrame]] = {}
    for one in sums:
        how = Replicates(one.key, plan.seed, plan.replicates)
        drawn = one.scores(bootstrap_sums(one.rows, how), corpus.scoring.zero_division)
        in_units = one.scores(one.rows.astype(np.float64), None)
        for (metric, name), values_ in drawn.items():
            units = int((~np.isnan(in_units[metric, name])).any(axis=0).sum())
            ends = _widened(values_, plan, units)
            frame = _framed(corpus.systems, [metric], name, [ends]).rename({"label": "metric"})
            frames.setdefault(name, []).append(frame)
    for name, parts in frames.items():
        table = _beside(table, pl.concat(parts), name, ["system", "metric"])
    return table


def _widened(drawn: Floats, plan: Plan, units: int) -> Floats:
    """Return low and high of every system; undefined without two units."""
    if units < FEWEST:
        return np.full((2, len(drawn)), np.nan)
    return interval(drawn, widened(plan.alpha, units))


def _ends(measures: Sequence[Measure], units: Units, plan: Plan) -> list[Floats]:
    """Return low and high of every system, measure by measure; undefined without two units.

    The units are drawn once for all measures, but for none that needs no replicates.
    """
    scores, key = of_rows(measures, units.key, units.n)
    single = [at for at, score in enumerate(scores) if proportion(score)]
    others = [at for at in range(len(scores)) if at not in single]
    drawn = bootstraps([scores[at] for at in others], Replicates(key, plan.seed, plan.replicates))
    ends = {at: _interval(scores[at], np.empty((0, 0)), plan) for at in single}
    ends |= {others[at]: _interval(scores[others[at]], values_, plan) for at, values_ in drawn}
    return [ends[at] for at in range(len(scores))]


def _interval(score: Measure, drawn: Floats, plan: Plan) -> Floats:
    units = informed(score)
    ends = score_interval(score, drawn, plan.alpha, units)
    return ends if units >= FEWEST else np.full_like(ends, np.nan)


def few(corpus: Corpus, plan: Plan) -> tuple[str, ...]:
    """Return a warning if the intervals of the plan's score are over few units, or over one."""
    units, kind = setting(corpus, plan).informed, plan.unit_of_resampling
    if units < FEWEST:
        return (f"{number_of(units, kind)} to resample: there are no intervals",)
    said = few_units(units, kind)
    return (said,) if said else ()


def _framed(
    systems: Sequence[str], labels: Sequence[str], name: str, ends: Sequence[Floats]
) -> pl.DataFrame:
    columns: dict[str, Any] = {
        "system": list(systems) * len(labels),
        "label": [label for label in labels for _ in systems],
    }
    for at, end in enumerate(("low", "high")):
        values = [part[at] for part in ends]
        flat = np.concatenate(values) if values else np.zeros(0)
        columns[f"{name}_{end}"] = null_for_nan(flat)
    kinds = {"system": pl.String, "label": pl.String}
    return pl.DataFrame(columns, schema_overrides=kinds)


def _beside(table: pl.DataFrame, ends: pl.DataFrame, name: str, keys: list[str]) -> pl.DataFrame:
    """Return the table with the ends of a score behind it, null where the score itself is."""
    joined = table.join(ends, on=keys, how="left", maintain_order="left")
    low, high = f"{name}_low", f"{name}_high"
    known = pl.when(pl.col(name).is_not_null())
    joined = joined.with_columns(known.then(low).alias(low), known.then(high).alias(high))
    at = table.columns.index(name) + 1
    return joined.select(*table.columns[:at], low, high, *table.columns[at:])
