"""How the tables of ``compare`` are drawn."""

from __future__ import annotations

from coleval.declare.figures import Figure
from coleval.declare.tables import count, decimal, percent, points, text

_ROWS = "coleval.analyses.compare.figures"
FOLDS = (
    Figure(
        "ranges",
        "scores over folds: lowest (○) and highest (●); mean on the right",
        text("system"),
        percent("mean", "mean", scored=True),
        low="min",
        high="max",
        also=(
            percent("min", "lowest", scored=True),
            percent("max", "highest", scored=True),
            count("n", "folds"),
        ),
        axis="score %",
    ),
)
PAIRS = (
    Figure(
        "heat map",
        "{metric}: points that the row is ahead of the column",
        text("a", ""),
        points("delta", "points"),
        text("b", "system"),
        mirrored=True,
        sure="significant",
        also=(decimal("p_adjusted", "p adjusted"),),
        apart=("metric",),
        shaped_by=f"{_ROWS}:all_pairs",
    ),
    Figure(
        "dots",
        "{metric}: points ahead of {reference}",
        text("system"),
        points("delta", "points"),
        low="low",
        high="high",
        also=(decimal("p_adjusted", "p adjusted"),),
        apart=("metric", "reference"),
        shaped_by=f"{_ROWS}:from_one",
    ),
)
RANKS = (
    Figure(
        "dots",
        "{metric} of each system, best first",
        text("system"),
        percent("value", "score", scored=True),
        low="low",
        high="high",
        also=(count("rank"), count("rank_low", "rank from"), count("rank_high", "to"),
              count("group"), count("better_than", "significantly better than"),
              count("worse_than", "significantly worse than")),
        axis="{metric} %",
        apart=("metric",),
        sure="tied",
        band="band",
        shaped_by=f"{_ROWS}:ranked",
        notes=("band, ●: the best, and systems not significantly worse · ○ significantly worse",),
        overview="ranks",
    ),
)  # fmt: skip
