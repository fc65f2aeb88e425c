"""What ``show`` says of itself: its options, its tables."""

from __future__ import annotations

from coleval.declare.analysis import Analysis
from coleval.declare.counting import TreeCounting
from coleval.declare.options import declared, option
from coleval.declare.tables import Table


@declared
class Options(TreeCounting):
    """The options of ``show``."""

    limit: int = option(
        default=20, group="items", metavar="N", number=int, help="number of items (default 20)"
    )
    sample: int = option(
        default=0, group="items", metavar="N", number=int, help="draw N items at random"
    )
    order: str = option(
        default="", group="items", metavar="SQL",
        help='order of the items: "difficulty, length(form) desc"',
    )  # fmt: skip
    seed: int = option(
        only_with=("sample",),
        default=0,
        group="items",
        metavar="N",
        number=int,
        help="seed of the sample (default 0)",
    )


TABLES = (
    Table("items", chart="coleval.analyses.show.views:views"),
    Table("words", "the words of the items", inside=True),
)


SHOW = Analysis(
    "show",
    "the items in their sentences, with all answers",
    Options,
    examples=("coleval show corpus/ --where 'difficulty = 0' --limit 5",),
    does="Return items in their sentences: ``items`` and ``words``.",
    of_numbers="tables",
    tables=TABLES,
    gold_free=True,
)
