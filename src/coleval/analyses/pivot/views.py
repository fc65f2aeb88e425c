"""A pivot as a map of counts, and below it the cells that are most surprising; slices as a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.declare.figures import Figure
from coleval.declare.tables import Column, Shaped, count, decimal, end_of, percent, points, text
from coleval.render.listing import listing, scores_of, shortened_heads
from coleval.render.sheet import DASH, PAGE, Cell, Head, Sheet, View, rows_for
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.corpus.report import Report


ROWS, COLUMNS, LIST, THIRDS = 30, 30, 15, 4
COLUMNS_OF_PAGE = 120
_AXES = ("third", "row", "column")
_SIGNS = ((10.0, "++"), (3.0, "+"), (-3.0, ""), (-10.0, "−"), (float("-inf"), "−−"))
_WHAT = "+ more and − fewer than expected by chance (residual beyond ±3; ++ and −− beyond ±10)"


def views(report: Report, width: int) -> tuple[View, ...]:
    """Return the map of each layer and the list; a wide table is a list."""
    frame = report.table("pivot")
    if "column" not in frame.columns:
        return ()
    if "third" not in frame.columns:
        return (_map(frame, "", width), _list(frame))
    sizes = frame.group_by("third", maintain_order=True).agg(pl.col("n").sum())
    ordered = sizes.sort("n", descending=True, maintain_order=True)["third"].to_list()
    biggest = ordered[: rows_for(width, THIRDS)]
    layers = [(frame.filter(pl.col("third").eq_missing(pl.lit(v))), _shown(v)) for v in biggest]
    return (*(_map(own, layer, width) for own, layer in layers), _list(frame))


def _map(frame: pl.DataFrame, layer: str, width: int) -> Sheet:
    rows, columns = _axis(frame, "row"), _axis(frame, "column")
    cells = {(r["row"], r["column"]): r for r in frame.to_dicts()}
    top = columns[: COLUMNS if width < PAGE else COLUMNS_OF_PAGE]
    heads = shortened_heads([_shown(v) for v in top], 14)
    shown = rows[: rows_for(width, ROWS)]
    lines = [_line(row, top, cells, frame) for row in shown]
    notes = [] if "score" in frame.columns else [_WHAT]
    notes += [f"{len(rows) - len(shown):,} more rows"] if len(rows) > len(shown) else []
    notes += [f"{len(columns) - len(top):,} more columns"] if len(columns) > len(top) else []
    score = "mean" if end_of(frame) else "score %"
    what = score if "score" in frame.columns else "items"
    return Sheet(
        "pivot", f"{what}, rows × columns" + (f" · {layer}" if layer else ""),
        (Head("", right=False, elastic=True), Head("total"), *heads),
        tuple(lines), tuple(notes), crowd="columns",
    )  # fmt: skip


def _axis(frame: pl.DataFrame, name: str) -> list[Any]:
    """Return the values of an axis: numbers in their order, names by how often they are there."""
    sums = frame.group_by(name, maintain_order=True).agg(pl.col("n").sum())
    if frame.schema[name].is_numeric():
        return sums.sort(name, nulls_last=True)[name].to_list()
    return sums.sort("n", name, descending=[True, False], nulls_last=True)[name].to_list()


def _line(row: Any, columns: Sequence[Any], cells: Any, frame: pl.DataFrame) -> tuple[Cell, ...]:
    total = sum(cell["n"] for (r, _), cell in cells.items() if r == row)
    score = "score" in frame.columns
    found = (cells.get((row, column)) for column in columns)
    return (
        Cell(_shown(row)), Cell(f"{total:,}", dim=True),
        *(_scored(c, frame) if score else _counted(c) for c in found),
    )  # fmt: skip


def _scored(cell: Mapping[str, Any] | None, frame: pl.DataFrame) -> Cell:
    if cell is None or cell["score"] is None:
        return Cell(DASH, dim=True)
    text = scores_of(frame)(cell["score"])
    return Cell(text) if end_of(frame) else Cell(text, shade=cell["score"])


def _counted(cell: Mapping[str, Any] | None) -> Cell:
    """Return the count with the sign of its residual; the tint is its strength."""
    if cell is None:
        return Cell("0", dim=True)
    strength = cell["residual"]
    if strength is None:
        return Cell(f"{cell['n']:,}")
    sign = next(sign for least, sign in _SIGNS if strength >= least)
    if not sign:
        return Cell(f"{cell['n']:,}")
    return Cell(f"{cell['n']:,}{sign}", shade=(1 + max(-1.0, min(1.0, strength / 20))) / 2,
                signed=True)  # fmt: skip


def _list(frame: pl.DataFrame) -> Sheet:
    columns = (
        *(Column(name, name, "text") for name in frame.columns if name in _AXES),
        Column("n", "n"),
        Column("share", "within\nrow %", "ratio"),
        *(() if "score" in frame.columns else (
            Column("expected", "expected"), Column("residual", "residual"))),
        Column("score", "score %", "ratio", scored=True).in_unit(frame),
    )  # fmt: skip
    title = "worst cells" if "score" in frame.columns else "cells with the largest residuals"
    names = [pl.col(axis).cast(pl.String).fill_null("∅") for axis in _AXES if axis in frame.columns]
    there = [name for name in ("expected", "residual") if name in frame.columns]
    rounded = frame.with_columns(pl.col(there).round(1), *names)
    return listing(rounded.head(LIST), name="pivot", title=title, columns=columns)


def slices(report: Report) -> Shaped:
    """Return the slices that are significantly worse, and how many were tried."""
    frame = report.table("slices")
    tried = report.tables["tried"].row(0, named=True) if "tried" in report.tables else {}
    if frame.is_empty():
        none = "No slice is significantly worse than the rest"
        return Shaped(pl.DataFrame(), title=none, notes=_of(tried))
    where = pl.format("{} = {}", "attribute", "value")
    both = pl.format("{} = {} & {} = {}", "attribute", "value", "and_attribute", "and_value")
    return Shaped(frame.with_columns(slice=pl.coalesce(both, where)), notes=_of(tried))


def _of(tried: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the sentence that says how many slices were tried, and of what size."""
    if not tried:
        return ()
    few = f"of {tried['least']:,} or more items" if tried["least"] > 1 else "of any size"
    n, found = tried["slices"], tried["found"]
    if not n:
        return (f"no slice {few} could be tested",)
    level = f"p ≤ {tried['alpha']:g} after correction"
    return (f"{found:,} of {n:,} slices {few} are significantly worse ({level})",)


def _shown(value: object) -> str:
    if value is None:
        return "∅"
    return visible(f"{value:g}" if isinstance(value, float) else str(value))


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
