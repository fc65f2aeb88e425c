"""Several metrics of each system: a row a system, a column a metric, as the table has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coleval.render.columns import ratio
from coleval.render.marks import marks
from coleval.render.sheet import DASH, Cell, Head, Sheet, View
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.corpus.report import Report

NAME = "overall"
# What is compared before any tree is: a sheet of its own, behind that of the trees.
_TEXT = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas")

Shares = dict[tuple[str, str], float | None]


def views(report: Report, width: int) -> tuple[View, ...]:  # noqa: ARG001
    """Return the F1 of every metric of trees with the sentences wholly right, then all others."""
    rows = report.table(NAME).to_dicts()
    told = list(dict.fromkeys(row["metric"] for row in rows))
    trees = [metric for metric in told if metric not in _TEXT]
    text = [metric for metric in told if metric in _TEXT]
    first = _sheet(rows, trees, "systems, best first: F1", whole=_last_of_trees(trees))
    if not text:
        return (first,)
    return first, _sheet(rows, text, "segmentation and tags: F1 of tokens, sentences, words, tags")


def _last_of_trees(trees: Sequence[str]) -> str:
    """Return the metric by which sentences are told right: head and relation, if it is there."""
    return "LAS" if "LAS" in trees else trees[-1]


def _sheet(
    rows: Sequence[Mapping[str, Any]], metrics: Sequence[str], title: str, whole: str = ""
) -> Sheet:
    systems = list(dict.fromkeys(row["system"] for row in rows))
    scores: Shares = {(row["system"], row["metric"]): row["f1"] for row in rows}
    columns = [_column([scores.get((s, metric)) for s in systems]) for metric in metrics]
    heads = [Head(f"{visible(metric)} %", marked=True) for metric in metrics]
    right = _whole(rows) if whole else {}
    if right:
        columns.append(_column([right.get((s, whole)) for s in systems]))
        heads.append(Head(f"sentences\nright {visible(whole)} %", marked=True))
    names = [Cell(visible(system)) for system in systems]
    return Sheet(
        NAME,
        title,
        (Head("system", right=False, elastic=True), *heads),
        tuple(zip(names, *columns, strict=True)),
        among="of its column",
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
