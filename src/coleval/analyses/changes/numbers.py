"""``changes`` of numbers: which items became better, which worse, beyond a tolerance."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.analyses.changes.gate import gated_numbers, parse_numbers
from coleval.analyses.outcomes import outcomes_of
from coleval.analyses.wording import number_of
from coleval.declare.reading import named_pairs
from coleval.declare.tables import BETTER
from coleval.errors import UsageError, unknown
from coleval.render.listing import plain
from coleval.statistics.ratio import null_for_nan

if TYPE_CHECKING:
    from coleval.analyses.changes.spec import Options
    from coleval.analyses.report.tables import Topic
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.corpus.report import Report
    from coleval.statistics.measure import Floats

_LISTED = 10_000


def changes(corpus: Corpus, options: Options) -> dict[str, pl.DataFrame]:
    """Return ``summary`` of each pair; ``items`` lists those that changed, the most first."""
    outcomes = outcomes_of(corpus)
    items, sign = outcomes.items, outcomes.sign
    if options.epsilon < 0:
        raise UsageError("a difference is not below 0", where="--epsilon", remedy="use 0 or more")
    found = dict(zip(items.systems, outcomes.values, strict=True))
    pairs = pairs_of(list(found), options)
    rows = [_summary(a, b, found[a], found[b], options.epsilon, sign) for a, b in pairs]
    summary = pl.DataFrame(rows, schema=_SUMMARY)
    end = pl.lit("low" if sign < 0 else "high").alias(BETTER)
    tables = {"summary": summary.with_columns(end)}
    if options.gate:
        tables["gate"] = gated_numbers(summary, parse_numbers(options.gate), sign)
    if options.items:
        parts = [_changed(items, a, b, found, options.epsilon, sign) for a, b in pairs]
        tables["items"] = pl.concat(parts).with_columns(end)
    return tables


_SUMMARY: dict[str, Any] = {
    "before": pl.String, "after": pl.String, "items": pl.Int64, "improved": pl.Int64,
    "declined": pl.Int64, "equal": pl.Int64, "value_before": pl.Float64,
    "value_after": pl.Float64, "delta": pl.Float64, "mean_gain": pl.Float64,
    "mean_loss": pl.Float64,
}  # fmt: skip


def pairs_of(systems: list[str], options: Options) -> list[tuple[str, str]]:
    """Return the pairs asked for: those named, those of a baseline, or all."""
    named = [(str(a), str(b)) for a, b in named_pairs(options.pair, options.pairs)]
    if options.baseline:
        named += [(options.baseline, name) for name in systems if name != options.baseline]
    for name in (name for pair in named for name in pair):
        if name not in systems:
            raise unknown("system", name, systems, where="--pair")
    return named or list(combinations(systems, 2))


def _summary(
    a: str, b: str, before: Floats, after: Floats, epsilon: float, sign: int
) -> dict[str, Any]:
    """Return how many items that both answered changed, and by how much on the average."""
    both = ~np.isnan(before + after)
    gap = sign * (after - before)[both]
    up, down = gap[gap > epsilon + _TIE], gap[gap < -epsilon - _TIE]
    means = [_mean(part) for part in (before[both], after[both], up, down)]
    numbers = (*means[:2], _mean((after - before)[both]), means[2], means[3])
    counts = (len(gap), len(up), len(down), len(gap) - len(up) - len(down))
    return dict(zip(_SUMMARY, (a, b, *counts, *numbers), strict=True))


# What is as far apart as the tolerance is within it, whatever the last digit.
_TIE = 1e-12


def _mean(numbers: Floats) -> float | None:
    return float(numbers.mean()) if len(numbers) else None


def _changed(
    items: Items, a: str, b: str, found: dict[str, Floats], epsilon: float, sign: int
) -> pl.DataFrame:
    """Return the items that changed, the largest difference first."""
    delta = found[b] - found[a]
    far = np.flatnonzero(np.abs(np.nan_to_num(delta)) > epsilon + _TIE)
    rows = far[np.argsort(-np.abs(delta[far]), kind="stable")][:_LISTED]
    id_ = [items.context["id"].gather(rows)] if "id" in items.context.columns else []
    better = pl.Series(np.where(sign * delta[rows] > 0, "improved", "declined"), dtype=pl.String)
    names = (a, b, better)
    columns = [pl.Series(items.numbers[rows].astype(np.int64)).alias("item"), *id_]
    numbers = {"value_before": found[a][rows], "value_after": found[b][rows], "delta": delta[rows]}
    return pl.DataFrame(columns).with_columns(
        pl.lit(names[0]).alias("before"), pl.lit(names[1]).alias("after"), better.alias("kind"),
        **{name: null_for_nan(own) for name, own in numbers.items()},
    )  # fmt: skip


def finding(report: Report, topic: Topic) -> str:
    """Return how the mean moves, and how many items became better and worse."""
    row = report.table("summary").row(0, named=True)
    if row["delta"] is None:
        return f"{row['before']} and {row['after']} have no item in common."
    verb = "rises" if row["delta"] > 0 else "falls" if row["delta"] < 0 else "stays the same"
    return (
        f"From {row['before']} to {row['after']}, {topic.title} {verb} "
        f"({plain(row['value_before'])} → {plain(row['value_after'])}): "
        f"{number_of(row['improved'], 'item')} better, {row['declined']:,} worse, "
        f"{row['equal']:,} equal."
    )
