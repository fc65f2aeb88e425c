"""How the tables of ``items`` are drawn."""

from __future__ import annotations

from coleval.declare.figures import Figure
from coleval.declare.tables import count, decimal, percent, text

LABELS = (
    Figure(
        "bars",
        "items of each gold label that order the systems",
        text("label"),
        percent("measuring_share", "order the systems"),
        also=(count("items"), count("measuring", "order the systems")),
        top=40,
    ),
)
_EXPECTED = "coleval.analyses.items.figures:expected_and_observed"
FIT = (
    Figure(
        "lines",
        "{system}: items of each bin solved, and expected of its ability",
        count("bin", "systems that solve an item (0: hardest)"),
        percent("solved", "solved"),
        text("series", ""),
        also=(count("items"), count("tp", "solved"), decimal("residual", "residual", 1)),
        apart=("system",),
        most=3,
        shaped_by=_EXPECTED,
    ),
    Figure(
        "heat map",
        "residuals of each system by bin: above or below what abilities predict",
        text("system"),
        decimal("residual", "residual", 1),
        count("bin"),
        also=(count("tp", "solved"), decimal("expected", "expected", 1), count("items")),
        signed=True,
    ),
)
SUBSET = (
    Figure(
        "bars",
        "mean error of scores on a smaller test set, for systems held out",
        text("method"),
        percent("mean_error", "mean error"),
        also=(count("n", "items"), decimal("rank_correlation", "rank correlation", 3)),
    ),
)
