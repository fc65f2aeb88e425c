"""How the tables of ``audit`` are drawn."""

from __future__ import annotations

from coleval.declare.figures import Figure
from coleval.declare.tables import count, percent, points, text

PRECISION = (
    Figure(
        "lines",
        "of the first k suspects, changed by the second gold",
        count("k", "first suspects"),
        percent("precision", "changed"),
        also=(count("changed"), percent("agreed", "as systems say")),
    ),
)
RESCORED = (
    Figure(
        "ranges",
        "scores on gold (○) and on the other version (●)",
        text("system"),
        points("delta", "difference in points"),
        low="before",
        high="after",
        also=(percent("before", "on gold"), percent("after", "on the other")),
        axis="score %",
        top=40,
    ),
)
