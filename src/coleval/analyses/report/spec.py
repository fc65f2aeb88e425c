"""What ``report`` says of itself: its options, its tables."""

from __future__ import annotations

from collections.abc import Callable

from coleval.analyses.behaviour.spec import Cases
from coleval.analyses.trained import TrainingData
from coleval.declare.analysis import Analysis
from coleval.declare.counting import RankedCounting, Resampled, several
from coleval.declare.kinds import Names
from coleval.declare.options import declared, option
from coleval.declare.tables import Table


@declared
class Options(TrainingData, Cases, Resampled, RankedCounting):
    """The options of ``report``."""

    baseline: str = option(
        default="", group="report", metavar="NAME",
        help="show changes from this system (default: the runner-up)",
    )  # fmt: skip
    by: Names = option(
        default=(), group="report", metavar="COLUMN", repeated=True, reads=several,
        help="rank by the mean over groups of a column or an SQL expression (default: datasets, "
        "where there are several), and show how findings vary over them",
        in_python="rank by the mean over groups of these columns (default: datasets)",
    )  # fmt: skip
    every: bool = option(
        default=False, group="report", flag="--all", signed=False,
        help="print all tables (default on a screen: findings, scores, ranks, three items)",
        in_python="print all tables (by default: findings, scores, ranks, three items)",
    )  # fmt: skip
    progress: Callable[[str], None] | None = option(
        default=None,
        group="report",
        shell=False,
        help="is called with the name of each step before it begins",
    )


TABLES = (Table("story", chart="coleval.analyses.report.views:views"),)


REPORT = Analysis(
    "report",
    "all analyses that apply, with a sentence on each",
    Options,
    examples=(
        "coleval report corpus/ -o report.html",
        "coleval report corpus/ --baseline baseline",
    ),
    does="Return all analyses that apply: ``story``, then their tables as ``score.overall``.",
    of_numbers="tables",
    tables=TABLES,
)
