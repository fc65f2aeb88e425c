"""``compare`` of systems that answered different items: each pair on those that both answered."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.compare.plan import Plan, setting
from coleval.analyses.compare.tables import pairs_table, power_table, stand
from coleval.analyses.compare.tests import tested
from coleval.analyses.counted import scored_items
from coleval.analyses.wording import listed
from coleval.corpus.numbers import values
from coleval.counts.units import units_of
from coleval.declare.tables import BETTER
from coleval.errors import UsageError
from coleval.statistics.ability import connected
from coleval.statistics.additive import adjusted_means, drawn_means
from coleval.statistics.paired import adjusted, interval
from coleval.statistics.ranking import rank_interval, ranks, share_best, tie_groups
from coleval.statistics.ratio import null_for_nan

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval.statistics.measure import Floats


def sparse_tables(corpus: Corpus, plan: Plan) -> dict[str, pl.DataFrame]:
    """Return ``pairs``, ``ranks`` and ``power`` of a table with gaps.

    Tests of a pair are over the items that both answered. Ranks go by means that are adjusted for
    how hard the items are that each system answered.
    """
    if plan.by or plan.group or plan.folds or plan.metric != "mean":
        raise UsageError(
            "systems that answered different items are compared by their means alone",
            where="--missing leave-out",
            remedy="leave out --by, --group, --folds and --metric, or name systems that answered "
            "the same items (--systems)",
        )
    items = scored_items(corpus)
    found, names = values(items), items.systems
    check_connected(found, names)
    means = adjusted_means(found)
    units = units_of(items, plan.unit_of_resampling)
    key = units.key[units.of] if len(units) != len(items) else units.key
    drawn = drawn_means(found, key, plan.seed, plan.replicates)
    sign = -1 if corpus.scoring.lower else 1
    order = sorted(range(len(names)), key=lambda k: (-sign * means[k], names[k]))
    each = _pairs(corpus, plan, [names[k] for k in order])
    pairs = pl.concat([pairs for pairs, _ in each])
    p = adjusted(pairs["p"].cast(pl.Float64).fill_null(np.nan).to_numpy(), plan.correct)
    pairs = pairs.with_columns(null_for_nan(p).alias("p_adjusted"))
    end = pl.lit("low" if sign < 0 else "high").alias(BETTER)
    power = pl.concat([power for _, power in each])
    middle = power.sort("detectable", nulls_last=True).slice((power.height - 1) // 2, 1)
    tables = {
        "pairs": pairs,
        "ranks": _ranks(found, means, drawn, order, pairs, names, plan, sign),
        "power": middle.with_columns(
            tests=pl.lit(len(each), pl.Int64), detectable_adjusted=pl.lit(None, pl.Float64)
        ),
    }
    return {name: frame.with_columns(end) for name, frame in tables.items()}


def check_connected(found: Floats, names: tuple[str, ...]) -> None:
    """Raise if systems fall into groups that no common item connects."""
    groups = connected(~np.isnan(found))
    if len(groups) > 1:
        parts = [listed([names[k] for k in group]) for group in groups[:3]]
        raise UsageError(
            f"the systems fall into {len(groups):,} groups without any item in common: "
            f"{' | '.join(parts)}",
            where="--missing leave-out",
            remedy="compare the systems of one group (--systems)",
        )


def _pairs(corpus: Corpus, plan: Plan, names: list[str]) -> list[tuple[pl.DataFrame, pl.DataFrame]]:
    """Return the pairs and the power of every two systems on what both answered."""
    every = [(a, b) for k, a in enumerate(names) for b in names[k + 1 :]]
    if plan.baseline:
        every = [(name, plan.baseline) for name in names if name != plan.baseline]
    alone = replace(plan, correct="none", baseline="")
    return [_pair(corpus, alone, pair) for pair in every]


def _pair(corpus: Corpus, plan: Plan, pair: tuple[str, str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    unit, items = next(iter(corpus.units.items()))
    rows = np.logical_and.reduce([items.answers[name] != 0 for name in pair])
    own = replace(corpus.chosen(list(pair)), units={unit: items.kept(rows)})
    how = setting(own, plan)
    standing = stand(how)
    # The better one of all comes first, whatever the two do on what they have in common.
    pairs = np.array([[how.systems.index(name) for name in pair]], np.intp)
    result = tested(how, standing.value, standing.drawn, pairs, standing.reason)
    return pairs_table(how, standing, pairs, result), power_table(how, result)


def _ranks(
    found: Floats, means: Floats, drawn: Floats, order: list[int], pairs: pl.DataFrame,
    names: tuple[str, ...], plan: Plan, sign: int,
) -> pl.DataFrame:  # fmt: skip
    """Return the systems by their adjusted means, each with the number of items it answered."""
    low, high = interval(drawn, plan.alpha)
    places = rank_interval(sign * drawn, plan.alpha)
    beaten = _beaten(pairs, names, plan.alpha, sign)
    group = tie_groups(beaten[np.ix_(order, order)])
    there = ~np.isnan(found)
    with np.errstate(invalid="ignore"):
        plain = np.nansum(found, axis=1) / there.sum(axis=1)
    frame = {
        "system": pl.Series([names[k] for k in order], dtype=pl.String),
        "metric": pl.Series([plan.metric] * len(order), dtype=pl.String),
        "value": null_for_nan(means[order]), "low": null_for_nan(low[order]),
        "high": null_for_nan(high[order]),
        "rank": pl.Series(ranks(sign * means[:, None])[order, 0], dtype=pl.Int64),
        "rank_low": null_for_nan(places[order, 0]).cast(pl.Int64),
        "rank_high": null_for_nan(places[order, 1]).cast(pl.Int64),
        "p_best": null_for_nan(share_best(sign * drawn)[order]),
        "group": pl.Series([None if plan.baseline else g for g in group], dtype=pl.Int64),
        "better_than": pl.Series(beaten.sum(axis=1)[order], dtype=pl.Int64),
        "worse_than": pl.Series(beaten.sum(axis=0)[order], dtype=pl.Int64),
        "behind_best": pl.Series(
            [None if plan.baseline else bool(b) for b in beaten[order[0], order]], dtype=pl.Boolean
        ),
        "note": pl.Series([None] * len(order), dtype=pl.String),
        "items": pl.Series(there.sum(axis=1)[order], dtype=pl.Int64),
        "plain_mean": null_for_nan(plain[order]),
    }  # fmt: skip
    return pl.DataFrame(frame)


def _beaten(
    pairs: pl.DataFrame, names: tuple[str, ...], alpha: float, sign: int
) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    better = np.zeros((len(names), len(names)), np.bool_)
    at = {name: k for k, name in enumerate(names)}
    for a, b, delta, p in pairs.select("a", "b", "delta", "p_adjusted").iter_rows():
        if p is not None and p < alpha and delta:
            one, other = (at[a], at[b]) if sign * delta > 0 else (at[b], at[a])
            better[one, other] = True
    return better
