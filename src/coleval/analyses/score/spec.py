"""What ``score`` says of itself: its options, its tables."""

from __future__ import annotations

from dataclasses import replace

from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.columns import CORRECT_OF_ITEMS, SENTENCES_RIGHT, columns
from coleval.declare.counting import Keys, Resampled, TreeCounting
from coleval.declare.options import declared, option
from coleval.declare.tables import Table, Wide, count, percent, text


@declared
class Options(Resampled, Keys, TreeCounting):
    """The options of ``score``."""

    intervals: bool = option(
        default=False, group="intervals", help="show a bootstrap interval for each score"
    )


_BEST_FIRST = "systems, best first"
_SCORES = tuple(replace(c, better="") for c in columns("precision recall f1 tp fp fn"))
BY_LABEL = Wide(
    "system",
    "label",
    percent("f1", "F1", "high"),
    below="support",
    sorted=True,
    shaded=True,
    turned=True,
    among="of its label",
    crowd="labels with less support",
)
TABLES = (
    Table(
        "overall",
        "systems, best first: F1; for recall, precision and their counts: --as csv",
        where="recall_num",
        wide=Wide(
            "system",
            "metric",
            percent("f1", "F1", "high"),
            among="of its column",
            headed="%",
            broken="_",
        ),
    ),
    Table("overall", where="aligned_accuracy", chart="coleval.analyses.score.metrics_chart:views"),
    Table(
        "overall",
        _BEST_FIRST,
        (
            *columns("system samples_f1 precision recall f1 macro_f1 hamming_loss samples_jaccard"),
            percent("accuracy", "exact\nmatch %", "high"),
        ),
        where="samples_f1",
        ranked_by="f1",
        limit=None,
    ),
    Table(
        "overall",
        _BEST_FIRST,
        (
            *columns("system accuracy accuracy_low accuracy_high"),
            CORRECT_OF_ITEMS,
            *columns("macro_f1 weighted_f1"),
            SENTENCES_RIGHT,
        ),
        where="accuracy",
        ranked_by="accuracy",
        limit=None,
    ),
    Table(
        "overall",
        _BEST_FIRST,
        (
            *columns("system precision recall f1 f1_low f1_high macro_f1 tp fp fn"),
            SENTENCES_RIGHT,
            count("repairs"),
        ),
        where="tp",
        ranked_by="f1",
        limit=None,
    ),
    Table(
        "labels",
        "by label, most support first · {system}",
        (text("label"), count("support"), *_SCORES),
        lone="system",
        falling="support",
        apart=("system",),
    ),
    Table("labels", "F1 % by label (support below)", where="f1", wide=BY_LABEL),
    Table(
        "labels",
        "right % by label (support below)",
        wide=replace(BY_LABEL, cell=percent("recall", "right", "high")),
    ),
    Table(
        "classes",
        "mentions by class: TP resolved, FP spurious, FN missed, WL wrong link, TN no antecedent",
        (
            *columns("system"),
            text("criterion"),
            *columns("tp fp fn"),
            count("wl", "WL"),
            count("tn", "TN"),
            count("items", "mentions"),
        ),
        limit=None,
    ),
    Table("keys", chart="coleval.analyses.score.coref_chart:keys"),
)


SCORE = Analysis(
    "score",
    "leaderboard: accuracy, precision, recall, F1, also by label",
    Options,
    does="Return the leaderboard: tables ``overall`` and ``labels``, best system first.",
    tables=TABLES,
    filtered=True,
    chapter=Chapter("Which system is best?", ("overall", "labels"), place=1),
)
