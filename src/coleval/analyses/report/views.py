"""What a report found, a sentence a chapter, and what it left out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from coleval.analyses.wording import first_sentence
from coleval.render.sheet import Paragraph, Prose, View
from coleval.render.visible import visible

if TYPE_CHECKING:
    from coleval.corpus.report import Report


# Findings that a screen leads with.
_LEADING = 8


def views(report: Report, width: int) -> tuple[View, ...]:  # noqa: ARG001
    """Return the sentences as prose, first ones on a screen that leads."""
    rows = report.table("story").to_dicts()
    told = [row for row in rows if row["finding"] is not None]
    if report.leads:
        shown = {name.partition(".")[0] for name in report.leads if name.startswith("examples")}
        lines = tuple(
            Paragraph("", f"• {visible(_in_short(row['finding']))}")
            for row in [one for one in told if one["chapter"] not in shown][:_LEADING]
        )
        return (Prose("report", "what was found", lines),)
    paragraphs = tuple(Paragraph(row["question"], visible(row["finding"])) for row in told)
    left = [
        f"{row['chapter']}: {visible(row['left_out'])}" for row in rows if row["finding"] is None
    ]
    return (
        Prose(
            "report",
            "summary of findings",
            paragraphs,
            tuple(f"left out — {text}" for text in left),
        ),
    )


def _in_short(finding: str) -> str:
    """Return the first sentence of a finding without the number of items at its end."""
    return re.sub(r" \(n = [^()]*\)\.$", ".", first_sentence(finding))
