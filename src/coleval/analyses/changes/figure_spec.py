"""How the tables of ``changes`` are drawn."""

from __future__ import annotations

from dataclasses import replace

from coleval.declare.figures import Figure
from coleval.declare.tables import count, percent, points, text

_ROWS = "coleval.analyses.changes.figures"
_PAIR = ("before", "after")
_KINDS = {
    "corrections": "corrections", "new_errors": "new errors", "changed_errors": "changed errors",
}  # fmt: skip
_SEVERAL = Figure(
    "heat map", "answers that differ between two systems", text("before", ""),
    percent("diff", "% of all items"), text("after", "system"), mirrored=True,
    also=(count("different", "items"),), shaped_by=f"{_ROWS}:several",
)  # fmt: skip
SUMMARY = (
    Figure(
        "stacked bars", "answers that differ {about}, by kind of change",
        text("pair"), count("n", "items"), text("kind", names=_KINDS),
        shaped_by=f"{_ROWS}:kinds", apart=("about",),
    ),
    _SEVERAL,
)  # fmt: skip
PAIRS = (replace(_SEVERAL, shaped_by=f"{_ROWS}:every"),)
CHANGES = (
    Figure(
        "heat map",
        "{before} (rows) → {after} (columns): items whose answer changed; –: no label",
        text("label_before", ""), count("n", "items"), text("label_after", "label after"),
        apart=_PAIR, most=3, square=True, top=25, shaped_by=f"{_ROWS}:moves",
    ),
)  # fmt: skip
LABELS = (
    Figure(
        "ranges",
        "{after} compared with {before}: items right by gold label (○ before, ● after)",
        text("label"), points("delta"), low="accuracy_before", high="accuracy_after",
        also=(percent("accuracy_before", "before"), percent("accuracy_after", "after"),
              count("items")),
        apart=_PAIR, most=3, axis="items right %", top=40,
    ),
)  # fmt: skip
FLIPS = (
    Figure(
        "bars", "items that all earlier systems solve and this one gets wrong", text("system"),
        count("flips", "newly wrong"), top=40,
        also=(count("held", "solved by all earlier"), percent("share", "of these")),
    ),
)  # fmt: skip
