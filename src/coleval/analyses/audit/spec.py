"""What ``audit`` says of itself: its options, its tables."""

from __future__ import annotations

from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.counting import TreeCounting
from coleval.declare.options import declared, option
from coleval.declare.tables import Column, Table, count, percent, points, text
from coleval.errors import UsageError


def _check_share(share: float) -> None:
    if not 0 <= share <= 1:
        raise UsageError(
            f"{share:g} is not a share",
            where="--alike",
            remedy="use a number between 0 and 1 (default 0.98)",
        )


@declared
class Options(TreeCounting):
    """The options of ``audit``."""

    least: int = option(
        default=0, group="audit", metavar="V", number=int, least=0,
        help="list what at least V systems agree on (default: half of the votes, 2 or more)",
    )  # fmt: skip
    limit: int = option(
        default=1_000, group="audit", metavar="N", number=int, least=0,
        help="list at most N suspects (default 1000; 0: all)",
    )  # fmt: skip
    alike: float = option(
        default=0.98, group="audit", metavar="SHARE", number=float, check=_check_share,
        help="systems with the same answers in more than this share of their errors have one vote "
        "(default 0.98)",
    )  # fmt: skip
    against: str = option(
        default="", group="audit", metavar="NAME",
        help="measure the audit: this system, or file, is a second version of gold",
    )  # fmt: skip
    decisions: str = option(
        default="", group="audit", metavar="FILE",
        help="a list of suspects with the column decision filled in: a corrected gold, and scores "
        "on it",
    )  # fmt: skip
    corrected: str = option(
        default="", group="audit", metavar="FILE", signed=False,
        help="with --decisions: write the corrected gold to this file",
    )  # fmt: skip


_FIGURES = "coleval.analyses.audit.views"
KINDS = {
    "label": "another label", "boundary": "another extent", "missing": "missing in gold",
    "spurious": "only in gold",
}  # fmt: skip
_KIND = Column("kind", "suspect", "text", names=KINDS)
TABLES = (
    Table(
        "suspects",
        "gold to look at again, most votes first",
        (
            Column("context", "context", "prose"),
            text("gold"),
            text("answer", "systems\nsay"),
            text("extent", "extent"),
            Column("votes", "votes", "pair", whole="of"),
            _KIND,
        ),
        limit=30,
        ranked_by="rank",
        shaped_by="coleval.analyses.audit.views:listed",
    ),
    Table(
        "overall",
        "suspects by kind and votes",
        (_KIND, count("votes"), count("suspects")),
    ),
    Table(
        "rescored",
        "scores on gold and on the other version",
        (
            text("system"),
            percent("before", "on\ngold", "high"),
            percent("after", "on the\nother", "high"),
            points("delta"),
            count("rank_before", "rank"),
            count("rank_after", "rank\nthen"),
        ),
        limit=None,
        figures=f"{_FIGURES}:RESCORED",
    ),
    Table(
        "hits",
        "suspects that the second gold changed",
        (
            _KIND,
            count("votes"),
            count("suspects"),
            count("changed"),
            percent("share", "changed"),
            count("agreed", "as systems\nsay"),
        ),
    ),
    Table(
        "precision",
        "of the first k suspects, changed by the second gold",
        (count("k", "first"), count("changed"), percent("precision", "changed"),
         percent("agreed", "as systems\nsay")),
        figures=f"{_FIGURES}:PRECISION",
    ),
    Table(
        "found",
        "what the second gold changed, by the number of systems that agree",
        (
            Column("what", "", "text", names={
                "gold": "gold items that k systems solve",
                "proposed": "answers of k systems that gold lacks",
            }),
            count("systems", "k"),
            count("items"),
            count("changed"),
            percent("share", "changed"),
        ),
    ),
    Table("corrected", "the corrected gold", limit=10),
)  # fmt: skip


AUDIT = Analysis(
    "audit",
    "likely errors in gold: answers that systems agree on against it",
    Options,
    examples=("coleval audit corpus/ --least 4 --limit 20",),
    does="""Return where systems agree against gold: ``suspects`` and ``overall``.

``against`` a second gold adds how many of them it changed, ``decisions`` a corrected gold.""",
    of_texts="tables",
    not_of_numbers="two systems seldom have the same number, so that none outvotes gold",
    tables=TABLES,
    chapter=Chapter("Where may gold be wrong?", ("suspects", "overall"), place=9.6, systems=2),
)
