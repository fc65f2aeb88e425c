"""Coreference on a screen: classes of mentions, systems as keys, changes by kind of mention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coleval.render.columns import VOCABULARY, Column, ratio
from coleval.render.listing import listing
from coleval.render.marks import marks
from coleval.render.sheet import DASH, Cell, Head, Sheet, View, rows_for
from coleval.render.visible import visible

if TYPE_CHECKING:
    from coleval.corpus.report import Report

_METRICS = ("conll", "muc")
_ROWS = 40
_CLASSES = (
    VOCABULARY["system"],
    Column("criterion", "criterion", "text"),
    *(VOCABULARY[name] for name in ("tp", "fp", "fn")),
    Column("wl", "WL"),
    Column("tn", "TN"),
    Column("items", "mentions"),
)


def overall(report: Report, width: int) -> tuple[View, ...]:  # noqa: ARG001
    """Return the F1 of every metric, a row a system; the fractions are for files."""
    rows = report.table("overall").to_dicts()
    f1 = {(r["system"], r["metric"]): r["f1"] for r in rows}
    systems, metrics = (list(dict.fromkeys(names)) for names in zip(*f1, strict=True))
    columns = [_scores([f1[system, metric] for system in systems]) for metric in metrics]
    heads = [Head(f"{metric.replace('_', chr(10))} %", marked=True) for metric in metrics]
    names = [Cell(visible(system)) for system in systems]
    return (
        Sheet(
            "overall",
            "systems, best first: F1; for recall, precision and their counts: --as csv",
            (Head("system", right=False, elastic=True), *heads),
            tuple(zip(names, *columns, strict=True)),
            among="of its column",
        ),
    )


def _scores(values: list[float | None]) -> list[Cell]:
    return [
        Cell(DASH if value is None else ratio(value), sign)
        for value, sign in zip(values, marks(values, "high"), strict=True)
    ]


def classes(report: Report, width: int) -> tuple[View, ...]:  # noqa: ARG001
    """Return how many mentions of each class every system has, by criterion."""
    table = report.table("classes")
    title = (
        "mentions by class: TP resolved, FP spurious, FN missed, WL wrong link, TN no antecedent"
    )
    return (listing(table, name="classes", title=title, columns=_CLASSES),)


def keys(report: Report, width: int) -> tuple[View, ...]:  # noqa: ARG001
    """Return a matrix: a row a key, a column a system, the CoNLL F1 (else MUC) between them."""
    rows = report.table("keys").to_dicts()
    metric = next(
        (m for m in _METRICS if any(r["metric"] == m and r["f1"] is not None for r in rows)), "muc"
    )
    f1 = {(r["key"], r["system"]): r["f1"] for r in rows if r["metric"] == metric}
    systems = list(dict.fromkeys(system for _, system in f1))
    lines = [_line(key, systems, f1) for key in dict.fromkeys(key for key, _ in f1)]
    heads = (Head("key", right=False, elastic=True), *(Head(visible(s)) for s in systems))
    return (
        Sheet("keys", f"each system scored against the others: {metric} F1 %", heads, tuple(lines)),
    )


def _line(key: str, systems: list[str], f1: dict[tuple[str, str], Any]) -> tuple[Cell, ...]:
    values = [f1[key, system] for system in systems]
    cells = [
        Cell(DASH if value is None else ratio(value), dim=system == key)
        for system, value in zip(systems, values, strict=True)
    ]
    return (Cell(visible(key)), *cells)


def splits(report: Report, width: int) -> tuple[View, ...]:
    """Return the transitions of each kind of mention, cut after a screen."""
    table = report.table("splits")
    if table.is_empty():
        return ()
    title = "changes by type of mention, for pronouns by lemma"
    return (listing(table, name="splits", title=title, limit=rows_for(width, _ROWS)),)
