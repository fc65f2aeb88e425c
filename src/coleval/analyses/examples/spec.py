"""What ``examples`` says of itself: its options, its tables, its chapter of the report."""

from __future__ import annotations

from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.counting import TreeCounting, pair_option
from coleval.declare.kinds import Pairs
from coleval.declare.options import declared, option
from coleval.declare.tables import Column, Table, count, percent, text

# Why an item is shown, in this order.
KINDS = {
    "hardest": "hardest", "differ": "two systems differ", "suspect": "gold is in doubt",
    "error": "errors of one system",
}  # fmt: skip


@declared
class Options(TreeCounting):
    """The options of ``examples``."""

    limit: int = option(
        default=8, group="examples", metavar="N", number=int, least=1,
        help="show N items of each kind (default 8)",
    )  # fmt: skip
    pair: Pairs = pair_option(
        "examples",
        "show where A and B differ, and the errors of A (default: the two that solve most)",
    )


TABLES = (
    Table(
        "texts",
        "segments worth a look: what each system wrote, differing words marked",
        (
            count("rank", "#"), text("about", "why"), count("item"), text("text_of", "text of"),
            percent("mean_score", "score", scored=True), Column("text", "text", "prose"),
        ),
        chart="coleval.analyses.examples.texts:views",
    ),
    Table(
        "examples",
        "items worth a look",
        (
            count("rank", "#"),
            text("about", "why"),
            text("document"),
            text("id"),
            percent("mean_score", "mean\nscore", scored=True),
            text("scores"),
        ),
        where="better",
    ),
    Table(
        "examples",
        "items worth a look",
        (
            count("rank", "#"),
            Column("kind", "shown as", "text", names=KINDS),
            text("about", "why"),
            text("document"),
            count("sentence"),
            Column("left", "left", "before"),
            text("form"),
            Column("right", "right", "after"),
            text("gold"),
            Column("difficulty", "solved by", "pair", whole="of"),
        ),
        chart="coleval.analyses.examples.views:views",
    ),
    Table(
        "answers",
        "what systems answer, those of one answer together",
        (
            count("rank", "#"),
            text("answer"),
            Column("right", "right", "flag"),
            count("n"),
            text("systems"),
        ),
        inside=True,
    ),
)  # fmt: skip


EXAMPLES = Analysis(
    "examples",
    "items worth a look: the hardest, where systems differ, doubts about gold",
    Options,
    examples=(
        "coleval examples gold.conll systems/*.conll",
        "coleval examples corpus/ --limit 3",
    ),
    does="Return items worth a look in their sentences: ``examples``, and ``answers`` to each.",
    of_numbers="numbers",
    of_texts="texts",
    tables=TABLES,
    chapter=Chapter(
        "Which items are worth a look?",
        ("examples", "answers", "texts"),
        place=3.5,
        leads=("texts", "examples"),
    ),
)
