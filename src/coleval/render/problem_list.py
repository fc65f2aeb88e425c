"""What validation found, as a compiler prints it: where, what, what to do. All of it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.render.sheet import Paragraph, Prose, View, rows_for
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.corpus.report import Report

NAME = "problems"
PARAGRAPHS = 100


def views(report: Report, width: int) -> tuple[View, ...]:
    """Return a paragraph a problem, in the order they came."""
    frame = report.table(NAME)
    rows = frame.to_dicts()[: rows_for(width, PARAGRAPHS)]
    rest = frame.height - len(rows)
    more = (f"… and {rest:,} more problems: --as csv --table {NAME}",) if rest else ()
    title = "problems found"
    return (Prose(NAME, title, tuple(_paragraph(row) for row in rows), more),)


def _paragraph(row: Mapping[str, object]) -> Paragraph:
    where = ":".join(visible(str(row[key])) for key in ("file", "line") if row[key] is not None)
    often = f"({row['n']:,} times)" if isinstance(row["n"], int) and row["n"] > 1 else ""
    kind = visible(str(row["kind"] or ""))
    head = "  ".join(part for part in (where, kind, often) if part)
    return Paragraph(head, _said(row["problem"]), _said(row["remedy"]))


def _said(value: object) -> str:
    return visible(str(value)) if value else ""
