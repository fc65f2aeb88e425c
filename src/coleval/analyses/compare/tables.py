"""``compare``: is the difference real? Tests for pairs of systems, intervals, ranks, power."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.compare.plan import RESAMPLING, Plan, Setting, setting, settled
from coleval.analyses.compare.tests import Tested, tested
from coleval.analyses.counted import scored_items
from coleval.analyses.report.tables import cautions
from coleval.corpus.numbers import values
from coleval.declare.analysis import Result
from coleval.declare.counting import Resampled
from coleval.declare.options import options_of
from coleval.declare.tables import BETTER
from coleval.errors import UsageError
from coleval.statistics.measure import observed
from coleval.statistics.paired import OF_UNITS, POWER, detectable, score_interval
from coleval.statistics.ranking import rank_interval, ranks, share_best, tie_groups
from coleval.statistics.ratio import null_for_nan
from coleval.statistics.resampling import bootstrap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.analyses.compare.spec import Options
    from coleval.corpus.corpus import Corpus
    from coleval.statistics.measure import Floats


@dataclass(frozen=True, slots=True)
class Standing:
    """The systems best first: their scores, those of the replicates, and why there are none."""

    order: NDArray[np.intp]
    value: Floats
    drawn: Floats
    reason: str


def compare(corpus: Corpus, options: Options) -> Result:
    """Return the comparison under its plan, which the signature spells out."""
    if len(corpus.systems) < 2 and not options.folds:
        raise UsageError(
            f"there is one system, `{corpus.systems[0]}`"
            if corpus.systems
            else "there is no system",
            remedy="name another to compare it with; `score --intervals` has the interval of one",
        )
    names = (
        *options_of(Resampled),
        "metric",
        "test",
        "correct",
        "baseline",
        "group",
        "by",
        "resample",
        "folds",
        "test_share",
    )
    chosen, plan = settled(corpus, **{name: getattr(options, name) for name in names})
    if has_gaps(corpus):
        from coleval.analyses.compare.sparse import sparse_tables

        tables = sparse_tables(chosen, plan)
        return Result(tables, chosen, plan.parts())
    tables = compared(chosen, plan)
    return Result(tables, chosen, plan.parts(), cautions(tables, plan))


def has_gaps(corpus: Corpus) -> bool:
    """Tell whether systems have numbers on different items, which are compared pair by pair."""
    return corpus.task_kind.numeric and bool(np.isnan(values(scored_items(corpus))).any())


def compared(corpus: Corpus, plan: Plan) -> dict[str, pl.DataFrame]:
    """Return ``pairs``, ``ranks`` and ``power``; with groups or folds their tables too."""
    how = setting(corpus, plan)
    standing = stand(how)
    pairs = _pairs(how, standing)
    result = tested(how, standing.value, standing.drawn, pairs, standing.reason)
    groups = _grouped(how, standing) if plan.group else {}
    tables = {
        "pairs": pairs_table(how, standing, pairs, result),
        "ranks": ranks_table(how, standing, pairs, result),
        **groups,
        **_folded(how, pairs),
        "power": power_table(how, result),
    }
    if end := how.measure.better:
        tables = {k: frame.with_columns(pl.lit(end).alias(BETTER)) for k, frame in tables.items()}
    if not plan.by:
        return tables
    over = pl.lit(" · ".join(plan.by)).alias("mean_over")
    strata = how.measure.strata
    n = pl.lit(len(strata.units) if strata else None, pl.Int64).alias("groups")
    return {name: frame.with_columns(over, n) for name, frame in tables.items()}


def _grouped(how: Setting, standing: Standing) -> dict[str, pl.DataFrame]:
    from coleval.analyses.compare.groups import group_tables

    return group_tables(how, standing.value, standing.drawn)


def _folded(how: Setting, pairs: NDArray[np.intp]) -> dict[str, pl.DataFrame]:
    from coleval.analyses.compare.folds import checked_share, fold_tables

    checked_share(how.plan)
    return fold_tables(how, pairs) if how.plan.folds else {}


def stand(how: Setting) -> Standing:
    """Return the scores and their replicates; none where there is nothing to draw."""
    value = observed(how.measure)
    names = how.systems
    better = np.nan_to_num(how.measure.upwards(value), nan=-np.inf)
    order = sorted(range(len(names)), key=lambda k: (-better[k], names[k]))
    reason = nothing_to_draw(how)
    drawn = np.full((len(names), 0), np.nan) if reason else bootstrap(how.measure, how.resampling)
    return Standing(np.array(order, np.intp), value, drawn, reason)


def nothing_to_draw(how: Setting) -> str:
    """Return why units cannot be resampled, nothing if they can."""
    kind = how.plan.drawn
    if how.informed >= 2:
        return ""
    none = how.informed == 0
    return f"no {kind} has anything to score" if none else f"one {kind}: nothing to resample"


def _pairs(how: Setting, standing: Standing) -> NDArray[np.intp]:
    """Return pairs of systems, the better one first; or each other one with the baseline."""
    order = standing.order
    if not how.plan.baseline:
        return np.stack([order[at] for at in np.triu_indices(len(order), 1)], axis=1)
    base = how.systems.index(how.plan.baseline)
    others = order[order != base]
    return np.stack([others, np.full_like(others, base)], axis=1)


def pairs_table(
    how: Setting, standing: Standing, pairs: NDArray[np.intp], result: Tested
) -> pl.DataFrame:
    """Return one row a pair: the difference a - b, its interval, p values, effect, power."""
    a, b = pairs[:, 0], pairs[:, 1]
    columns = {
        "a": _named(how, a),
        "b": _named(how, b),
        "value_a": null_for_nan(standing.value[a]),
        "value_b": null_for_nan(standing.value[b]),
        "delta": null_for_nan(result.delta),
        "low": null_for_nan(result.low),
        "high": null_for_nan(result.high),
        "p": null_for_nan(result.p),
        "p_adjusted": null_for_nan(result.adjusted),
        "p_from": _sources(how, result),
        "a_better": result.wins,
        "b_better": result.losses,
        "effect": null_for_nan(result.effect),
        "detectable": null_for_nan(result.detectable),
        "units_needed": null_for_nan(result.needed).cast(pl.Int64),
        "replicates": pl.Series(result.counted.replicates, dtype=pl.Int64),
        "note": pl.Series(result.notes, dtype=pl.String),
    }
    return _planned(pl.DataFrame(columns), how)


def _planned(frame: pl.DataFrame, how: Setting) -> pl.DataFrame:
    """Return pairs with the columns that are the same in every row."""
    said = {
        "metric": pl.lit(how.plan.metric),
        "unit": pl.lit(how.plan.drawn),
        "units": pl.lit(how.units, dtype=pl.Int64),
    }
    names = frame.columns
    order = [*names[:2], "metric", *names[2:-2], "unit", "units", "replicates", "note"]
    return frame.with_columns(**said).select(order)


def _sources(how: Setting, result: Tested) -> pl.Series:
    """Return what each p is: counted among replicates or all exchanges, bounded, a formula's."""
    drawn = how.plan.test in RESAMPLING
    exact = how.plan.test in ("mcnemar", "sign")
    usual = "replicates" if drawn else "exact" if exact else "formula"
    found = result.counted
    cases = {"exact": found.exact, "formula": found.formula, "bound": found.bound}
    named = np.select(list(cases.values()), list(cases), usual)
    unknown = pl.Series(np.isnan(result.p))
    return pl.select(pl.when(~unknown).then(pl.Series(named))).to_series().cast(pl.String)


def ranks_table(
    how: Setting, standing: Standing, pairs: NDArray[np.intp], result: Tested
) -> pl.DataFrame:
    """Return one row a system, best first: score, interval, rank, and which others it beats."""
    order, value = standing.order, standing.value
    beaten = _beaten(how, pairs, result)
    drawn = {name: null_for_nan(column[order]) for name, column in _drawn(how, standing).items()}
    frame = {
        "system": _named(how, order),
        "metric": pl.Series([how.plan.metric] * len(order), dtype=pl.String),
        "value": null_for_nan(value[order]),
        **drawn,
        "group": _groups(how, standing, beaten),
        "better_than": pl.Series(beaten.sum(axis=1)[order], dtype=pl.Int64),
        "worse_than": pl.Series(beaten.sum(axis=0)[order], dtype=pl.Int64),
        "behind_best": _behind(how, standing, beaten),
        "note": pl.Series([_why(how, standing, k) for k in order], dtype=pl.String),
    }
    return pl.DataFrame(frame).with_columns(pl.col("rank", "rank_low", "rank_high").cast(pl.Int64))


def _drawn(how: Setting, standing: Standing) -> dict[str, Floats]:
    """Return interval, rank, rank interval and share of first places; undefined with the score."""
    value, drawn = standing.value, standing.drawn
    ends, places = np.full((2, 2, len(value)), np.nan)
    best = np.full(len(value), np.nan)
    if drawn.shape[1]:
        ends = score_interval(how.measure, drawn, how.plan.alpha, how.informed)
        best = share_best(how.measure.upwards(drawn))
        places = rank_interval(how.measure.upwards(drawn), how.plan.alpha).T
    found = {
        "low": ends[0],
        "high": ends[1],
        "rank": ranks(how.measure.upwards(value)[:, None])[:, 0],
        "rank_low": places[0],
        "rank_high": places[1],
        "p_best": best,
    }
    return {name: np.where(np.isnan(value), np.nan, column) for name, column in found.items()}


def _why(how: Setting, standing: Standing, system: int) -> str | None:
    if np.isnan(standing.value[system]):
        return f"{how.plan.metric} is undefined: nothing to divide by"
    return standing.reason or None


def _beaten(how: Setting, pairs: NDArray[np.intp], result: Tested) -> NDArray[np.bool_]:
    """Return who is really better than whom."""
    systems = len(how.systems)
    better, delta = np.zeros((systems, systems), np.bool_), how.measure.upwards(result.delta)
    with np.errstate(invalid="ignore"):
        real = result.adjusted < how.plan.alpha
    up = real & (delta > 0)
    better[pairs[up, 0], pairs[up, 1]] = True
    down = real & (delta < 0)
    better[pairs[down, 1], pairs[down, 0]] = True
    return better


def _behind(how: Setting, standing: Standing, beaten: NDArray[np.bool_]) -> pl.Series:
    """Return whether each system is significantly worse than the best; null where not tested."""
    order = standing.order
    known = not (how.plan.baseline or standing.reason)
    told = beaten[order[0], order].tolist() if known and len(order) else [None] * len(order)
    return pl.Series(told, dtype=pl.Boolean)


def _groups(how: Setting, standing: Standing, beaten: NDArray[np.bool_]) -> pl.Series:
    order = standing.order
    if how.plan.baseline or standing.reason:
        return pl.Series([None] * len(order), dtype=pl.Int64)
    groups = tie_groups(beaten[np.ix_(order, order)])
    known = ~np.isnan(standing.value[order])
    there = [group if k else None for group, k in zip(groups, known, strict=True)]
    return pl.Series(there, dtype=pl.Int64)


def power_table(how: Setting, result: Tested) -> pl.DataFrame:
    """Return the smallest difference a typical pair would show, alone and among all tests."""
    plan, known = how.plan, ~np.isnan(result.detectable)
    middle = float(np.median(result.detectable[known])) if known.any() else None
    tests = int((~np.isnan(result.p)).sum())
    one, all_ = (detectable(np.ones(1), a)[0] for a in (plan.alpha, plan.alpha / max(tests, 1)))
    shrunk = 1.0 if plan.correct == "none" else float(all_ / one)
    found = {
        "metric": plan.metric,
        "test": plan.test,
        "unit": plan.drawn,
        "units": how.units,
        "units_scored": how.informed,
        "tests": tests,
        "alpha": plan.alpha,
        "power": POWER,
        "detectable": middle,
        "detectable_adjusted": None if middle is None else middle * shrunk,
        "units_for_a_point": None if how.measure.plain else _for_a_point(how.units, middle),
        "note": _no_power(plan, middle),
    }
    kinds = {"detectable": pl.Float64, "detectable_adjusted": pl.Float64,
             "units_for_a_point": pl.Int64, "note": pl.String}  # fmt: skip
    return pl.DataFrame([found], schema_overrides=kinds)


def _no_power(plan: Plan, found: float | None) -> str | None:
    """Return why there is no smallest difference."""
    if found is not None:
        return None
    if plan.test in OF_UNITS:
        return f"not available for {plan.test}, of units' own scores; --test bootstrap gives it"
    return "no two systems whose difference varies between units"


def _for_a_point(units: int, found: float | None) -> int | None:
    """Return how many units a difference of one point would need."""
    return None if found is None else ceil(units * found**2 * 1e4)


def _named(how: Setting, which: NDArray[np.intp]) -> pl.Series:
    return pl.Series(how.systems, dtype=pl.String).gather(which)
