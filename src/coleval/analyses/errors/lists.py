"""How the tables of ``errors`` look: one line a system, methods side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from coleval.analyses.confusion import chart as confusions
from coleval.analyses.score import labels_chart as label_matrix
from coleval.render.columns import VOCABULARY, Column
from coleval.render.listing import listing
from coleval.render.sheet import rows_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.corpus.report import Report
    from coleval.render.sheet import Sheet, View

_FEW = 6
_ROWS, _LABELS, _STATISTICS, _MOVES = 40, 60, 30, 20
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
_NAMES: Mapping[str, str] = {
    "tp": "right", "le": "label", "bes": "boundary: smaller", "bel": "boundary: bigger",
    "beo": "boundary: crossing", "lbe": "label and boundary", "fn": "missed", "fp": "spurious",
}  # fmt: skip


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
    found = label_matrix.views(_with(report, "labels", kept), width)
    return tuple(replace(view, title=f"{method} {view.title}") for view in found)


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


def statistics(report: Report, width: int) -> tuple[View, ...]:
    """Return how often gold has each label."""
    columns = (_LABEL, Column("n", "gold spans"), Column("share", "share %", "ratio"))
    frame = report.table("statistics")
    title, limit = "label distribution in gold", rows_for(width, _STATISTICS)
    return (listing(frame, name="statistics", title=title, columns=columns, limit=limit),)


def comparison(report: Report, width: int) -> tuple[View, ...]:  # noqa: ARG001
    """Return for each pair what every kind of error adds to the difference of F1."""
    return tuple(
        _compared(part) for part in report.table("comparison").partition_by("before", "after")
    )


def _compared(frame: pl.DataFrame) -> Sheet:
    before, after = frame["before"][0], frame["after"][0]
    columns = (
        Column("error", "error", "text"),
        Column("n_before", before), Column("n_after", after), Column("delta", "change"),
        Column("f1", "effect on F1\n(points)", "points"),
    )  # fmt: skip
    named = frame.with_columns(pl.col("error").replace_strict(_NAMES))
    title = f"{after} compared with {before}: the difference in F1 by kind of error"
    return listing(named, name="comparison", title=title, columns=columns)


def moves(report: Report, width: int) -> tuple[View, ...]:
    """Return what gold's spans were in one system and are in the other, the most frequent first."""
    frame = report.table("moves")
    columns = (
        Column("before", "before", "text"), Column("after", "after", "text"),
        Column("error_before", "was", "text"), Column("error_after", "is", "text"),
        Column("n", "gold spans"),
    )  # fmt: skip
    names = pl.col("error_before", "error_after").replace_strict(_NAMES)
    title = "gold spans whose outcome differs between the two systems"
    named, limit = frame.with_columns(names), rows_for(width, _MOVES)
    return (listing(named, name="moves", title=title, columns=columns, limit=limit),)


def items(report: Report, width: int) -> tuple[View, ...]:
    """Return the first errors: labels, place, and words where there are any."""
    frame = report.table("items")
    words = "context" in frame.columns
    place = "sentence context" if words else "sentence gold_start gold_end answer_start answer_end"
    names = ["system", "error", "gold", "answer", *place.split()]
    columns = [_column(name) for name in names]
    note = "[gold] {system}" if words else "an end is the first token after the span"
    limit = rows_for(width, _ROWS)
    sheet = listing(frame, name="items", title="errors", columns=columns, limit=limit)
    return (replace(sheet, notes=(*sheet.notes, note)),)


def _column(name: str) -> Column:
    text = name in ("system", "error", "gold", "answer", "context")
    return Column(name, name.replace("_", "\n"), "text" if text else "count")


def _with(report: Report, name: str, frame: pl.DataFrame) -> Report:
    return replace(report, tables={**report.tables, name: frame})
