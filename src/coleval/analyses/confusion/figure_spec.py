"""How the tables of ``confusion`` are drawn."""

from __future__ import annotations

from coleval.declare.figures import Figure
from coleval.declare.tables import count, text

CONFUSION = (
    Figure(
        "heat map",
        "{system}: gold labels (rows) and answers (columns), in items; –: no label",
        text("gold"),
        count("n", "items"),
        text("answer"),
        apart=("system",),
        most=3,
        square=True,
        shaped_by="coleval.analyses.confusion.figures:square",
    ),
)
