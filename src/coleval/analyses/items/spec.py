"""What ``items`` says of itself: its options, its tables."""

from __future__ import annotations

from typing import get_args

from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.conditions import HIT, IN_GOLD, OF_BIN, OF_LABEL
from coleval.declare.counting import Grouped, TreeCounting
from coleval.declare.kinds import AbilityModel, SubsetChoice
from coleval.declare.options import declared, option
from coleval.declare.tables import Column, Table, WideForm, count, decimal, differing, percent, text


@declared
class Options(Grouped, TreeCounting):
    """The options of ``items``."""

    best: int = option(
        default=5, group="items", metavar="K", number=int, least=1,
        help="also count the items that the best K systems all solve, or none of them (default 5)",
    )  # fmt: skip
    limit: int = option(
        default=10_000, group="items", metavar="N", number=int, least=0,
        help="list at most N items, those to look at first (default 10000; 0: all)",
    )  # fmt: skip
    permutations: int = option(
        default=9_999, group="items", metavar="N", number=int, least=99,
        help="random permutations for p, where there are more than N in all (default 9999)",
    )  # fmt: skip
    splits: int = option(
        default=200, group="items", metavar="N", number=int, least=2,
        help="random halves for the stability of ranks (default 200)",
    )  # fmt: skip
    patterns: bool = option(
        default=False, group="items", help="list the patterns of right and wrong with their counts"
    )
    subset: int = option(
        default=0, group="smaller test set", metavar="N", number=int, least=0,
        help="choose N items, and estimate the error of scores on these alone",
    )  # fmt: skip
    subset_by: SubsetChoice = option(
        only_with=("subset",), default="bins", group="smaller test set", metavar="HOW",
        values=("bins", "random", "greedy"), choose=True, kind="way of choosing",
        help="how the N items are chosen: bins (in proportion to difficulty, default), random, "
        "greedy",
    )  # fmt: skip
    seed: int = option(
        default=0, group="items", metavar="K", number=int, help="seed of all random choices"
    )
    model: AbilityModel = option(
        default="", group="abilities", metavar="NAME", values=get_args(AbilityModel)[1:],
        choose=True, kind="model",
        help="fit abilities of systems and difficulties of items with standard errors: rasch, or "
        "2pl (items differ in discrimination); cells may be missing (--missing leave-out)",
    )  # fmt: skip


_CHART = "coleval.analyses.items.views"
_FIGURES = "coleval.analyses.items.views"
FLAGS = {
    "negative": "negative", "none": "solved by none", "all": "solved by all", "": "",
}  # fmt: skip
_OVERALL = (
    count("items"),
    count("solved_by_all", "solved\nby all"),
    count("solved_by_none", "by\nnone"),
    count("measuring", "order\nsystems"),
    percent("measuring_share", "%"),
    count("negative", "negative\ndiscrimination"),
    count("negative_significant", "significant"),
    decimal("alpha", "KR-20", 3),
    decimal("split_half", "split-half\nrank\ncorrelation", 3),
    decimal("split_half_sd", "± sd", 3),
)
TABLES = (
    Table(
        "overall",
        "how many items separate the systems",
        (
            count("items"),
            count("measuring", "order\nsystems"),
            percent("measuring_share", "%"),
            count("negative", "negative\ndiscrimination"),
            decimal("alpha", "Cronbach's\nα", 3),
            decimal("split_half", "split-half\nrank\ncorrelation", 3),
            decimal("split_half_sd", "± sd", 3),
        ),
        where="better",
    ),
    Table(
        "items",
        "items to look at: those against all others first",
        (
            text("id"),
            count("answered"),
            percent("mean_score", "mean\nscore", scored=True),
            differing("sd", "sd"),
            decimal("discrimination", "discri-\nmination", 2),
        ),
        where="better",
        limit=20,
    ),
    Table(
        "overall",
        "how many items separate the systems",
        _OVERALL,
        chart=f"{_CHART}:overall",
        counts={
            "items": IN_GOLD,
            "solved_by_all": "difficulty = {systems}",
            "solved_by_none": "difficulty = 0",
            "measuring": "difficulty > 0 and difficulty < {systems}",
        },
    ),
    Table(
        "by",
        "how many items separate the systems, by group",
        (text("by", "group"), *_OVERALL),
        limit=None,
    ),
    Table(
        "labels",
        "items by gold label: do they separate the systems?",
        (
            text("label"),
            count("items"),
            count("measuring", "order\nsystems"),
            percent("measuring_share", "%"),
            count("solved_by_all", "solved\nby all"),
            count("solved_by_none", "by\nnone"),
            decimal("discrimination", "mean\ndiscrimination", 2),
            count("negative", "negative"),
        ),
        limit=30,
        figures=f"{_FIGURES}:LABELS",
        counts={"items": OF_LABEL, "solved_by_none": f"{OF_LABEL} and difficulty = 0"},
    ),
    Table(
        "systems",
        "systems by ability, and where each solves more or fewer items than expected",
        (
            text("system"),
            count("tp", "solved"),
            decimal("ability", "ability\n(Rasch)", 2),
            count("above_bin", "most above\nin bin"),
            decimal("above", "residual", 1),
            count("below_bin", "most below\nin bin"),
            decimal("below", "residual", 1),
        ),
        limit=None,
    ),
    Table(
        "fit",
        "items solved per bin: standardised residual, above or below what abilities predict",
        wide=WideForm("system", "bin", decimal("residual", "residual", 1), below="items",
                      turned=True, crowd="bins"),
        shaped_by=f"{_CHART}:fit",
        notes=(
            "0: as many as its score predicts; large in a low bin: solves what stronger ones miss",
        ),
        figures=f"{_FIGURES}:FIT",
        counts={"items": OF_BIN, "tp": f"{OF_BIN} and {HIT}"},
    ),
    Table(
        "items",
        "items to look at: negative discrimination first, then those that no system solves",
        (
            Column("context", "context", "prose"),
            text("gold"),
            count("solved_by", "systems\nright"),
            decimal("discrimination", "discri-\nmination", 2),
            decimal("p_adjusted", "p adj."),
            Column("flag", "", "text", names=FLAGS),
        ),
        limit=20,
        shaped_by=f"{_CHART}:listed",
    ),
    Table(
        "patterns",
        "patterns of right (1) and wrong (0), most frequent first",
        (text("pattern"), count("n", "items"), count("solved_by", "solved\nby"),
         decimal("discrimination", "discri-\nmination", 2)),
        limit=30,
        notes=("the order of the digits is that of the systems as given",),
    ),
    Table(
        "abilities",
        "systems by ability ({model}), with 95 % intervals; 0 is the mean of the systems",
        (
            text("system"),
            count("items", "items\nanswered"),
            percent("share", "solved"),
            decimal("ability", "ability", 2),
            decimal("error", "standard\nerror", 2),
            decimal("low", "\nlow", 2),
            decimal("high", "\nhigh", 2),
            count("rank_low", "rank\nfrom"),
            count("rank_high", "to"),
            text("note"),
        ),
        apart=("model",),
        ranked_by="ability",
        limit=None,
    ),
    Table(
        "difficulties",
        "items by difficulty ({model}), the hardest first",
        (
            text("id"),
            count("answered"),
            count("solved_by", "systems\nright"),
            decimal("difficulty", "difficulty", 2),
            decimal("error", "standard\nerror", 2),
            decimal("discrimination", "discri-\nmination", 2),
        ),
        apart=("model",),
        limit=20,
    ),
    Table(
        "subset",
        "smaller test sets: error of their scores on systems held out",
        (
            text("method", "items chosen"),
            count("n", "items"),
            count("rounds"),
            count("held_out", "systems\nheld out"),
            Column("mean_error", "mean error\n(points)", "ratio", "low"),
            Column("error_sd", "± sd", "ratio"),
            decimal("rank_correlation", "rank\ncorrelation", 3),
        ),
        figures=f"{_FIGURES}:SUBSET",
    ),
    Table(
        "chosen",
        "items of the smaller test set, with their weights in the mean",
        limit=10,
    ),
)  # fmt: skip


ITEMS = Analysis(
    "items",
    "which items separate systems, and which systems surprise",
    Options,
    method="item_statistics",
    examples=(
        "coleval items corpus/",
        "coleval items corpus/ --subset 50 --table subset",
    ),
    does="""Return which items separate the systems: ``overall``, ``items``, ``fit`` and more.

Discrimination, reliability, Rasch's model of bins; ``patterns`` and ``subset`` add tables.""",
    of_numbers="numbers",
    right_or_wrong="best permutations patterns subset subset_by",
    tables=TABLES,
    chapter=Chapter(
        "Which items separate the systems?",
        ("overall", "labels", "fit", "items"),
        place=9.4,
        systems=3,
    ),
)
