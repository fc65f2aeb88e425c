"""``items``: which items separate systems, how reliably, and which systems surprise where.

All is worked out of patterns of right and wrong (DEFINITIONS 11): items of one pattern share it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.items.fit import fit_table, systems_table
from coleval.analyses.items.found import (
    ALPHA,
    FEWEST,
    ItemFindings,
    found,
    item_table,
    pattern_table,
)
from coleval.analyses.wording import listed, number_of
from coleval.corpus.lazy import LazyMapping
from coleval.corpus.numbers import numbers_of
from coleval.declare.analysis import Result
from coleval.statistics.ratio import null_for_nan, ratio_expr, ratio_of
from coleval.statistics.response import kr20
from coleval.statistics.subset import FEWEST as FEWEST_JUDGED

if TYPE_CHECKING:
    from collections.abc import Callable

    from coleval.analyses.items.spec import Options
    from coleval.corpus.corpus import Corpus

# So many groups of systems that are alike are named.
_GROUPS = 3


def items(corpus: Corpus, options: Options) -> Result:
    """Return how many items separate the systems, by label, surprises, and items to look at."""
    if options.model:
        from coleval.analyses.items.abilities import model_tables

        own = corpus if corpus.task_kind.numeric else numbers_of(corpus)
        return Result(model_tables(own, options))
    known = found(corpus, options)
    makers: dict[str, Callable[[ItemFindings], pl.DataFrame]] = {
        "overall": _overall, "labels": _labels, "systems": systems_table, "fit": fit_table,
        "items": item_table,
    }  # fmt: skip
    if options.patterns:
        makers["patterns"] = pattern_table
    if options.subset:
        from coleval.analyses.items.fit import check_size, chosen_table, subset_table

        check_size(known)
        makers |= {"subset": subset_table, "chosen": chosen_table}
    tables = LazyMapping({name: partial(make, known) for name, make in makers.items()})
    return Result(tables, signed=known.signed, warnings=tuple(_warnings(known)))


def _overall(known: ItemFindings) -> pl.DataFrame:
    solved, n, last = known.solved_by, known.patterns.n, len(known.systems)
    every, none = int(n[solved == last].sum()), int(n[solved == 0].sum())
    significant = known.negative & (np.nan_to_num(known.p_adjusted, nan=1.0) <= ALPHA)
    total = known.patterns.items
    row = {
        "items": total,
        "solved_by_all": every,
        "solved_by_none": none,
        "measuring": total - every - none,
        "measuring_share": ratio_of(total - every - none, total),
        "negative": int(n[known.negative].sum()) if known.enough else None,
        "negative_significant": int(n[significant].sum()) if known.enough else None,
        "alpha": kr20(known.right, n) if known.enough else None,
        "split_half": known.stability.mean,
        "split_half_sd": known.stability.sd,
        "splits": known.stability.n,
        **_of_best(known),
        "systems": last,
        "patterns": len(known.patterns),
    }
    kinds = dict.fromkeys(("measuring_share", "alpha", "split_half", "split_half_sd"), pl.Float64)
    counts = {name: pl.Int64 for name in row if name not in kinds}
    return pl.DataFrame([row], schema_overrides={**kinds, **counts})


def _of_best(known: ItemFindings) -> dict[str, int | None]:
    """Return how many items the best systems all solve, or none of them, if they are not all."""
    size = known.options.best
    if size >= len(known.systems):
        return {"best": None, "solved_by_all_best": None, "solved_by_none_best": None}
    solved, n = known.right[known.best[:size]].sum(axis=0), known.patterns.n
    every, none = int(n[solved == size].sum()), int(n[solved == 0].sum())
    return {"best": size, "solved_by_all_best": every, "solved_by_none_best": none}


def _labels(known: ItemFindings) -> pl.DataFrame:
    """Return how many items of each gold label separate the systems, most items first."""
    at, last = known.patterns.at, len(known.systems)
    solved, value = known.solved_by[at], known.discrimination[at]
    n = pl.col("n")
    frame = pl.DataFrame(
        {
            "code": known.patterns.label, "n": known.patterns.cell_n,
            "every": solved == last, "none": solved == 0, "value": null_for_nan(value),
            "negative": known.negative[at],
        }
    )  # fmt: skip
    mean = (pl.col("value") * n).sum(), n.filter(pl.col("value").is_not_null()).sum()
    grouped = frame.group_by("code").agg(
        n.sum().alias("items"),
        n.filter("every").sum().alias("solved_by_all"),
        n.filter("none").sum().alias("solved_by_none"),
        ratio_expr(*mean).alias("discrimination"),
        n.filter("negative").sum().alias("negative"),
    )
    names = pl.Series([None, *known.parts.shown.labels], dtype=pl.String)
    measuring = pl.col("items") - pl.col("solved_by_all") - pl.col("solved_by_none")
    return (
        grouped.with_columns(label=names.gather(grouped["code"]), measuring=measuring)
        .with_columns(measuring_share=ratio_expr(pl.col("measuring"), pl.col("items")))
        .select("label", "items", "measuring", "measuring_share", "solved_by_all",
                "solved_by_none", "discrimination", "negative")
        .sort("items", "label", descending=[True, False])
    )  # fmt: skip


def _warnings(known: ItemFindings) -> list[str]:
    """Return what cannot be known of these items, and why."""
    systems, total = len(known.systems), known.patterns.items
    if not total:
        return ["there are no gold items"]
    if systems < FEWEST:
        several = "one system" if systems == 1 else f"{systems} systems"
        lacking = "discrimination, reliability and expected items are undefined"
        return [f"with {several} {lacking}: they need {FEWEST} systems or more"]
    said = _alike(known)
    dead = (known.solved_by == 0) | (known.solved_by == systems)
    if dead.all():
        said.append("no item orders the systems: all solve the same ones")
    elif len(set(known.totals.tolist())) == 1:
        said.append("all systems solve equally many items: there is no order to be reliable")
    if known.options.subset and systems < FEWEST_JUDGED:
        said.append(
            f"with {systems} systems the error of a smaller test set cannot be estimated: "
            f"it takes {FEWEST_JUDGED}, of which a third is held out"
        )
    return said


def _alike(known: ItemFindings) -> list[str]:
    """Return the systems that solve the very same items: as one of them, they prove less."""
    rows: dict[bytes, list[str]] = {}
    for s in known.best:
        rows.setdefault(known.right[s].tobytes(), []).append(known.systems[s])
    groups = [names for names in rows.values() if len(names) > 1]
    return [
        f"{number_of(len(names), 'system')} solve the very same items ({listed(names)}): p and "
        "discrimination count each of them; --systems with one of them counts it once"
        for names in groups[:_GROUPS]
    ]
