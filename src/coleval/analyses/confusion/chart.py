"""Which labels are confused: a matrix for each of few systems, the commonest confusions of many."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.confusion.matrix import NOTHING, matrix
from coleval.declare.tables import Shaped
from coleval.render.listing import systems_of

if TYPE_CHECKING:
    from coleval.corpus.report import Report
    from coleval.render.sheet import Sheet

MATRICES = 3


def matrices(report: Report, width: int) -> tuple[Sheet, ...]:
    """Return a matrix a system, none where there are more than three."""
    frame = _labelled(report, "confusion")
    systems = systems_of(report, frame)
    if len(systems) > MATRICES:
        return ()
    counts: dict[str, Counter[tuple[str, str]]] = {system: Counter() for system in systems}
    for system, gold, answer, n in frame.select("system", "gold", "answer", "n").iter_rows():
        counts[system][gold, answer] += n
    return tuple(matrix(system, counts[system], width) for system in systems)


def commonest(report: Report) -> Shaped:
    """Return the confusions that all systems together make most often, with those of each."""
    notes = ("one system's matrix: --systems NAME", f"{NOTHING} no label")
    return Shaped(_most_frequent(_labelled(report, "confusion"), "system"), notes=notes)


def by_group(report: Report) -> Shaped:
    """Return the same confusions in every group."""
    frame = _labelled(report, "by").with_columns(pl.col("by").fill_null(NOTHING))
    return Shaped(_most_frequent(frame, "by"), notes=(f"{NOTHING} no label",))


def _most_frequent(every: pl.DataFrame, across: str) -> pl.DataFrame:
    """Return the wrong answers, the most frequent first, with how many each value ``across`` has.

    A value without any of one has a row of zero.
    """
    both = ["gold", "answer"]
    wrong = every.filter(pl.col("gold") != pl.col("answer"))
    n = wrong.group_by(across, *both).agg(pl.col("n").sum())
    first = (
        n.group_by(both).agg(pl.col("n").sum()).sort("n", *both, descending=[True, False, False])
    )
    return (
        first.drop("n")
        .join(every.select(across).unique(maintain_order=True), how="cross")
        .join(n, on=[across, *both], how="left", maintain_order="left")
        .with_columns(
            pl.col("n").fill_null(0), pl.format("{} → {}", *both).alias("gold → predicted")
        )
    )


def _labelled(report: Report, table: str) -> pl.DataFrame:
    return report.table(table).with_columns(pl.col("gold", "answer").fill_null(NOTHING))
