"""How the tables of ``measure`` are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.declare.figures import Figure
from coleval.declare.tables import count, decimal, percent, text

if TYPE_CHECKING:
    import polars as pl

    from coleval.corpus.report import Report


CORRELATION = (
    Figure(
        "heat map", "correlation of scores, row by row: Pearson", text("x", ""),
        decimal("pearson", "Pearson", 2), text("y", "with"), mirrored=True,
        also=(decimal("spearman", "Spearman"), decimal("kendall", "Kendall"), count("n")),
    ),
)  # fmt: skip
POINTS = (
    Figure(
        "points", "{y} (upwards) against {x} (across): a point for each {of}", text("of"),
        decimal("value_y", "y"), x=decimal("value_x", "x"), also=(count("n"),),
        apart=("x", "y", "of"), most=6,
    ),
)  # fmt: skip
SCORES = (
    Figure(
        "curves", "precision against recall over all thresholds", text("column"),
        percent("precision", "P"), text("column"), x=percent("recall", "R"),
        also=(decimal("threshold", "threshold"), count("selected")),
        shaped_by="coleval.analyses.measure.views:curve",
    ),
    Figure(
        "curves", "ROC: recall against the false positive rate over all thresholds",
        text("column"), percent("recall", "R"), text("column"),
        x=percent("fpr", "false positive rate"),
        also=(decimal("threshold", "threshold"), count("selected")),
        shaped_by="coleval.analyses.measure.views:curve",
    ),
)  # fmt: skip
MEANS = (
    Figure(
        "dots", "mean item scores", text("column"),
        decimal("mean", "mean"), low="low", high="high", also=(count("items"), decimal("sd", "sd")),
    ),
)  # fmt: skip


def curve(report: Report) -> pl.DataFrame:
    """Return the points of the curve, the strictest threshold of each column first."""
    return report.table("pr_curve")
