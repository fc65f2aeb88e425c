"""What ``confusion`` says of itself: its options, its tables."""

from __future__ import annotations

from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.counting import TreeCounting
from coleval.declare.options import declared
from coleval.declare.tables import Table


@declared
class Options(TreeCounting):
    """The options of ``confusion``."""


TABLES = (
    Table(
        "confusion",
        "gold label × predicted label",
        chart="coleval.analyses.confusion.chart:views",
    ),
)


CONFUSION = Analysis(
    "confusion",
    "confusion matrix: which labels are confused",
    Options,
    does="Return which labels are confused: table ``confusion``.",
    tables=TABLES,
    chapter=Chapter("Which labels are confused?", ("confusion",), place=5),
)
