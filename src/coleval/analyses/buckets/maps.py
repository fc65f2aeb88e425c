"""Systems × buckets as heat maps, one an attribute: its range above, how many gold items below."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from coleval.analyses.buckets.bars import called, metric_of
from coleval.declare.tables import Table, Wide, percent
from coleval.render.columns import ratio
from coleval.render.heads import shortened_heads
from coleval.render.sheet import DASH, Cell, Head, Sheet, View, rows_for
from coleval.render.visible import visible
from coleval.render.wide import wide_sheet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.corpus.report import Report

NAME = "buckets"
Scores = dict[tuple[str, str], float | None]
# A range of F1 narrower than this is not stretched over the whole scale.
_NARROW = 0.05
# A range of numbers has so many cells.
RANGE = 16
# More squares than this are not read on a screen.
SQUARES = 12


def views(report: Report, width: int) -> tuple[View, ...]:
    """Return a sheet an attribute (and corpus); a row a system, a column a bucket."""
    frame = report.table(NAME)
    worst = _weakest(report)
    keys = ["corpus", "attribute"] if "corpus" in frame.columns else ["attribute"]
    sheets = []
    for part in frame.partition_by(*keys, maintain_order=True):
        place = tuple(part[key][0] for key in keys)
        table, wide = _wide(report, place, worst.get(place, ""))
        sheets.append(wide_sheet(report, table, wide, part, width, whole=frame))
    return tuple(sheets)


def _wide(report: Report, place: tuple[str, ...], words: str) -> tuple[Table, Wide]:
    """Return how the table of an attribute is read."""
    metric = metric_of(report)
    title = f"{called(metric)} % by bucket (gold items below){'; ' if words else ''}{words}"
    wide = Wide(
        "system", "bucket", percent(metric, called(metric), "high"), below="gold", shaded=True,
        among="of its bucket", crowd="buckets", cells=RANGE,
    )  # fmt: skip
    name = " · ".join(visible(part) for part in place)
    return Table(name, title), wide


def _weakest(report: Report) -> dict[tuple[str, ...], str]:
    """Return for each attribute the words that say where systems are weak on the average."""
    frame = report.tables.get("attributes")
    if frame is None:
        return {}
    keys = ["corpus", "attribute"] if "corpus" in frame.columns else ["attribute"]
    name = called(metric_of(report))
    return {
        tuple(
            row[key] for key in keys
        ): f"lowest at {row['worst_bucket']}: {100 * row['gap']:+.1f} {name} "
        f"compared with {row['best_bucket']}"
        for row in frame.to_dicts()
        if row["gap"]
    }


def _shades(scores: Scores) -> dict[float, float]:
    """Return how strongly to tint a value: dark is good, within the attribute."""
    values = sorted(value for value in scores.values() if value is not None)
    if not values:
        return {}
    low, high = values[0], values[-1]
    span = max(high - low, _NARROW)
    return {value: (value - low) / span for value in values}


def crossed(report: Report, width: int) -> tuple[View, ...]:
    """Return two attributes crossed: for each system a square of their buckets."""
    frame = report.table("crossed")
    metric = metric_of(report)
    keys = [key for key in ("corpus", "attribute", "by", "system") if key in frame.columns]
    return tuple(
        _square(part.rows(named=True), [str(part[key][0]) for key in keys], metric)
        for part in frame.partition_by(*keys, maintain_order=True)[: rows_for(width, SQUARES)]
    )


def _square(rows: Sequence[Mapping[str, object]], place: Sequence[str], metric: str) -> Sheet:
    scores: Scores = {}
    sizes: dict[str, int] = defaultdict(int)
    across = list(dict.fromkeys(str(row["by_bucket"]) for row in rows))
    for row in rows:
        key = str(row["bucket"]), str(row["by_bucket"])
        value = row[metric]
        scores[key] = value if isinstance(value, float) else None
        sizes[key[0]] += int(str(row["gold"]))
    shades = _shades(scores)
    body = [
        (Cell(visible(b)), Cell(f"{n:,}"), *_plain([scores.get((b, a)) for a in across], shades))
        for b, n in sizes.items()
    ]
    heads = shortened_heads(across, RANGE)
    title = f"{visible(place[-3])} (rows) × {visible(place[-2])} (columns), {called(metric)} %"
    return Sheet(
        "crossed",
        f"{visible(place[-1])}: {title}",
        (Head("bucket", right=False, elastic=True), Head("gold"), *heads),
        tuple(body),
        crowd="buckets",
    )


def _plain(values: Sequence[float | None], shades: Mapping[float, float]) -> list[Cell]:
    return [
        Cell(DASH, dim=True) if value is None else Cell(ratio(value), shade=shades[value])
        for value in values
    ]
