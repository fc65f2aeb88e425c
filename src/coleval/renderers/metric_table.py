"""Several metrics of each system: a row a system, a column a metric, as the table has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coleval.renderers.columns import ratio
from coleval.renderers.marks import marks
from coleval.renderers.sheet import DASH, Cell, Head, Sheet, View
from coleval.renderers.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.report import Report

NAME = "overall"

Shares = dict[tuple[str, str], float | None]


def views(report: Report, width: int) -> tuple[View, ...]:  # noqa: ARG001
    """Return the F1 of every metric, and how many sentences are wholly right by the last one."""
    rows = report.table(NAME).to_dicts()
    scores: Shares = {(row["system"], row["metric"]): row["f1"] for row in rows}
    whole = _whole(rows)
    systems, metrics = (
        list(dict.fromkeys(row[name] for row in rows)) for name in ("system", "metric")
    )
    columns = [_column([scores.get((s, metric)) for s in systems]) for metric in metrics]
    heads = [Head(f"{visible(metric)} %", marked=True) for metric in metrics]
    if whole:
        columns.append(_column([whole.get((s, metrics[-1])) for s in systems]))
        heads.append(Head(f"sentences\nright {visible(metrics[-1])} %", marked=True))
    names = [Cell(visible(system)) for system in systems]
    return (
        Sheet(
            NAME,
            "systems, best first",
            (Head("system", right=False, elastic=True), *heads),
            tuple(zip(names, *columns, strict=True)),
            among="of its column",
        ),
    )


def _whole(rows: Sequence[Mapping[str, Any]]) -> Shares:
    """Return the share of sentences that are wholly right, nothing where there are none."""
    return {
        (row["system"], row["metric"]): row["sentences_correct"] / row["sentences"]
        for row in rows
        if row.get("sentences")
    }


def _column(values: Sequence[float | None]) -> list[Cell]:
    return [
        Cell(DASH if value is None else ratio(value), sign)
        for value, sign in zip(values, marks(values, "high"), strict=True)
    ]
