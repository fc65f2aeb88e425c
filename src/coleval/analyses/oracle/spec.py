"""What ``oracle`` says of itself: its options, its tables."""

from __future__ import annotations

from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.conditions import IN_GOLD, OF_LABEL
from coleval.declare.counting import Engined, Grouped, TreeCounting
from coleval.declare.options import declared
from coleval.declare.tables import (
    Column,
    Table,
    WideForm,
    bar,
    count,
    differing,
    percent,
    points,
    text,
)


@declared
class Options(Grouped, Engined, TreeCounting):
    """The options of ``oracle``."""


_CHART = "coleval.analyses.oracle.views"
_FIGURES = "coleval.analyses.oracle.views"
_SOLVED = "difficulty > 0"
TABLES = (
    Table(
        "overall",
        "the best of all systems on each item, and the best system",
        (
            count("items"),
            percent("value", "best of all", scored=True),
            text("best_system", "best\nsystem"),
            percent("best_value", "its\nscore", scored=True),
            differing("gain", "gain"),
            percent("lowest", "worst\nof all", scored=True),
        ),
        where="better",
    ),
    Table(
        "ladder",
        "systems in the order in which each raises the best of all before it most",
        (
            count("k"),
            text("system"),
            percent("value", "best\nof k", scored=True),
            differing("gain", "gain"),
        ),
        where="better",
        limit=30,
    ),
    Table(
        "leave_one_out",
        "effect of leaving out one system",
        (
            text("system"),
            count("alone", "items on which\nit alone is best"),
            percent("value", "best\nwithout it", scored=True),
            differing("loss", "loss"),
        ),
        where="better",
        limit=30,
    ),
    Table(
        "overall",
        chart=f"{_CHART}:overall",
        counts={
            "items": IN_GOLD,
            "oracle_correct": _SOLVED,
            "best_correct": "\"outcome_{best_system}\" = 'correct'",
        },
    ),
    Table(
        "ladder",
        "systems in the order in which each adds most to the upper bound",
        (
            count("k"),
            text("system"),
            count("adds"),
            count("correct", "solved"),
            percent("oracle", ""),
            count("left", "unsolved"),
            bar("left"),
        ),
        limit=30,
        shaped_by=f"{_CHART}:ladder",
        figures=f"{_FIGURES}:LADDER",
        excerpted=False,
    ),
    Table(
        "labels",
        "upper bound by gold label",
        (
            text("label"),
            count("items"),
            count("oracle_correct", "solved\nby any"),
            percent("oracle", ""),
            percent("best", "best\n%"),
            points("gain", "points\ngained"),
        ),
        limit=30,
        shaped_by=f"{_CHART}:labels",
        figures=f"{_FIGURES}:LABELS",
        counts={"items": OF_LABEL, "oracle_correct": f"{OF_LABEL} and {_SOLVED}"},
    ),
    Table(
        "systems",
        "what each system has right; all labels together first (–)",
        (
            text("label"),
            text("system"),
            count("items"),
            count("correct", "right"),
            percent("accuracy", "accuracy"),
        ),
        inside=True,
    ),
    Table(
        "by",
        "upper bound by group",
        (
            text("by", "group"),
            count("items"),
            count("oracle_correct", "solved\nby any"),
            percent("oracle", ""),
            text("best_system", "best\nsystem"),
            percent("best", "best"),
            points("gain", "points\ngained"),
        ),
        limit=30,
    ),
    Table(
        "by_systems",
        "% of the items of each group that a system has right (items below)",
        wide=WideForm(
            "system",
            "by",
            Column("accuracy", "accuracy", "ratio", "high"),
            below="items",
            shaded=True,
            turned=True,
            among="of its group",
            crowd="groups",
        ),
        limit=30,
        figures=f"{_FIGURES}:BY_SYSTEMS",
    ),
    Table(
        "leave_one_out",
        "effect of leaving out one system: items that no other system solves",
        (
            text("system"),
            count("correct", "right"),
            count("alone", "solved by\nno other"),
            percent("oracle_without", "upper bound\nwithout it"),
            points("loss", "points\nlost"),
        ),
        limit=30,
        figures=f"{_FIGURES}:LEAVE_ONE_OUT",
        excerpted=False,
    ),
    Table(
        "votes",
        "items by the number of systems that solve them",
        (
            count("k", "k systems\nright"),
            count("items"),
            percent("share", ""),
            count("at_least", "k or more"),
            count("majority_correct", "majority\nright"),
            bar("items"),
        ),
        filled="items",
        notes=(
            "majority: the most frequent answer, even of few systems; ties go to the better system",
        ),
    ),
    Table(
        "overlap",
        "errors in common",
        (
            text("a"),
            text("b"),
            percent("jaccard", "of the errors\nof both"),
            percent("share", "of all\nitems"),
            percent("correct_jaccard", "of what\neither solves"),
            percent("correct_share", "both solve\nof all items"),
            percent("correct_of_a", "of what\na solves"),
            percent("correct_of_b", "of what\nb solves"),
        ),
        chart=f"{_CHART}:overlap",
        figures=f"{_FIGURES}:OVERLAP",
    ),
)


ORACLE = Analysis(
    "oracle",
    "what a combination could reach: upper bounds, votes, contributions",
    Options,
    examples=("coleval oracle corpus/ --table ladder",),
    does="Return what systems reach together: ``overall``, ``labels``, ``votes`` and more.",
    of_numbers="numbers",
    tables=TABLES,
    by_file=True,
    chapter=Chapter("What could a combination reach?", ("overall", "ladder"), place=9, systems=2),
)
