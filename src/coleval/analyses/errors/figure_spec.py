"""How the tables of ``errors`` are drawn."""

from __future__ import annotations

from dataclasses import replace

from coleval.analyses.errors.spec import OUTCOMES
from coleval.declare.columns import columns
from coleval.declare.figures import Figure
from coleval.declare.tables import count, percent, points, text

_METHODS = Figure(
    "dots", "F1 of each system by way of counting errors", text("system"), percent("f1", "F1"),
    text("method"), also=columns("precision recall"), raw=True,
)  # fmt: skip
OVERALL = (
    _METHODS,
    Figure(
        "stacked bars", "errors of each system, counted traditionally and fairly", text("name"),
        count("n", "errors"), text("error", names=OUTCOMES), top=40, aside=True,
        shaped_by="coleval.analyses.errors.figures:mix",
    ),
)  # fmt: skip
BY = (
    replace(_METHODS, title="{by}: F1 of each system by way of counting errors", apart=("by",)),
    Figure(
        "stacked bars", "{by}: errors of each system by kind", text("system"),
        count("n", "errors"), text("error", names=OUTCOMES), apart=("by",),
        also=(percent("share", "of its errors"), percent("traditional_f1", "traditional F1"),
              percent("f1", "fair F1")),
        shaped_by="coleval.analyses.errors.shapes:kinds_by_group",
    ),
)  # fmt: skip
COMPARISON = (
    Figure(
        "bars",
        "{after} compared with {before}: effect of each kind of error on F1",
        text("error", names=OUTCOMES),
        points("f1", "effect on F1 (points)"),
        also=(count("delta", "change"),),
        apart=("before", "after"),
        most=3,
    ),
)
PROFILE = (
    Figure(
        "stacked bars",
        "errors of each system by kind",
        text("system"),
        count("n", "errors"),
        text("error", names=OUTCOMES),
        also=(percent("share", "of its errors"),),
    ),
)
