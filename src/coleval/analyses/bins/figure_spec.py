"""How the tables of ``bins`` are drawn."""

from __future__ import annotations

from coleval.declare.figures import Figure
from coleval.declare.tables import count, percent, text

_BIN = count("bin", "systems that solve an item (0: hardest)")
_SYSTEMS = Figure(
    "bars", "items that each system solves", text("system"), percent("recall", "solved"),
    also=(count("tp", "items"), count("singular", "solved by no other")),
)  # fmt: skip
SPURIOUS = (
    Figure(
        "bars",
        "spurious items by the number of systems that predict them",
        count("bin", "systems that predict an item"),
        count("items"),
        upright=True,
    ),
)
BINS = (
    Figure(
        "stacked bars",
        "items by the number of systems that solve them",
        _BIN,
        count("items"),
        text("part", ""),
        also=(percent("of_bin", "of the bin"), count("whole", "items of the bin"),
              percent("share", "of all items, the bin has")),
        upright=True,
        shaped_by="coleval.analyses.bins.figures:split",
        overview="difficulty",
        colours=(2, 5),
    ),
)  # fmt: skip
BY = (
    Figure(
        "stacked bars",
        "items by the number of systems that solve them, group by group",
        _BIN,
        count("items"),
        text("by", "group"),
        also=(percent("share", "of its group"),),
        upright=True,
    ),
)
TPS = (
    Figure(
        "heat map",
        "items of each difficulty bin that each system solves (0: hardest)",
        text("system"),
        percent("share", "solved"),
        count("bin"),
        also=(count("tp", "items"),),
        shaped_by="coleval.analyses.bins.figures:shares",
    ),
)
SYSTEMS = (_SYSTEMS,)
PAIRS = (
    Figure(
        "bars",
        "{before} → {after}: items solved more or less, by difficulty bin (0: hardest)",
        count("bin", "bin"),
        count("delta", "items more"),
        also=(count("items"),),
        apart=("before", "after"),
        most=3,
    ),
)
