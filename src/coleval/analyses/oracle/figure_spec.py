"""How the tables of ``oracle`` are drawn."""

from __future__ import annotations

from coleval.declare.figures import Figure
from coleval.declare.tables import count, percent, points, text

LADDER = (
    Figure(
        "lines",
        "items that at least one of the best k systems solves",
        count("k"),
        percent("oracle", "solved"),
        also=(text("system", "with"), count("adds")),
    ),
)
LABELS = (
    Figure(
        "ranges",
        "the best system (○) and the upper bound (●) by gold label",
        text("label"),
        points("gain", "gain in points"),
        low="best",
        high="oracle",
        also=(percent("best", "best system"), percent("oracle", "upper bound")),
        axis="items right %",
        top=40,
    ),
)
BY_SYSTEMS = (
    Figure(
        "heat map",
        "items that each system has right, by group",
        text("by", "group"),
        percent("accuracy", "right"),
        text("system"),
        top=40,
    ),
)
LEAVE_ONE_OUT = (
    Figure(
        "bars",
        "items that no other system solves",
        text("system"),
        count("alone", "items"),
    ),
)
OVERLAP = (
    Figure(
        "heat map",
        "errors that two systems have in common, of the errors of both",
        text("a", ""),
        percent("jaccard", "in common"),
        text("b", "system"),
        mirrored=True,
    ),
)
