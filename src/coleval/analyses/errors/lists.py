"""How the tables of ``errors`` look: one line a system, methods side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.confusion import chart as confusions
from coleval.analyses.score.spec import BY_LABEL
from coleval.declare.columns import VOCABULARY
from coleval.declare.tables import Column, Table
from coleval.render.listing import listing
from coleval.render.sheet import rows_for
from coleval.render.wide import wide_sheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.corpus.report import Report
    from coleval.render.sheet import Sheet, View

_FEW = 6
_ROWS, _LABELS = 40, 60
_SYSTEM = Column("system", "system", "text")
_LABEL = Column("label", "label", "text")
_KINDS = (
    Column("tp", "TP"), Column("le", "LE"), Column("be", "BE"), Column("lbe", "LBE"),
    Column("fn", "FN"), Column("fp", "FP"),
)  # fmt: skip
_MODES = tuple(Column(name, name.upper()) for name in ("cor", "inc", "par", "mis", "spu"))
_PRF = tuple(VOCABULARY[name] for name in ("precision", "recall", "f1"))
_KEY = (
    "LE wrong label · BE wrong boundary · LBE both · FN missed · FP spurious; each error counts "
    "once"
)


def overall(report: Report, width: int) -> tuple[View, ...]:
    """Return a row a system with its fair errors, traditional F1 beside; or a row a method."""
    frame = report.table("overall")
    if "le" not in frame.columns:
        return (_other(frame, rows_for(width, _ROWS)),)
    columns = (
        _SYSTEM,
        *(replace(c, title=f"fair\n{c.title}") for c in _PRF),
        *_f1_columns(frame),
        *_KINDS,
    )
    sheet = listing(
        _beside(frame, ("system",)),
        name="overall",
        title="fair span errors, best first",
        columns=columns,
        ranked_by="f1",
    )
    return (replace(sheet, notes=(*sheet.notes, _KEY)),)


def _f1_columns(frame: pl.DataFrame) -> list[Column]:
    there = frame["method"].unique(maintain_order=True)
    titles = {"traditional": "trad.\nF1 %", "weighted": "weighted\nF1 %"}
    return [Column(f"{m}_f1", titles[m], "ratio", "high") for m in titles if m in there]


def _beside(frame: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return the fair rows with the F1 of the other methods in columns."""
    fair = frame.filter(pl.col("method") == "fair")
    for method in ("traditional", "weighted"):
        other = frame.filter(pl.col("method") == method)
        other = other.select(*keys, pl.col("f1").alias(f"{method}_f1"))
        fair = fair.join(other, on=list(keys), how="left", maintain_order="left")
    return fair


def _other(frame: pl.DataFrame, most: int | None) -> Sheet:
    """Return another taxonomy: a row a system and method."""
    counts = _MODES if "cor" in frame.columns else tuple(VOCABULARY[n] for n in ("tp", "fp", "fn"))
    plain = tuple(replace(column, better="") for column in _PRF)
    columns = (_SYSTEM, Column("method", "method", "text"), *plain, *counts)
    many = frame["system"].n_unique() > _FEW
    title = "by method; `ranking` has them side by side" if many else "by method"
    limit = most if many else None
    return listing(frame, name="overall", title=title, columns=columns, limit=limit)


def ranking(report: Report, width: int) -> tuple[View, ...]:  # noqa: ARG001
    """Return every method's F1 and rank, and how far each system climbs or falls by the second."""
    frame = report.table("ranking")
    methods = [name.removesuffix("_f1") for name in frame.columns if name.endswith("_f1")]
    columns = [_SYSTEM]
    for method in methods:
        short = "trad." if method == "traditional" else method
        columns += [
            Column(f"{method}_f1", f"{short}\nF1 %", "ratio", "high"),
            Column(f"{method}_rank", f"{short}\nrank"),
        ]
    moved = frame.with_columns(moved=_arrows(frame["change"]))
    title = f"ranks under {methods[0]} and {methods[1]} scoring" if len(methods) > 1 else "ranks"
    columns.append(Column("moved", "moves", "text"))
    return (listing(moved, name="ranking", title=title, columns=columns),)


def _arrows(change: pl.Series) -> pl.Series:
    signs = [
        None if n is None else "=" if n == 0 else f"{'↑' if n > 0 else '↓'}{abs(n)}" for n in change
    ]
    return pl.Series("moved", signs, dtype=pl.String)


def labels(report: Report, width: int) -> tuple[View, ...]:
    """Return one system's errors by label, or the fair (or strict) F1 of many as a matrix."""
    frame = report.table("labels")
    fair = "fair" in frame["method"]
    method = "fair" if fair or frame.is_empty() else "strict"
    if frame["system"].n_unique() <= 1 and "le" in frame.columns:
        return (_one(frame, rows_for(width, _LABELS)),)
    kept = frame.filter(pl.col("method") == method)
    table = Table("labels", f"{method} F1 % by label (support below)")
    return (wide_sheet(report, table, BY_LABEL, kept, width),)


def _one(frame: pl.DataFrame, limit: int | None) -> Sheet:
    plain = [replace(column, better="") for column in (*_PRF, *_f1_columns(frame))]
    rows = _beside(frame, ("system", "label")).sort("support", descending=True, maintain_order=True)
    columns = (_LABEL, Column("support", "support"), *plain, *_KINDS)
    title = "fair span errors by label, most support first"
    return listing(rows, name="labels", title=title, columns=columns, limit=limit)


def confusion(report: Report, width: int) -> tuple[View, ...]:
    """Return the matrices of ``confusion``, with a word on their diagonal."""
    note = "errors only; the diagonal counts boundary errors"
    found = confusions.views(report, width)
    return tuple(replace(view, notes=(*view.notes, note)) for view in found)
