"""How the tables of ``pivot`` are drawn."""

from __future__ import annotations

from coleval.declare.figures import Figure
from coleval.declare.tables import count, decimal, percent, points, text

_ROW, _COLUMN = text("row", ""), text("column", "")
_EXPECTED = (decimal("expected", "expected", 1), percent("share", "of the row"))
PIVOT = (
    Figure(
        "heat map", "items by row and column", _ROW, count("n", "items"), _COLUMN,
        also=(*_EXPECTED, decimal("residual", "residual", 2)), apart=("third",), most=6,
    ),
    Figure(
        "heat map",
        "items more or fewer than rows and columns alone would have: standardised residuals",
        _ROW, decimal("residual", "residual", 1), _COLUMN, also=(count("n", "items"), *_EXPECTED),
        apart=("third",), most=6, signed=True,
    ),
)  # fmt: skip
SLICES = (
    Figure(
        "bars", "slices that are significantly worse, lowest p first: points below the whole",
        text("slice"),
        points("delta"), top=30,
        also=(count("n", "items"), percent("score", "in slice"), percent("overall", "overall")),
    ),
)  # fmt: skip
