"""Which labels are confused: a matrix for each of few systems, the commonest confusions of many."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.confusion.matrix import NOTHING, matrix
from coleval.declare.tables import Shaped
from coleval.render.heads import systems_of

if TYPE_CHECKING:
    from coleval.corpus.report import Report
    from coleval.render.sheet import Sheet

MATRICES = 3


def matrices(report: Report, width: int) -> tuple[Sheet, ...]:
    """Return a matrix a system, none where there are more than three."""
    frame = _labelled(report)
    systems = systems_of(report, frame)
    if len(systems) > MATRICES:
        return ()
    counts: dict[str, Counter[tuple[str, str]]] = {system: Counter() for system in systems}
    for system, gold, answer, n in frame.select("system", "gold", "answer", "n").iter_rows():
        counts[system][gold, answer] += n
    return tuple(matrix(system, counts[system], width) for system in systems)


def commonest(report: Report) -> Shaped:
    """Return the confusions that all systems together make most often, with those of each."""
    every, both = _labelled(report), ["gold", "answer"]
    wrong = every.filter(pl.col("gold") != pl.col("answer"))
    n = wrong.group_by("system", *both).agg(pl.col("n").sum())
    first = (
        n.group_by(both).agg(pl.col("n").sum()).sort("n", *both, descending=[True, False, False])
    )
    filled = (
        first.drop("n")
        .join(every.select("system").unique(maintain_order=True), how="cross")
        .join(n, on=["system", *both], how="left", maintain_order="left")
        .with_columns(
            pl.col("n").fill_null(0), pl.format("{} → {}", *both).alias("gold → predicted")
        )
    )
    return Shaped(filled, notes=("one system's matrix: --systems NAME", f"{NOTHING} no label"))


def _labelled(report: Report) -> pl.DataFrame:
    return report.table("confusion").with_columns(pl.col("gold", "answer").fill_null(NOTHING))
