"""Bootstrap intervals beside the scores of a leaderboard, overall and by label."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.compare.plan import Plan, Setting, setting, settled
from coleval.analyses.report.tables import few_units
from coleval.analyses.wording import number_of
from coleval.declare.analysis import Result
from coleval.declare.counting import Resampled
from coleval.declare.options import values
from coleval.statistics.measure import Measure, informed
from coleval.statistics.paired import interval, score_interval, widened
from coleval.statistics.ratio import null_for_nan
from coleval.statistics.resampling import Replicates, bootstrap, bootstrap_sums

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from coleval.analyses.score.spec import Options
    from coleval.corpus.corpus import Corpus
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
    chosen, plan = settled(corpus, correct="none", **given)
    said = {"intervals": f"bootstrap/{plan.replicates}"}
    shown = ("resample", "alpha", "seed")
    said |= {name: value for name, value in plan.parts().items() if name in shown}
    return Result(with_intervals(chosen, plan), chosen, said, few(chosen, plan))


def with_intervals(corpus: Corpus, plan: Plan) -> dict[str, pl.DataFrame]:
    """Return the tables of ``score`` with ``_low`` and ``_high`` behind each headline score."""
    tables = dict(corpus.task_kind.leaderboard(corpus))
    if corpus.task_kind.unit_sums is not None:
        sums = corpus.task_kind.unit_sums(corpus, plan.unit_of_resampling)
        return {**tables, "overall": _by_metric(corpus, plan, sums, tables["overall"])}
    overall = tables["overall"]
    there = [name for name in OVERALL if overall[name].null_count() < overall.height]
    for name in there:
        how = setting(corpus, replace(plan, metric=name))
        ends = _ends(how, [how.measure])[0]
        frame = _framed(how.systems, [""], name, [ends]).drop("label")
        tables["overall"] = _beside(tables["overall"], frame, name, ["system"])
    if "labels" in tables:
        tables["labels"] = _by_label(corpus, plan, tables["labels"])
    return tables


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


def _by_label(corpus: Corpus, plan: Plan, table: pl.DataFrame) -> pl.DataFrame:
    for name in LABELS:
        how = setting(corpus, replace(plan, metric=f"macro_{name}"))
        single = [
            Measure(name, [make], zero_division=corpus.scoring.zero_division)
            for make in how.measure.classes[: len(how.counting.items.labels)]
        ]
        frame = _framed(how.systems, how.counting.items.labels, name, _ends(how, single))
        table = _beside(table, frame, name, ["system", "label"])
    return table


def _ends(how: Setting, measures: Sequence[Measure]) -> list[Floats]:
    """Return low and high of every system, measure by measure; undefined without two units."""
    nothing = np.full((2, len(how.systems)), np.nan)
    return [
        score_interval(measure, bootstrap(measure, how.resampling), how.plan.alpha, units)
        if units >= FEWEST
        else nothing
        for measure, units in ((measure, informed(measure)) for measure in measures)
    ]


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
