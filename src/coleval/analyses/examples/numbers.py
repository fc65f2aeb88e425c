"""``examples`` of numbers: the lowest means, where systems are far apart, where two are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.contexts import PLACE
from coleval.analyses.outcomes import outcomes_of
from coleval.declare.tables import BETTER
from coleval.errors import unknown
from coleval.render.listing import plain
from coleval.statistics.ratio import null_for_nan

if TYPE_CHECKING:
    from coleval.analyses.examples.spec import Options
    from coleval.analyses.report.tables import Topic
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report
    from coleval.statistics.measure import Floats


def examples(corpus: Corpus, options: Options) -> dict[str, pl.DataFrame]:
    """Return ``examples``: the worst items, those systems differ on most, and a pair of systems."""
    outcomes = outcomes_of(corpus)
    items, sign, found = outcomes.items, outcomes.sign, outcomes.values
    there = ~np.isnan(found)
    n = there.sum(axis=0)
    mean = np.where(n > 0, np.nansum(found, axis=0) / np.maximum(n, 1), np.nan)
    apart = np.where(n > 1, np.fmax.reduce(found) - np.fmin.reduce(found), np.nan)
    a, b = _pair(items.systems, found, sign, options)
    gap = np.abs(found[a] - found[b])
    kinds = [
        ("lowest", "worst mean", sign * mean),
        ("apart", "systems far apart", -apart),
        ("differ", f"{items.systems[a]} and {items.systems[b]} far apart", -gap),
    ]
    picks = [(kind, about, at) for kind, about, order in kinds
             for at in _first(order, options.limit)]  # fmt: skip
    rows = np.array([at for *_, at in picks], np.intp)
    known = items.where(rows)
    context = [
        known.context[c] for c in dict.fromkeys((*PLACE, "id")) if c in known.context.columns
    ]
    text = ["; ".join(f"{name} {plain(found[k, at])}" for k, name in enumerate(items.systems)
                      if there[k, at]) for at in rows]  # fmt: skip
    frame = pl.DataFrame(
        [
            pl.Series("rank", np.arange(1, len(rows) + 1, dtype=np.int64)),
            pl.Series("kind", [kind for kind, *_ in picks], dtype=pl.String),
            pl.Series("about", [about for _, about, _ in picks], dtype=pl.String),
            pl.Series("item", known.numbers.astype(np.int64)),
            *context,
            null_for_nan(mean[rows]).rename("mean_score"),
            pl.Series("scores", text, dtype=pl.String),
            pl.Series(BETTER, ["low" if sign < 0 else "high"] * len(rows), dtype=pl.String),
        ]
    )
    return {"examples": frame}


def _first(order: Floats, limit: int) -> list[int]:
    """Return the places of the lowest numbers, the first of equals; unknown ones are none."""
    places = np.lexsort((np.arange(len(order)), order))
    return [int(at) for at in places[:limit] if not np.isnan(order[at])]


def _pair(systems: tuple[str, ...], found: Floats, sign: int, options: Options) -> tuple[int, int]:
    """Return the two systems asked for, else the two best."""
    if options.pair:
        for name in options.pair[0]:
            if name not in systems:
                raise unknown("system", name, systems, where="--pair")
        return systems.index(options.pair[0][0]), systems.index(options.pair[0][1])
    means = [sign * np.nanmean(row) if not np.isnan(row).all() else -np.inf for row in found]
    best = sorted(range(len(systems)), key=lambda k: -means[k])
    return best[0], best[min(1, len(best) - 1)]


def finding(report: Report, _: Topic) -> str:
    """Return the item with the worst mean, and who has what there."""
    if report.table("examples").is_empty():
        return "There are no items."
    row = report.table("examples").row(0, named=True)
    name = row.get("id") or f"item {row['item']}"
    return f"The worst mean score, {plain(row['mean_score'])}, is that of {name}: {row['scores']}."
