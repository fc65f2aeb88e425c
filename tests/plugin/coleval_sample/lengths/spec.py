"""What ``lengths`` says of itself."""

from __future__ import annotations

from coleval.declare.analysis import Analysis
from coleval.declare.counting import Counting
from coleval.declare.options import declared, option
from coleval.declare.tables import Table, count, text


@declared
class Options(Counting):
    """The options of ``lengths``."""

    least: int = option(
        default=1,
        group="lengths",
        metavar="N",
        number=int,
        help="items that a system has to answer",
    )


LENGTHS = Analysis(
    "lengths",
    "how many items each system answers",
    Options,
    does="Return how many items each system answers: table ``lengths``.",
    tables=(Table("lengths", "answers of each system", (text("system"), count("items"))),),
)
