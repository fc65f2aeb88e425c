"""How the tables of ``score`` are drawn."""

from __future__ import annotations

from dataclasses import replace

from coleval.declare.columns import CORRECT_OF_ITEMS, columns
from coleval.declare.figures import Figure
from coleval.declare.tables import count, percent, text

_SYSTEM, _LABEL = text("system"), text("label")
_WITH_ENDS = "{} of each system"
_F1 = Figure(
    "dots", _WITH_ENDS.format("F1"), _SYSTEM, percent("f1", "F1"), low="f1_low", high="f1_high",
    also=columns("precision recall tp fp fn"), where="tp", unless="accuracy",
    overview="ranks",
)  # fmt: skip
OVERALL = (
    Figure(
        "dots", _WITH_ENDS.format("accuracy"), _SYSTEM, percent("accuracy", "accuracy"),
        low="accuracy_low", high="accuracy_high", also=(CORRECT_OF_ITEMS,), unless="samples_f1",
        overview="ranks",
    ),
    _F1,
    replace(_F1, where="samples_f1", unless=""),
    Figure(
        "points", "precision against recall of each system", _SYSTEM, percent("precision", "P"),
        x=percent("recall", "R"), also=columns("f1"), where="tp", unless="accuracy",
    ),
    Figure(
        "heat map", "F1 of each system by metric", _SYSTEM, percent("f1", "F1"), text("metric"),
        also=columns("precision recall"), where="metric", raw=True,
    ),
)  # fmt: skip
RANKING = (
    Figure(
        "dots", "{metric} of each system: mean over groups", _SYSTEM,
        percent("macro", "mean over groups"),
        also=(percent("pooled", "all items together"), count("groups")), apart=("metric",),
        overview="ranks",
    ),
)  # fmt: skip
BY = (
    Figure(
        "heat map",
        "score of each system in each group; macro: mean over groups, pooled: all items",
        _SYSTEM, percent("score", "score"), text("by", "group"),
    ),
)  # fmt: skip
STATUS = (
    Figure(
        "stacked bars", "what became of the items of each system", _SYSTEM, count("n", "items"),
        text("status"),
    ),
)  # fmt: skip
PLACES = (
    Figure(
        "stacked bars", "what became of the entities that each system lists", _SYSTEM,
        count("n", "entities"), text("status"),
    ),
)  # fmt: skip
LABELS = (
    Figure(
        "heat map", "F1 of each system by label, most support first", _LABEL,
        percent("f1", "F1"), _SYSTEM, also=columns("precision recall support"),
        falling="support", top=25,
    ),
)  # fmt: skip
RIGHT = (
    replace(
        LABELS[0], title="items right of each system by label, most support first",
        value=percent("recall", "right"), also=columns("support"),
    ),
)  # fmt: skip
LABELS_OF_ONE = (
    Figure(
        "bars", "{system}: F1 by label, most support first", _LABEL, percent("f1", "F1"),
        also=columns("precision recall support"), apart=("system",), falling="support", top=40,
    ),
)  # fmt: skip
