"""How the tables of ``agree`` are drawn."""

from __future__ import annotations

from coleval.declare.figures import Figure
from coleval.declare.tables import count, decimal, percent, text

PAIRS = (
    Figure(
        "heat map",
        "agreement of two raters: kappa",
        text("a", ""),
        decimal("kappa", "kappa"),
        text("b", "rater"),
        mirrored=True,
        also=(percent("observed", "same answers"), count("items"), text("band", "is")),
    ),
)
