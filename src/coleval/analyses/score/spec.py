"""What ``score`` says of itself: its options, its tables."""

from __future__ import annotations

from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.counting import Keys, Resampled, TreeCounting
from coleval.declare.options import declared, option


@declared
class Options(Resampled, Keys, TreeCounting):
    """The options of ``score``."""

    intervals: bool = option(
        default=False, group="intervals", help="show a bootstrap interval for each score"
    )


SCORE = Analysis(
    "score",
    "leaderboard: accuracy, precision, recall, F1, also by label",
    Options,
    does="Return the leaderboard: tables ``overall`` and ``labels``, best system first.",
    filtered=True,
    chapter=Chapter("Which system is best?", ("overall", "labels"), place=1),
)
