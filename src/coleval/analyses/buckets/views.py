"""How the tables of ``buckets`` are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.declare.figures import Figure
from coleval.declare.tables import Shaped, count, decimal, percent, points, text
from coleval.render.visible import visible
from coleval.statistics.blocks import LEVEL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.corpus.report import Report


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


SCORES = {"f1": "F1", "precision": "P", "recall": "R", "accuracy": "accuracy"}
_MEASURES = {"spearman": "ρ of score and bucket order", "std": "σ over buckets, in points"}
_BELOW = "gold items below"


def buckets(report: Report) -> Shaped:
    """Return scores by bucket, with the words for where systems are weak on the average."""
    frame = _scored(report, "buckets")
    if "attributes" not in report.tables:
        return Shaped(frame.with_columns(about=pl.lit(_BELOW)))
    ends = _scored(report, "attributes").filter(pl.col("gap") != 0)
    lowest = [
        f"{_BELOW}; lowest at {row['worst_bucket']}: {100 * row['gap']:+.1f} {row['metric']} "
        f"compared with {row['best_bucket']}"
        for row in ends.iter_rows(named=True)
    ]
    keys = [key for key in ("corpus", "attribute") if key in frame.columns]
    words = ends.select(*keys, pl.Series("about", lowest, dtype=pl.String))
    joined = frame.join(words, on=keys, how="left", maintain_order="left")
    return Shaped(joined.with_columns(pl.col("about").fill_null(_BELOW)))


def attributes(report: Report) -> Shaped:
    """Return how far the buckets of each attribute spread, the largest spread first."""
    frame = _with_ends(_scored(report, "attributes"))
    keys = [key for key in ("corpus", "spread") if key in frame.columns]
    falling = [key == "spread" for key in keys]
    return Shaped(frame.sort(keys, descending=falling, nulls_last=True, maintain_order=True))


def self_diagnosis(report: Report) -> Shaped:
    """Return the best and the worst bucket of each system and attribute."""
    return Shaped(_with_ends(_scored(report, "self_diagnosis")))


def systems(report: Report) -> Shaped:
    """Return rank correlation and deviation of each system and attribute, one after the other."""
    frame = report.table("systems").with_columns(pl.col("std") * 100)
    keys = [name for name in frame.columns if name not in _MEASURES]
    long = frame.unpivot(list(_MEASURES), index=keys, variable_name="measure", value_name="value")
    return Shaped(long.with_columns(pl.col("measure").replace(_MEASURES)))


def averages(report: Report) -> Shaped:
    """Return means with deviations; where buckets are not known to differ, in parentheses."""
    frame = report.table("averages")
    rows = [
        (row["system"], row["attribute"], _MEASURES[row["measure"]], _averaged(row))
        for row in frame.iter_rows(named=True)
    ]
    names = ("system", "attribute", "measure", "value")
    shown = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    note = "(in parentheses: the buckets of the system are not known to differ, Friedman's test "
    return Shaped(shown, notes=(f"{note}with corpora as blocks)",))


def _averaged(row: Mapping[str, Any]) -> str | None:
    if row["mean"] is None:
        return None
    factor, digits = (100, 1) if row["measure"] == "std" else (1, 2)
    sd = "" if row["sd"] is None else f" ± {factor * row['sd']:.{digits}f}"
    text = f"{factor * row['mean']:.{digits}f}{sd}"
    known = row["p_adjusted"] is not None and row["p_adjusted"] < LEVEL
    return text if known else f"({text})"


def differences(report: Report) -> Shaped:
    """Return two systems bucket by bucket."""
    return Shaped(_scored(report, "differences"))


def versions(report: Report) -> Shaped:
    """Return the gains, without the first version, which has none."""
    frame = _scored(report, "versions").filter(pl.col("before").is_not_null())
    keys = [key for key in ("corpus", "attribute", "bucket") if key in frame.columns]
    # The sizes of a row are summed up when it is shown, and all versions have the same items.
    once = pl.when(pl.int_range(pl.len()).over(keys) == 0).then("gold").otherwise(0)
    return Shaped(frame.with_columns(once.alias("gold")))


def crossed(report: Report) -> Shaped:
    """Return the scores of two attributes crossed."""
    return Shaped(_scored(report, "crossed"))


def tests(report: Report) -> Shaped:
    """Return the tests that were carried out; below, what was not tested and why."""
    frame = report.table("tests")
    notes = tuple(_untested(frame.to_dicts()))
    return Shaped(frame.filter(pl.col("p").is_not_null()), notes=notes)


def _untested(rows: Sequence[Mapping[str, object]]) -> list[str]:
    """Return a line for each reason why something was not tested."""
    held: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        if row["note"]:
            key = tuple(str(row[name]) for name in ("test", "systems", "note"))
            held.setdefault(key, []).append(visible(str(row["attribute"])))
    return [
        f"{test}, {visible(systems)}: {note} ({', '.join(dict.fromkeys(names))})"
        for (test, systems, note), names in held.items()
    ]


def _scored(report: Report, name: str) -> pl.DataFrame:
    """Return a table with ``score`` in the names of its columns, and ``metric`` for its own."""
    frame = report.table(name)
    columns = report.tables.get("self_diagnosis", frame).columns
    parts = {part for column in columns for part in column.split("_")}
    metric = next(own for own in SCORES if own in parts)
    named = {
        column: "_".join("score" if part == metric else part for part in column.split("_"))
        for column in frame.columns
    }
    return frame.rename(named).with_columns(metric=pl.lit(SCORES[metric]))


def _with_ends(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the size of the gap, and buckets with their size (``XS``) before their name."""
    sized = [
        pl.when(pl.col(f"{end}_bucket").is_not_null())
        .then(pl.concat_str(f"{end}_size", f"{end}_bucket", separator=" ", ignore_nulls=True))
        .alias(f"{end}_bucket")
        for end in ("worst", "best")
        if f"{end}_size" in frame.columns
    ]
    return frame.with_columns(pl.col("gap").abs(), *sized)
