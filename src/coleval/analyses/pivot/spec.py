"""What ``pivot`` says of itself: its options, its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.counting import TreeCounting
from coleval.declare.kinds import Names
from coleval.declare.options import declared, option
from coleval.declare.tables import Table, count, decimal, percent, points, text

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus


def _one_or_two(given: Any) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(filter(None, given))


def _joined(given: Any) -> str:
    return given if isinstance(given, str) else ",".join(given)


def _of_f1(_: Corpus, options: Any) -> bool:
    return str(options.value).startswith("f1")


@declared
class Options(TreeCounting):
    """The options of ``pivot``."""

    rows: str = option(
        default="", group="pivot", metavar="SQL",
        help="rows of the table: a column or SQL expression, such as difficulty or upper(form[1])",
    )  # fmt: skip
    cols: str = option(
        default="", group="pivot", metavar="SQL",
        help="columns of the table, such as outcome_NAME or error_gold_NAME",
    )  # fmt: skip
    third: str = option(
        default="", group="pivot", metavar="SQL",
        help="one such table for each value of this column",
    )  # fmt: skip
    value: str = option(
        default="n", group="pivot", metavar="WHAT",
        help="content of the cells: n (default), share (of the row), accuracy[:SYSTEM], "
        "f1[:SYSTEM]",
    )  # fmt: skip
    wide: bool = option(
        default=False, group="pivot", help="write one column for each value of --cols"
    )
    find: Names = option(
        default=(), group="pivot", metavar="SYSTEM", words="+", reads=_one_or_two,
        help="find the slices in which this system is worst (with two systems: in which the second "
        "is worse than the first), by one or two attributes",
        in_python="where this system is worst; of two, where the second is worse than the first",
    )  # fmt: skip
    attributes: Names = option(
        only_with=("find",), default="", group="pivot", metavar="LIST", reads=_joined,
        help="attributes and columns for --find to try",
    )  # fmt: skip
    least: int = option(
        only_with=("find",), default=20, group="pivot", metavar="N", number=int,
        help="smallest slice for --find, in items (default 20)",
    )  # fmt: skip


_CHART = "coleval.analyses.pivot.views"
_FIGURES = "coleval.analyses.pivot.views"
TABLES = (
    Table("pivot", limit=30, chart=f"{_CHART}:views", figures=f"{_FIGURES}:PIVOT"),
    Table(
        "totals",
        "items in all of a row or a column",
        (text("axis"), text("value"), count("n", "items")),
        inside=True,
    ),
    Table(
        "slices",
        "significantly worse slices, lowest p first",
        (
            text("slice", "where"),
            count("n", "items"),
            percent("score", "in slice\n%"),
            percent("overall", "overall\n%"),
            points("delta"),
            decimal("p_adjusted", "p (BH)"),
        ),
        limit=30,
        shaped_by=f"{_CHART}:slices",
        figures=f"{_FIGURES}:SLICES",
    ),
    Table(
        "tried",
        "how many slices were tried",
        (
            count("slices"),
            count("found", "significantly\nworse"),
            count("least", "fewest\nitems"),
            decimal("alpha", "p at most"),
        ),
        inside=True,
    ),
)


PIVOT = Analysis(
    "pivot",
    "any column by any other: counts and scores; --find weak slices",
    Options,
    examples=(
        "coleval pivot corpus/ --rows gold --cols difficulty",
        "coleval pivot corpus/ --find crf",
    ),
    does="""Return one column or SQL expression against another: ``pivot`` and ``totals``.

With ``find`` it is where a system is worst: ``slices`` and ``tried``.""",
    of_numbers="numbers",
    tables=TABLES,
    filtered=_of_f1,
    chapter=Chapter("Where does the best system fail?", ("slices", "tried"), place=7),
)
