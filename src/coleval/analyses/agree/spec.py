"""What ``agree`` says of itself: its options, its tables."""

from __future__ import annotations

from typing import get_args

from coleval.declare.analysis import Analysis
from coleval.declare.counting import Engined, Grouped, TreeCounting
from coleval.declare.kinds import Chance, Names, Weights
from coleval.declare.options import declared, option
from coleval.declare.reading import names_of
from coleval.declare.tables import Table, WideForm, count, decimal, percent, text


@declared
class Options(Grouped, Engined, TreeCounting):
    """The options of ``agree``."""

    chance: Chance = option(
        default="separate", group="agreement", values=get_args(Chance),
        kind="kind of chance agreement", choose=True, signed=True,
        help="chance agreement from the answers of each rater (default, Cohen) or of both pooled "
        "(Scott)",
    )  # fmt: skip
    weights: Weights = option(
        default="", group="agreement", values=get_args(Weights)[1:],
        kind="kind of weights",
        choose=True,
        help="weighted kappa too: how far labels are apart on a scale, or the square of it",
    )  # fmt: skip
    label_order: Names = option(
        default=(), group="agreement", metavar="LIST", reads=names_of,
        help="labels from one end of the scale to the other (default: the order of numbers)",
    )  # fmt: skip


_FIGURES = "coleval.analyses.agree.views"
TABLES = (
    Table(
        "by",
        "agreement of each pair of raters by group: Cohen's kappa",
        limit=None,
        shaped_by="coleval.analyses.agree.views:by_group",
        wide=WideForm(
            "pair", "by", decimal("kappa", "kappa", 3), shaded=True, turned=True, crowd="groups"
        ),
    ),
    Table(
        "pairs",
        chart="coleval.analyses.agree.views:views",
        figures=f"{_FIGURES}:PAIRS",
    ),
    Table(
        "overall",
        "all raters together",
        (
            text("who", "raters"),
            count("raters", "n"),
            count("items"),
            percent("observed", "observed\n%"),
            percent("expected", "expected\n%"),
            decimal("fleiss", "Fleiss'\nkappa"),
            decimal("alpha", "alpha"),
            text("band", "alpha\nis"),
            text("note"),
        ),
        limit=None,
    ),
)


AGREE = Analysis(
    "agree",
    "agreement of systems and gold: kappa, alpha",
    Options,
    examples=(
        "coleval agree gold.conll systems/*.conll --unit token",
        "coleval agree corpus/ --by sentence%2",
    ),
    does="Return kappa and alpha of systems and gold: tables ``pairs`` and ``overall``.",
    tables=TABLES,
    by_file=True,
)
