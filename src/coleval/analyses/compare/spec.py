"""What ``compare`` says of itself: its options, its tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, get_args

from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.counting import Conventions, Corrected, Counting, Resampled, several
from coleval.declare.kinds import Names, Test
from coleval.declare.options import declared, option
from coleval.declare.tables import Table, count, decimal, differing, percent, points, text
from coleval.errors import UsageError

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus

Level = Literal["", "units", "groups"]


def _with_precision(corpus: Corpus, options: Any) -> bool:
    """Tell whether the metric has precision in it."""
    unit = corpus.at(corpus.scoring.unit)
    metric = options.metric or corpus.task_kind.headline(corpus, unit)
    return not metric.endswith(("accuracy", "sentences", "recall"))


def _regex(group: str) -> None:
    try:
        re.compile(group)
    except re.error as error:
        raise UsageError(
            f"`{group}` is not a regular expression: {error}",
            where="--group",
            remedy="for example --group '(.*)-seed[0-9]+'",
        ) from None


def _share(share: float) -> None:
    if not 0 < share < 1:
        raise UsageError(
            f"{share:g} is not a part of the data",
            where="--test-share",
            remedy="for example --test-share 0.1: a tenth is tested, the rest is trained on",
        )


@declared
class Options(Corrected, Resampled, Conventions, Counting):
    """The options of ``compare``, whose ``metric`` is any score."""

    metric: str = option(
        default="", group="comparing", metavar="NAME",
        help="score to compare: accuracy, precision, recall, f1, macro_f1, weighted_f1, f1:LABEL, "
        "fair_f1, las …",
    )  # fmt: skip
    test: Test = option(
        default="", group="comparing", metavar="NAME", kind="test",
        values=get_args(Test)[1:],
        help="significance test: bootstrap (default), randomisation (default below 100 units), "
        "mcnemar (default where each unit is right or wrong), mcnemar-midp; of the scores of "
        "single units: wilcoxon, sign, t (paired)",
    )  # fmt: skip
    baseline: str | None = option(
        default=None,
        group="comparing",
        metavar="NAME",
        help="compare every other system with this one only",
    )
    by: Names = option(
        default=(), group="comparing", metavar="COLUMN", repeated=True, reads=several,
        help="compare means of the score over groups of a column (dataset, document, genre …) or "
        "of an SQL expression, drawing units within each group; repeated options are crossed",
        in_python="compare means of the score over groups of these columns or SQL expressions",
    )  # fmt: skip
    resample: Level = option(
        default="", group="comparing", metavar="WHAT", values=get_args(Level)[1:],
        choose=True, kind="kind of units",
        help="with --by: draw units within each group (units, default: statements about these "
        "groups), or whole groups (groups: about others like them)",
    )  # fmt: skip
    group: str = option(
        default="", group="comparing", metavar="REGEX", check=_regex,
        help="average the runs of a system: '(.*)-seed[0-9]+' captures the name of the group",
    )  # fmt: skip
    folds: str = option(
        default="", group="comparing", metavar="COLUMN",
        help="column of the folds of a cross-validation, or of repeated splits: mean, sd, t test",
    )  # fmt: skip
    test_share: float | None = option(
        default=None, group="comparing", metavar="S", number=float, check=_share,
        help="part of the data that is tested in each split (default: each item in one fold)",
    )  # fmt: skip


_FIGURES = "coleval.analyses.compare.figure_spec"
_FOLDS = (
    Table(
        "folds",
        "scores over folds, best mean first",
        (
            text("system"),
            count("n", "folds"),
            percent("mean", "mean", "high", scored=True),
            differing("sd", "sd\npoints"),
            percent("min", "lowest\n%", scored=True),
            percent("max", "highest\n%", scored=True),
            text("note"),
        ),
        figures=f"{_FIGURES}:FOLDS",
    ),
    Table(
        "fold_pairs",
        "differences a − b over folds: t test corrected for shared training data",
        (
            text("a"),
            text("b"),
            count("n", "folds"),
            points("delta", "points\na − b"),
            differing("sd", "sd\npoints"),
            points("low", "\nlow"),
            points("high", "\nhigh"),
            decimal("t", "t"),
            decimal("p", "p"),
            decimal("p_adjusted", "p\nadjusted"),
            text("note"),
        ),
    ),
)
_DIFFERENCE = (
    text("a"),
    text("b"),
    percent("value_a", "a\n%", scored=True),
    percent("value_b", "b\n%", scored=True),
    points("delta", "points\na − b"),
    points("low", "\nlow"),
    points("high", "\nhigh"),
    decimal("p", "p"),
    decimal("p_adjusted", "p\nadjusted"),
)
PAIRS = Table(
    "pairs",
    "differences a − b, best first",
    (*_DIFFERENCE, count("units_needed", "units\nneeded"), decimal("effect", "effect"),
     text("note")),
    chart="coleval.analyses.compare.matrix:views",
    figures=f"{_FIGURES}:PAIRS",
)  # fmt: skip
TABLES = (
    PAIRS,
    Table(
        "ranks",
        chart="coleval.analyses.compare.ranks:views",
        figures=f"{_FIGURES}:RANKS",
    ),
    Table(
        "power",
        "smallest difference (in points) detectable with a power of 80 %, for a typical pair",
        (
            text("test"),
            text("unit"),
            count("units"),
            count("tests"),
            differing("detectable", "detectable\none test"),
            differing("detectable_adjusted", "detectable\nall tests"),
            count("units_for_a_point", "units to\ndetect 1 point"),
            text("note"),
        ),
        limit=None,
    ),
    Table(
        "groups",
        "runs of a group, best mean first",
        (
            text("group"),
            count("n"),
            percent("mean", "mean", "high", scored=True),
            differing("sd", "sd\npoints"),
            percent("min", "lowest\n%", scored=True),
            percent("max", "highest\n%", scored=True),
            text("note"),
        ),
    ),
    Table(
        "group_pairs",
        "differences of means; p generalises to other test sets, p over runs to other runs",
        (*_DIFFERENCE, decimal("p_runs", "p over\nruns")),
    ),
    *_FOLDS,
)


COMPARE = Analysis(
    "compare",
    "significance of differences: tests, intervals, ranks",
    Options,
    examples=(
        "coleval compare corpus/",
        "coleval compare corpus/ --baseline baseline --test randomisation",
    ),
    does="Return whether differences are significant: tables ``pairs``, ``ranks``, ``power``.",
    of_numbers="tables",
    tables=TABLES,
    filtered=_with_precision,
    chapter=Chapter(
        "Is the difference significant?",
        ("ranks", "pairs", "power"),
        place=2,
        systems=2,
        crowded=("pairs",),
        leads=("ranks",),
    ),
)
