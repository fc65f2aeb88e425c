"""``items`` of numbers: which items separate the systems, and which against all others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.items.abilities import model_tables
from coleval.analyses.outcomes import outcomes_of
from coleval.analyses.wording import number_of
from coleval.declare.analysis import Result
from coleval.declare.tables import BETTER
from coleval.errors import UsageError
from coleval.statistics.item_scores import cronbach, rest_correlations, split_halves
from coleval.statistics.ratio import null_for_nan, ratio_of

if TYPE_CHECKING:
    from coleval.analyses.items.spec import Options
    from coleval.analyses.report.tables import Topic
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report

# A correlation over fewer systems is always 1, -1 or undefined.
FEWEST = 3


def items(corpus: Corpus, options: Options) -> Result:
    """Return ``overall`` and ``items``: discrimination is the correlation with all other items."""
    if options.model:
        return Result(model_tables(corpus, options))
    outcomes = outcomes_of(corpus)
    every, found = outcomes.items, outcomes.values
    if len(found) < FEWEST:
        raise UsageError(
            f"items are judged by how systems differ on them; there are {len(found)}",
            remedy=f"name {FEWEST} systems or more",
        )
    discrimination, alpha = rest_correlations(found), cronbach(found)
    spread = np.nanstd(found, axis=0) if found.size else np.zeros(0)
    halves = split_halves(found, options.splits, options.seed)
    varying, negative = spread > _EQUAL, np.nan_to_num(discrimination) < 0
    row = {
        "items": len(every), "measuring": int(varying.sum()),
        "measuring_share": ratio_of(int(varying.sum()), len(every)),
        "negative": int(negative.sum()), "alpha": alpha, "split_half": halves[0],
        "split_half_sd": halves[1], "systems": len(found),
    }  # fmt: skip
    kinds = dict.fromkeys(("measuring_share", "alpha", "split_half", "split_half_sd"), pl.Float64)
    # Those against all others come first, then those on which systems are all alike.
    order = np.lexsort((np.arange(len(every)), np.nan_to_num(discrimination, nan=np.inf)))
    rows = order[: options.limit or None]
    known = every.where(rows)
    id_ = [c for c in known.context.get_columns() if c.name in ("id", "document")]
    mean = np.nanmean(found[:, rows], axis=0) if len(rows) else np.zeros(0)
    listed = pl.DataFrame(
        [
            pl.Series("item", known.numbers.astype(np.int64)),
            *id_,
            pl.Series("answered", (~np.isnan(found[:, rows])).sum(axis=0), dtype=pl.Int64),
            null_for_nan(mean).rename("mean_score"),
            null_for_nan(spread[rows]).rename("sd"),
            null_for_nan(discrimination[rows]).rename("discrimination"),
        ]
    )
    end = pl.lit("low" if outcomes.sign < 0 else "high").alias(BETTER)
    overall = pl.DataFrame([row], schema_overrides=kinds)
    return Result({"overall": overall.with_columns(end), "items": listed.with_columns(end)})


# Numbers that are equal but for the last digits do not vary.
_EQUAL = 1e-12


def finding(report: Report, _: Topic) -> str:
    """Return how many items separate the systems, how many against all others, and how surely."""
    row = report.table("overall").row(0, named=True)
    text = (
        f"On {row['measuring']:,} of {number_of(row['items'], 'item')} systems have different "
        f"scores; on {row['negative']:,} the systems with better means on all other items have the "
        "worse ones."
    )
    if row["split_half"] is None:
        return text
    rho = f"{row['split_half']:.2f}"
    return f"{text} Random halves of the data rank the systems with a correlation of {rho}."
