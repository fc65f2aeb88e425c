"""What ``bins`` says of itself: its options, its tables."""

from __future__ import annotations

from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.counting import TreeCounting
from coleval.declare.kinds import Names, Pairs
from coleval.declare.options import declared, option
from coleval.declare.reading import named_pairs, names_of


@declared
class Options(TreeCounting):
    """The options of ``bins``."""

    percent: bool = option(
        default=False, group="bins", help="show percentages of each bin instead of counts"
    )
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
    pair: Pairs = option(
        default=(), group="bins", metavar=("A", "B"), words=2, repeated=True, reads=named_pairs,
        help="compare two systems bin by bin; may be repeated",
    )  # fmt: skip
    pairs: Pairs = option(
        default=(), group="bins", shell=False, reads=named_pairs,
        help='several pairs: [("a", "b"), ("a", "c")]',
    )  # fmt: skip


BINS = Analysis(
    "bins",
    "difficulty: items by the number of systems that solve them",
    Options,
    does="""Return items by difficulty: tables ``bins``, ``tps``, ``systems`` and ``spurious``.

``words`` or ``words_top``, ``profile_bins``, ``items`` and ``pair`` each add a table.""",
    chapter=Chapter("How difficult are the items?", ("bins", "tps", "systems"), place=3),
)
