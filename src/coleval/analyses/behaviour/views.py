"""What is shown of ``behaviour``: a group's answers in one row, a few of the systems that fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from coleval.declare.tables import Shaped, percent
from coleval.render.visible import visible

if TYPE_CHECKING:
    from coleval.corpus.report import Report

# So many answers have a column; there may be as many as there are texts.
_ANSWERS = 4
_KEYS = ("system", "group", "rows", "odd", "odd_rate")


def groups(report: Report) -> Shaped:
    """Return a row for each system and group with the rates of the most frequent answers."""
    frame = report.table("groups")
    n = frame.group_by("label").agg(pl.col("n").sum()).sort("n", "label", descending=[True, False])
    labels = n["label"][:_ANSWERS].to_list()
    rates = [
        pl.col("rate").filter(pl.col("label") == label).sum().alias(f"answer {k}")
        for k, label in enumerate(labels)
    ]
    rows = frame.group_by(_KEYS, maintain_order=True).agg(rates)
    rows = rows.sort("system", "odd_rate", descending=[False, True], maintain_order=True)
    columns = tuple(percent(f"answer {k}", visible(label)) for k, label in enumerate(labels))
    others = len(n) - len(labels)
    notes = (f"{others:,} rarer answers: --as csv --table groups",) if others else ()
    return Shaped(rows, columns, notes)


def cases(report: Report) -> Shaped:
    """Return the rows that fail with at most three names for each answer."""
    few = pl.col("answers").str.replace_all(r"(: (?:[^,;]+, ){2}[^,;]+)(?:, [^,;]+)+", "$1 …")
    return Shaped(report.table("cases").with_columns(few))
