"""Diagnoses as bars: how much worse the worst bucket is than the best, per attribute and system."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from coleval.declare.tables import Column
from coleval.render.columns import ratio
from coleval.render.fitting import taken
from coleval.render.heads import shortened_heads, systems_of
from coleval.render.listing import listing
from coleval.render.sheet import DASH, Cell, Head, Sheet, View, filled, rows_for
from coleval.render.visible import distinct, visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from coleval.corpus.report import Report

_FEW, _BAR, _LEAST, ROWS = 3, 24, 4, 60
_NOTE = (
    "σ standard deviation over buckets in points, weighted by n · ζ mean value in gold · |ρ| mean "
    "rank correlation between bucket order and score"
)
_NAMES = {"f1": "F1", "precision": "P", "recall": "R", "accuracy": "accuracy"}


def metric_of(report: Report) -> str:
    """Return the score that the diagnoses are about."""
    columns = report.table("self_diagnosis").columns
    return next(name.removeprefix("best_") for name in columns if name[5:] in _NAMES)


def called(metric: str) -> str:
    """Return the name of a score on a screen."""
    return _NAMES[metric]


def attributes(report: Report, width: int) -> tuple[View, ...]:
    """Return a bar an attribute: how far its buckets spread, each weighing by its gold items."""
    frame = report.table("attributes")
    metric, several = metric_of(report), "corpus" in frame.columns
    rows = sorted(frame.to_dicts(), key=lambda row: (row.get("corpus") or "", -_spread(row)))
    short = _short_buckets(rows)
    heads = (
        *([Head("corpus", right=False, elastic=True)] if several else []),
        Head("attribute", right=False, elastic=True),
        Head("σ"), *_heads(metric), Head("ζ"), Head("|ρ|"),
    )  # fmt: skip
    title = f"how {called(metric)} varies over buckets (mean over systems), largest variation first"
    body = tuple(_attribute(row, metric, short, several=several) for row in rows)
    sheet = Sheet("attributes", title, heads, body, (_NOTE,))
    sizes = [_spread(row) for row in rows]
    return (_barred(sheet, sizes, max(sizes, default=0.0), width),)


def _spread(row: Mapping[str, Any]) -> float:
    return float(row["spread"] or 0)


def _attribute(
    row: Mapping[str, Any], metric: str, short: Mapping[str, str], *, several: bool
) -> tuple[Cell, ...]:
    return (
        *([Cell(visible(row["corpus"]))] if several else []),
        Cell(visible(row["attribute"])),
        Cell(_points(row["spread"])),
        *_ends(row, metric, short),
        Cell(_number(row["zeta"])),
        Cell(_number(row["rho"])),
    )


def _barred(sheet: Sheet, sizes: Sequence[float], most: float, width: int) -> Sheet:
    """Return a sheet with bars in the room that its columns leave, without any if it is little."""
    room = min(_BAR, width - taken(sheet))
    if room < _LEAST:
        return sheet
    bars = [
        Cell("█" * round(room * size / most) if most else "", bar=filled(size, most))
        for size in sizes
    ]
    rows = tuple((*row, bar) for row, bar in zip(sheet.rows, bars, strict=True))
    return replace(sheet, heads=(*sheet.heads, Head("", right=False)), rows=rows)


def _heads(metric: str) -> tuple[Head, ...]:
    name = called(metric)
    return (
        Head(f"gap in\n{name}"),
        Head("worst\nbucket", right=False),
        Head("\nn"),
        Head(f"\n{name} %"),
        Head("best\nbucket", right=False),
        Head("\nn"),
        Head(f"\n{name} %"),
    )


def _short_buckets(rows: Sequence[Mapping[str, object]]) -> dict[str, str]:
    """Return the names of the buckets at either end, short."""
    names = (row[f"{end}_bucket"] for row in rows for end in ("worst", "best"))
    return distinct((visible(str(name)) for name in names if name is not None), 18)


def _ends(row: Mapping[str, object], metric: str, short: Mapping[str, str]) -> tuple[Cell, ...]:
    gap = row["gap"]
    size = abs(gap) if isinstance(gap, float) else 0.0
    return (
        Cell(f"−{100 * size:.1f}" if size else DASH),
        _bucket(row, "worst", short),
        Cell(_count(row["worst_n"])),
        Cell(_percent(row[f"worst_{metric}"])),
        _bucket(row, "best", short),
        Cell(_count(row["best_n"])),
        Cell(_percent(row[f"best_{metric}"])),
    )


def _count(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else DASH


def _bucket(row: Mapping[str, object], end: str, short: Mapping[str, str]) -> Cell:
    size, name = row.get(f"{end}_size"), row[f"{end}_bucket"]
    text = DASH if name is None else visible(str(name))
    before = f"{size} " if size else ""
    return Cell(f"{before}{short.get(text, text)}", full=f"{before}{text}")


def _percent(value: object) -> str:
    return ratio(value) if isinstance(value, float) else DASH


def _number(value: object) -> str:
    if not isinstance(value, float):
        return DASH
    return f"{value:.2f}" if abs(value) < 100 else f"{value:,.0f}"


def self_diagnosis(report: Report, width: int) -> tuple[View, ...]:
    """Return bars for each of a few systems; for many, their gaps side by side."""
    frame = report.table("self_diagnosis")
    systems = systems_of(report, frame)
    corpora = (
        frame.partition_by("corpus", maintain_order=True) if "corpus" in frame.columns else [frame]
    )
    if len(systems) > _FEW:
        return tuple(_gaps(part, systems) for part in corpora)
    return tuple(
        _bars(part, metric_of(report), width)
        for corpus in corpora
        for part in corpus.partition_by("system", maintain_order=True)
    )


def _bars(frame: pl.DataFrame, metric: str, width: int) -> Sheet:
    rows = frame.to_dicts()
    most = max((float(row["gap"] or 0) for row in rows), default=0.0)
    ordered = sorted(rows, key=lambda row: -(row["gap"] or 0.0))
    short = _short_buckets(rows)
    body = tuple((Cell(visible(row["attribute"])), *_ends(row, metric, short)) for row in ordered)
    heads = (Head("attribute", right=False, elastic=True), *_heads(metric))
    sheet = Sheet("self_diagnosis", f"{_whose(rows[0])}, largest gap first", heads, body)
    return _barred(sheet, [float(row["gap"] or 0) for row in ordered], most, width)


def _whose(row: Mapping[str, object]) -> str:
    corpus = f" on {visible(str(row['corpus']))}" if "corpus" in row else ""
    return f"{visible(str(row['system']))}{corpus}: best and worst buckets"


def _gaps(frame: pl.DataFrame, systems: Sequence[str]) -> Sheet:
    """Return a row a system, a column an attribute: points lost in its worst bucket."""
    gaps = {(row["system"], row["attribute"]): row["gap"] for row in frame.to_dicts()}
    attributes = list(dict.fromkeys(frame["attribute"]))
    most = max((gap for gap in gaps.values() if gap is not None), default=0.0) or 1.0
    body = []
    for system in systems:
        values = [gaps.get((system, attribute)) for attribute in attributes]
        cells = [
            Cell(DASH, dim=True) if gap is None else Cell(f"−{100 * gap:.1f}", shade=gap / most)
            for gap in values
        ]
        body.append((Cell(visible(system)), *cells))
    heads = shortened_heads(attributes, 14)
    corpus = f", {visible(frame['corpus'][0])}" if "corpus" in frame.columns else ""
    return Sheet(
        "self_diagnosis",
        f"best-to-worst gap in points{corpus}",
        (Head("system", right=False, elastic=True), *heads),
        tuple(body),
        crowd="attributes",
    )


def systems(report: Report, width: int) -> tuple[View, ...]:  # noqa: ARG001
    """Return rank correlation and deviation of each system and attribute, side by side."""
    frame = report.table("systems")
    corpora = (
        frame.partition_by("corpus", maintain_order=True) if "corpus" in frame.columns else [frame]
    )
    return tuple(_measures(part, systems_of(report, part)) for part in corpora)


def _measures(frame: pl.DataFrame, names: Sequence[str]) -> Sheet:
    rows = {(row["system"], row["attribute"]): row for row in frame.to_dicts()}
    attributes = list(dict.fromkeys(frame["attribute"]))
    body = []
    for system in names:
        found = [rows.get((system, attribute), {}) for attribute in attributes]
        cells = [Cell(f"{_signed(row.get('spearman'))} {_points(row.get('std'))}") for row in found]
        body.append((Cell(visible(system)), *cells))
    heads = shortened_heads(attributes, 14)
    corpus = f", {visible(frame['corpus'][0])}" if "corpus" in frame.columns else ""
    return Sheet(
        "systems",
        f"ρ of score and bucket order, σ over buckets in points{corpus}",
        (Head("system", right=False, elastic=True), *heads),
        tuple(body),
        crowd="attributes",
    )


def _signed(value: object) -> str:
    return f"{value:+.1f}" if isinstance(value, float) else DASH


def _points(value: object) -> str:
    return f"{100 * value:.1f}" if isinstance(value, float) else DASH


def tests(report: Report, width: int) -> tuple[View, ...]:
    """Return the tests with what they were carried out on; below, what was not tested and why."""
    frame = report.table("tests")
    columns = (
        Column("corpus", "corpus", "text"), Column("test", "test", "text"),
        Column("attribute", "attribute", "text"), Column("systems", "systems", "text"),
        Column("sample", "sample", "text"), Column("p", "p", "decimal"),
        Column("p_adjusted", "p\nadjusted", "decimal"),
    )  # fmt: skip
    done = frame.filter(frame["p"].is_not_null())
    title = "Do scores differ between buckets (Friedman), or between two systems (Wilcoxon)?"
    sheet = listing(done, name="tests", title=title, columns=columns, limit=rows_for(width, ROWS))
    return (replace(sheet, notes=(*sheet.notes, *_untested(frame.to_dicts()))),)


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
