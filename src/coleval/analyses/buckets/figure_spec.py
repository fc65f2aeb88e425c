"""How the tables of ``buckets`` are drawn."""

from __future__ import annotations

from coleval.declare.figures import Figure
from coleval.declare.tables import count, decimal, percent, points, text

_SYSTEM, _ATTRIBUTE = text("system"), text("attribute")
_GOLD = count("gold", "gold items")
_GAP = percent("gap", "gap in points")
_ENDS = (
    text("worst_bucket", "worst bucket"), percent("worst_score", "worst"),
    text("best_bucket", "best bucket"), percent("best_score", "best"),
)  # fmt: skip
BUCKETS = (
    Figure(
        "lines", "{attribute}{on}: {metric} by bucket", text("bucket"),
        percent("score", "score"), _SYSTEM, also=(_GOLD,), axis="{metric} %",
        apart=("corpus", "attribute", "metric"),
    ),
)  # fmt: skip
ATTRIBUTES = (
    Figure(
        "bars",
        "how much {metric} varies over the buckets of each attribute{on}: standard deviation",
        _ATTRIBUTE, percent("spread", "σ in points"), also=_ENDS[::2],
        apart=("corpus", "metric"), axis="points",
    ),
)  # fmt: skip
GAPS = (
    Figure(
        "ranges",
        "{system}{on}: {metric} of its worst (○) and its best (●) bucket",
        _ATTRIBUTE, _GAP, low="worst_score", high="best_score", also=_ENDS,
        apart=("corpus", "system", "metric"), falling="gap", axis="{metric} %", most=6,
    ),
)  # fmt: skip
GAPS_OF_MANY = (
    Figure(
        "heat map", "gap between the best and the worst bucket{on}, in points", _SYSTEM, _GAP,
        _ATTRIBUTE, also=_ENDS, apart=("corpus",), axis="points",
    ),
)  # fmt: skip
SYSTEMS = (
    Figure(
        "dots", "{measure}{on}: each attribute, each system", _ATTRIBUTE,
        decimal("value", "value", 2), _SYSTEM, apart=("corpus", "measure"),
    ),
)  # fmt: skip
HEAT_MAP = (
    Figure(
        "heat map", "{after} compared with {before}{on}: points by attribute and bucket",
        _ATTRIBUTE, points("delta", "points"), count("place", "bucket"),
        also=(text("bucket"), _GOLD), apart=("corpus", "before", "after"),
    ),
)  # fmt: skip
VERSIONS = (
    Figure(
        "lines", "{attribute}{on}: {metric} points gained over the version before",
        text("system", "version"), points("delta", "points gained"), text("bucket"),
        also=(percent("score", "score"),), apart=("corpus", "attribute", "metric"),
    ),
)  # fmt: skip
CROSSED = (
    Figure(
        "heat map", "{system}{on}: {metric} by {attribute} (rows) and {by} (columns)",
        text("bucket"), percent("score", "score"), text("by_bucket", ""), also=(_GOLD,),
        apart=("corpus", "attribute", "by", "system", "metric"), most=6,
    ),
)  # fmt: skip
