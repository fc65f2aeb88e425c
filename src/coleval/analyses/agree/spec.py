"""What ``agree`` says of itself: its options, its tables."""

from __future__ import annotations

from coleval.declare.analysis import Analysis
from coleval.declare.counting import TreeCounting
from coleval.declare.kinds import Chance
from coleval.declare.options import declared, option


@declared
class Options(TreeCounting):
    """The options of ``agree``."""

    chance: Chance = option(
        default="separate", group="agreement", values=("separate", "pooled"),
        kind="kind of chance agreement", choose=True,
        help="chance agreement from the answers of each rater (default, Cohen) or of both pooled "
        "(Scott)",
    )  # fmt: skip


AGREE = Analysis(
    "agree",
    "agreement of systems and gold: kappa, alpha",
    Options,
    does="Return kappa and alpha of systems and gold: tables ``pairs`` and ``overall``.",
)
