"""Coreference on a screen: classes of mentions, systems as keys, changes by kind of mention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coleval.render.columns import ratio
from coleval.render.sheet import DASH, Cell, Head, Sheet, View
from coleval.render.visible import visible

if TYPE_CHECKING:
    from coleval.corpus.report import Report

_METRICS = ("conll", "muc")


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
