"""The ranked list: each score with its interval as a bar on one scale, its ranks, its ties."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from coleval.declare.tables import end_of
from coleval.render.listing import ratio, scores_of
from coleval.render.sheet import DASH, PAPER, Cell, Head, Sheet, Stripe, View
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import polars as pl

    from coleval.corpus.report import Report

NAME = "ranks"
WIDEST, NARROWEST = 32, 8
# What stands beside the bar, and the longest name that is given room.
_BESIDE, _LONGEST = 68, 20
# The column of the score.
_SCORE = 2


def views(report: Report, width: int) -> tuple[View, ...]:
    """Return a row a system, best first."""
    frame = report.table(NAME)
    rows, written = frame.to_dicts(), scores_of(frame)
    if not rows:
        return (Sheet(NAME, "", (Head("system", right=False),), ()),)
    longest = min(_LONGEST, max(len(visible(row["system"])) for row in rows))
    bar = max(NARROWEST, min(WIDEST, width - _BESIDE - longest))
    lines = tuple(_line(row, scale(rows), bar, written) for row in rows)
    sheet = Sheet(NAME, _title(frame), _heads(frame), lines, _notes(rows))
    return (_with_halves(sheet, rows, written) if width >= PAPER else sheet,)


def _with_halves(
    sheet: Sheet, rows: Sequence[Mapping[str, object]], written: Callable[[object], str]
) -> Sheet:
    """Return what papers print: each score with half the width of its interval."""
    scores = [Cell(written(row["value"]) + _half(row["low"], row["high"], written)) for row in rows]
    lines = tuple(
        (*line[:_SCORE], score, *line[_SCORE + 1 :])
        for line, score in zip(sheet.rows, scores, strict=True)
    )
    head = Head(f"{sheet.heads[_SCORE].text} ± half\ninterval")
    heads = (*sheet.heads[:_SCORE], head, *sheet.heads[_SCORE + 1 :])
    return replace(sheet, heads=heads, rows=lines)


def _half(low: object, high: object, written: Callable[[object], str]) -> str:
    known = isinstance(low, float) and isinstance(high, float)
    return f" ± {written((high - low) / 2)}" if known else ""  # type: ignore[operator]


def _title(frame: pl.DataFrame) -> str:
    from coleval.metrics.registry import titled_in

    unit = "" if end_of(frame) else " %"
    return f"{visible(titled_in(frame))}{unit} with its interval, and the rank interval"


def scale_head(frame: pl.DataFrame) -> Head:
    """Return the head of bars: both ends of their scale."""
    low, high = scale(frame.to_dicts())
    if end_of(frame):
        return Head(f"{low:.3g} … {high:.3g}", right=False)
    return Head(f"{100 * low:.0f} … {100 * high:.0f} %", right=False)


def _heads(frame: pl.DataFrame) -> tuple[Head, ...]:
    return (
        Head("#"),
        Head("system", right=False, elastic=True),
        Head("score" if end_of(frame) else "%"),
        Head("low–high"),
        scale_head(frame),
        Head("rank\ninterval"),
        Head("P(rank\n1) %"),
        Head("group"),
        Head("better\nthan"),
        Head("worse\nthan"),
    )


def scale(rows: Sequence[Mapping[str, object]]) -> tuple[float, float]:
    """Return the ends of the scale that all intervals fit on."""
    ends = [row[key] for row in rows for key in ("low", "value", "high")]
    known = [end for end in ends if isinstance(end, float)]
    return min(known, default=0.0), max(known, default=1.0)


def _line(
    row: Mapping[str, object], ends: tuple[float, float], size: int,
    written: Callable[[object], str],
) -> tuple[Cell, ...]:  # fmt: skip
    place = whole(row["rank"])
    return (
        Cell(place, dim=True),
        Cell(visible(str(row["system"]))),
        Cell(written(row["value"])),
        Cell(span_text(row["low"], row["high"], written)),
        Cell(bar(row, ends, size), bar=interval_stripes(row, ends)),
        Cell(span_text(row["rank_low"], row["rank_high"], whole)),
        Cell(ratio(row["p_best"], 0)),
        Cell(whole(row["group"])),
        Cell(whole(row["better_than"])),
        Cell(whole(row["worse_than"])),
    )


def bar(row: Mapping[str, object], ends: tuple[float, float], size: int) -> str:
    """Return a line from the low to the high end with a dot at the score itself."""
    points = _points(row)
    if not points:
        return ""
    first, at, last = (_cell(point, ends, size) for point in points)
    # Of few replicates, a score may lie beyond its interval.
    cells = [" "] * first + ["─"] * (last - first + 1) + [" "] * (at - last)
    cells[at] = "●"
    return "".join(cells)


def _points(row: Mapping[str, object]) -> tuple[float, ...]:
    """Return the low end, the score and the high end; the score thrice without an interval."""
    low, value, high = (row[key] for key in ("low", "value", "high"))
    if not isinstance(value, float):
        return ()
    start, end = (value if not isinstance(end, float) else end for end in (low, high))
    return start, value, end


def interval_stripes(row: Mapping[str, object], ends: tuple[float, float]) -> tuple[Stripe, ...]:
    """Return the interval as a line, the score as a dot; nothing without a score."""
    ways = [_way(point, ends) for point in _points(row)]
    return (Stripe(ways[0], ways[2]), Stripe(ways[1], ways[1])) if ways else ()


def _cell(value: float, ends: tuple[float, float], size: int) -> int:
    return round((size - 1) * _way(value, ends))


def _way(value: float, ends: tuple[float, float]) -> float:
    span = ends[1] - ends[0]
    return (value - ends[0]) / span if span > 0 else 0.0


def span_text(low: object, high: object, text: object) -> str:
    """Return both ends of an interval, one where they are equal."""
    if low is None or high is None or not callable(text):
        return DASH
    return text(low) if low == high else f"{text(low)}–{text(high)}"


def whole(value: object) -> str:
    """Return a whole number, a dash where there is none."""
    return DASH if value is None else str(value)


def _notes(rows: Sequence[Mapping[str, object]]) -> tuple[str, ...]:
    told = dict.fromkeys(f"{DASH} {row['note']}" for row in rows if row["note"])
    real = "a group is significantly better than every lower group · better, worse than: n"
    return (real, *map(visible, told)) if rows[0]["low"] is not None else tuple(map(visible, told))
