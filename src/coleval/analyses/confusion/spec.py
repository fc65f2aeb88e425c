"""What ``confusion`` says of itself: its options, its tables."""

from __future__ import annotations

from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.counting import Engined, Grouped, TreeCounting
from coleval.declare.options import declared
from coleval.declare.tables import Table, WideForm, count


@declared
class Options(Grouped, Engined, TreeCounting):
    """The options of ``confusion``."""


_CHART = "coleval.analyses.confusion.views"
_FIGURES = "coleval.analyses.confusion.views"
CONFUSED = Table(
    "confusion",
    "most frequent confusions: n in all systems and in each",
    limit=25,
    shaped_by=f"{_CHART}:commonest",
    wide=WideForm(
        "gold → predicted",
        "system",
        count("n"),
        total=count("n", "all"),
        shaded=True,
        crowd="systems",
    ),
    chart=f"{_CHART}:matrices",
    figures=f"{_FIGURES}:CONFUSION",
    counts={"n": 'gold = {gold} and "{system}" = {answer}'},
)
BY = Table(
    "by",
    "most frequent confusions of all systems together, by group",
    limit=25,
    shaped_by=f"{_CHART}:by_group",
    wide=WideForm(
        "gold → predicted",
        "by",
        count("n"),
        total=count("n", "all"),
        shaded=True,
        crowd="groups",
    ),
)


CONFUSION = Analysis(
    "confusion",
    "confusion matrix: which labels are confused",
    Options,
    examples=("coleval confusion corpus/ --systems crf",),
    does="Return which labels are confused: table ``confusion``.",
    not_of_numbers="numbers have no labels that could be confused",
    tables=(BY, CONFUSED),
    by_file=True,
    chapter=Chapter("Which labels are confused?", ("confusion",), place=5),
)
