"""What ``compare`` says of itself: its options, its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.counting import Conventions, Counting, Resampled
from coleval.declare.kinds import Correction, Test
from coleval.declare.options import declared, option

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus


def _with_precision(corpus: Corpus, options: Any) -> bool:
    """Tell whether the metric has precision in it."""
    from coleval.analyses.compare.metrics import headline

    metric = options.metric or headline(corpus, corpus.at(corpus.scoring.unit))
    return not metric.endswith(("accuracy", "sentences", "recall"))


@declared
class Options(Resampled, Conventions, Counting):
    """The options of ``compare``, whose ``metric`` is any score."""

    metric: str = option(
        default="", group="comparing", metavar="NAME",
        help="score to compare: accuracy, precision, recall, f1, macro_f1, weighted_f1, f1:LABEL, "
        "fair_f1, las …",
    )  # fmt: skip
    test: Test = option(
        default="", group="comparing", metavar="NAME",
        help="significance test: bootstrap (default), randomisation (default below 100 units), "
        "mcnemar, mcnemar-midp, wilcoxon",
    )  # fmt: skip
    correct: Correction = option(
        default="holm", group="comparing", metavar="HOW",
        help="correction for multiple tests: holm (default), bh, none",
    )  # fmt: skip
    baseline: str | None = option(
        default=None,
        group="comparing",
        metavar="NAME",
        help="compare every other system with this one only",
    )
    group: str = option(
        default="", group="comparing", metavar="REGEX",
        help="average the runs of a system: '(.*)-seed[0-9]+' captures the name of the group",
    )  # fmt: skip


COMPARE = Analysis(
    "compare",
    "significance of differences: tests, intervals, ranks",
    Options,
    does="Return whether differences are significant: tables ``pairs``, ``ranks``, ``power``.",
    filtered=_with_precision,
    chapter=Chapter(
        "Is the difference significant?",
        ("ranks", "pairs", "power"),
        place=2,
        systems=2,
        crowded=("pairs",),
    ),
)
