"""What is shown of ``errors``: methods side by side, the leading one by label."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.errors.spec import KINDS, OUTCOMES
from coleval.declare.tables import Column, Shaped, count, percent, text
from coleval.statistics.ratio import ratio_expr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.corpus.report import Report


def overall(report: Report) -> Shaped:
    """Return a row a system: its fair errors, and the F1 of other methods beside."""
    return Shaped(_beside(report.table("overall"), ("system",)))


def by_group(report: Report) -> Shaped:
    """Return a row a group and system: scores by both methods, and the share of each kind of error.

    A share is of the errors of the system in the group; without errors there is none.
    """
    keys = ("by", "system")
    fair = _beside(report.table("by"), keys, ("precision", "recall", "f1"))
    errors = fair.with_columns(errors=pl.sum_horizontal(KINDS))
    shares = (ratio_expr(pl.col(kind), pl.col("errors")).alias(f"{kind}_share") for kind in KINDS)
    return Shaped(errors.with_columns(shares))


def kinds_by_group(report: Report) -> Shaped:
    """Return a row a group, system and kind of error, boundaries by how they differ."""
    kinds = [kind for kind in OUTCOMES if kind != "tp"]
    keys = ("by", "system", "traditional_f1", "f1")
    wide = by_group(report).frame.select(*keys, *kinds)
    long = wide.unpivot(kinds, index=keys, variable_name="error", value_name="n")
    total = pl.col("n").sum().over("by", "system")
    return Shaped(long.with_columns(share=ratio_expr(pl.col("n"), total)))


def labels(report: Report) -> Shaped:
    """Return a row a system and label, of the fair method or else of the strict one."""
    frame = report.table("labels")
    if "strict" in frame["method"]:
        return Shaped(frame.filter(pl.col("method") == "strict"))
    return Shaped(_beside(frame, ("system", "label")))


def _beside(
    frame: pl.DataFrame, keys: Sequence[str], scores: Sequence[str] = ("f1",)
) -> pl.DataFrame:
    """Return the fair rows with scores of the other methods, F1 by default, in columns."""
    fair = frame.filter(pl.col("method") == "fair")
    for method in ("traditional", "weighted"):
        other = frame.filter(pl.col("method") == method)
        other = other.select(*keys, *(pl.col(name).alias(f"{method}_{name}") for name in scores))
        fair = fair.join(other, on=list(keys), how="left", maintain_order="left", nulls_equal=True)
    return fair


def ranking(report: Report) -> Shaped:
    """Return every method's F1 and rank, and how far each system climbs or falls by the second."""
    frame = report.table("ranking")
    methods = [name.removesuffix("_f1") for name in frame.columns if name.endswith("_f1")]
    columns = [text("system")]
    for method in methods:
        short = "trad." if method == "traditional" else method
        columns += [percent(f"{method}_f1", f"{short}\nF1", "high"),
                    count(f"{method}_rank", f"{short}\nrank")]  # fmt: skip
    columns.append(Column("moves", "moves", "text"))
    moves = [None if n is None else _arrow(n) for n in frame["change"]]
    named = frame.with_columns(pl.Series("moves", moves, dtype=pl.String))
    title = f"ranks under {methods[0]} and {methods[1]} scoring" if len(methods) > 1 else "ranks"
    return Shaped(named, tuple(columns), title=title)


def _arrow(change: int) -> str:
    return f"{'↑' if change > 0 else '↓'}{abs(change)}" if change else "="
