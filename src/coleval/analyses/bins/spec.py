"""What ``bins`` says of itself: its options, its tables."""

from __future__ import annotations

from coleval.analyses.ordering import RANK, Ordered
from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.columns import columns
from coleval.declare.conditions import HIT, IN_GOLD, OF_BIN
from coleval.declare.counting import Engined, Grouped, TreeCounting, pair_option, pairs_option
from coleval.declare.kinds import Names, Pairs
from coleval.declare.options import declared, option
from coleval.declare.reading import names_of
from coleval.declare.tables import Column, Table, WideForm, bar, count, percent, points, text


@declared
class Options(Ordered, Grouped, Engined, TreeCounting):
    """The options of ``bins``."""

    percent: bool = option(
        default=False, group="bins", signed=False,
        help="show percentages of each bin instead of counts",
    )  # fmt: skip
    words: Names = option(
        default=(), group="bins", metavar="LIST", reads=names_of,
        help="show these forms by bin, separated by commas",
    )  # fmt: skip
    words_top: int = option(
        default=0, group="bins", metavar="K", number=int, least=0,
        help="show the K forms that are spread over most bins",
    )  # fmt: skip
    profile_bins: bool = option(
        default=False, group="bins", former=("profile",),
        help="properties of each bin's items: digits, hapaxes, length, neighbours …",
    )  # fmt: skip
    items: bool = option(
        default=False, group="bins", help="list every item with its bin and context"
    )
    quantiles: int = option(
        needs=("only numbers",), default=5, group="bins", metavar="N", number=int, least=2,
        help="of scores that are numbers: N bins of about equal size by their mean (default 5)",
    )  # fmt: skip
    pair: Pairs = pair_option("bins", "compare two systems bin by bin")
    pairs: Pairs = pairs_option("bins")


_PLACE = (
    count("difficulty", "bin"), count("spurious"), text("gold"), text("id"), text("label"),
    Column("left", "left", "before"), text("form"), Column("right", "right", "after"),
)  # fmt: skip
_FIGURES = "coleval.analyses.bins.views"
SPURIOUS = Table(
    "spurious",
    "spurious items by the number of systems that predict them",
    (count("bin", "systems"), count("items")),
    least=1,
    counts={"items": "spurious = {bin}"},
    # Among spans there is no bin 0, and the title does not name one.
    chart="coleval.analyses.bins.words:spurious",
    figures=f"{_FIGURES}:SPURIOUS",
)  # fmt: skip
DIFFICULTY = Table(
    "bins",
    "items by the number of systems that solve them (0: hardest)",
    (count("bin"), count("items"), percent("share", ""), bar("items")),
    # Of a crowd of systems there are more bins than can be read.
    chart="coleval.analyses.bins.words:bins",
    counts={"items": OF_BIN},
    figures=f"{_FIGURES}:BINS",
)
TABLES = (
    Table(
        "bins",
        "items in groups of about equal size by their mean score, lowest first",
        (
            count("bin"),
            text("bucket", "mean score"),
            count("items"),
            percent("share", ""),
            bar("items"),
        ),
        where="better",
    ),
    Table(
        "means",
        "score of each system by bin (lowest mean scores left; bin size below)",
        wide=WideForm(
            "system",
            "bin",
            percent("value", "score", "high", scored=True),
            below="items",
            shaded=True,
            among="of its bin",
            crowd="bins",
        ),
    ),
    DIFFICULTY,
    Table(
        "by",
        "items of each group by the number of systems that solve them (0: hardest), % of the group",
        wide=WideForm("by", "bin", percent("share", ""), total=count("items"), shaded=True),
        limit=None,
        figures=f"{_FIGURES}:BY",
    ),
    Table(
        "tps",
        chart="coleval.analyses.bins.views:views",
        figures=f"{_FIGURES}:TPS",
        counts={"tp": f"{OF_BIN} and {HIT}"},
    ),
    Table(
        "systems",
        where=RANK,
        chart="coleval.analyses.bins.views:systems",
        figures=f"{_FIGURES}:SYSTEMS",
    ),
    Table(
        "systems",
        "systems, most solved first",
        (*columns("system recall tp items"), count("singular", "solved by\nno other")),
        ranked_by="tp",
        limit=None,
        counts={"tp": HIT, "items": IN_GOLD, "singular": f"difficulty = 1 and {HIT}"},
        figures=f"{_FIGURES}:SYSTEMS",
    ),
    Table(
        "pairs",
        "{before} → {after}, by bin",
        (
            count("bin"),
            count("items"),
            count("tp_before", "{before}\nTP"),
            count("tp_after", "{after}\nTP"),
            count("delta", "\n±"),
            percent("share_before", "before\n%"),
            percent("share_after", "after\n%"),
            points("share_delta", "points\n±"),
        ),
        apart=("before", "after"),
        figures=f"{_FIGURES}:PAIRS",
        counts={
            "items": OF_BIN,
            "tp_before": f"{OF_BIN} and \"outcome_{{before}}\" = 'correct'",
            "tp_after": f"{OF_BIN} and \"outcome_{{after}}\" = 'correct'",
        },
    ),
    Table("words", chart="coleval.analyses.bins.words:words"),
    Table("profile", chart="coleval.analyses.bins.words:profile"),
    SPURIOUS,
    Table(
        "spurious_systems",
        "spurious items of each system by how many systems predict them (items below)",
        wide=WideForm(
            "system",
            "bin",
            count("spurious"),
            below="items",
            crowd="bins",
        ),
        least=1,
    ),
    Table("items", "hardest first, in context", _PLACE, limit=25),
)


BINS = Analysis(
    "bins",
    "difficulty: items by the number of systems that solve them",
    Options,
    examples=(
        "coleval bins gold.conll systems/*.conll",
        "coleval bins corpus/ --words-top 10 --table words",
    ),
    does="""Return items by difficulty: ``bins``, ``tps``, ``systems``, ``spurious`` and more.

``words`` or ``words_top``, ``profile_bins``, ``items`` and ``pair`` each add a table.""",
    of_numbers="numbers",
    right_or_wrong="order percent words words_top profile_bins items pair pairs",
    tables=TABLES,
    chapter=Chapter("How difficult are the items?", ("bins", "tps", "systems", "means"), place=3),
)
