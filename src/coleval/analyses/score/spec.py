"""What ``score`` says of itself: its options, its tables."""

from __future__ import annotations

from dataclasses import replace

from coleval.analyses.ordering import RANK, Ordered
from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.columns import CORRECT_OF_ITEMS, SENTENCES_RIGHT, columns
from coleval.declare.conditions import HIT, INVENTED, LOST, OF_LABEL
from coleval.declare.counting import (
    Engined,
    Grouped,
    Keys,
    RankedCounting,
    Resampled,
    WithIntervals,
)
from coleval.declare.options import declared, option
from coleval.declare.tables import Column, Table, WideForm, count, decimal, percent, text


@declared
class Options(Ordered, Grouped, WithIntervals, Resampled, Keys, Engined, RankedCounting):
    """The options of ``score``."""

    leaderboard: bool = option(
        default=False, group="score", signed=False,
        help="a table to publish: intervals, significance groups, a column for each dataset "
        "(written to HTML always)",
        in_python="a table to publish: intervals, significance groups, a column for each dataset",
    )  # fmt: skip


_BEST_FIRST = "systems, best first by {}"
_SCORES = tuple(replace(c, better="") for c in columns("precision recall f1 tp fp fn"))
BY_LABEL = WideForm(
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
_METRICS = WideForm(
    "system",
    "metric",
    percent("f1", "F1", "high"),
    among="of its column",
    headed="%",
    broken="_",
)
_SHAPES = "coleval.analyses.score.views"
_NUMBERS = "coleval.analyses.score.numbers"
_GROUPED = "coleval.analyses.score.grouped"
_FIGURES = "coleval.analyses.score.views"
_OUTCOMES = {"tp": HIT, "fp": INVENTED, "fn": LOST, "correct": HIT}
_OF_LABEL = {
    "support": OF_LABEL,
    "tp": f"{OF_LABEL} and {HIT}",
    "fp": f'"{{system}}" = {{label}} and {INVENTED}',
    "fn": f"{OF_LABEL} and {LOST}",
}
PLACES = Table(
    "places",
    "what became of the entities that each system lists",
    wide=WideForm("system", "status", count("n"), broken=" ", cells=24),
    figures=f"{_FIGURES}:PLACES",
)
TABLES = (
    Table(
        "leaderboard",
        "to publish: scores with 95 % intervals, significance groups, each dataset",
        chart="coleval.analyses.score.board:views",
    ),
    Table(
        "ranking",
        "systems by the mean of their scores over groups",
        (
            count("rank", "#"),
            *columns("system"),
            percent("macro", "macro", "high", scored=True),
            percent("pooled", "pooled", "high", scored=True),
            count("groups"),
            count("missing"),
            count("not_applicable", "not\napplicable"),
            text("best_in", "first in"),
        ),
        shaped_by=f"{_GROUPED}:ranks",
        figures=f"{_FIGURES}:RANKING",
    ),
    Table(
        "by",
        shaped_by=f"{_GROUPED}:heat_map",
        wide=WideForm(
            "system",
            "by",
            percent("score", "score", "high", scored=True),
            shaded=True,
            turned=True,
            among="of its group",
            crowd="groups",
        ),
        limit=None,
        figures=f"{_FIGURES}:BY",
    ),
    Table(
        "overall",
        where=RANK,
        chart="coleval.analyses.score.views:overall",
        figures=f"{_FIGURES}:OVERALL",
    ),
    Table(
        "overall",
        "systems, best first",
        (
            *columns("system"),
            percent("value", "score", "high", scored=True),
            percent("value_low", "\nlow", scored=True),
            percent("value_high", "\nhigh", scored=True),
            count("answered", "items"),
            *(percent(name, name, scored=True) for name in ("mean", "sd", "min", "median", "max")),
            percent("coverage", "answered"),
        ),
        where="better",
        ranked_by="value",
        limit=None,
        shaped_by=f"{_NUMBERS}:shown",
        figures=f"{_FIGURES}:OVERALL",
    ),
    Table(
        "overall",
        "systems, best first; {metric} with its interval",
        (
            text("system"),
            percent("value", "score"),
            percent("value_low", "\nlow"),
            percent("value_high", "\nhigh"),
        ),
        where="segments value_low",
        limit=None,
        apart=("metric",),
        shaped_by="coleval.analyses.score.generated:shown",
        figures=f"{_FIGURES}:OVERALL",
    ),
    Table(
        "overall",
        "systems, best first",
        where="segments",
        limit=None,
        shaped_by="coleval.analyses.score.generated:shown",
        wide=WideForm("system", "metric", percent("value", "score"), headed="%", broken=" "),
        figures=f"{_FIGURES}:OVERALL",
    ),
    Table(
        "overall",
        "systems, best first",
        (
            *columns("system"),
            percent("value", "score", "high"),
            percent("value_low", "\nlow"),
            percent("value_high", "\nhigh"),
            percent("coverage", "answered"),
        ),
        where="value",
        ranked_by="value",
        limit=None,
        shaped_by=f"{_NUMBERS}:shown",
        figures=f"{_FIGURES}:OVERALL",
    ),
    Table(
        "overall",
        "{metric}: systems with intervals of F1; those of recall and precision: --as csv",
        columns("system precision recall f1 f1_low f1_high"),
        where="metric f1_low",
        limit=None,
        apart=("metric",),
        figures=f"{_FIGURES}:OVERALL",
    ),
    Table(
        "overall",
        "systems, best first: F1 of all metrics; recall, precision and their counts: --as csv",
        where="recall_num",
        limit=None,
        shaped_by=f"{_SHAPES}:chain_metrics",
        wide=_METRICS,
        figures=f"{_FIGURES}:OVERALL",
    ),
    Table(
        "overall",
        "{part}",
        where="aligned_accuracy",
        limit=None,
        apart=("part",),
        shaped_by=f"{_SHAPES}:metrics",
        wide=_METRICS,
        figures=f"{_FIGURES}:OVERALL",
    ),
    Table(
        "overall",
        _BEST_FIRST.format("F1"),
        (
            *columns("system samples_f1 precision recall f1 macro_f1 hamming_loss samples_jaccard"),
            percent("accuracy", "exact\nmatch %", "high"),
        ),
        where="samples_f1",
        ranked_by="f1",
        limit=None,
        figures=f"{_FIGURES}:OVERALL",
    ),
    Table(
        "overall",
        _BEST_FIRST.format("accuracy"),
        (
            *columns("system accuracy accuracy_low accuracy_high"),
            CORRECT_OF_ITEMS,
            *columns("macro_f1 weighted_f1"),
            SENTENCES_RIGHT,
            percent("coverage", "answered"),
        ),
        where="accuracy",
        ranked_by="accuracy",
        limit=None,
        counts=_OUTCOMES,
        figures=f"{_FIGURES}:OVERALL",
    ),
    Table(
        "overall",
        _BEST_FIRST.format("F1"),
        (
            *columns("system precision recall f1 f1_low f1_high macro_f1 tp fp fn"),
            SENTENCES_RIGHT,
            count("repairs"),
            percent("coverage", "answered"),
        ),
        where="tp",
        ranked_by="f1",
        limit=None,
        counts=_OUTCOMES,
        figures=f"{_FIGURES}:OVERALL",
    ),
    Table(
        "status",
        "what became of the items of each system",
        wide=WideForm("system", "status", count("n"), shaded=True),
        figures=f"{_FIGURES}:STATUS",
    ),
    Table(
        "calibration",
        "are systems right as often as they are sure? Smallest calibration error first",
        (
            text("system"),
            count("items"),
            percent("accuracy", "accuracy", "high"),
            percent("confidence", "mean\nconfidence"),
            Column("ece", "ECE\npoints", "ratio", "low"),
            decimal("brier", "Brier", 4),
            percent("aurc", "mean risk\n(AURC)"),
        ),
        limit=None,
    ),
    Table(
        "reliability",
        "accuracy by confidence",
        (
            text("system"),
            count("bin"),
            percent("low", "above"),
            percent("high", "to"),
            count("items"),
            percent("confidence", "mean\nconfidence"),
            percent("accuracy", "accuracy"),
        ),
        figures=f"{_FIGURES}:RELIABILITY",
    ),
    Table(
        "selective",
        "accuracy of the most confident answers",
        wide=WideForm(
            "system", "coverage", percent("accuracy", "accuracy", "high"), among="of its column"
        ),
    ),
    PLACES,
    Table(
        "labels",
        "by label, most support first · {system}",
        (text("label"), count("support"), *_SCORES),
        falling="support",
        apart=("system",),
        most=1,
        figures=f"{_FIGURES}:LABELS_OF_ONE",
        counts=_OF_LABEL,
    ),
    Table(
        "labels",
        "F1 % by label (support below)",
        where="f1",
        wide=BY_LABEL,
        figures=f"{_FIGURES}:LABELS",
        counts=_OF_LABEL,
    ),
    Table(
        "labels",
        "right % by label (support below)",
        wide=replace(BY_LABEL, cell=percent("recall", "right", "high")),
        figures=f"{_FIGURES}:RIGHT",
        counts=_OF_LABEL,
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
    Table(
        "keys",
        "each system scored against the others: {metric} F1 %",
        apart=("metric",),
        shaped_by=f"{_SHAPES}:keys",
        wide=WideForm("key", "system", percent("f1", "F1"), crowd="systems"),
    ),
)


SCORE = Analysis(
    "score",
    "leaderboard: accuracy, precision, recall, F1, also by label",
    Options,
    examples=(
        "coleval score gold.conll systems/*.conll",
        "coleval score corpus/ --where 'difficulty <= 2' --as csv --table labels",
        "coleval score corpus/ -o leaderboard.html",
    ),
    does="Return the leaderboard: tables ``overall`` and ``labels``, best system first.",
    of_numbers="tables",
    tables=TABLES,
    filtered=True,
    each=True,
    # Intervals draw sentences by their places in the whole task.
    by_file=lambda _, options: not options.intervals,
    ranking="grouped:ranking",
    chapter=Chapter(
        "Which system is best?", ("overall", "labels"), place=1, leads=("ranking", "overall")
    ),
)
